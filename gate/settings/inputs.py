"""The action's inputs, from the environment."""

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Literal, TypeVar

from gate.inputs.limits import NAME_CHARS
from gate.inputs.paths import complaint, escapes
from gate.inputs.problems import Problems, quoted

Value = TypeVar("Value")

_MOST_PATTERNS = 100
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
"""Those of YAML 1.2, which GitHub's own toolkit takes."""

_MEANT: Mapping[str, str] = MappingProxyType(
    {
        "cache-folder": "cache-path",
        "disable-comment": "comment-mode: off",
        "env-files": "the step's env",
        "fail-on-threshold": "min_pass_rate in gate.yaml",
        "max-concurrency": "concurrency",
        "no-cache": "cache: false",
        "no-progress-bar": "nothing: there is none in a log",
        "no-share": "nothing: reports are never sent anywhere",
        "no-table": "nothing: the log has a short report",
        "promptfoo-version": "nothing: this is another tool",
        "repeat": "samples",
        "token": "github-token",
        "use-config-prompts": "nothing: gate.yaml names the prompts",
        "workflow-base": "base",
        "workflow-files": "head",
    }
)
"""What inputs of other actions are called here."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of `action.yml`; the field `fail_on` is the input `fail-on`.

    Args:
        github_token: reads the pull request and writes the comment; None does neither.
        config: path of `gate.yaml` in the working directory.
        working_directory: folder of the repository that all paths begin in; empty for its root.
        prompts: patterns of the prompts to look at; empty for all of the configuration.
        base, head: refs to compare, for `workflow_dispatch`.
        force_run: evaluate suites that the change does not touch, too.
        samples: outputs per case and arm at least; None leaves it to `gate.yaml`.
        mode: `enforce` lets a verdict fail the job where `gate.yaml` is still advisory; None leaves it to `gate.yaml`.
        fail_on: `hold` makes HOLD fail, too; None leaves it to `gate.yaml`.
        skip_label: the label that sets the gate aside.
        label_scope: `commit` lets the label count for the commit that it was set on alone.
        override_by: who may set it.
        on_skip: `run` evaluates all the same, and leaves the job green.
        on_missing_secrets: what becomes of a run that GitHub gives no secrets: `fail`, or `skip`.
        comment_mode: `update` keeps one comment, `recreate` posts a new one for each run, `hide` also keeps the old
            ones folded away, `off` writes none.
        comment_key: tells the comments of several gates apart; the configuration's path when empty.
        comment_progress: say in the comment that a run is under way.
        check_run: keep a check run on the commit, where the token may.
        max_calls, max_cost_usd, max_minutes, max_output_tokens: a budget in addition to that of `gate.yaml`.
        cache: reuse the answers of earlier runs, and keep new ones.
        cache_path: folder of these answers, in the workspace.
        concurrency: calls in flight.
        out: folder for the run's files, in the workspace.
        store: put the finished run into the store that the step's environment names.
        push_to: address of a server that the finished run is sent to; empty for none.
        openai_api_key, anthropic_api_key: keys, where the step's environment has none.
    """

    github_token: str | None = field(default=None, repr=False)
    config: str = "gate.yaml"
    working_directory: str = ""
    prompts: tuple[str, ...] = ()
    base: str = ""
    head: str = ""
    force_run: bool = False
    samples: int | None = None
    mode: Literal["enforce"] | None = None
    fail_on: Literal["block", "hold"] | None = None
    skip_label: str = "skip-prompt-diff"
    label_scope: Literal["pull-request", "commit"] = "pull-request"
    override_by: Literal["triage", "anyone", "not-author"] = "triage"
    on_skip: Literal["skip", "run"] = "skip"
    on_missing_secrets: Literal["fail", "skip"] = "fail"
    comment_mode: Literal["update", "recreate", "hide", "off"] = "update"
    comment_key: str = ""
    comment_progress: bool = False
    check_run: bool = True
    max_calls: int | None = None
    max_cost_usd: float | None = None
    max_minutes: float | None = None
    max_output_tokens: int | None = None
    cache: bool = True
    cache_path: str = ".gate/cache"
    concurrency: int = 64
    out: str = ".gate/action"
    store: bool = False
    push_to: str = ""
    openai_api_key: str | None = field(default=None, repr=False)
    anthropic_api_key: str | None = field(default=None, repr=False)

    @property
    def key(self) -> str:
        """Tells this gate from others of the same repository."""
        folder = f"{self.working_directory}/" if self.working_directory else ""
        return self.comment_key or folder + self.config

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
            working_directory=reader.folder("working-directory"),
            prompts=reader.patterns("prompts"),
            base=reader.short("base", ""),
            head=reader.short("head", ""),
            force_run=reader.boolean("force-run", default.force_run),
            samples=reader.number("samples", int, (1, 100)),
            mode=reader.mode(),
            fail_on=reader.choice("fail-on", _words("block", "hold"), None),
            skip_label=reader.short("skip-label", default.skip_label),
            label_scope=reader.choice("label-scope", _words("pull-request", "commit"), default.label_scope),
            override_by=reader.choice("override-by", _words("triage", "anyone", "not-author"), default.override_by),
            on_skip=reader.choice("on-skip", _words("skip", "run"), default.on_skip),
            on_missing_secrets=reader.choice("on-missing-secrets", _words("fail", "skip"), default.on_missing_secrets),
            comment_mode=reader.choice(
                "comment-mode", _words("update", "recreate", "hide", "off"), default.comment_mode
            ),
            comment_key=reader.short("comment-key", ""),
            comment_progress=reader.boolean("comment-progress", default.comment_progress),
            check_run=reader.boolean("check-run", default.check_run),
            max_calls=reader.number("max-calls", int, (1, 10_000_000)),
            max_cost_usd=reader.number("max-cost-usd", float, (0, 1_000_000)),
            max_minutes=reader.number("max-minutes", float, (0.01, 10_000)),
            max_output_tokens=reader.number("max-output-tokens", int, (1, 10_000_000)),
            cache=reader.boolean("cache", default.cache),
            cache_path=reader.path("cache-path", default.cache_path),
            concurrency=reader.number("concurrency", int, (1, 1024)) or default.concurrency,
            out=reader.path("out", default.out),
            store=reader.boolean("store", default.store),
            push_to=reader.text("push-to", ""),
            openai_api_key=reader.text("openai-api-key", "") or None,
            anthropic_api_key=reader.text("anthropic-api-key", "") or None,
        )
        return inputs, reader.problems


