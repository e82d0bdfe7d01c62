"""What is pushed where, from the environment that pre-commit gives to a hook."""

import os
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Push:
    """A push whose hook this process is.

    Args:
        remote: it goes to, by the name that the clone has for it; empty where nothing is pushed.
        commit: that is pushed; empty where nothing is.
    """

    remote: str = ""
    commit: str = ""

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> "Push":
        """Read the environment.

        Args:
            environ: the variables; the process's own when None.
        """
        env = os.environ if environ is None else environ
        # Of a history of which the server has nothing pre-commit names the branch alone.
        commit = env.get("PRE_COMMIT_TO_REF") or env.get("PRE_COMMIT_LOCAL_BRANCH", "")
        return cls(env.get("PRE_COMMIT_REMOTE_NAME", ""), commit)
