"""No string of the package is a statement, unless it documents what stands before it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATHS = sorted((ROOT / "gate").rglob("*.py"))


def orphans(source: str) -> Iterator[int]:
    """Lines of strings that are no docstring and follow no name, or a second string."""
    for node in ast.walk(ast.parse(source)):
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list):
                yield from (one.lineno for place, one in enumerate(statements) if _is_orphan(node, statements, place))


def _is_orphan(node: ast.AST, statements: list[ast.stmt], place: int) -> bool:
    one = statements[place]
    if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str)):
        return False
    if place == 0:
        return not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    named = isinstance(statements[place - 1], ast.Assign | ast.AnnAssign)
    return not (named and isinstance(node, ast.Module | ast.ClassDef))


def test_every_string_that_is_a_statement_documents_something() -> None:
    found = {str(path.relative_to(ROOT)): list(orphans(path.read_text(encoding="utf-8"))) for path in PATHS}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('"""Doc."""\nA = 1\n"""Of A."""\n', []),
        ('A = 1\n"""Of A."""\n"""Of nothing."""\n', [3]),
        ('def f():\n    """Doc."""\n    a = 1\n    """Of a."""\n', [4]),
        ('import a\n"""Of an import."""\n', [2]),
    ],
)
def test_an_orphan_is_found(source: str, found: list[int]) -> None:
    assert list(orphans(source)) == found


def test_lists_of_names_are_cut_in_one_place() -> None:
    """`a, b, c and 2 more` is written by `gate.values.listed`; what counts other things has a noun behind `more`."""
    pattern = re.compile(r"', '\.join\([^\n]*and \{[^}]*\} more\b|join\([^\n]*\[:\w+\]\)[^\n]* more\b")
    found = {str(path.relative_to(ROOT)) for path in PATHS if pattern.search(path.read_text(encoding="utf-8"))}
    # `gate.errors` is loaded before everything, and so loads nothing.
    assert found <= {"gate/errors.py", "gate/engine/decide.py", "gate/resolve/pairing.py"}
