"""The generated reference matches the code, and the hand-written reference is complete."""

import ast
import re
from pathlib import Path

from gate.errors import GateError
from tests.support.docsite.reference import FOLDER, pages
from tests.support.docsite.schemawords import Row, rows

ROOT = Path(__file__).parents[3]
REFERENCE = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
VARIABLE = re.compile(r"(?:GATE|OPENAI|ANTHROPIC|XDG)_[A-Z_]+")


def test_the_generated_pages_are_up_to_date() -> None:
    found = pages()
    assert {path.name for path in FOLDER.iterdir()} == set(found)
    for name, page in found.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == page, f"{name}: run make reference"


def test_environment_variables_are_documented() -> None:
    files = [
        *(ROOT / "gate/environment").glob("*.py"),
        ROOT / "gate/web/login_settings.py",
        ROOT / "gate/calls/endpoints.py",
    ]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in files]
    texts = [node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    read = {text for text in texts if isinstance(text, str) and VARIABLE.fullmatch(text)}
    told = REFERENCE.partition("## Environment\n")[2].partition("\n## ")[0]
    named = {name for line in told.splitlines() for name in VARIABLE.findall(line.partition(" | ")[0])}
    assert len(read) > 10
    assert named == read


def test_exit_codes_are_documented() -> None:
    def codes(kind: type[GateError]) -> set[int]:
        return {kind.exit_code}.union(*map(codes, kind.__subclasses__()))

    section = REFERENCE.partition("## Commands\n")[2].partition("\n## ")[0]
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)}
    assert told == codes(GateError) | {0, 1}


def test_keys_of_inner_mappings_follow_the_mapping() -> None:
    schema = {
        "required": ["a"],
        "properties": {
            "a": {"type": "array", "items": {"anyOf": [{"type": "object", "properties": {"b": {"enum": ["x", ""]}}}]}},
            "c": {"type": "object", "additionalProperties": {"properties": {"d": {"type": "integer", "minimum": 1}}}},
            "e": {"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 0.5, "description": "Half."},
        },
    }
    assert list(rows(schema)) == [
        Row("a", "list of mapping", True),
        Row("a[].b", "`x`, empty text", False),
        Row("c", "mapping", False),
        Row("c.NAME.d", "whole number, from 1", False),
        Row("e", "number, above 0 to 0.5", False, "Half."),
    ]
