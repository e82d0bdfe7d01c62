"""The port to wherever files are read from: a git commit, the working tree, GitHub."""

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
