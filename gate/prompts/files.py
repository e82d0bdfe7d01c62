"""Files of one commit or of a folder, and the modules of prompts that are functions: how they are read and named."""

import hashlib
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, Protocol

from gate.config.documents import decode, one_problem, quoted
from gate.config.values import (
    POINTER_ENDINGS,
    PYTHON_PREFIX,
    FunctionName,
    Pointer,
    function_complaint,
    function_named,
    is_python,
    pointer_of,
    prompt_parts,
)
from gate.errors import GateError, InputErrors
from gate.files import escapes, matches, may_hold, normal
from gate.limits import FILE_BYTES
from gate.record.transcript import Failed
from gate.values import JsonValue


@dataclass(frozen=True, slots=True)
class CodePlace:
    """Files of one side of a comparison, from which its code can be loaded and run.

    Args:
        sha: commit or tree; None for the working tree.
        label: of the side, for readers.
        folder: below the checkout's root, where modules are looked for; empty for the root.
    """

    checkout: Path
    sha: str | None
    label: str
    folder: str = ""


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
        """The content; None when there is no such file.

        Raises:
            GateError: the path leaves the repository, or is not a regular file of bounded size.
        """
        ...

    def fingerprint(self, path: str) -> str | None:
        """Identifies the content, cheaper than reading it; None when there is no such file.

        Equal fingerprints, of whatever sources, mean equal content; different ones mean nothing.
        """
        ...

    def glob(self, pattern: str) -> list[str]:
        """Paths of plain files that match (see `gate.files.matches`), sorted."""
        ...

    def listing(self, folder: str = "") -> dict[str, str]:
        """Every plain file below a folder, with its fingerprint; empty if it is unknown without reading the file."""
        ...

    def links(self, pattern: str) -> dict[str, str]:
        """Symbolic links and submodules that match, or behind which something could, described as by `linked`."""
        ...

    def leads_to(self, link: str) -> str | None:
        """The target of a symbolic link, from the root; None where that is outside the repository, or it is no link.

        Raises:
            CannotEvaluate: a partial clone lacks the content.
        """
        ...


