"""Does all that names the version say the same? `python -m release.check source/v0.2.0` prints it, or what does not.

The version is written once, in `pyproject.toml`; the program reads it from its own metadata. The Dockerfile, which can
read neither, and the changelog have to follow, and a tag that starts a release has to say the same.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from release import changelog

TAG = re.compile(r"source/v(\d+\.\d+\.\d+)")
"""Tags that start a release. `v1.2.3` itself is made at its end, on a commit whose action.yml names the image."""


def version(root: Path) -> str:
    """The version of a clone.

    Args:
        root: of the clone.
    """
    found: str = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return found


def mistakes(root: Path, tag: str) -> Iterator[str]:
    """Why a release cannot begin; nothing where it can.

    Args:
        root: of the clone.
        tag: that was pushed.
    """
    own = version(root)
    match = TAG.fullmatch(tag)
    if match is None:
        yield f"the tag {tag} is not of the form source/v1.2.3"
    elif match[1] != own:
        yield f"the tag says {match[1]}, pyproject.toml says {own}"
    if f"\nARG VERSION={own}\n" not in (root / "Dockerfile").read_text(encoding="utf-8"):
        yield f"the Dockerfile has no line ARG VERSION={own}"
    text = (root / changelog.FILE).read_text(encoding="utf-8")
    if not changelog.sections(text).get(own):
        yield f"{changelog.FILE} says nothing below '## {own} (year-month-day)'"
    elif not changelog.dated(text)[own]:
        yield f"{changelog.FILE} has no day in '## {own}'"
    if changelog.sections(text).get("Unreleased"):
        yield f"{changelog.FILE} still has something below '## Unreleased'"


def main() -> None:
    """Print the version where a release may begin."""
    if found := list(mistakes(Path(), sys.argv[1])):
        sys.exit("\n".join(f"error: {one}" for one in found))
    print(version(Path()))


if __name__ == "__main__":
    main()
