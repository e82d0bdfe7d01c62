"""Environment variables that a configuration names, for agents, tools and databases."""

import os
from collections.abc import Iterable, Mapping

from gate.errors import MissingKey


def values_of(names: Iterable[str], what: str, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The values of variables.

    Args:
        names: as the configuration has them.
        what: needs them, for a reader.
        environ: the variables; the process's own when None.

    Raises:
        MissingKey: some are not set, or empty.
    """
    env = os.environ if environ is None else environ
    wanted = list(dict.fromkeys(names))
    if missing := [name for name in wanted if not env.get(name)]:
        raise MissingKey(f"{what} needs environment variables that are not set: {', '.join(missing)}", "set them")
    return {name: env[name] for name in wanted}
