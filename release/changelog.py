"""Reads the changelog: `python -m release.changelog 0.2.0` prints the section of that release.

The heading of a release is `## 0.2.0 (2026-12-01)`. Unreleased changes are at the top, below `## Unreleased`.
"""

import re
import sys
from pathlib import Path

FILE = Path("CHANGELOG.md")
_HEADING = re.compile(r"^## (\S+)(?: \((\d{4}-\d\d-\d\d)\))?$", re.MULTILINE)


def sections(text: str) -> dict[str, str]:
    """The text below each heading by version, in the order of the file.

    Args:
        text: the changelog.

    Raises:
        ValueError: a version occurs twice.
    """
    parts = _HEADING.split(text)[1:]
    names = parts[::3]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{FILE} has {', '.join(twice)} twice")
    return {name: body.strip() for name, body in zip(names, parts[2::3], strict=True)}


def dated(text: str) -> dict[str, str]:
    """The date of each release by version; empty if the heading has none."""
    return {name: day for name, day in _HEADING.findall(text)}


def main() -> None:
    """Print the section of one release."""
    found = sections(FILE.read_text(encoding="utf-8")).get(sys.argv[1])
    if not found:
        sys.exit(f"error: {FILE} has no text below '## {sys.argv[1]}'")
    print(found)


if __name__ == "__main__":
    main()
