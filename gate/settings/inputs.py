"""The action's inputs, from the environment."""

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, TypeVar

from gate.domain.override import LabelScope, OverrideBy
from gate.inputs.limits import NAME_CHARS
from gate.inputs.paths import complaint
from gate.inputs.problems import Problems, quoted

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of `action.yml`; the field `fail_on` is the input `fail-on`.

    Args:
        github_token: reads the pull request and writes the comment; None does neither.
        config: path of `gate.yaml` in the working directory.
        working_directory: folder of the repository that all paths begin in; empty for its root.
        base, head: refs to compare, for `workflow_dispatch`.
        max_calls, max_cost_usd, max_minutes: a budget in addition to that of `gate.yaml`.
        concurrency: calls in flight.
        fail_on: `hold` makes HOLD fail, too; None leaves it to `gate.yaml`.
        on_missing_secrets: what becomes of a run that GitHub gives no secrets: `fail`, or `skip`.
        skip_label: the label that sets the gate aside.
        label_scope: `commit` lets the label count for the commit that it was set on alone.
        override_by: who may set it.
        on_skip: `run` evaluates all the same, and leaves the job green.
        push_to: address of a server that the finished run is sent to, or `store` for the database that the step's
            environment names; empty for neither.
    """

    github_token: str | None = field(default=None, repr=False)
    config: str = "gate.yaml"
    working_directory: str = ""
    base: str = ""
    head: str = ""
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
    def key(self) -> str:
        """Tells this gate from others of the same repository."""
        folder = f"{self.working_directory}/" if self.working_directory else ""
        return folder + self.config

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
            base=reader.short("base", ""),
            head=reader.short("head", ""),
            max_calls=reader.number("max-calls", int, (1, 10_000_000)),
            max_cost_usd=reader.number("max-cost-usd", float, (0, 1_000_000)),
            max_minutes=reader.number("max-minutes", float, (0.01, 10_000)),
            concurrency=reader.number("concurrency", int, (1, 1024)) or default.concurrency,
            fail_on=reader.choice("fail-on", _words("block", "hold"), None),
            on_missing_secrets=reader.choice("on-missing-secrets", _words("fail", "skip"), default.on_missing_secrets),
            skip_label=reader.short("skip-label", default.skip_label),
            label_scope=reader.choice("label-scope", _words("pull-request", "commit"), default.label_scope),
            override_by=reader.choice("override-by", _words("triage", "anyone", "not-author"), default.override_by),
            on_skip=reader.choice("on-skip", _words("skip", "run"), default.on_skip),
            push_to=reader.text("push-to", ""),
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
