"""Connections to Postgres that give up on a silent server."""

import time
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from psycopg import Connection, OperationalError

Result = TypeVar("Result")


def connect_with_timeout(seconds: float) -> Callable[..., Connection[Any]]:
    """A factory of connections that are closed where a query is not answered in time.

    Postgres's own limit for a statement does not help where its answer never comes.
    """

    class Hurried(Connection[Any]):
        def wait(self, gen: Generator[Any, Any, Result], *args: Any, **more: Any) -> Result:
            return super().wait(_in_time(self, gen, seconds), *args, **more)

    return Hurried.connect


def _in_time(
    connection: Connection[Any], gen: Generator[Any, Any, Result], seconds: float
) -> Generator[Any, Any, Result]:
    """As psycopg's own wait, but checks several times a second whether time is up."""
    until = time.monotonic() + seconds
    try:
        state = next(gen)
        while True:
            ready = yield state
            if not ready and time.monotonic() > until:
                # Nobody knows what it would still say.
                connection.pgconn.finish()
                raise OperationalError(f"no answer within {seconds:g} s")
            state = gen.send(ready)
    except StopIteration as end:
        result: Result = end.value
        return result
