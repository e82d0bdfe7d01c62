"""Makes `action.yml` use a published image: `python -m release.action ghcr.io/OWNER/prompt-gate@sha256:…`.

On the main branch, every run of the action builds the Dockerfile. A release uses an image that was built once. Its
digest names it, so nobody can replace it.
"""

import re
import sys
from pathlib import Path

FILE = Path("action.yml")
BUILT = "  image: Dockerfile"
_IMAGE = re.compile(r"ghcr\.io(?:/[a-z0-9]+(?:[._-][a-z0-9]+)*){2,3}@sha256:[0-9a-f]{64}")


def published(text: str, image: str) -> str:
    """Replace the Dockerfile with an image; nothing else changes.

    Args:
        text: `action.yml` of the main branch.
        image: name and digest of the image.

    Raises:
        ValueError: the image is not `ghcr.io/…@sha256:…`, or the action does not build a Dockerfile.
    """
    if not _IMAGE.fullmatch(image):
        raise ValueError(f"{image!r} is not of the form ghcr.io/owner/name@sha256:…, in lower case")
    lines = text.split("\n")
    if lines.count(BUILT) != 1:
        raise ValueError(f"{FILE} does not have the line {BUILT!r} exactly once")
    lines[lines.index(BUILT)] = f"  image: docker://{image}"
    return "\n".join(lines)


def main() -> None:
    """Rewrite `action.yml` in the working directory."""
    try:
        text = published(FILE.read_text(encoding="utf-8"), sys.argv[1])
    except ValueError as error:
        sys.exit(f"error: {error}")
    FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
