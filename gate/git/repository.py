"""One git repository: resolves refs, and gives the files of a commit or of the working tree."""

import difflib
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from gate.config.documents import one_problem, quoted
from gate.errors import CannotEvaluate, GateError
from gate.files import matches, may_hold
from gate.git.objects import Git, LargeObject, MissingObject, Objects
from gate.limits import FILE_BYTES
from gate.prompts.files import (
    LINK,
    SUBMODULE,
    Entry,
    FileSource,
    check_way,
    checked,
    content_fingerprint,
    destination,
    folders,
    linked,
    matching,
    too_large,
)

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class EitherSource:
    """Two sources of the same commit (`gate.prompts.files.FileSource`)."""

    local: FileSource
    remote: FileSource

    @property
    def label(self) -> str:
        return self.local.label

    @property
    def sha(self) -> str | None:
        return self.local.sha

    def read(self, path: str) -> bytes | None:
        """See `FileSource`; a file that `local` knows to be missing is not requested again.

        Raises:
            CannotEvaluate: neither source can answer.
        """
        return self._either(lambda source: source.read(path))

    def fingerprint(self, path: str) -> str | None:
        return self._either(lambda source: source.fingerprint(path))

    def glob(self, pattern: str) -> list[str]:
        return self._either(lambda source: source.glob(pattern))

    def listing(self, folder: str = "") -> dict[str, str]:
        return self._either(lambda source: source.listing(folder))

    def links(self, pattern: str) -> dict[str, str]:
        return self._either(lambda source: source.links(pattern))

    def leads_to(self, link: str) -> str | None:
        return self._either(lambda source: source.leads_to(link))

    def _either(self, ask: Callable[[FileSource], Found]) -> Found:
        try:
            return ask(self.local)
        except CannotEvaluate as missing:
            try:
                return ask(self.remote)
            except CannotEvaluate as error:
                raise CannotEvaluate(f"{missing.message}; and {error.message}", missing.hint or error.hint) from None


@dataclass(frozen=True, slots=True)
class RefSource:
    """Files of one commit (`gate.prompts.files.FileSource`)."""

    label: str
    sha: str
    git: Git
    _objects: Objects = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_objects", Objects(self.git))

    def read(self, path: str) -> bytes | None:
        """The content; None when the commit has no such file.

        Raises:
            InputErrors: the path leaves the repository, names a link, a submodule, a folder or something huge, or leads
                through a link or a submodule.
            CannotEvaluate: a partial clone lacks the content.
        """
        path = checked(path)
        place = f"{self.label}:{path}"
        way = self._way(path)
        if way[-1].path != path:
            check_way(place, ((one.mode, one.path) for one in way))
            return None
        way[-1].check(place)
        return self._content(way[-1])

    def fingerprint(self, path: str) -> str | None:
        """Mode and object id."""
        entry = self._entry(checked(path))
        return None if entry is None else entry.fingerprint

    def glob(self, pattern: str) -> list[str]:
        """Paths of plain files that match, sorted; links and submodules are left out."""
        pattern = checked(pattern)
        return matching((entry.path for entry in self._below() if entry.plain), pattern)

    def listing(self, folder: str = "") -> dict[str, str]:
        """Plain files with mode and object id; links and submodules are left out."""
        found = self._below(checked(folder) if folder else "")
        return {entry.path: entry.fingerprint for entry in found if entry.plain}

    def links(self, pattern: str) -> dict[str, str]:
        """Links and submodules that match, or behind which something could (`gate.prompts.files.linked`)."""
        return linked(self._below(), checked(pattern))

    def leads_to(self, link: str) -> str | None:
        """By the link's own content. Raises CannotEvaluate: a partial clone lacks the content."""
        entry = self._entry(checked(link))
        if entry is None or entry.mode != LINK:
            return None
        return destination(entry.path, self._content(entry))

    def _way(self, path: str) -> list[Entry]:
        """The folders on the way to a path, from the root, and its own entry, as far as they exist."""
        found = [self._objects.root(self.sha)]
        for part in path.split("/"):
            here = found[-1].path
            wanted = f"{here}/{part}" if here else part
            inside = self._objects.inside(found[-1]) if found[-1].folder else ()
            named = next((entry for entry in inside if entry.path == wanted), None)
            if named is None:
                break
            found.append(named)
        return found

    def _entry(self, path: str) -> Entry | None:
        last = self._way(path)[-1]
        return last if last.path == path else None

    def _below(self, folder: str = "") -> list[Entry]:
        top = self._entry(folder) if folder else self._objects.root(self.sha)
        return self._objects.below(top) if top is not None and top.folder else []

    def _content(self, entry: Entry) -> bytes:
        try:
            return self._objects.blob(entry, FILE_BYTES)
        except MissingObject:
            raise self._missing(entry) from None
        except LargeObject:
            too_large(f"{self.label}:{entry.path}")

    def _missing(self, entry: Entry) -> CannotEvaluate:
        hint = f"download it with 'git cat-file -e {entry.oid}', or check out without a filter"
        return CannotEvaluate(f"this clone is partial and lacks {entry.path} of {self.label}", hint)


