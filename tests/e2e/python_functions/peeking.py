"""Code of a repository that looks which processes of its user are open to it."""

import ctypes
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.command import environment

ONLY_ITSELF = "own environ, own mem"
_DROP, _CAPABILITIES = 24, 64


def peeking(told: Path) -> str:
    """Code that tells which files of the gate, of the keeper and of its own process it may open.

    Args:
        told: the file that it writes.
    """
    return f"""\
import os
keeper = os.getppid()
with open(f"/proc/{{keeper}}/stat") as file:
    gate = int(file.read().rpartition(")")[2].split()[1])
opened = []
for name, process in dict(gate=gate, keeper=keeper, own=os.getpid()).items():
    for file, flags in dict(environ=os.O_RDONLY, mem=os.O_RDWR).items():
        try:
            os.close(os.open(f"/proc/{{process}}/{{file}}", flags))
            opened.append(f"{{name}} {{file}}")
        except PermissionError:
            pass
with open({os.fspath(told)!r}, "w") as file:
    file.write(", ".join(opened))
"""


def unprivileged(arguments: Sequence[str], cwd: Path, env: Mapping[str, str]) -> int:
    """The exit code of `gate`, run as by a user other than root: without capabilities such as CAP_SYS_PTRACE."""
    done = subprocess.run(
        [sys.executable, "-m", "gate", *arguments],
        cwd=cwd,
        env=environment(cwd, env),
        capture_output=True,
        check=False,
        # Root loses them for good; another user has none to lose.
        preexec_fn=lambda: [ctypes.CDLL(None).prctl(_DROP, one, 0, 0, 0) for one in range(_CAPABILITIES)],
    )
    return done.returncode
