"""Facts are read from fields: no module that shows or posts a run takes apart a sentence of this project."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.support.warm import ROOT

WALKED = ("report", "action", "cli")
METHODS = {
    *("startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix", "split", "rsplit"),
    *("find", "index", "count", "replace", "match", "search", "fullmatch", "sub", "compile"),
}
FIELDS = {"sentence", "phrase", "headline", "message", "reason", "reasons", "note", "notes", "remark", "hint", "cause"}
"""Fields and variables that hold text which this project wrote."""
OWNERS = {"finding", "note", "problem", "reason", "remark", "error"}
"""Things whose `text` this project wrote."""
WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")
TEMPLATE = re.compile(r"\.(startswith|endswith|partition|split|removeprefix|removesuffix)\(")


def matches(source: str) -> Iterator[tuple[int, str]]:
    """Lines of a module where a pattern is matched against such text, or is itself words of it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            replaced = {"sub": node.args[-1:], "replace": node.args[:1]}
            operands = [node.func.value, *replaced.get(node.func.attr, node.args)]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            operands = [node.left, *node.comparators]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
            # The words of a `Literal` are a code, which the type checker holds to; figures are none.
            operands = [node.left, *node.comparators]
            if any(isinstance(operand, ast.Constant) and not isinstance(operand.value, str) for operand in operands):
                continue
            operands = [operand for operand in operands if not isinstance(operand, ast.Constant)]
        else:
            continue
        if any(_is_own_text(operand) for operand in operands):
            yield node.lineno, ast.unparse(node)


def _is_own_text(node: ast.expr) -> bool:
    match node:
        case ast.Subscript(value=whole):
            return _is_own_text(whole)
        case ast.Constant(value=str(value)):
            return bool(WORDS.search(value))
        case ast.Call(func=function, args=[argument]) if ast.unparse(function) != "len":
            return _is_own_text(argument)
        case ast.Attribute(value=ast.Name(id=owner), attr="text"):
            return owner in OWNERS
        case ast.Attribute(value=owner, attr="text"):
            return "findings" in ast.unparse(owner)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name in FIELDS
    return False


def test_no_sentence_of_this_project_is_read_back() -> None:
    modules = [path for folder in WALKED for path in sorted((ROOT / "gate" / folder).rglob("*.py"))]
    templates = [path for folder in WALKED for path in sorted((ROOT / "gate" / folder).rglob("*.j2"))]
    assert modules
    assert templates
    found = [f"{path}:{line}: {code}" for path in modules for line, code in matches(path.read_text())]
    assert found == []
    assert [str(path) for path in templates if TEMPLATE.search(path.read_text())] == []


@pytest.mark.parametrize(
    "source",
    [
        "run.reasons[0].startswith('x')",
        "finding.text.partition(': ')",
        "re.compile('the budget of .* is used up')",
        "'used up' in text",
        "_EXCEEDED.fullmatch(finding.sentence)",
        "run.findings[0].text.startswith('The')",
        "plain(finding.headline).startswith('the budget')",
        "reason == FREE",
        "suite.note != 'no price'",
    ],
)
def test_reading_a_sentence_back_is_seen(source: str) -> None:
    assert list(matches(source))
