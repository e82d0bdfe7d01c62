"""Where the store is, and the token for a server, from the environment."""

import os
from collections.abc import Mapping

DATABASE = "GATE_DATABASE_URL"
TOKEN = "GATE_TOKEN"  # noqa: S105


def database_url(environ: Mapping[str, str] | None = None) -> str | None:
    """The address of the store's database (`GATE_DATABASE_URL`); None where it is the file of the repository.

    Args:
        environ: the variables; the process's own when None.
    """
    return (os.environ if environ is None else environ).get(DATABASE) or None


def push_token(environ: Mapping[str, str] | None = None) -> str:
    """The token that a server of runs is shown (`GATE_TOKEN`); empty where there is none.

    Args:
        environ: the variables; the process's own when None.
    """
    return (os.environ if environ is None else environ).get(TOKEN, "").strip()
