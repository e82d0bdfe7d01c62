"""Runs git, without shell, network or endless wait; which commits are present, and how git would merge two."""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gate.errors import CannotEvaluate, GateError

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
    # In a partial clone git would fetch an object that is not there: in secret, one by one, and with whose credentials?
    *(word for setting in _NO_FETCHING for word in ("-c", setting)),
)
_CREDENTIALS = re.compile(r"://[^/@\s]+@")


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a git command."""

    code: int
    out: bytes
    error: str


@dataclass(frozen=True, slots=True)
class Git:
    """The git command line in one folder; each command has a time limit."""

    folder: Path
    timeout_s: float = 60.0

    def ask(self, *arguments: str, given: bytes = b"") -> Answer:
        """Run a command that is allowed to fail.

        Raises:
            GateError: git is not installed, or the folder cannot be entered.
            CannotEvaluate: it took too long.
        """
        try:
            # A session of its own has no terminal, so git cannot ask for a password there.
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
            hint = "try the command by hand"
            raise CannotEvaluate(f"git {arguments[0]} took longer than {self.timeout_s:g} s", hint) from None
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            if not self.folder.is_dir():
                raise GateError(f"{self.folder} is not a folder", "run the gate inside a git repository") from None
            raise GateError("git cannot be run", "install git 2.31 or newer") from None
        return Answer(done.returncode, done.stdout, _last_line(done.stderr))

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        """Run a command that must succeed. Raises CannotEvaluate: it failed."""
        answer = self.ask(*arguments, given=given)
        if answer.code != 0:
            raise CannotEvaluate(f"git {arguments[0]} failed: {answer.error or f'exit code {answer.code}'}")
        return answer.out


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
        """The commit that a full ref name stands for here; None when there is none."""
        answer = self.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}")
        return answer.out.decode("ascii", "replace").strip() or None if answer.code == 0 else None

    def merged(self, base: str, head: str) -> str | None:
        """The tree id of the merge of `head` into `base`, made without touching the working tree; None where git cannot
        tell.

        A history may be too shallow for that, or git older than 2.38.

        Raises:
            CannotEvaluate: the two conflict.
        """
        answer = self.git.ask("merge-tree", "--write-tree", "--name-only", "--no-messages", base, head)
        lines = answer.out.decode("utf-8", "replace").splitlines()
        if answer.code == 1 and lines:
            files = ", ".join(lines[1:4]) or "some files"
            raise CannotEvaluate(f"the change does not merge: {files} conflict", "resolve the conflict, and push")
        return lines[0] if answer.code == 0 and lines else None
