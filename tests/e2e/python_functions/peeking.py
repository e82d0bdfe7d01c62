"""Code of a repository that looks which processes of its user are open to it."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support import forked
from tests.support.command import environment

ONLY_ITSELF = "own environ, own mem"
WITHOUT_CAPABILITIES = """\
import ctypes
from gate.__main__ import main

# Root loses them for good, and so do the programs that it starts; another user has none to lose.
libc = ctypes.CDLL(None)
for one in range(64):
    libc.prctl(24, one, 0, 0, 0)  # PR_CAPBSET_DROP
version = ctypes.create_string_buffer(bytes.fromhex("22050820") + bytes(4))
assert libc.capset(version, ctypes.create_string_buffer(24)) == 0
main()
"""


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
    script = cwd.parent / "unprivileged.py"
    script.write_text(WITHOUT_CAPABILITIES)
    return forked.run([str(script), *arguments], cwd, environment(cwd, env), 60, None).returncode
