"""Where the code of an exam lies."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CodePlace:
    """Files of one side of a comparison, by which code of theirs can be found again and run.

    Args:
        checkout: folder of the repository.
        sha: commit or tree; None for the working tree.
        label: of the side, for a reader.
        folder: below the checkout's root, where modules are looked for; empty for the root.
    """

    checkout: Path
    sha: str | None
    label: str
    folder: str = ""
