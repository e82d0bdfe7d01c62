"""One git repository: resolves refs, and gives the files of a commit or of the working tree."""

import difflib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from gate.config.documents import quoted
from gate.errors import GateError
from gate.git.command import Git
from gate.git.sources import RefSource, TreeSource

_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST_REF = 1000
_NAMED = 5


class UntrustedOwner(GateError):
    """git refuses a repository because another user owns it."""


@dataclass(frozen=True, slots=True)
class Repo:
    """A repository with a working tree."""

    root: Path
    git: Git

    @classmethod
    def open(cls, path: Path) -> "Repo":
        """The repository that `path` lies in.

        Raises:
            GateError: there is none, it is bare, or git does not trust its owner.
        """
        folder = path if path.is_dir() else path.parent
        answer = Git(folder).ask("rev-parse", "--show-toplevel")
        if answer.code == 0:
            root = Path(os.fsdecode(answer.out.removesuffix(b"\n")))
            return cls(root, Git(root))
        if "safe.directory" in answer.error or "dubious ownership" in answer.error:
            hint = f"git config --global --add safe.directory {folder.resolve()}"
            raise UntrustedOwner(f"git does not trust {folder}, because another user owns it", hint)
        if Git(folder).ask("rev-parse", "--is-bare-repository").out.strip() == b"true":
            raise GateError(f"{folder} is a bare repository", "run the gate in a clone with a working tree")
        hint = "run the gate inside one, or compare files: gate diff OLD NEW --cases FILE"
        raise GateError(f"{folder.resolve()} is not inside a git repository", hint)

    def resolve(self, ref: str) -> str:
        """The commit id of a ref: 40 hexadecimal digits, 64 in a SHA-256 repository.

        Raises:
            GateError: there is no such commit; the hint names similar branches and a fetch that may be missing.
        """
        if not ref.strip() or ref.startswith("-") or _CONTROL.search(ref) or len(ref) > _LONGEST_REF:
            raise GateError(f"{quoted(ref)} cannot be a git ref", "name a branch, a tag or a commit")
        answer = self.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}")
        commit = answer.out.decode("ascii", "replace").strip()
        if answer.code != 0 or not _COMMIT.fullmatch(commit):
            if self._empty():
                hint = "commit what there is first (git add, git commit): it is what a change is compared with"
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
        """Does git track this file, or anything in this folder?

        Args:
            path: absolute, or relative to the root; one outside the repository is not tracked.
        """
        # Only the parent is resolved: a tracked link is tracked, wherever it points.
        full = self.root / path
        full = full.parent.resolve() / full.name if full.name not in ("", "..") else full.resolve()
        root = self.root.resolve()
        if not full.is_relative_to(root):
            return False
        return bool(self.git.run("ls-files", "-z", "--", os.fspath(full.relative_to(root))))

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
