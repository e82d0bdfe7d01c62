"""One folder of a repository as if it were the whole: for a repository that holds several projects."""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass

from gate.inputs.entries import checked
from gate.inputs.source import FileSource


@dataclass(frozen=True, slots=True)
class Subfolder:
    """A source whose paths begin in a folder (`gate.inputs.source.FileSource`).

    Args:
        whole: the repository's files.
        folder: from its root, with `/`.
    """

    whole: FileSource
    folder: str

    @property
    def label(self) -> str:
        return self.whole.label

    @property
    def sha(self) -> str | None:
        return self.whole.sha

    def read(self, path: str) -> bytes | None:
        return self.whole.read(self._below(path))

    def fingerprint(self, path: str) -> str | None:
        return self.whole.fingerprint(self._below(path))

    def glob(self, pattern: str) -> list[str]:
        found = self.whole.glob(self._below(pattern))
        return [path.removeprefix(f"{self.folder}/") for path in found]

    def listing(self, folder: str = "") -> dict[str, str]:
        found = self.whole.listing(self._below(folder) if folder else self.folder)
        return {path.removeprefix(f"{self.folder}/"): print_ for path, print_ in found.items()}

    def links(self, pattern: str) -> dict[str, str]:
        found = self.whole.links(self._below(pattern))
        # A link on the way to the folder is named where the folder's files are read.
        inside = f"{self.folder}/"
        return {path.removeprefix(inside): kind for path, kind in found.items() if path.startswith(inside)}

    def leads_to(self, link: str) -> str | None:
        target = self.whole.leads_to(self._below(link))
        return None if target is None else posixpath.relpath(target, self.folder)

    def sizes(self, paths: Sequence[str]) -> dict[str, int]:
        found = self.whole.sizes([self._below(path) for path in paths])
        return {path.removeprefix(f"{self.folder}/"): size for path, size in found.items()}

    def _below(self, path: str) -> str:
        # Checked by itself first: two dots must not lead out of the folder into the rest of the repository.
        return f"{self.folder}/{checked(path)}"
