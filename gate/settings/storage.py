"""Where the store is, and what seals its server, from the environment."""

import os
from collections.abc import Mapping

from gate.errors import GateError, MissingKey

DATABASE = "GATE_DATABASE_URL"
TOKEN = "GATE_TOKEN"  # noqa: S105
SECRET = "GATE_SECRET_KEY"  # noqa: S105
OIDC_SECRET = "GATE_OIDC_SECRET"  # noqa: S105
_FEWEST = 32


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


def secret_key(environ: Mapping[str, str] | None = None) -> bytes | None:
    """What seals the forms of a server (`GATE_SECRET_KEY`); None where the store keeps it.

    Args:
        environ: the variables; the process's own when None.

    Raises:
        GateError: it is too short to be a secret.
    """
    found = (os.environ if environ is None else environ).get(SECRET) or None
    if found is not None and len(found) < _FEWEST:
        raise GateError(f"{SECRET} has fewer than {_FEWEST} characters", "make one: openssl rand -hex 32")
    return None if found is None else found.encode(errors="surrogateescape")


def oidc_secret(environ: Mapping[str, str] | None = None) -> str:
    """What this server shows to the service where people log in (`GATE_OIDC_SECRET`).

    Args:
        environ: the variables; the process's own when None.

    Raises:
        MissingKey: it is not set.
    """
    found = (os.environ if environ is None else environ).get(OIDC_SECRET) or ""
    if not found:
        raise MissingKey(f"{OIDC_SECRET} is not set", "export the client secret that the service gave you")
    return found
