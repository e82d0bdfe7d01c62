"""What GitHub's runner says, and the action's inputs, from the environment."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar

from gate.errors import GateError
from gate.inputs.event import SHA
from gate.inputs.limits import NAME_CHARS
from gate.inputs.paths import complaint
from gate.inputs.problems import Problems, quoted

Value = TypeVar("Value")

_REPOSITORY = re.compile(r"(?!\.{1,2}/)[\w.-]+/(?!\.{1,2}$)[\w.-]+", re.ASCII)
_ADDRESS = re.compile(r"https?://[^\s<>()\"'`\\]+", re.ASCII)
_NEEDED = ("GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GITHUB_SHA")


@dataclass(frozen=True, slots=True)
class Runner:
    """The variables of the runner.

    Args:
        event_name: `pull_request`.
        event_path: file with the payload.
        repository: `owner/name`.
        sha: of a pull request the merge commit.
        workspace: where the repository is checked out, if it is.
        api_url: of GitHub's REST API.
        run_url: this workflow run, for people; empty where that is not known.
        summary, output: files to append to; None outside a workflow.
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
        if not _REPOSITORY.fullmatch(repository):
            raise GateError(f"GITHUB_REPOSITORY is {quoted(repository)}", "it is OWNER/NAME")
        api_url = env.get("GITHUB_API_URL") or "https://api.github.com"
        if not _ADDRESS.fullmatch(api_url):
            raise GateError(f"GITHUB_API_URL is {quoted(api_url)}", "it begins with https://")
        if not SHA.fullmatch(env["GITHUB_SHA"]):
            raise GateError(f"GITHUB_SHA is {quoted(env['GITHUB_SHA'])}", "it is a commit's 40 hexadecimal digits")
        server, run = env.get("GITHUB_SERVER_URL") or "https://github.com", env.get("GITHUB_RUN_ID")
        run_url = f"{server}/{repository}/actions/runs/{run}" if run else ""
        return cls(
            event_name=env["GITHUB_EVENT_NAME"],
            event_path=Path(env["GITHUB_EVENT_PATH"]),
            repository=repository,
            sha=env["GITHUB_SHA"],
            workspace=Path(env.get("GITHUB_WORKSPACE") or "."),
            api_url=api_url,
            run_url=run_url if _ADDRESS.fullmatch(run_url) else "",
            summary=_file(env, "GITHUB_STEP_SUMMARY"),
            output=_file(env, "GITHUB_OUTPUT"),
        )


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of `action.yml`; the field `fail_on` is the input `fail-on`.

    Args:
        github_token: reads the pull request and writes the comment; None does neither.
        config: path of `gate.yaml` in the repository.
        fail_on: `hold` makes HOLD fail, too; None leaves it to `gate.yaml`.
        skip_label: the label that sets the gate aside.
        comment_mode: `update` keeps one comment, `off` writes none.
        comment_key: tells the comments of several gates apart; the configuration's path when empty.
        max_calls, max_cost_usd, max_minutes, max_output_tokens: a budget in addition to that of `gate.yaml`.
        cache: reuse the answers in `.gate/cache`, and keep new ones there.
        concurrency: calls in flight.
        out: folder for the run's files, in the workspace.
    """

    github_token: str | None = field(default=None, repr=False)
    config: str = "gate.yaml"
    fail_on: Literal["block", "hold"] | None = None
    skip_label: str = "skip-prompt-diff"
    comment_mode: Literal["update", "off"] = "update"
    comment_key: str = ""
    max_calls: int | None = None
    max_cost_usd: float | None = None
    max_minutes: float | None = None
    max_output_tokens: int | None = None
    cache: bool = True
    concurrency: int = 64
    out: str = ".gate/action"

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> "tuple[Inputs, Problems]":
        """Read `INPUT_*`; an empty input counts as absent.

        Args:
            environ: the variables; the process's own when None.

        Returns:
            The inputs, with the default in place of each that is wrong, and what is wrong with them.
        """
        reader = _Reader(os.environ if environ is None else environ, Problems("action inputs"))
        default = cls()
        inputs = cls(
            github_token=reader.text("github-token", "") or None,
            config=reader.path("config", default.config),
            fail_on=reader.choice("fail-on", {"block": "block", "hold": "hold"}, None),
            skip_label=reader.short("skip-label", default.skip_label),
            comment_mode=reader.choice("comment-mode", {"update": "update", "off": "off"}, default.comment_mode),
            comment_key=reader.short("comment-key", ""),
            max_calls=reader.number("max-calls", int, (1, 10_000_000)),
            max_cost_usd=reader.number("max-cost-usd", float, (0, 1_000_000)),
            max_minutes=reader.number("max-minutes", float, (0.01, 10_000)),
            max_output_tokens=reader.number("max-output-tokens", int, (1, 10_000_000)),
            cache=reader.choice("cache", {"on": True, "off": False}, default.cache),
            concurrency=reader.number("concurrency", int, (1, 1024)) or default.concurrency,
            out=reader.path("out", default.out),
        )
        return inputs, reader.problems


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads inputs as the runner names them, and notes what is wrong with them."""

    env: Mapping[str, str]
    problems: Problems

    def text(self, name: str, default: str) -> str:
        # The runner keeps the hyphens.
        return self.env.get(f"INPUT_{name.upper()}", "").strip() or default

    def short(self, name: str, default: str) -> str:
        value = self.text(name, default)
        if len(value) > NAME_CHARS or not value.isprintable():
            self.problems.add(0, f"{name} is not one line of at most {NAME_CHARS} characters", "choose a shorter name")
        return value

    def path(self, name: str, default: str) -> str:
        value = self.text(name, default)
        if reason := complaint(value):
            self.problems.add(0, f"{name}: the path {quoted(value)} {reason}", "name a path inside the repository")
        return value

    def choice(self, name: str, values: Mapping[str, Value], default: Value) -> Value:
        value = self.text(name, "")
        if value and value not in values:
            self.problems.add(0, f"{name}: {quoted(value)} is no choice", f"one of: {', '.join(values)}")
        return values.get(value, default)

    def number(self, name: str, kind: Callable[[str], Value], limits: tuple[float, float]) -> Value | None:
        text = self.text(name, "")
        if not text:
            return None
        low, high = limits
        try:
            value = kind(text)
            if low <= float(text) <= high:
                return value
        except ValueError:
            pass
        article = "a whole number" if kind is int else "a number"
        self.problems.add(0, f"{name}: {quoted(text)} is not {article} from {low:g} to {high:,.0f}", "leave it out")
        return None


def _file(env: Mapping[str, str], name: str) -> Path | None:
    return Path(env[name]) if env.get(name) else None
