"""Objects of a repository by their ids, and the files of a commit written into a folder."""

import hashlib
import os
import re
import stat
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count, islice
from pathlib import Path
from threading import Event, Lock, Timer

from gate.errors import CannotEvaluate, GateError
from gate.files import escapes
from gate.prompts.files import FOLDER, LINK, SUBMODULE, Entry

_TRANSPORTS = ("file", "ssh", "git", "http", "https", "ftp", "ftps", "ext")
_NO_FETCHING = ("protocol.allow=never", *(f"protocol.{name}.allow=never" for name in _TRANSPORTS))
_ALWAYS = (
    "--no-pager",
    "--no-optional-locks",
    "--no-replace-objects",
    "--literal-pathspecs",
    "-c",
    "core.quotepath=off",
    "-c",
    "core.fsmonitor=false",
    # A change can add a folder that git would take for a repository, with refs and settings of its own.
    "-c",
    "safe.bareRepository=explicit",
    # In a partial clone git would fetch an object that is not there: in secret, one by one, and with whose credentials?
    *(word for setting in _NO_FETCHING for word in ("-c", setting)),
)
_IDS_AT_ONCE = 500
"""Of SHA-256, 33 kB: less than a pipe holds, so that git and the gate never wait for each other."""
_CREDENTIALS = re.compile(r"://[^/@\s]+@")


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a git command."""

    code: int
    out: bytes
    error: str


class MissingObject(CannotEvaluate):
    """This clone does not have an object."""


class LargeObject(CannotEvaluate):
    """An object has more bytes than the reader wants."""


class _Reader:
    """One `git cat-file --batch` for all objects that are read; it starts with the first and ends with this object."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._stop: Callable[[], object] = int
        self._lock = Lock()

    def read(self, git: "Git", oids: Sequence[str], most_bytes: int) -> list[tuple[str, bytes]]:
        """See `Git.objects`."""
        late = Event()
        with self._lock:
            process = self._started(git)

            def stop() -> None:
                late.set()
                process.kill()

            timer = Timer(git.timeout_s, stop)
            timer.start()
            try:
                return list(_read(process, oids, most_bytes))
            except BaseException:
                # What it has not yet written would be taken for the next answer.
                self._process = None
                self._stop()
                if late.is_set():
                    raise _too_long("cat-file", git.timeout_s) from None
                raise
            finally:
                timer.cancel()

    def _started(self, git: "Git") -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            with _starting(git.folder):
                self._process = subprocess.Popen(  # noqa: S603
                    _command(["cat-file", "--batch"]),
                    cwd=git.folder,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            self._stop = weakref.finalize(self, _end, self._process)
        return self._process


def _read(process: subprocess.Popen[bytes], oids: Sequence[str], most_bytes: int) -> Iterator[tuple[str, bytes]]:
    assert process.stdin and process.stdout  # noqa: S101 both are pipes
    for start in range(0, len(oids), _IDS_AT_ONCE):
        some = oids[start : start + _IDS_AT_ONCE]
        with suppress(BrokenPipeError):
            process.stdin.write(_asked(some))
            process.stdin.flush()
        for oid in some:
            words = process.stdout.readline().split()
            # In a partial clone git would fetch an object that is not there; it may not, and ends.
            if len(words) != 3 or not words[2].isdigit():
                raise MissingObject(f"this clone does not have {oid}", "check out without a filter")
            if int(words[2]) > most_bytes:
                raise LargeObject(f"{oid} has more than {most_bytes} bytes")
            data = process.stdout.read(int(words[2]))
            process.stdout.read(1)
            _check(oid, words[1], data)
            yield words[1].decode("ascii", "replace"), data


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError), process:
        process.kill()


