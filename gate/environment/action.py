"""The action's inputs, GitHub's runner and the pull request to comment on, from the environment."""

import difflib
import os
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal, TypeVar

from gate.config.documents import Problems, quoted
from gate.errors import CannotEvaluate, GateError
from gate.files import normal, path_complaint
from gate.github.events import SHA
from gate.limits import NAME_CHARS
from gate.record.parts import LabelScope, OverrideBy

Value = TypeVar("Value")


_OPTIONAL = "optional:"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of `action.yml`; the field `fail_on` is the input `fail-on`.

    Args:
        github_token: reads the pull request and writes the comment; None for neither.
        key: names this gate, where a repository has several; empty for the path of its configuration.
        config: path of `gate.yaml` in the working directory; `optional:PATH` if it may be missing.
        working_directory: folder of the repository that all paths are relative to; empty for its root.
        max_calls, max_cost_usd, max_minutes: a budget in addition to that of `gate.yaml`.
        fail_on: `hold`: the job also fails on HOLD; None to use `gate.yaml`.
        on_missing_secrets: what to do with a run that GitHub gives no secrets: `fail` or `skip`.
        label_scope: `commit` lets the label count only for the commit that it was set on.
        on_skip: `run` still evaluates, and the job passes.
        push_to: URL of a server that the finished run is sent to, or `store` for the database of the step's
            environment; empty for neither.
    """

    github_token: str | None = field(default=None, repr=False)
    key: str = ""
    config: str = "gate.yaml"
    working_directory: str = ""
    range: str = ""
    max_calls: int | None = None
    max_cost_usd: float | None = None
    max_minutes: float | None = None
    concurrency: int = 64
    fail_on: Literal["block", "hold"] | None = None
    on_missing_secrets: Literal["fail", "skip"] = "fail"
    skip_label: str = "skip-prompt-diff"
    label_scope: LabelScope = "pull-request"
    override_by: OverrideBy = "triage"
    on_skip: Literal["skip", "run"] = "skip"
    push_to: str = ""

    @property
    def gate_key(self) -> str:
        """Distinguishes this gate from others of the same repository."""
        return self.key or self.config_place

    @property
    def config_optional(self) -> bool:
        """May a repository be without a configuration?"""
        return self.config.startswith(_OPTIONAL)

    @property
    def config_path(self) -> str:
        """The path of the configuration."""
        return self.config.removeprefix(_OPTIONAL)

    @property
    def config_place(self) -> str:
        """The path of the configuration from the root of the repository."""
        return normal(f"{self.working_directory}/{self.config_path}".lstrip("/"))

    @property
    def ends(self) -> tuple[str, str]:
        """Base and head of `range`; empty where it names none."""
        base, _, head = self.range.partition("..")
        return base.strip(), head.strip()

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> "tuple[Inputs, Problems]":
        """Read `INPUT_*`; an empty input counts as absent.

        Returns:
            The inputs, with defaults for invalid ones, and the errors.
        """
        reader = _Reader(os.environ if environ is None else environ, Problems("action inputs"))
        default = cls()
        inputs = cls(
            github_token=reader.text("github-token", "") or None,
            key=reader.short("key", ""),
            config=reader.config("config", default.config),
            working_directory=reader.folder("working-directory"),
            range=reader.range("range"),
            max_calls=reader.number("max-calls", int, (1, 10_000_000)),
            max_cost_usd=reader.number("max-cost-usd", float, (0, 1_000_000)),
            max_minutes=reader.number("max-minutes", float, (0.01, 10_000)),
            concurrency=reader.number("concurrency", int, (1, 1024)) or default.concurrency,
            fail_on=reader.choice("fail-on", default.fail_on, "block", "hold"),
            on_missing_secrets=reader.choice("on-missing-secrets", default.on_missing_secrets, "fail", "skip"),
            skip_label=reader.short("skip-label", default.skip_label),
            label_scope=reader.choice("label-scope", default.label_scope, "pull-request", "commit"),
            override_by=reader.choice("override-by", default.override_by, "triage", "anyone", "not-author"),
            on_skip=reader.choice("on-skip", default.on_skip, "skip", "run"),
            push_to=reader.text("push-to", ""),
        )
        return inputs, reader.problems


def unknown_inputs(environ: Mapping[str, str] | None = None) -> list[str]:
    """A sentence for each input that the action does not have; the runner passes on whatever a workflow gives."""
    known = [one.name.replace("_", "-") for one in fields(Inputs)]
    given = [
        name.removeprefix("INPUT_").lower()
        for name in (os.environ if environ is None else environ)
        if name.startswith("INPUT_")
    ]
    return [_unknown(name, known) for name in sorted(set(given) - set(known))]


def _unknown(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"There is no input {quoted(name)}; it has no effect.{f' Did you mean {close[0]}?' if close else ''}"


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads inputs by the runner's names, and records errors."""

    env: Mapping[str, str]
    problems: Problems

    def text(self, name: str, default: str) -> str:
        # The runner keeps the hyphens.
        return self.env.get(f"INPUT_{name.upper()}", "").strip() or default

    def short(self, name: str, default: str) -> str:
        value = self.text(name, default)
        if len(value) > NAME_CHARS:
            self.problems.add(0, f"{name} must have at most {NAME_CHARS} characters", "choose a shorter name")
        # An emoji may be several characters, joined by one that does not print.
        if any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in value):
            self.problems.add(0, f"{name} must be one line without control characters", "choose a plain name")
        return value

    def path(self, name: str, default: str) -> str:
        value = self.text(name, default)
        if reason := path_complaint(value):
            self.problems.add(0, f"{name}: the path {quoted(value)} {reason}", "name a path inside the repository")
            return default
        return value

    def config(self, name: str, default: str) -> str:
        """A path, `optional`, or `optional:PATH`."""
        text = self.text(name, default)
        if text == _OPTIONAL.rstrip(":"):
            return _OPTIONAL + default
        start = _OPTIONAL if text.startswith(_OPTIONAL) else ""
        path = text.removeprefix(start)
        if reason := path_complaint(path):
            self.problems.add(0, f"{name}: the path {quoted(path)} {reason}", "name a path inside the repository")
            return default
        return start + normal(path)

    def range(self, name: str) -> str:
        value = self.short(name, "")
        if value and (".." not in value or "..." in value):
            self.problems.add(0, f"{name}: {quoted(value)} is not BASE..HEAD", "one of the two may be left out: main..")
            return ""
        return value

    def folder(self, name: str) -> str:
        """A folder relative to the root of the repository; empty for the root itself."""
        if normal(self.text(name, "")) == ".":
            return ""
        value = normal(self.path(name, ""))
        return "" if value == "." else value

    def choice(self, name: str, default: Value, *words: Value) -> Value:
        value, values = self.text(name, ""), {str(word): word for word in words}
        if value and value not in values:
            self.problems.add(0, f"{name}: {quoted(value)} is not allowed", f"one of: {', '.join(values)}")
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
        self.problems.add(0, f"{name}: {quoted(text)} is not {article} from {low:g} to {high:,.0f}", "leave it empty")
        return None


