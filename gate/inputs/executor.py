"""Executors, as the command line and the environment write them.

Never read from `gate.yaml`: a Dask scheduler runs code, and that file may come from a pull request.
"""

import re
from urllib.parse import urlsplit

from gate.domain.executor import Dask, ExecutorSpec, InProcess, Processes
from gate.errors import GateError
from gate.inputs.problems import did_you_mean, quoted

MOST_PROCESSES = 64
_KINDS = ("in-process", "processes", "dask")
_SHAPE = "write in-process, processes:2 or dask://scheduler:8786"
_HOST = re.compile(r"[A-Za-z0-9:]([A-Za-z0-9._:%-]{0,252})")


def parse_executor(text: str) -> ExecutorSpec:
    """`in-process`, `processes:N` or `dask://host:port`.

    Raises:
        GateError: anything else.
    """
    kind, colon, rest = text.partition(":")
    if text == "in-process":
        return InProcess()
    if kind == "processes":
        return _processes(rest)
    if kind == "dask" and colon:
        return _dask(text)
    hint = did_you_mean(kind, _KINDS)
    raise GateError(
        f"unknown executor {quoted(text)}", _SHAPE if hint.startswith("known") or kind in _KINDS else f"{hint} {_SHAPE}"
    )


def _processes(count: str) -> Processes:
    if not re.fullmatch("[0-9]{1,4}", count) or not 1 <= int(count) <= MOST_PROCESSES:
        raise GateError(
            f"processes: wants a whole number from 1 to {MOST_PROCESSES}, not {quoted(count)}",
            "write processes:2; more than the machine has cores make nothing faster",
        )
    return Processes(int(count))


def _dask(text: str) -> Dask:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
        parts = urlsplit("")
    bare = not (parts.path.strip("/") or parts.query or parts.fragment or parts.username or parts.password)
    if not (host and port and bare and _HOST.fullmatch(host)):
        # The address itself stays out of the message: somebody may have written a password into it.
        raise GateError("the address of the Dask scheduler is not dask://host:port", "write dask://scheduler:8786")
    return Dask(host, port)