@dataclass(frozen=True, slots=True)
class Git:
    """The git command line in one folder; each command has a time limit."""

    folder: Path
    timeout_s: float = 60.0
    _reader: _Reader = field(default_factory=_Reader, init=False, repr=False, compare=False)

    def ask(self, *arguments: str, given: bytes = b"") -> Answer:
        """Run a command that is allowed to fail.

        Raises:
            GateError: git is not installed, or the folder cannot be entered.
            CannotEvaluate: it took too long.
        """
        try:
            with _starting(self.folder):
                # A separate session has no terminal, so git cannot ask for a password there.
                done = subprocess.run(  # noqa: S603
                    _command(arguments),
                    cwd=self.folder,
                    input=given,
                    capture_output=True,
                    timeout=self.timeout_s,
                    start_new_session=True,
                    check=False,
                )
        except subprocess.TimeoutExpired:
            raise _too_long(arguments[0], self.timeout_s) from None
        return Answer(done.returncode, done.stdout, _last_line(done.stderr))

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        """Run a command that must succeed. Raises CannotEvaluate: it failed."""
        answer = self.ask(*arguments, given=given)
        if answer.code != 0:
            raise CannotEvaluate(f"git {arguments[0]} failed: {answer.error or f'exit code {answer.code}'}")
        return answer.out

    def objects(self, oids: Sequence[str], most_bytes: int = sys.maxsize) -> list[tuple[str, bytes]]:
        """Kind and content of objects by their full ids.

        Raises:
            GateError: git is not installed, or the folder cannot be entered.
            MissingObject: one is not here.
            LargeObject: one is larger, and none is returned.
            CannotEvaluate: one does not match its id, or reading took too long.
        """
        return self._reader.read(self, oids, most_bytes) if oids else []


@contextmanager
def _starting(folder: Path) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        if not folder.is_dir():
            raise GateError(f"{folder} is not a folder", "run the gate inside a git repository") from None
        raise GateError("git cannot be run", "install git 2.31 or newer") from None


def _too_long(command: str, limit_s: float) -> CannotEvaluate:
    return CannotEvaluate(f"git {command} took longer than {limit_s:g} s", "run the command yourself to see why")


def _command(arguments: Sequence[str]) -> list[str]:
    return ["git", *_ALWAYS, *arguments]


def _last_line(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    line = _CREDENTIALS.sub("://", lines[-1]) if lines else ""
    return "".join(char if char.isprintable() else " " for char in line)[:300]


@dataclass(frozen=True, slots=True)
class Commits:
    """The commits of one clone, which may be shallow."""

    git: Git

    def has(self, sha: str) -> bool:
        """Are the commit and its tree here?"""
        return self.git.ask("cat-file", "-e", sha + "^{tree}").code == 0

    def parents(self, sha: str) -> tuple[str, ...]:
        """The commit's own parents, even those that a shallow clone lacks; empty when the commit is not here.

        `git log` and `git rev-parse` hide them at the border of a shallow clone.
        """
        answer = self.git.ask("cat-file", "commit", sha)
        if answer.code != 0:
            return ()
        header = answer.out.partition(b"\n\n")[0].decode("ascii", "replace")
        lines = (line.split(" ") for line in header.split("\n"))
        return tuple(words[1] for words in lines if words[0] == "parent" and len(words) == 2)

    def commit(self, ref: str) -> str | None:
        """The commit of a full ref name in this clone; None if there is none."""
        answer = self.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}")
        return answer.out.decode("ascii", "replace").strip() or None if answer.code == 0 else None

    def is_ancestor(self, commit: str, of: str) -> bool:
        """Is a commit part of another's history, as far as this clone has it?"""
        return self.git.ask("merge-base", "--is-ancestor", commit, of).code == 0

    def merge_base(self, one: str, other: str) -> str | None:
        """The commit from which two began; None where this clone does not have their history."""
        if self.git.ask("rev-parse", "--is-shallow-repository").out.strip() != b"false":
            return None
        answer = self.git.ask("merge-base", one, other)
        return answer.out.decode("ascii", "replace").strip() if answer.code == 0 else None

    def merged(self, base: str, head: str) -> str | None:
        """The tree id of the merge of `head` into `base`, made without touching the working tree; None if git
        cannot make it.

        The two may conflict, a history may be too shallow for it, or git older than 2.38.
        """
        answer = self.git.ask("merge-tree", "--write-tree", "--name-only", "--no-messages", base, head)
        lines = answer.out.decode("utf-8", "replace").splitlines()
        return lines[0] if answer.code == 0 and lines else None


MOST_ENTRIES = 1_000_000
"""Files and folders of a commit."""
MOST_LEVELS = 1_000
"""Folders within one another."""

