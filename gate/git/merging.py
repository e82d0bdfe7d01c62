"""Two commits as git would merge them, file by file, where nobody has made the merge."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gate.errors import CannotEvaluate
from gate.files import matches
from gate.git.objects import Git
from gate.prompts.files import FOLDER, FileSource, content_fingerprint

_RESOLVE = "resolve the conflict, and push"


@dataclass(frozen=True, slots=True)
class MergedSource:
    """Files of a change as they would be merged (`gate.prompts.files.FileSource`).

    A file that one side changed is that side's, and one that both changed is merged by its lines. A renamed file counts
    as one that was removed and another that was added.

    Args:
        sha: of the change.
        fork: the commit from which both sides began.
    """

    label: str
    sha: str
    fork: FileSource
    base: FileSource
    head: FileSource
    _merged: dict[str, bytes] = field(default_factory=dict, init=False, repr=False, compare=False)

    def read(self, path: str) -> bytes | None:
        """The content; None when there is no such file.

        Raises:
            InputErrors: as the sides.
            CannotEvaluate: both sides changed the same lines, or one of them cannot be read.
        """
        side = self._side(path)
        if side is None:
            return self._lines(path)
        if self.base.fingerprint(path) is None and self.head.fingerprint(path) is None:
            # Either may have a link on the way to it, which is an error.
            return self.base.read(path) or self.head.read(path)
        return side.read(path)

    def fingerprint(self, path: str) -> str | None:
        base, head = self.base.fingerprint(path), self.head.fingerprint(path)
        if _is_folder(base) and _is_folder(head) and base != head:
            return f"{base}+{head}"
        side = self._side(path)
        return content_fingerprint(self._lines(path)) if side is None else side.fingerprint(path)

    def glob(self, pattern: str) -> list[str]:
        for source in (self.base, self.head):
            source.glob(pattern)  # which refuses names that cannot be used
        return sorted(path for path in self.listing() if matches(path, pattern))

    def listing(self, folder: str = "") -> dict[str, str]:
        return self._joined([source.listing(folder) for source in (self.fork, self.base, self.head)])

    def links(self, pattern: str) -> dict[str, str]:
        return self._joined([source.links(pattern) for source in (self.fork, self.base, self.head)])

    def leads_to(self, link: str) -> str | None:
        side = self._side(link)
        if side is None:
            raise CannotEvaluate(f"the change does not merge: {link} conflicts", _RESOLVE)
        return side.leads_to(link)

    def _side(self, path: str) -> FileSource | None:
        """The side whose file or folder it is; None where both changed a file."""
        fork, base, head = (source.fingerprint(path) for source in (self.fork, self.base, self.head))
        if head == fork or (_is_folder(base) and _is_folder(head)):
            return self.base
        return self.head if base in (fork, head) else None

    @staticmethod
    def _joined(rows: Sequence[Mapping[str, str]]) -> dict[str, str]:
        """What is there after the merge; empty where both sides changed it."""
        fork, base, head = rows
        joined: dict[str, str] = {}
        for path in {**base, **head}:
            before, ours, theirs = fork.get(path), base.get(path), head.get(path)
            kept = ours if theirs == before else theirs if ours in (before, theirs) else ""
            if kept is not None:
                joined[path] = kept
        return joined

    def _lines(self, path: str) -> bytes:
        """A file that both sides changed, merged by its lines."""
        if path not in self._merged:
            texts = [source.read(path) for source in (self.base, self.fork, self.head)]
            with tempfile.TemporaryDirectory() as folder:
                names = [Path(folder) / name for name in ("base", "fork", "head")]
                for name, text in zip(names, texts, strict=True):
                    name.write_bytes(text or b"")
                answer = Git(Path(folder)).ask("merge-file", "-p", "--", *map(str, names))
            if answer.code != 0 or None in (texts[0], texts[2]):
                raise CannotEvaluate(f"the change does not merge: {path} conflicts", _RESOLVE)
            self._merged[path] = answer.out
        return self._merged[path]


def _is_folder(fingerprint: str | None) -> bool:
    return fingerprint is not None and fingerprint.startswith(FOLDER)
