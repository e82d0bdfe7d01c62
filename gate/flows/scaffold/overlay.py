"""Files that are about to be written, as if they were there: so that nothing is written that would be a mistake."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gate.inputs.entries import content_fingerprint
from gate.inputs.paths import matches
from gate.inputs.source import FileSource


@dataclass(frozen=True, slots=True)
class Overlay:
    """A source with more files than it has (`gate.inputs.source.FileSource`).

    Args:
        below: the files that are there.
        texts: the others, by path.
    """

    below: FileSource
    texts: Mapping[str, str]

    @property
    def label(self) -> str:
        return self.below.label

    @property
    def sha(self) -> str | None:
        return self.below.sha

    def read(self, path: str) -> bytes | None:
        """See `FileSource`."""
        return self.texts[path].encode() if path in self.texts else self.below.read(path)

    def fingerprint(self, path: str) -> str | None:
        """See `FileSource`."""
        return content_fingerprint(self.read(path))

    def glob(self, pattern: str) -> list[str]:
        """See `FileSource`."""
        return sorted({*self.below.glob(pattern), *(path for path in self.texts if matches(path, pattern))})

    def listing(self, folder: str = "") -> dict[str, str]:
        """See `FileSource`."""
        start = f"{folder}/" if folder else ""
        return {**self.below.listing(folder), **{path: "" for path in self.texts if path.startswith(start)}}

    def links(self, pattern: str) -> dict[str, str]:
        """See `FileSource`."""
        return self.below.links(pattern)

    def leads_to(self, link: str) -> str | None:
        """See `FileSource`."""
        return self.below.leads_to(link)

    def sizes(self, paths: Sequence[str]) -> dict[str, int]:
        """See `FileSource`."""
        own = {path: len(self.texts[path].encode()) for path in paths if path in self.texts}
        return {**self.below.sizes([path for path in paths if path not in own]), **own}
