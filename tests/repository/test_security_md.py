"""Each row of the threat model has tests that are marked with its id, and each mark has a row."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
SECURITY = (TESTS.parent / "SECURITY.md").read_text(encoding="utf-8")
PAGE = (TESTS.parent / "docs/threat-model.md").read_text(encoding="utf-8")
UNTESTED = {"may-edit-workflow"}
"""What only GitHub can prevent."""
TABLE = re.compile(r"^\| id \|.*\n\|---\|---\|\n((?:\|.*\n)+)", re.MULTILINE)


def row_ids() -> list[str]:
    rows = [row for table in TABLE.findall(PAGE) for row in table.splitlines()]
    return [row.split("|")[1].strip() for row in rows]


def marked_ids(source: str) -> set[str]:
    """The ids in the markers `threat` of a test file."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.threat":
            assert node.args and not node.keywords
            found |= {ast.literal_eval(argument) for argument in node.args}
    return found


def test_every_id_is_there_once() -> None:
    ids = row_ids()
    assert len(ids) > 150
    assert [id for id in ids if not re.fullmatch(r"[a-z]+(-[a-z]+)*", id)] == []
    assert len(ids) == len(set(ids))


def test_rows_and_marked_tests_belong_together() -> None:
    files = TESTS.rglob("test_*.py")
    marked = set[str]().union(*(marked_ids(path.read_text(encoding="utf-8")) for path in files))
    assert marked == set(row_ids()) - UNTESTED


def test_marks_are_found() -> None:
    source = 'class T:\n    @pytest.mark.threat("a", "b")\n    @pytest.mark.other("c")\n    def test(self): ...\n'
    assert marked_ids(source) == {"a", "b"}


def test_the_front_page_is_one_page() -> None:
    assert len(SECURITY.splitlines()) <= 60
