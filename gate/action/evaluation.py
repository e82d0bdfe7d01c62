"""From a pull request's event to the record of a run: override, both sides, evaluation, and every way to fail."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from gate.bootstrap.pull_request import PullRequestFiles
from gate.bootstrap.resolving import rehearsed
from gate.domain.record import RunRecord
from gate.domain.suite import Budget, RunPolicy
from gate.errors import CannotEvaluate, GateError, InputErrors
from gate.flows.override import Override, override, with_setter
from gate.flows.ports import Progress
from gate.flows.resolve import Resolved, resolve
from gate.flows.unevaluated import closed, overridden, skipped
from gate.github.client import GitHub
from gate.github.labels import PullRequestLabels
from gate.inputs.event import PullRequestEvent
from gate.report.escape import terminal
from gate.settings.action import Inputs, Runner
from gate.settings.services import Settings
from gate.store.own_folder import CACHE

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the action plays.

    Args:
        say: writes a line to the log.
        show: prints a finished run on the log.
        progress: makes a progress display.
        now: the time.
        services: keys and addresses of the models' services.
    """

    say: Callable[[str], None]
    show: Callable[[RunRecord], None]
    progress: Callable[[], Progress]
    now: Callable[[], datetime]
    services: Settings


@dataclass(frozen=True, slots=True)
class PullRequestEvaluation:
    """One pull request to be judged.

    Args:
        event: which one.
        runner, inputs: how.
        github: its repository.
        warn: tells about something that did not work and does not decide.
    """

    event: PullRequestEvent
    runner: Runner
    inputs: Inputs
    github: GitHub
    warn: Callable[[str], None]

    def run(self, stage: Stage, out: Path) -> RunRecord:
        """Judge it.

        Args:
            stage: log, clock and services.
            out: folder for the run's files.

        Raises:
            GateError: it cannot be judged.
        """
        commit = self.event.head_sha
        state, found = self._now()
        if state == "closed":
            return closed(commit, stage.now())
        if found is not None:
            return overridden(found, commit, stage.now())
        files = PullRequestFiles(self.runner.workspace, self.github).sides(self.event, self.runner.sha)
        try:
            resolved = rehearsed(resolve(files.sides, self.inputs.config))
        except InputErrors as errors:
            raise self._in_change(errors) from None
        if not resolved.suites:
            return skipped(commit, stage.now(), untouched=resolved.untouched, notes=resolved.notes)
        resolved = replace(
            resolved,
            notes=(*resolved.notes, *files.notes),
            policy=tightened(resolved.policy, self.inputs),
            budget=limited(resolved.budget, self.inputs),
            commit=commit,
        )
        for note in resolved.notes:
            stage.say(terminal(note))
        return self._evaluated(resolved, stage, out)

    def advice(self, error: GateError) -> str:
        """What helps against a mistake that the change did not make; empty for any other."""
        base = f"origin/{self.event.base_ref}:"
        if not isinstance(error, InputErrors) or not any(one.file.startswith(base) for one in error.problems):
            return ""
        label = self.inputs.skip_label
        return f"{base[:-1]} has this mistake already; a change that mends it can be merged with the label {label}."

    def _in_change(self, errors: InputErrors) -> InputErrors:
        """Files of the change go by their plain path, by which their author and GitHub know them."""
        head = f"{self.event.merge_ref}:"
        return InputErrors([replace(one, file=one.file.removeprefix(head)) for one in errors.problems])

    def _evaluated(self, resolved: Resolved, stage: Stage, out: Path) -> RunRecord:
        # Loads numpy and the models' SDKs, which a run that skips has no need of.
        from gate.bootstrap.memory import Remembering
        from gate.bootstrap.plan import Plan
        from gate.bootstrap.running import run_plan

        remember = Remembering(cache=self.inputs.cache, folder=self.runner.workspace / CACHE)
        plan = Plan(resolved, self.inputs.concurrency, None, out, stage.progress(), remember=remember, say=stage.say)
        return run_plan(plan, stage.services)

    def _now(self) -> tuple[str, Override | None]:
        """State and override label as they are now: a workflow can be run again long after its event."""
        label = self.inputs.skip_label
        if not self.github.has_token:
            return self.event.state, override(self.event.labels, label)
        labels = PullRequestLabels(self.github, self.event.number)
        try:
            now = labels.now()
        except CannotEvaluate as error:
            # The label may have been taken off since: what cannot be read sets nothing aside.
            self.warn(f"{error.message}; an override label would not be seen")
            return "open", None
        found = override(now.labels, label)
        if found is None:
            return now.state, None
        try:
            return now.state, with_setter(found, labels.events())
        except CannotEvaluate as error:
            self.warn(error.message)
            return now.state, found


def tightened(policy: RunPolicy, inputs: Inputs) -> RunPolicy:
    """The policy with what the inputs add; they cannot take anything away."""
    return replace(policy, fail_on="hold") if inputs.fail_on == "hold" else policy


def limited(budget: Budget, inputs: Inputs) -> Budget:
    """The budget, where the inputs set one the smaller of the two."""
    return Budget(
        max_calls=_smaller(budget.max_calls, inputs.max_calls),
        max_usd=_smaller(budget.max_usd, inputs.max_cost_usd),
        max_minutes=_smaller(budget.max_minutes, inputs.max_minutes),
        max_output_tokens=_smaller(budget.max_output_tokens, inputs.max_output_tokens),
    )


def _smaller(one: Number | None, other: Number | None) -> Number | None:
    given = [number for number in (one, other) if number is not None]
    return min(given, default=None)
