"""Checks that a release can start: `python -m release.check source/v0.2.0` prints the version, or the errors.

The version is defined in `pyproject.toml`, and the program reads it from its own metadata. The Dockerfile, the
changelog and the tag that starts the release must have the same version.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from release import changelog

TAG = re.compile(r"source/v(\d+\.\d+\.\d+)")
"""Tags that start a release. The release ends with the tag `v1.2.3`, on a commit whose action.yml names the image."""


def version(root: Path) -> str:
    """The version in the `pyproject.toml` of a clone."""
    found: str = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return found


def errors(root: Path, tag: str) -> Iterator[str]:
    """Everything that prevents the release of a clone.

    Args:
        tag: the tag that was pushed.
    """
    own = version(root)
    match = TAG.fullmatch(tag)
    if match is None:
        yield f"the tag {tag} is not of the form source/v1.2.3"
    elif match[1] != own:
        yield f"the tag has version {match[1]}, pyproject.toml has {own}"
    if f"\nARG VERSION={own}\n" not in (root / "Dockerfile").read_text(encoding="utf-8"):
        yield f"the Dockerfile has no line ARG VERSION={own}"
    text = (root / changelog.FILE).read_text(encoding="utf-8")
    if not changelog.sections(text).get(own):
        yield f"{changelog.FILE} has no text below '## {own} (year-month-day)'"
    elif not changelog.dated(text)[own]:
        yield f"{changelog.FILE} has no date in '## {own}'"
    if changelog.sections(text).get("Unreleased"):
        yield f"{changelog.FILE} still has text below '## Unreleased'"


def main() -> None:
    """Print the version if a release can start."""
    if found := list(errors(Path(), sys.argv[1])):
        sys.exit("\n".join(f"error: {one}" for one in found))
    print(version(Path()))


if __name__ == "__main__":
    main()