@dataclass(frozen=True, slots=True)
class TreeSource:
    """Files of the working tree (`gate.prompts.files.FileSource`)."""

    root: Path
    git: Git

    @property
    def label(self) -> str:
        return "working tree"

    @property
    def sha(self) -> str | None:
        return None

    def read(self, path: str) -> bytes | None:
        """The content; None when there is no such file.

        Raises:
            InputErrors: the path leaves the repository, names a link, a folder or something huge, or leads through a
                link or a submodule.
        """
        path = checked(path)
        file = self.root / path
        try:
            check_way(path, self._way(path))
            if file.is_symlink():
                Entry(LINK, "", 0, path).check(path)
            return self._bytes(file, path)
        except (FileNotFoundError, NotADirectoryError):
            check_way(path, self._submodules(path))
            return None
        except OSError as error:
            raise one_problem(path, 0, f"cannot be read: {error.strerror or 'unknown reason'}") from None

    def fingerprint(self, path: str) -> str | None:
        """SHA-256 of the content."""
        return content_fingerprint(self.read(path))

    def glob(self, pattern: str) -> list[str]:
        """Paths of plain files that match, sorted; links, and files that git ignores, are left out."""
        pattern = checked(pattern)
        return [path for path in matching(self._names(), pattern) if self._is_plain(path)]

    def listing(self, folder: str = "") -> dict[str, str]:
        """Plain files without fingerprints; links, and files that git ignores, are left out."""
        start = f"{checked(folder)}/" if folder else ""
        return {path: "" for path in self._names() if path.startswith(start) and self._is_plain(path)}

    def links(self, pattern: str) -> dict[str, str]:
        """Links and submodules, as git has them once they are committed; what git ignores is left out."""
        pattern = checked(pattern)
        names = [name for name in self._names() if matches(name, pattern) or may_hold(name, pattern)]
        found = [name for name in names if (self.root / name).is_symlink()]
        links = [Entry(LINK, self._link_id(name) if matches(name, pattern) else "", 0, name) for name in found]
        return linked([*links, *self._repositories()], pattern)

    def leads_to(self, link: str) -> str | None:
        """By the link's own content."""
        path = self.root / checked(link)
        return destination(checked(link), os.fsencode(path.readlink())) if path.is_symlink() else None

    def _names(self) -> set[str]:
        """Files that git tracks, or would; outside of a repository all files but hidden ones."""
        out = self._listed("-z", "--cached", "--others", "--exclude-standard")
        return set(self._walked()) if out is None else {os.fsdecode(name) for name in out.split(b"\0") if name}

    def _listed(self, *options: str) -> bytes | None:
        """Output of `git ls-files`; None outside of a repository."""
        answer = self.git.ask("ls-files", *options)
        if answer.code == 0:
            return answer.out
        if self.git.ask("rev-parse", "--git-dir").code != 0 and "safe.directory" not in answer.error:
            return None
        raise CannotEvaluate(f"git ls-files failed: {answer.error or f'exit code {answer.code}'}")

    def _walked(self) -> Iterator[str]:
        for folder, below, files in os.walk(self.root):
            below[:] = [name for name in below if not name.startswith(".")]
            for name in files:
                if not name.startswith("."):
                    yield (Path(folder) / name).relative_to(self.root).as_posix()

    def _link_id(self, path: str) -> str:
        """The object id that git gives a link."""
        target = os.fsencode((self.root / path).readlink())
        return self.git.run("hash-object", "--stdin", given=target).decode("ascii").strip()

    def _repositories(self) -> Iterator[Entry]:
        """Submodules, and repositories in the working tree that would become one."""
        for line in (self._listed("--stage", "-z") or b"").split(b"\0"):
            facts, _, name = line.partition(b"\t")
            if facts.startswith(SUBMODULE.encode()) and (self.root / os.fsdecode(name)).is_dir():
                yield Entry(SUBMODULE, facts.decode("ascii").split()[1], 0, os.fsdecode(name))
        # git lists a folder that it does not read, and that is not a submodule, with a slash at its end.
        yield from (Entry(SUBMODULE, "", 0, name.rstrip("/")) for name in self._names() if name.endswith("/"))

    def _way(self, path: str) -> Iterator[tuple[str, str]]:
        """Links to folders, and folders that are separate repositories, in a path."""
        for folder in folders(path):
            here = self.root / folder
            if here.is_symlink():
                yield LINK, folder
            elif (here / ".git").exists():
                yield SUBMODULE, folder

    def _submodules(self, path: str) -> Iterator[tuple[str, str]]:
        """Submodules on the way; one that is not checked out is an empty folder, and only the index knows it."""
        ways = folders(path)
        out = self._listed("--stage", "-z", "--", *ways) if ways else b""
        for line in (out or b"").split(b"\0"):
            facts, _, name = line.partition(b"\t")
            if facts.startswith(SUBMODULE.encode()) and os.fsdecode(name) in ways:
                yield SUBMODULE, os.fsdecode(name)

    def _bytes(self, real: Path, path: str) -> bytes:
        # Opening a pipe would wait for a writer, so check the kind first.
        mode = real.stat().st_mode
        if not stat.S_ISREG(mode):
            raise one_problem(
                path, 0, "is a folder" if stat.S_ISDIR(mode) else "is not a regular file", "use the path of a file"
            )
        with real.open("rb") as file:
            data = file.read(FILE_BYTES + 1)
        if len(data) > FILE_BYTES:
            too_large(path)
        return data

    def _is_plain(self, path: str) -> bool:
        try:
            return stat.S_ISREG((self.root / path).lstat().st_mode)
        except OSError:
            return False