FOLDER, LINK, SUBMODULE = "040000", "120000", "160000"
_KINDS = {LINK: "is a symbolic link", SUBMODULE: "is a submodule", FOLDER: "is a folder"}
_REMEDIES = {
    LINK: "replace the link with the file, or use the path of the file that it points to",
    SUBMODULE: "keep the file in this repository, and use that path",
    FOLDER: "use the path of the file itself",
}
_WAYS = {LINK: "is below the symbolic link", SUBMODULE: "is in the submodule"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a git tree."""

    mode: str
    oid: str
    size: int
    path: str

    @classmethod
    def root(cls, oid: str) -> "Entry":
        """The whole tree."""
        return cls(FOLDER, oid, 0, "")

    @property
    def plain(self) -> bool:
        """Is it a file, and no link, submodule or folder?"""
        return self.mode not in _KINDS

    @property
    def folder(self) -> bool:
        """Is it a tree?"""
        return self.mode == FOLDER

    def below(self, folder: str) -> "Entry":
        """The same entry with its path from the root."""
        return replace(self, path=f"{folder}/{self.path}") if folder else self

    @property
    def fingerprint(self) -> str:
        """Equal for equal content of equal kind, in every clone of the repository."""
        return f"{self.mode}:{self.oid}"

    def check(self, place: str) -> None:
        """Refuse what is not a regular file of bounded size."""
        if not self.plain:
            raise one_problem(place, 0, _KINDS[self.mode], _REMEDIES[self.mode])
        if self.size > FILE_BYTES:
            too_large(place)


def folders(path: str) -> list[str]:
    """The folders on the way to a path, outermost first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def check_way(place: str, way: Iterable[tuple[str, str]]) -> None:
    """Refuse a path that leads through something else than folders: no commit has such a file.

    Raises:
        InputErrors: a symbolic link, or a submodule.
    """
    for mode, path in way:
        if mode in _WAYS:
            message = f"{_WAYS[mode]} {quoted(path)}, which the gate does not read"
            raise one_problem(place, 0, message, "keep the file itself in this repository, and use that path")


def checked(path: str) -> str:
    """The path as git names it. Raises InputErrors: it leaves the repository."""
    if reason := escapes(path):
        raise one_problem(path, 0, f"the path {quoted(path)} {reason}", "use a path inside the repository")
    return normal(path)


def matching(paths: Iterable[str], pattern: str) -> list[str]:
    """The matching paths, sorted. Raises InputErrors: one of them is not UTF-8."""
    found = sorted(path for path in paths if matches(path, pattern))
    for path in found:
        # GitHub puts a replacement character in the place of a byte that is not UTF-8.
        if any(char == "\N{REPLACEMENT CHARACTER}" or "\udc80" <= char <= "\udcff" for char in path):
            raise one_problem(ascii(path), 0, "has a name that is not UTF-8", "rename the file")
    return found


def linked(entries: Iterable[Entry], pattern: str) -> dict[str, str]:
    """Links and submodules that match, or behind which something could, by their paths.

    Returns:
        The kind of each, with the commit of a submodule and the target of a link that matches itself.
    """
    odd = [entry for entry in entries if entry.mode in _WAYS]
    behind = {
        entry.path: entry.fingerprint if entry.mode == SUBMODULE else entry.mode
        for entry in odd
        if may_hold(entry.path, pattern)
    }
    return behind | {entry.path: entry.fingerprint for entry in odd if matches(entry.path, pattern)}


def destination(link: str, target: bytes) -> str | None:
    """The target of a symbolic link, from the root (which is `.`); None where it is outside the repository."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(link), target.decode("utf-8", "surrogateescape")))
    return None if path != "." and escapes(path) else path


def content_fingerprint(data: bytes | None) -> str | None:
    """SHA-256, for sources that have no object ids."""
    return None if data is None else "sha256:" + hashlib.sha256(data).hexdigest()


def too_large(place: str) -> NoReturn:
    """Refuse a file for its size."""
    raise one_problem(place, 0, f"is larger than {FILE_BYTES // 1024**2} MiB", "split it into several files")


@dataclass(frozen=True, slots=True)
class Subfolder:
    """A source whose paths begin in a folder (`gate.prompts.files.FileSource`)."""

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

    def _below(self, path: str) -> str:
        # Checked separately first: '..' must not lead out of the folder into the rest of the repository.
        return f"{self.folder}/{checked(path)}"


@dataclass(frozen=True, slots=True)
class OverlaySource:
    """A source with additional files, which its code does not see (`gate.prompts.files.FileSource`)."""

    below: FileSource
    texts: Mapping[str, str]

    @property
    def label(self) -> str:
        return self.below.label

    @property
    def sha(self) -> str | None:
        return self.below.sha

    def read(self, path: str) -> bytes | None:
        return self.texts[path].encode() if path in self.texts else self.below.read(path)

    def fingerprint(self, path: str) -> str | None:
        return content_fingerprint(self.read(path))

    def glob(self, pattern: str) -> list[str]:
        return sorted({*self.below.glob(pattern), *(path for path in self.texts if matches(path, pattern))})

    def listing(self, folder: str = "") -> dict[str, str]:
        start = f"{folder}/" if folder else ""
        return {**self.below.listing(folder), **{path: "" for path in self.texts if path.startswith(start)}}

    def links(self, pattern: str) -> dict[str, str]:
        return self.below.links(pattern)

    def leads_to(self, link: str) -> str | None:
        return self.below.leads_to(link)


_MADE_AT_RUN_TIME = re.compile(
    rb"\bimport[\s\\(]*\*|\b(__getattr__|__dict__|globals|locals|vars|setattr|exec|eval|sys\s*\.\s*modules)\b"
)
"""Words by which a module gets names that it does not contain."""


class CannotLoad(GateError):
    """The function is missing or cannot be loaded at one side."""


def file_of(source: FileSource, prompt: str) -> str | None:
    """The file of a prompt: that of its text, the module of a function, or the path itself; None where there is none.

    A file that does not contain the name does not count, so that what was deleted is noticed without running anything.
    With `import *`, or names made at run time, the module of a function counts. Of two messages both must be there, and
    the file is that of the first.
    """
    if is_python(prompt):
        return _module_of(source, prompt)
    files = [_file_of_part(source, part) for part in prompt_parts(prompt)]
    return files[0] if None not in files else None


def _module_of(source: FileSource, prompt: str) -> str | None:
    entry = function_named(prompt)
    for path in entry.files:
        if (data := source.read(path)) is not None:
            return path if _names(data, entry.function) else None
    return None


def _file_of_part(source: FileSource, part: str) -> str | None:
    pointer = pointer_of(part)
    path = part if pointer is None else pointer.path
    if source.fingerprint(path) is None:
        return None
    return path if pointer is None or _may_hold(source, pointer) else None


def _may_hold(source: FileSource, pointer: Pointer) -> bool:
    """Does the file have the name? True also if it cannot be read; that is reported when its text is needed."""
    from gate.prompts.pointers import may_have  # few prompts are in code

    try:
        data = source.read(pointer.path)
        return data is not None and may_have(decode(data, pointer.path), pointer.path, pointer.name)
    except InputErrors:
        return True


def source_place(source: FileSource) -> str:
    """The place of its files, for a message."""
    return "in the working tree" if source.sha is None else f"at {source.label}"


def missing(source: FileSource, prompt: str) -> str:
    """What is missing if `file_of` finds no file for a prompt."""
    if is_python(prompt):
        entry = function_named(prompt)
        file = next((path for path in entry.files if source.read(path) is not None), None)
        return f"there is no module {entry.module}" if file is None else f"there is no {entry.function} in {file}"
    pointer = pointer_of(absent_part(source, prompt))
    if pointer is None or source.fingerprint(pointer.path) is None:
        return "there is no such prompt" if pointer is None else f"there is no file {quoted(pointer.path)}"
    return f"{pointer.path} has no text named {quoted(pointer.name)}"


def absent_part(source: FileSource, prompt: str) -> str:
    """The first of a prompt's parts that a source does not have."""
    parts = prompt_parts(prompt)
    return next((part for part in parts if _file_of_part(source, part) is None), prompt)


def names_like(source: FileSource, prompt: str) -> str:
    """A hint with names of the file that are like the one that is missing; empty where there is none."""
    pointer = pointer_of(absent_part(source, prompt))
    data = None if pointer is None or is_python(prompt) else source.read(pointer.path)
    if pointer is None or data is None:
        return ""
    from gate.prompts.pointers import nearest_names

    return nearest_names(decode(data, pointer.path), pointer.path, pointer.name)


def _names(data: bytes, function: str) -> bool:
    """May a module contain a name? True also if the text does not show it."""
    found = re.search(rb"\b%s\b" % function.encode("ascii"), data)
    return found is not None or _MADE_AT_RUN_TIME.search(data) is not None


def moved_to(prompt: str, path: str) -> str:
    """The same function or text in another file; the path itself where that holds none, or the prompt is a file."""
    if pointer := pointer_of(prompt):
        return str(replace(pointer, path=path)) if path.lower().endswith(POINTER_ENDINGS) else path
    if not is_python(prompt):
        return path
    module = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    moved = f"{PYTHON_PREFIX}{module}:{function_named(prompt).function}"
    return moved if path.endswith(".py") and not function_complaint(moved) else path


class PromptBuilder(Protocol):
    """Runs code of the repository, in isolation."""

    def place(self, source: FileSource, what: str) -> CodePlace:
        """The place of one side's code, for a later run.

        Raises:
            GateError: no code may run here.
            CannotEvaluate: the side is not checked out.
        """
        ...

    def build(
        self, source: FileSource, entry: FunctionName, sessions: Sequence[dict[str, JsonValue]]
    ) -> tuple[str | Failed, ...]:
        """The text that a function returns for each session, or why there is none.

        Raises:
            CannotLoad: the function is missing or cannot be loaded.
            GateError: no code may run here.
            CannotEvaluate: the files of the side are not available.
        """
        ...
