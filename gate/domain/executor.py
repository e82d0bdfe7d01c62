"""Where requests are sent from: this process, processes beside it, or a Dask cluster."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class InProcess:
    """Requests are sent from the process that runs the evaluation."""


@dataclass(frozen=True, slots=True)
class Processes:
    """Requests are sent by worker processes on this machine.

    Args:
        count: how many, 1 or more.
    """

    count: int


@dataclass(frozen=True, slots=True)
class Dask:
    """Requests are sent by the workers of a Dask cluster.

    Args:
        host: the scheduler's name or address; an IPv6 address without brackets.
        port: 1 to 65535.
    """

    host: str
    port: int

    @property
    def address(self) -> str:
        """As Dask writes it: `tcp://host:port`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"tcp://{host}:{self.port}"


ExecutorSpec: TypeAlias = InProcess | Processes | Dask