_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST_REF = 1000
_NAMED = 5


class UntrustedRepository(GateError):
    """A repository that nothing may be asked: another user owns it, or it is a bare one, such as a change can add."""


@dataclass(frozen=True, slots=True)
class Repo:
    """A repository with a working tree."""

    root: Path
    git: Git

    @classmethod
    def open(cls, path: Path) -> "Repo":
        """The repository that contains `path`.

        Raises:
            UntrustedRepository: it is bare, or git does not trust its owner.
            GateError: there is none.
        """
        folder = path if path.is_dir() else path.parent
        answer = Git(folder).ask("rev-parse", "--show-toplevel")
        if answer.code == 0:
            root = Path(os.fsdecode(answer.out.removesuffix(b"\n")))
            return cls(root, Git(root))
        if "safe.directory" in answer.error or "dubious ownership" in answer.error:
            hint = f"git config --global --add safe.directory {folder.resolve()}"
            raise UntrustedRepository(f"git does not trust {folder}, because another user owns it", hint)
        if "bare" in answer.error or Git(folder).ask("rev-parse", "--is-bare-repository").out.strip() == b"true":
            hint = "run the gate in a clone with a working tree; a change may have added HEAD, objects and refs there"
            raise UntrustedRepository(f"git takes {folder.resolve()} for a bare repository", hint)
        hint = "run gate inside a repository, or compare files: gate diff OLD NEW --cases FILE --model MODEL"
        raise GateError(f"{folder.resolve()} is not inside a git repository", hint)

    def resolve(self, ref: str) -> str:
        """The commit id of a ref: 40 hexadecimal digits, 64 in a SHA-256 repository.

        Raises:
            GateError: there is no such commit; the hint names similar branches and a fetch that may be missing.
        """
        if not ref.strip() or ref.startswith("-") or _CONTROL.search(ref) or len(ref) > _LONGEST_REF:
            raise GateError(f"{quoted(ref)} cannot be a git ref", "use a branch, a tag or a commit")
        answer = self.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}")
        commit = answer.out.decode("ascii", "replace").strip()
        if answer.code != 0 or not _COMMIT.fullmatch(commit):
            if self._empty():
                hint = "commit the current files first (git add, git commit): changes are compared with that commit"
                raise GateError("this repository has no commit yet", hint)
            raise GateError(f"there is no commit {quoted(ref)} in this clone", self._hint(ref))
        return commit

    def at(self, ref: str) -> RefSource:
        """The files of a commit, read from git objects. Raises GateError: there is no such commit."""
        return RefSource(ref, self.resolve(ref), self.git)

    def tree(self) -> TreeSource:
        """The files of the working tree, as they are on disk."""
        return TreeSource(self.root, self.git)

    def is_tracked(self, path: Path) -> bool:
        """Does git track this file, or anything in this folder, in its index or its newest commit?

        Args:
            path: see `name_of`.

        Raises:
            CannotEvaluate: git does not say.
        """
        name = self.name_of(path)
        if name is None:
            return False
        if self.git.run("ls-files", "-z", "--", name):
            return True
        if self.git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}").code != 0:
            return False
        return bool(self.git.run("ls-tree", "-r", "-z", "--name-only", "HEAD", "--", name))

    def name_of(self, path: Path) -> str | None:
        """A file's path from the root; None outside the repository.

        Args:
            path: absolute, or relative to the root.
        """
        # Only the parent is resolved: a tracked link is tracked, wherever it points.
        full = self.root / path
        full = full.parent.resolve() / full.name if full.name not in ("", "..") else full.resolve()
        root = self.root.resolve()
        return os.fspath(full.relative_to(root)) if full.is_relative_to(root) else None

    def _empty(self) -> bool:
        """Is nothing committed, nor fetched from anywhere?"""
        if self.git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}").code == 0:
            return False
        return not self.git.ask("for-each-ref", "--count=1", "refs").out.strip()

    def _hint(self, ref: str) -> str:
        """Names that the user may have meant, and what to fetch."""
        out = self.git.ask("for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags").out
        names = out.decode("utf-8", "replace").splitlines()
        named = [name for name in names if name.endswith("/" + ref) or name == ref.rpartition("/")[2]]
        close = list(dict.fromkeys([*named, *difflib.get_close_matches(ref, names, n=_NAMED)]))[:_NAMED]
        parts = ["did you mean " + ", ".join(map(repr, close)) + "?"] if close else []
        shallow = self.git.ask("rev-parse", "--is-shallow-repository").out.strip() == b"true"
        if shallow:
            parts.append("this clone is shallow: run 'git fetch --unshallow', or check out with 'fetch-depth: 0'")
        else:
            parts.append(f"if it is on the server, run '{self._fetch(ref)}' first")
        return " ".join(parts)

    def _fetch(self, ref: str) -> str:
        remotes = self.git.ask("remote").out.decode("utf-8", "replace").split()
        remote, slash, branch = ref.partition("/")
        plain = re.fullmatch(r"[\w./-]+", ref) is not None
        return f"git fetch {remote} {branch}" if plain and slash and remote in remotes else "git fetch"
