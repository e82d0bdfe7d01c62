"""On which pull request a finished run is told, and with whose token."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from gate.errors import CannotEvaluate, GateError
from gate.inputs.problems import quoted
from gate.settings.runner import REPOSITORY, api_of, page_of

TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
_PULL = re.compile(r"refs/pull/([0-9]{1,9})/(?:merge|head)")


@dataclass(frozen=True, slots=True)
class CommentPlace:
    """Where the comment goes.

    Args:
        repository: `owner/name`.
        number: of the pull request.
        token: reads the pull request and writes the comment.
        api_url: of GitHub's REST API.
        run_url: page of this workflow run; empty outside of one.
    """

    repository: str
    number: int
    token: str = field(repr=False)
    api_url: str
    run_url: str

    @classmethod
    def of(cls, repository: str = "", number: int = 0, environ: Mapping[str, str] | None = None) -> "CommentPlace":
        """What was typed goes before the environment.

        Args:
            repository: `owner/name`; empty for GITHUB_REPOSITORY.
            number: of the pull request; 0 for that of GITHUB_REF.
            environ: the variables; the process's own when None.

        Raises:
            GateError: it is not said where to, or not so that it can be.
            CannotEvaluate: there is no token.
        """
        env = os.environ if environ is None else environ
        repository = repository or env.get("GITHUB_REPOSITORY", "")
        if not REPOSITORY.fullmatch(repository):
            told = f"{quoted(repository)} is no repository" if repository else "no repository is named"
            raise GateError(told, "--repo OWNER/NAME; a workflow sets GITHUB_REPOSITORY")
        found = _PULL.fullmatch(env.get("GITHUB_REF", ""))
        number = number or (int(found[1]) if found else 0)
        if not number:
            hint = "--pull NUMBER; in a workflow, only events of the kind pull_request name one"
            raise GateError("no pull request is named", hint)
        token = next((env[name] for name in TOKENS if env.get(name)), "")
        if not token:
            hint = "export GITHUB_TOKEN=…; in a workflow, under env: GITHUB_TOKEN: ${{ github.token }}"
            raise CannotEvaluate("there is no token to write the comment with", hint)
        return cls(repository, number, token, api_of(env), page_of(env, repository))
