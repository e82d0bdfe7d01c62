"""What started this process, and where it looks for programs, from the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a process needs to know before it runs code of the repository.

    Args:
        path: where programs are looked for (`PATH`).
        event: of GitHub, such as `pull_request`; empty where no workflow runs.
        payload: the file that says more about it.
    """

    path: str
    event: str
    payload: Path | None

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> "Surroundings":
        """Read the environment.

        Args:
            environ: the variables; the process's own when None.
        """
        env = os.environ if environ is None else environ
        event = env.get("GITHUB_EVENT_NAME") or ("unknown" if env.get("GITHUB_ACTIONS") == "true" else "")
        payload = env.get("GITHUB_EVENT_PATH")
        return cls(env.get("PATH") or os.defpath, event, Path(payload) if payload else None)