REPOSITORY = re.compile(r"(?!\.{1,2}/)[\w.-]+/(?!\.{1,2}$)[\w.-]+", re.ASCII)
_ADDRESS = re.compile(r"https?://[^\s<>()\"'`\\]+", re.ASCII)
_NEEDED = ("GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GITHUB_SHA")


@dataclass(frozen=True, slots=True)
class Runner:
    """The variables of the runner.

    Args:
        sha: for a pull request the merge commit.
        workspace: where the repository is checked out, if it is.
        run_url: page of this workflow run; empty where unknown.
        summary, output: files to append to; None outside of a workflow.
        head_ref: branch of a pull request, named by its author; empty for other events.
        docs_url: folder of the documentation in the repository of the action; empty where unknown.
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
    docs_url: str = ""

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> "Runner":
        """Read the environment; the process's own when None.

        Raises:
            GateError: this is not a workflow.
        """
        env = os.environ if environ is None else environ
        absent = [name for name in _NEEDED if not env.get(name)]
        if absent:
            hint = "it only runs in a GitHub workflow; on your own machine use: gate diff --base origin/main"
            raise GateError(f"gate action needs {', '.join(absent)}", hint)
        repository = env["GITHUB_REPOSITORY"]
        if not REPOSITORY.fullmatch(repository):
            raise GateError(f"GITHUB_REPOSITORY is {quoted(repository)}", "it must be OWNER/NAME")
        if not SHA.fullmatch(env["GITHUB_SHA"]):
            raise GateError(
                f"GITHUB_SHA is {quoted(env['GITHUB_SHA'])}", "it must be the 40 hexadecimal digits of a commit"
            )
        return cls(
            event_name=env["GITHUB_EVENT_NAME"],
            event_path=Path(env["GITHUB_EVENT_PATH"]),
            repository=repository,
            sha=env["GITHUB_SHA"],
            workspace=Path(env.get("GITHUB_WORKSPACE") or "."),
            api_url=api_of(env),
            run_url=server_page_of(env, repository),
            summary=_file(env, "GITHUB_STEP_SUMMARY"),
            output=_file(env, "GITHUB_OUTPUT"),
            actor=env.get("GITHUB_ACTOR", ""),
            head_ref=env.get("GITHUB_HEAD_REF", ""),
            docs_url=_docs_of(env),
        )


def api_of(env: Mapping[str, str]) -> str:
    """The address of GitHub's REST API.

    Raises:
        GateError: it is not an address.
    """
    api_url = env.get("GITHUB_API_URL") or "https://api.github.com"
    if not _ADDRESS.fullmatch(api_url):
        raise GateError(f"GITHUB_API_URL is {quoted(api_url)}", "it must begin with https://")
    return api_url


def server_page_of(env: Mapping[str, str], repository: str) -> str:
    """The page of this workflow run; empty where there is none."""
    server, run = env.get("GITHUB_SERVER_URL") or "https://github.com", env.get("GITHUB_RUN_ID")
    page = f"{server}/{repository}/actions/runs/{run}" if run else ""
    return page if _ADDRESS.fullmatch(page) else ""


def _docs_of(env: Mapping[str, str]) -> str:
    """The documentation at the version of the action that runs; empty where it was not called from a repository."""
    server = env.get("GITHUB_SERVER_URL") or "https://github.com"
    repository, ref = env.get("GITHUB_ACTION_REPOSITORY", ""), env.get("GITHUB_ACTION_REF") or "HEAD"
    page = f"{server}/{repository}/blob/{ref}/docs" if REPOSITORY.fullmatch(repository) else ""
    return page if _ADDRESS.fullmatch(page) else ""


def _file(env: Mapping[str, str], name: str) -> Path | None:
    return Path(env[name]) if env.get(name) else None


TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
_PULL = re.compile(r"refs/pull/([0-9]{1,9})/(?:merge|head)")


@dataclass(frozen=True, slots=True)
class CommentPlace:
    """Where the comment goes.

    Args:
        repository: `owner/name`.
        run_url: page of this workflow run; empty outside of one.
    """

    repository: str
    number: int
    token: str = field(repr=False)
    api_url: str
    run_url: str

    @classmethod
    def of(cls, repository: str = "", number: int = 0, environ: Mapping[str, str] | None = None) -> "CommentPlace":
        """The place for the comment; arguments go before the environment.

        Args:
            repository: `owner/name`; empty for GITHUB_REPOSITORY.
            number: of the pull request; 0 for that of GITHUB_REF.

        Raises:
            GateError: the place is missing or invalid.
            CannotEvaluate: there is no token.
        """
        env = os.environ if environ is None else environ
        repository = repository or env.get("GITHUB_REPOSITORY", "")
        if not REPOSITORY.fullmatch(repository):
            told = f"{quoted(repository)} is not OWNER/NAME" if repository else "no repository is named"
            raise GateError(told, "pass --repo OWNER/NAME; in a workflow, GitHub sets GITHUB_REPOSITORY")
        found = _PULL.fullmatch(env.get("GITHUB_REF", ""))
        number = number or (int(found[1]) if found else 0)
        if not number:
            hint = "pass --pull NUMBER; in a workflow, only pull_request events have a number"
            raise GateError("no pull request is named", hint)
        token = next((env[name] for name in TOKENS if env.get(name)), "")
        if not token:
            hint = "export GITHUB_TOKEN=…; in a workflow, under env: GITHUB_TOKEN: ${{ github.token }}"
            raise CannotEvaluate("there is no token to write the comment with", hint)
        return cls(repository, number, token, api_of(env), server_page_of(env, repository))
