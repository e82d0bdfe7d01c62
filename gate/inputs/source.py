"""The port to wherever files are read from: a git commit, the working tree, GitHub."""

from collections.abc import Sequence
from typing import Protocol


class FileSource(Protocol):
    """Files of one side of a comparison. Paths are relative to the root of the repository, with `/`."""

    @property
    def label(self) -> str:
        """What the user named: `origin/main`, `working tree`."""
        ...

    @property
    def sha(self) -> str | None:
        """The commit, where there is one."""
        ...

    def read(self, path: str) -> bytes | None:
        """The file's bytes, or None when there is no such file.

        Raises:
            GateError: a path that leaves the repository, or something that is not a plain file of bounded size.
        """
        ...

    def fingerprint(self, path: str) -> str | None:
        """Names the file's content, and costs less than reading it; None when there is no such file.

        Equal fingerprints, of whatever sources, mean equal content; different ones mean nothing.
        """
        ...

    def glob(self, pattern: str) -> list[str]:
        """Paths of plain files that match (see `gate.inputs.paths.matches`), sorted."""
        ...

    def listing(self, folder: str = "") -> dict[str, str]:
        """Every plain file in a folder and its folders, whatever its name, with its fingerprint.

        Args:
            folder: empty for the root.

        Returns:
            By path from the root; an empty fingerprint where only reading the file would tell.
        """
        ...

    def links(self, pattern: str) -> dict[str, str]:
        """Symbolic links and submodules that match, or behind which something could.

        Returns:
            By path: what it is, equal in every source (see `gate.inputs.entries.linked`).
        """
        ...

    def leads_to(self, link: str) -> str | None:
        """The path that a symbolic link leads to, from the root, by its own content.

        Args:
            link: its path.

        Returns:
            None where that is no place in the repository, and for what is no link.

        Raises:
            CannotEvaluate: a partial clone has the name and not the content.
        """
        ...

    def sizes(self, paths: Sequence[str]) -> dict[str, int]:
        """Bytes of files, which are not read for it; what is no plain file is left out.

        Raises:
            CannotEvaluate: a partial clone has the name and not the content.
        """
        ...