def unknown_inputs(environ: Mapping[str, str] | None = None) -> list[str]:
    """A sentence for each input that the action does not have; the runner hands on whatever a workflow gives.

    Args:
        environ: the variables; the process's own when None.
    """
    known = [one.name.replace("_", "-") for one in fields(Inputs)]
    given = [
        name.removeprefix("INPUT_").lower()
        for name in (os.environ if environ is None else environ)
        if name.startswith("INPUT_")
    ]
    return [_unknown(name, known) for name in sorted(set(given) - set(known))]


def _unknown(name: str, known: list[str]) -> str:
    if meant := _MEANT.get(name):
        return f"There is no input {quoted(name)}; what it does elsewhere is here: {meant}."
    close = difflib.get_close_matches(name, known, n=1)
    return f"There is no input {quoted(name)}, and it changes nothing{f'; {close[0]} was meant?' if close else '.'}"


def _words(*words: Value) -> Mapping[str, Value]:
    return {str(word): word for word in words}


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
            return default
        return value

    def folder(self, name: str) -> str:
        """A folder from the root of the repository; the root itself is the empty text."""
        value = self.text(name, "").removeprefix("./").rstrip("/")
        return "" if value in ("", ".") else self.path(name, "").removeprefix("./").rstrip("/")

    def patterns(self, name: str) -> tuple[str, ...]:
        """One pattern a line."""
        found = [line.strip() for line in self.text(name, "").splitlines() if line.strip()]
        if len(found) > _MOST_PATTERNS:
            self.problems.add(0, f"{name} has more than {_MOST_PATTERNS} lines", "use patterns, such as prompts/**")
            return ()
        for value in found:
            if reason := complaint(value) or escapes(value):
                self.problems.add(0, f"{name}: the path {quoted(value)} {reason}", "name a path inside the repository")
        return tuple(found)

    def boolean(self, name: str, default: bool) -> bool:
        return self.choice(name, _BOOLEANS, default)

    def mode(self) -> Literal["enforce"] | None:
        if self.text("mode", "") == "advisory":
            hint = "write policy: {mode: advisory} into gate.yaml, where a pull request cannot set it for itself"
            self.problems.add(0, "mode: an input cannot make the gate advisory", hint)
            return None
        return self.choice("mode", {"enforce": "enforce"}, None)

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
