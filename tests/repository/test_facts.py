"""Facts are read from fields: no module that shows or posts a run takes apart a sentence of this project."""

import ast
import re
from collections.abc import Iterator

from tests.support.warm import ROOT

WALKED = ("report", "action", "cli")
METHODS = {
    *("startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix", "split", "rsplit"),
    *("find", "index", "count", "replace", "match", "search", "fullmatch", "sub", "compile"),
}
PROSE = {
    *("text", "sentence", "phrase", "headline", "message", "reason", "note", "remark", "hint", "cause", "remedy"),
    *("findings", "reasons", "notes", "unfinished", "title"),
}
"""Names of fields and variables that hold text which this project wrote."""
WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")


def matches(source: str) -> Iterator[tuple[int, str]]:
    """Lines of a module where a pattern is matched against prose, or is itself prose."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            read = [node.func.value, *node.args]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            read = [node.left, *node.comparators]
            if not isinstance(node.left, ast.Constant | ast.JoinedStr):
                continue
        else:
            continue
        if any(_is_prose(one) for one in read):
            yield node.lineno, ast.unparse(node)


def _is_prose(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(WORDS.search(node.value))
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in PROSE


def test_no_sentence_of_this_project_is_read_back() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {code}"
        for folder in WALKED
        for path in sorted((ROOT / "gate" / folder).rglob("*.py"))
        for line, code in matches(path.read_text())
    ]
    assert found == []
