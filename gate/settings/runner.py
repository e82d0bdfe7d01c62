"""What GitHub's runner says, from the environment."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gate.errors import GateError
from gate.inputs.event import SHA
from gate.inputs.problems import quoted

REPOSITORY = re.compile(r"(?!\.{1,2}/)[\w.-]+/(?!\.{1,2}$)[\w.-]+", re.ASCII)
_ADDRESS = re.compile(r"https?://[^\s<>()\"'`\\]+", re.ASCII)
_NEEDED = ("GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GITHUB_SHA")


@dataclass(frozen=True, slots=True)
class Runner:
    """The variables of the runner.

    Args:
        event_name: such as `pull_request`.
        event_path: file with the payload.
        repository: `owner/name`.
        sha: of a pull request the merge commit.
        workspace: where the repository is checked out, if it is.
        api_url: of GitHub's REST API.
        run_url: this workflow run, for people; empty where that is not known.
        summary, output: files to append to; None outside a workflow.
        actor: login of whoever started it.
        head_ref: branch of a pull request, which its author named; empty for other events.
    """

    event_name: str
    event_path: Path
    repository: str
    sha: str
    workspace: Path
    api_url: str
    run_url: str
    summary: Path | None
    output: Path | None
    actor: str = ""
    head_ref: str = ""

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> "Runner":
        """Read the environment.

        Args:
            environ: the variables; the process's own when None.

        Raises:
            GateError: this is no workflow.
        """
        env = os.environ if environ is None else environ
        absent = [name for name in _NEEDED if not env.get(name)]
        if absent:
            hint = "it runs in a GitHub workflow; on your own machine use: gate diff --base origin/main"
            raise GateError(f"gate action needs {', '.join(absent)}", hint)
        repository = env["GITHUB_REPOSITORY"]
        if not REPOSITORY.fullmatch(repository):
            raise GateError(f"GITHUB_REPOSITORY is {quoted(repository)}", "it is OWNER/NAME")
        if not SHA.fullmatch(env["GITHUB_SHA"]):
            raise GateError(f"GITHUB_SHA is {quoted(env['GITHUB_SHA'])}", "it is a commit's 40 hexadecimal digits")
        return cls(
            event_name=env["GITHUB_EVENT_NAME"],
            event_path=Path(env["GITHUB_EVENT_PATH"]),
            repository=repository,
            sha=env["GITHUB_SHA"],
            workspace=Path(env.get("GITHUB_WORKSPACE") or "."),
            api_url=api_of(env),
            run_url=page_of(env, repository),
            summary=_file(env, "GITHUB_STEP_SUMMARY"),
            output=_file(env, "GITHUB_OUTPUT"),
            actor=env.get("GITHUB_ACTOR", ""),
            head_ref=env.get("GITHUB_HEAD_REF", ""),
        )


def api_of(env: Mapping[str, str]) -> str:
    """The address of GitHub's REST API.

    Raises:
        GateError: it is no address.
    """
    api_url = env.get("GITHUB_API_URL") or "https://api.github.com"
    if not _ADDRESS.fullmatch(api_url):
        raise GateError(f"GITHUB_API_URL is {quoted(api_url)}", "it begins with https://")
    return api_url


def page_of(env: Mapping[str, str], repository: str) -> str:
    """The page of this workflow run, for people; empty where there is none."""
    server, run = env.get("GITHUB_SERVER_URL") or "https://github.com", env.get("GITHUB_RUN_ID")
    page = f"{server}/{repository}/actions/runs/{run}" if run else ""
    return page if _ADDRESS.fullmatch(page) else ""


def _file(env: Mapping[str, str], name: str) -> Path | None:
    return Path(env[name]) if env.get(name) else None
