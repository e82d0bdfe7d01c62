"""Files of a commit of which a clone has only a part: what is missing there is read elsewhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gate.errors import CannotEvaluate
from gate.inputs.source import FileSource

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class EitherSource:
    """Two sources of the same commit (`gate.inputs.source.FileSource`).

    Args:
        local: is asked first; costs nothing.
        remote: is asked for what the other cannot say. Its fingerprints must be of the same kind.
    """

    local: FileSource
    remote: FileSource

    @property
    def label(self) -> str:
        return self.local.label

    @property
    def sha(self) -> str | None:
        return self.local.sha

    def read(self, path: str) -> bytes | None:
        """See `FileSource`; a file that the local source knows not to be there is not asked for again.

        Raises:
            CannotEvaluate: neither can say.
        """
        return self._either(lambda source: source.read(path))

    def fingerprint(self, path: str) -> str | None:
        """See `FileSource`."""
        return self._either(lambda source: source.fingerprint(path))

    def glob(self, pattern: str) -> list[str]:
        """See `FileSource`."""
        return self._either(lambda source: source.glob(pattern))

    def listing(self, folder: str = "") -> dict[str, str]:
        """See `FileSource`."""
        return self._either(lambda source: source.listing(folder))

    def links(self, pattern: str) -> dict[str, str]:
        """See `FileSource`."""
        return self._either(lambda source: source.links(pattern))

    def leads_to(self, link: str) -> str | None:
        """See `FileSource`."""
        return self._either(lambda source: source.leads_to(link))

    def sizes(self, paths: Sequence[str]) -> dict[str, int]:
        """See `FileSource`."""
        return self._either(lambda source: source.sizes(paths))

    def _either(self, ask: Callable[[FileSource], Found]) -> Found:
        try:
            return ask(self.local)
        except CannotEvaluate as missing:
            try:
                return ask(self.remote)
            except CannotEvaluate as error:
                raise CannotEvaluate(f"{missing.message}; and {error.message}", missing.hint or error.hint) from None
