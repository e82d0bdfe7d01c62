"""Environment variables that a configuration names, for agents, tools and databases."""

import os
from collections.abc import Iterable

from gate.errors import MissingKey


def values_of(names: Iterable[str], what: str, example: str = "…") -> dict[str, str]:
    """The values of variables.

    Args:
        names: as the configuration has them.
        what: needs them, for a reader.
        example: of a value, for the hint.

    Raises:
        MissingKey: some are not set, or empty.
    """
    wanted = list(dict.fromkeys(names))
    if missing := [name for name in wanted if not os.environ.get(name)]:
        message = f"environment variables that {what} needs are not set: {', '.join(missing)}"
        exported = " ".join(f"{name}={example}" for name in missing)
        raise MissingKey(message, f"export {exported}, or name them under env in the gate's step of a workflow")
    return {name: os.environ[name] for name in wanted}
