"""Code of the repository: whether it may run, its folder, and the changes that it made there."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISLNK
from typing import TypeAlias

from gate.config.documents import decode, quoted
from gate.environment.settings import Surroundings
from gate.errors import CannotEvaluate, GateError
from gate.git.objects import Git, export
from gate.git.repository import EitherSource, RefSource, TreeSource
from gate.prompts.files import CodePlace, FileSource, OverlaySource, Subfolder

TRUSTED = ("push", "merge_group", "workflow_dispatch", "repository_dispatch", "schedule", "release")
"""Events that only people who may push to the repository can cause."""


def untrusted_reason(here: Surroundings) -> str:
    """Why no code of the repository may run; empty where it may.

    Outside of a workflow, the person who starts the gate is responsible for the checkout. In a workflow, the event
    shows who made the change; if that cannot be read, the code is not trusted.
    """
    if not here.event or here.event in TRUSTED:
        return ""
    if here.event != "pull_request":
        return f"the event {quoted(here.event)} may belong to a change by an untrusted contributor"
    from gate.github.events import PullRequestEvent, parse_event

    try:
        payload = here.payload.read_bytes() if here.payload else b""
        event = parse_event(here.event, decode(payload, "the event"), "the event")
    except (OSError, GateError):
        return "the pull request of this run is unknown"
    if not isinstance(event, PullRequestEvent) or event.pull.fork:
        return "the pull request comes from a fork"
    return ""


_CHECK_OUT = "check the repository out before the gate, with fetch-depth: 2 (0 for a branch)"


def refuse_untrusted(here: Surroundings, what: str, instead: str) -> None:
    """Refuse to run code that an untrusted contributor may have written.

    Args:
        what: to run, as `python:module:function`.
        instead: an alternative without code, within a sentence.

    Raises:
        GateError: the event is not one that can be trusted.
    """
    if reason := untrusted_reason(here):
        hint = f"push the change to a branch of this repository, or {instead}"
        raise GateError(f"{what} is code, and code of the repository does not run here: {reason}", hint)


def place_of(source: FileSource) -> CodePlace:
    """The place of the code of one side.

    Raises:
        CannotEvaluate: it is in no checkout.
    """
    match source:
        case Subfolder(whole=whole, folder=folder):
            place = place_of(whole)
            return CodePlace(place.checkout, place.sha, place.label, f"{place.folder}/{folder}".lstrip("/"))
        case OverlaySource(below=below):
            return place_of(below)
        case TreeSource(root=root):
            return CodePlace(root, None, source.label)
        case EitherSource(local=local):
            return place_of(local)
        case RefSource():
            return CodePlace(source.git.folder, source.sha, source.label)
        case _:
            message = f"{source.label} is not checked out, and code needs all files"
            raise CannotEvaluate(message, _CHECK_OUT)


@dataclass(frozen=True, slots=True)
class CodeFolder:
    """The files of one side, for one use.

    Args:
        root: where modules are looked for.
        scratch: removed afterwards; contains the root where that was written for this use.
        written: holds all files of a commit; None for a working tree.
    """

    root: Path
    scratch: Path
    written: Path | None = None


@contextmanager
def code_folder(place: CodePlace) -> Iterator[CodeFolder]:
    """The files of one side in a folder that nothing else uses, and that is removed afterwards.

    The files of a commit are written again each time, because code that ran in between, as the same user, may have
    changed them. A working tree is used in place.
    """
    scratch = Path(tempfile.mkdtemp(prefix="prompt-gate-"))
    try:
        if place.sha is None:
            yield CodeFolder(place.checkout / place.folder, scratch)
            return
        root = scratch / "files"
        root.mkdir()
        export(Git(place.checkout), place.sha, place.label, root)
        yield CodeFolder(root / place.folder, scratch, root)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


CODE = frozenset(
    ".bash .cjs .class .cts .dll .dylib .ex .exs .jar .js .jsx .lua .mjs .mts .node .php .pl .pm .ps1 .pth .py .pyc "
    ".pyd .pyz .r .rb .sh .so .ts .tsx .wasm".split()
)
"""Endings of files that a program may load because they are there."""

Files: TypeAlias = dict[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class FileWatch:
    """The state of a commit's files just after they were written.

    Args:
        root: folder of all of them.
        label: the commit, as the user knows it.
    """

    root: Path
    label: str
    _written: Mapping[str, tuple[int, ...]] = field(repr=False)

    @classmethod
    def of(cls, root: Path, label: str) -> "FileWatch":
        """Record the current state."""
        return cls(root, label, _files(root))

    def changed(self) -> str:
        """Why changed code may have run there; empty if nothing indicates it.

        A file of the commit changed, or there is code that the commit does not have. Other new files are allowed.
        """
        found = _files(self.root)
        changed = {path for path, told in self._written.items() if found.get(path) != told}
        fresh = {path for path in found.keys() - self._written.keys() if _loadable(path, found[path][0])}
        named = min(changed | fresh, default="")
        return f"files of {self.label} changed while it ran: {quoted(named)}" if named else ""


def _loadable(path: str, mode: int) -> bool:
    # Node runs whatever file a package.json names.
    return S_ISLNK(mode) or os.path.splitext(path)[1].lower() in CODE or os.path.basename(path) == "package.json"


def _files(root: Path) -> Files:
    """Mode, size, inode and time of change, which no user can set, of each file that can be seen."""
    found: Files = {}
    folders = [top := os.fspath(root)]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                    continue
                # It may be gone by now, as what an agent needs for a moment.
                with suppress(OSError):
                    told = entry.stat(follow_symlinks=False)
                    found[entry.path[len(top) + 1 :]] = (told.st_mode, told.st_size, told.st_ino, told.st_ctime_ns)
    return found