_AT_ONCE = 16 * 2**20
"""Bytes of files that are read at once, unless one file is larger."""

_TREE = re.compile(rb"tree ([0-9a-f]{40}|[0-9a-f]{64})\n")
_MODE = re.compile(rb"[0-7]{1,6}")


@dataclass(frozen=True, slots=True)
class Objects:
    """Reads objects of a repository, which may be shallow or partial; each tree once."""

    git: Git
    _trees: dict[str, list[Entry]] = field(default_factory=dict, init=False)
    _roots: dict[str, str] = field(default_factory=dict, init=False)

    def root(self, sha: str) -> Entry:
        """The folder of all files of a commit.

        Raises:
            CannotEvaluate: it is not here, is something else, or does not match its id.
        """
        if sha not in self._roots:
            ((kind, data),) = self.git.objects([sha])
            if kind not in ("commit", "tree"):
                raise CannotEvaluate(f"{sha} is a {kind}, not a commit")
            named = _TREE.match(data)
            if kind == "commit" and not named:
                raise CannotEvaluate(f"{sha} is a broken commit")
            self._roots[sha] = named[1].decode("ascii") if kind == "commit" and named else sha
        return Entry.root(self._roots[sha])

    def inside(self, folder: Entry) -> list[Entry]:
        """Direct entries of a folder. Raises CannotEvaluate: it is not here, or does not match its id."""
        self._fetch([folder.oid])
        return [entry.below(folder.path) for entry in self._trees[folder.oid]]

    def below(self, top: Entry) -> list[Entry]:
        """All entries below a folder, without the folders themselves, in the order of `git ls-tree -r`.

        Raises:
            CannotEvaluate: something is not here, or does not match its id; or there is too much of it.
        """
        level, known = [top.oid], {top.oid}
        for levels in count(1):
            if levels > MOST_LEVELS:
                raise CannotEvaluate(f"a commit has folders nested more than {MOST_LEVELS:,} deep")
            self._fetch(level)
            folders = (entry.oid for oid in level for entry in self._trees[oid] if entry.folder)
            level = [oid for oid in dict.fromkeys(folders) if oid not in known]
            known.update(level)
            if not level:
                break
        # A tree can be in many folders, so a small object may expand to any number of files.
        found = list(islice(self._walk(top), MOST_ENTRIES + 1))
        if len(found) > MOST_ENTRIES:
            raise CannotEvaluate(f"a commit has more than {MOST_ENTRIES:,} files and folders")
        return [entry for entry in found if not entry.folder]

    def blobs(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """Files and links with their contents, some megabytes at a time.

        Raises:
            CannotEvaluate: one is not here, or does not match its id.
        """
        rest = iter(entries)
        for first in rest:
            some, size = [first], first.size
            while size < _AT_ONCE and (more := next(rest, None)) is not None:
                some.append(more)
                size += more.size
            yield from zip(some, self._read([one.oid for one in some], "blob"), strict=True)

    def blob(self, entry: Entry, most_bytes: int) -> bytes:
        """The content of one file or link.

        Raises:
            MissingObject, LargeObject: it is not here, or is larger.
            CannotEvaluate: it does not match its id.
        """
        return self._read([entry.oid], "blob", most_bytes)[0]

    def sizes(self, entries: Sequence[Entry]) -> list[int | None]:
        """Bytes of files and links, without reading them; None if an object is not in this clone."""
        answer = self.git.ask("cat-file", "--batch-check=%(objectsize)", given=_asked([one.oid for one in entries]))
        found = [int(line) if line.isdigit() else None for line in answer.out.splitlines()]
        # In a partial clone git would fetch the first one that is not there, and may not.
        return [*found, *(None for _ in entries)][: len(entries)]

    def _walk(self, top: Entry) -> Iterator[Entry]:
        waiting = [(f"{top.path}/" if top.path else "", iter(self._trees[top.oid]))]
        while waiting:
            folder, inside = waiting[-1]
            for entry in inside:
                path = folder + entry.path
                yield Entry(entry.mode, entry.oid, 0, path)
                if entry.folder:
                    waiting.append((f"{path}/", iter(self._trees[entry.oid])))
                    break
            else:
                waiting.pop()

    def _fetch(self, trees: Sequence[str]) -> None:
        wanted = [oid for oid in trees if oid not in self._trees]
        for oid, data in zip(wanted, self._read(wanted, "tree"), strict=True):
            self._trees[oid] = list(_parsed(oid, data))

    def _read(self, oids: Sequence[str], kind: str, most_bytes: int = sys.maxsize) -> list[bytes]:
        """The content of objects, which must be of this kind."""
        read = self.git.objects(oids, most_bytes)
        for oid, (found, _) in zip(oids, read, strict=True):
            if found != kind:
                raise CannotEvaluate(f"{oid} is a {found}, not a {kind}")
        return [data for _, data in read]


def _check(oid: str, kind: bytes, data: bytes) -> None:
    """Compare the content with its id."""
    whole = hashlib.sha1(usedforsecurity=False) if len(oid) == 40 else hashlib.sha256()
    whole.update(b"%s %d\0" % (kind, len(data)))
    whole.update(data)
    if whole.hexdigest() != oid:
        hint = "something has changed files in .git: check out again, and look for code in the change that writes there"
        raise CannotEvaluate(f"the object that git has under the id {oid} has another content", hint)


def _parsed(oid: str, data: bytes) -> Iterator[Entry]:
    """The entries of a tree, with paths relative to it."""
    size, start = len(oid) // 2, 0
    while start < len(data):
        end = data.find(b"\0", start)
        mode, _, name = data[start:end].partition(b" ")
        start = end + 1 + size
        if end < 0 or start > len(data) or not _MODE.fullmatch(mode):
            raise CannotEvaluate(f"{oid} is a broken tree", "run 'git fsck', and push a fix")
        yield Entry(_mode(mode), data[end + 1 : start].hex(), 0, os.fsdecode(name))


@cache
def _mode(digits: bytes) -> str:
    """Six digits as git shows them, however a tree has them."""
    bits = int(digits, 8)
    if stat.S_ISREG(bits):
        return "100755" if bits & stat.S_IXUSR else "100644"
    return LINK if stat.S_ISLNK(bits) else FOLDER if stat.S_ISDIR(bits) else SUBMODULE


def _asked(oids: Sequence[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode("ascii")


MOST_FILES = 200_000
MOST_BYTES = 2 * 2**30
"""Of all files of a commit."""


def export(git: Git, sha: str, label: str, folder: Path) -> None:
    """Write the files of a commit or a tree, without submodules; no filter or hook runs.

    Raises:
        GateError: it has too many files, or too large ones.
        CannotEvaluate: a partial clone lacks the content of a file, or something does not match its id.
    """
    objects = Objects(git)
    entries = _entries(objects, sha, label)
    links = [entry for entry in entries if entry.mode == LINK]
    for entry in (entry for entry in entries if entry.mode == SUBMODULE):
        (folder / entry.path).mkdir(parents=True, exist_ok=True)
    for entry, data in objects.blobs([entry for entry in entries if entry.plain]):
        path = folder / entry.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        if entry.mode == "100755":
            path.chmod(0o755)
    # Last, so that no file is written through one.
    for entry, data in objects.blobs(links):
        path = folder / entry.path
        path.parent.mkdir(parents=True, exist_ok=True)
        os.symlink(data, os.fsencode(path))


def _entries(objects: Objects, sha: str, label: str) -> list[Entry]:
    every = objects.below(objects.root(sha))
    if len(every) > MOST_FILES:
        raise _too_much(f"{label} has more than {MOST_FILES:,} files")
    found = [entry for entry in every if not escapes(entry.path)]
    blobs = [entry for entry in found if entry.mode != SUBMODULE]
    sized: dict[str, Entry] = {}
    for entry, size in zip(blobs, objects.sizes(blobs), strict=True):
        if size is None:
            raise CannotEvaluate(f"this clone does not have all files of {label}", "check out without a filter")
        sized[entry.path] = replace(entry, size=size)
    if sum(entry.size for entry in sized.values()) > MOST_BYTES:
        raise _too_much(f"the files of {label} have more than {MOST_BYTES // 2**30} GiB")
    return [sized.get(entry.path, entry) for entry in found]


def _too_much(message: str) -> GateError:
    return GateError(f"{message}, and code needs all of them", "keep prompts in files, and use other validators")
