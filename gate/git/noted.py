"""A source that notes what is read from it, so that somebody can see later whether any of that changed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gate.errors import GateError
from gate.inputs.source import FileSource

Names = Callable[[], Sequence[str]]
"""Names files as they are now."""

Look = tuple[int, int, int] | None
"""Time of change, size and number of a file as the file system has them; None where there is no such file."""

_OURS = (".gate/", "__pycache__/")
"""What running writes by itself."""


@dataclass(slots=True)
class Sightings:
    """What was looked at, and what was seen there.

    Args:
        files: each with its looks from before it was read, so that no change is missed.
        lists: what names files, each with the names that it gave; None where it could not.
    """

    files: dict[Path, Look] = field(default_factory=dict)
    lists: dict[tuple[str, str, str], tuple[Names, tuple[str, ...] | None]] = field(default_factory=dict)

    def see(self, path: Path) -> None:
        """Note a file, which need not be there; what was seen first counts."""
        if path not in self.files:
            self.files[path] = look(path)

    def changed(self) -> bool:
        """Does anything look otherwise now?"""
        if any(look(path) != seen for path, seen in self.files.items()):
            return True
        return any(_given(names) != seen for names, seen in self.lists.values())

    def again(self) -> "Sightings":
        """The same places as they look now."""
        files = {path: look(path) for path in self.files}
        return Sightings(files, {key: (names, _given(names)) for key, (names, _) in self.lists.items()})


def look(path: Path) -> Look:
    """How a file looks without being read."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino


def _given(names: Names) -> tuple[str, ...] | None:
    try:
        return tuple(names())
    except GateError:
        # Whoever reads it next will be told why.
        return None


@dataclass(frozen=True, slots=True)
class Noted:
    """Files of a folder (`gate.inputs.source.FileSource`), with a note of each that is asked for.

    Args:
        inner: reads them.
        root: of their paths.
        seen: takes the notes.
    """

    inner: FileSource
    root: Path
    seen: Sightings

    @property
    def label(self) -> str:
        return self.inner.label

    @property
    def sha(self) -> str | None:
        return self.inner.sha

    def read(self, path: str) -> bytes | None:
        self.seen.see(self.root / path)
        return self.inner.read(path)

    def fingerprint(self, path: str) -> str | None:
        self.seen.see(self.root / path)
        return self.inner.fingerprint(path)

    def glob(self, pattern: str) -> list[str]:
        found = self.inner.glob(pattern)
        key = (str(self.root), "glob", pattern)
        self.seen.lists.setdefault(key, (lambda: self.inner.glob(pattern), tuple(found)))
        return found

    def listing(self, folder: str = "") -> dict[str, str]:
        def names() -> list[str]:
            return [path for path in sorted(self.inner.listing(folder)) if not any(own in path for own in _OURS)]

        found = names()
        self.seen.lists.setdefault((str(self.root), "listing", folder), (names, tuple(found)))
        for path in found:
            self.seen.see(self.root / path)
        return self.inner.listing(folder)

    def links(self, pattern: str) -> dict[str, str]:
        return self.inner.links(pattern)

    def leads_to(self, link: str) -> str | None:
        return self.inner.leads_to(link)

    def sizes(self, paths: Sequence[str]) -> dict[str, int]:
        return self.inner.sizes(paths)
