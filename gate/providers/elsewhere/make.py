"""Makes the executor that a user asked for."""

from collections.abc import Callable

from gate.domain.executor import Dask, ExecutorSpec, InProcess
from gate.providers.elsewhere.chunk import ChunkSetup
from gate.providers.elsewhere.cluster import DaskExecutor
from gate.providers.elsewhere.processes import ProcessExecutor
from gate.providers.elsewhere.worker import Setup
from gate.providers.endpoints import Keys
from gate.providers.executor import Executor


def make_executor(spec: ExecutorSpec, keys: Keys, read_keys: Callable[[], Keys], connections: int) -> Executor | None:
    """The executor, with nothing started yet; None when requests are sent from this process.

    Args:
        spec: what was asked for.
        keys: keys and addresses of this process.
        read_keys: reads keys where a Dask worker runs: a function of a module, which Dask sends by name.
        connections: requests that may be under way at once.

    Raises:
        GateError: a package is not installed.
    """
    if isinstance(spec, InProcess):
        return None
    if isinstance(spec, Dask):
        setup = ChunkSetup(read_keys, keys.openai_base_url, keys.anthropic_base_url, connections)
        return DaskExecutor(spec.address, setup)
    return ProcessExecutor(spec.count, Setup(keys, connections))
