"""Runs git: no shell, no network, no prompt for a password, no endless wait, and no secrets in an error."""

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
    """What git said.

    Args:
        code: exit code.
        out: standard output.
        error: the last line of standard error, printable and without credentials.
    """

    code: int
    out: bytes
    error: str


@dataclass(frozen=True, slots=True)
class Git:
    """The git command line in one folder.

    Args:
        folder: where it runs.
        timeout_s: seconds for one command.
    """

    folder: Path
    timeout_s: float = 60.0

    def ask(self, *arguments: str, given: bytes = b"") -> Answer:
        """Run a command whose failure is an answer too.

        Args:
            arguments: after `git`.
            given: its standard input.

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
        """Run a command that must succeed.

        Raises:
            CannotEvaluate: it did not.
        """
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
