"""The changelog, release by release: `python -m release.changelog 0.2.0` prints what is new in it.

A release is a heading such as `## 0.2.0 (2026-12-01)`; what is to come stands below `## Unreleased`, above them all.
"""

import re
import sys
from pathlib import Path

FILE = Path("CHANGELOG.md")
_HEADING = re.compile(r"^## (\S+)(?: \((\d{4}-\d\d-\d\d)\))?$", re.MULTILINE)


def sections(text: str) -> dict[str, str]:
    """What stands below each heading, by its version, in the order of the file.

    Args:
        text: of the changelog.

    Raises:
        ValueError: a version stands there twice.
    """
    parts = _HEADING.split(text)[1:]
    names = parts[::3]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{FILE} has {', '.join(twice)} twice")
    return {name: body.strip() for name, body in zip(names, parts[2::3], strict=True)}


def dated(text: str) -> dict[str, str]:
    """The day of each release, by its version; empty where none is told."""
    return {name: day for name, day in _HEADING.findall(text)}


def main() -> None:
    """Print the section of one release."""
    found = sections(FILE.read_text(encoding="utf-8")).get(sys.argv[1])
    if not found:
        sys.exit(f"{FILE} has nothing below '## {sys.argv[1]}'")
    print(found)


if __name__ == "__main__":
    main()
