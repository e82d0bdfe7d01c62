"""The names that users write down, or read from what the gate writes: what semantic versioning is about.

names = public_names()
names["gate.yaml"]["keys"]  # ["budget", "budget.max_calls", …]
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from ruamel.yaml import YAML

from gate.cli.app import cli
from gate.domain.record import RunRecord
from gate.domain.verdict import Verdict
from gate.errors import CannotEvaluate, GateError, Interrupted
from gate.inputs.cases import KEYS as CASE_KEYS
from gate.inputs.schema import config_schema

ROOT = Path(__file__).parents[2]
SETTINGS = ROOT / "gate/settings"
"""The only reader of the environment."""
VARIABLE = re.compile(r"\"(GATE_[A-Z_]+|[A-Z]+_(?:API_KEY|BASE_URL))\"")
CLOSED = ("params",)
"""Keys of `gate.yaml` that mean the same wherever they stand; told once."""

Names = dict[str, Any]


def public_names() -> Names:
    """All of them, by what they are names of; JSON and nothing else."""
    action = YAML(typ="safe").load(ROOT / "action.yml")
    return {
        "action inputs": {name: str(about["default"]) for name, about in action["inputs"].items()},
        "action outputs": sorted(action["outputs"]),
        "commands": dict(sorted(_commands(cli, ()))),
        "exit codes": {
            "mistake": GateError.exit_code,
            "undecided": CannotEvaluate.exit_code,
            "Ctrl-C": Interrupted.exit_code,
        },
        "verdicts": sorted(verdict.value for verdict in Verdict),
        "gate.yaml": fields(config_schema()),
        "run.json": fields(RunRecord.model_json_schema(by_alias=True, mode="serialization")),
        "case": sorted(CASE_KEYS),
        "environment": sorted({name for file in SETTINGS.glob("*.py") for name in VARIABLE.findall(file.read_text())}),
    }


def fields(schema: dict[str, Any]) -> dict[str, Any]:
    """The `keys` of a JSON Schema by their paths, which of them are `required`, and the `words` of enumerations."""
    keys: set[str] = set()
    required: set[str] = set()
    words: dict[str, set[str]] = {}
    for path, part, always in _walk(schema, schema.get("$defs", {}), (), ()):
        keys.add(path)
        if always:
            required.add(path)
        if "enum" in part:
            words.setdefault(path, set()).update(str(word) for word in part["enum"])
    listed = {path: sorted(found) for path, found in sorted(words.items())}
    return {"keys": sorted(keys), "required": sorted(required), "words": listed}


def _walk(
    schema: Any, known: dict[str, Any], path: tuple[str, ...], inside: tuple[str, ...]
) -> Iterator[tuple[str, Any, bool]]:
    """Every key below a part, and what its value looks like; a part within itself is told once."""
    if not isinstance(schema, dict):
        return
    if (name := schema.get("$ref", "").rpartition("/")[2]) and name not in inside:
        yield from _walk(known[name], known, path, (*inside, name))
    for key, part in schema.get("properties", {}).items():
        if key in CLOSED and len(path) > 1:
            continue
        below = (*path, key)
        target = part
        if ref := part.get("$ref", "").rpartition("/")[2]:
            target = known[ref]
        yield ".".join(below), target, key in schema.get("required", ())
        yield from _walk(part, known, below, inside)
    for key in ("items", "additionalProperties"):
        yield from _walk(schema.get(key), known, (*path[:-1], f"{path[-1]}[]") if path else ("[]",), inside)
    for choice in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(choice, ()):
            yield from _walk(part, known, path, inside)


def _commands(command: click.Command, above: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    """Each command, and its options; arguments have places, not names."""
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from _commands(below, (*above, name))
        return
    words = {word for option in command.params if isinstance(option, click.Option) for word in option.opts}
    hidden = {w for option in command.params if isinstance(option, click.Option) and option.hidden for w in option.opts}
    yield " ".join(above), sorted(words - hidden)


def dump(names: Names) -> str:
    """The text of `names.json`."""
    return json.dumps(names, indent=1, ensure_ascii=False) + "\n"
