"""SECURITY.md names an existing test for every line."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
TEXT = (TESTS.parent / "SECURITY.md").read_text(encoding="utf-8")
AUTHOR = "What a pull request's author can"
PROMISES = (f"{AUTHOR} do", f"{AUTHOR}not do", "A change from outside", "A store's cases", "Files of others")


def rows(heading: str) -> list[tuple[str, str]]:
    part = TEXT.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line.strip("| ") for line in part.splitlines() if line.startswith("| ") and "---" not in line]
    return [(line.partition(" | ")[0], line.partition(" | ")[2]) for line in lines[1:]]


def test_every_line_names_a_test() -> None:
    for heading in PROMISES:
        found = rows(heading)
        assert len(found) >= 5
        for promise, tests in found:
            # What only GitHub can enforce has no test here.
            assert tests or "only a ruleset" in promise, promise


def test_every_named_test_exists() -> None:
    named = re.findall(r"`([a-z_/0-9]+\.py::[^`]+)`", TEXT)
    assert len(named) >= 25
    for name in named:
        path, _, function = name.partition("::")
        assert f"def {function}(" in (TESTS / path).read_text(encoding="utf-8"), name
