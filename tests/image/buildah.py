"""Runs the buildah command, which builds and runs images without a daemon."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

BUILD_LIMIT_S = 1200


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a process.

    Args:
        code: exit code.
        out, err: its output.
    """

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Buildah:
    """Buildah with one storage folder, which is also the cache of the next build.

    Args:
        storage: the folder; made when needed.
    """

    storage: Path

    def ask(self, *arguments: str, timeout_s: float = BUILD_LIMIT_S) -> Done:
        """Run a command that may fail."""
        places = ("--root", str(self.storage / "root"), "--runroot", str(self.storage / "run"))
        return call(["buildah", *places, *arguments], timeout_s)

    def run(self, *arguments: str) -> str:
        """Run a command that must succeed, and return its output.

        Raises:
            RuntimeError: it failed; the text is the end of what it wrote.
        """
        return checked(self.ask(*arguments), f"buildah {arguments[0]}")


def call(command: Sequence[str], timeout_s: float) -> Done:
    """Run a process without a standard input."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout_s,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def checked(done: Done, name: str) -> str:
    """The output of a process that must have succeeded.

    Raises:
        RuntimeError: it failed.
    """
    if done.code != 0:
        tail = "\n".join(f"{done.out}\n{done.err}".splitlines()[-40:])
        raise RuntimeError(f"{name} failed with exit code {done.code}:\n{tail}")
    return done.out.strip()
