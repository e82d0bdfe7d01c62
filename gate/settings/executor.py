"""Who sends the requests, from the environment.

Never read from `gate.yaml`: a Dask scheduler runs code, and that file may come from a pull request.
"""

import re
from urllib.parse import urlsplit

from gate.errors import GateError

VARIABLE = "GATE_EXECUTOR"
_HOST = re.compile(r"[A-Za-z0-9:]([A-Za-z0-9._:%-]{0,252})")


def scheduler_address(value: str) -> str | None:
    """The address of a Dask scheduler as Dask writes it, `tcp://host:port`; None where this process sends.

    Args:
        value: of the variable: empty, or `dask://host:port`.

    Raises:
        GateError: anything else. It does not repeat the value, which may hold a password.
    """
    if not value:
        return None
    try:
        parts = urlsplit(value)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _wrong() from None
    bare = not (parts.path.strip("/") or parts.query or parts.fragment or parts.username or parts.password)
    if not (parts.scheme == "dask" and host and port and bare and _HOST.fullmatch(host)):
        raise _wrong()
    return f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"


def _wrong() -> GateError:
    return GateError(f"{VARIABLE} is not dask://HOST:PORT", f"write {VARIABLE}=dask://scheduler:8786, or unset it")
