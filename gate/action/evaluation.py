"""From the subject of an event to the record of a run: override, limits, sides, evaluation, and every failure."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from gate.action.changed_lines import changed_line_annotations
from gate.action.override import CurrentState, OverrideReader
from gate.action.subject import EventFiles, EventSides, Subject
from gate.app.resolving import prompt_builder, rehearsed, store_case_reader
from gate.calls.interface import Progress
from gate.config.policy import Budget, RunPolicy
from gate.engine.signals import within_minutes
from gate.engine.without_evaluation import (
    baseline_run_record,
    deleted_record,
    not_evaluated_record,
    overridden_record,
    skipped_record,
    waive,
    with_override,
    without_baseline,
    without_secrets_record,
)
from gate.environment.action import Inputs, Runner
from gate.environment.settings import Settings, keys_of
from gate.errors import CannotEvaluate, GateError, InputErrors, MissingKey
from gate.files import CACHE_FOLDER
from gate.prompts.files import Subfolder
from gate.record.findings.skipped import NoConfiguration, PullRequestClosed
from gate.record.findings.unfinished import ErrorInBase
from gate.record.run import RunRecord
from gate.report.exports.sarif import PromptAnnotation
from gate.resolve.pairing import Sides
from gate.resolve.resolved import Resolved
from gate.resolve.trust import asks_others
from gate.resolve.two_refs import is_advisory, resolve
from gate.suite import Suite


def tightened_policy(policy: RunPolicy, inputs: Inputs) -> RunPolicy:
    """The policy with the inputs' additions; they cannot take anything away."""
    return policy.model_copy(update={"fail_on": "hold"}) if inputs.fail_on == "hold" else policy


def limited_budget(budget: Budget, inputs: Inputs) -> Budget:
    """The budget; the smaller limit if the inputs also set one."""
    budget = budget.limited("max_calls", inputs.max_calls, "the input max-calls")
    budget = budget.limited("max_usd", inputs.max_cost_usd, "the input max-cost-usd")
    return budget.limited("max_minutes", inputs.max_minutes, "the input max-minutes")


READING_MINUTES = 5.0
"""Limit for everything before the first call, unless max-minutes is set: no budget counts yet."""

_FIRST = "reading the files of both versions"


@dataclass(slots=True)
class ReadingDeadline:
    """The time limit for reading the change, and the step under way.

    Args:
        doing: text after "while".
    """

    minutes: float
    doing: str = _FIRST

    def told(self) -> tuple[str, str]:
        """The message when the time is over, and what helps."""
        limit = f"{self.minutes:g} minute{'' if self.minutes == 1 else 's'}"
        message = f"preparing the change took longer than {limit}, and stopped while {self.doing}"
        hint = (
            "look in the change for templates with long loops or very long tags, for JSON Schemas and patterns in "
            "many cases, and for large case files that several suites use; or set the input max-minutes higher"
        )
        if self.doing == _FIRST:
            hint = f"run the job again, because GitHub may be slow or the repository very large; or {hint}"
        return message, hint


def reading_deadline(inputs: Inputs) -> ReadingDeadline:
    """The time for reading, from the workflow, which no outside change can edit."""
    return ReadingDeadline(inputs.max_minutes or READING_MINUTES)


def base_lacks_key(resolved: Resolved, services: Settings) -> bool:
    """Does the base branch's own configuration lack a key, whatever the change uses?

    A change must not get its run skipped by using a service that the base branch does not need.
    """
    keys = keys_of(services, resolved.servers)
    return not all(map(keys.can_ask, _of_base(resolved)))


def _of_base(resolved: Resolved) -> Iterator[str]:
    """The providers of the baselines, and of the judges of pinned exams."""
    for suite in resolved.suites:
        if suite.baseline is None or suite.own_exam:
            continue
        yield suite.baseline.model.provider
        yield from (model.partition(":")[0] for spec in suite.exam.all_scorers() for model in spec.models)


@dataclass(frozen=True, slots=True)
class EventServices:
    """The action's log, clock and services."""

    say: Callable[[str], None]
    show: Callable[[RunRecord], None]
    progress: Callable[[], Progress]
    now: Callable[[], datetime]
    wait: Callable[[float], None]
    settings: Settings


@dataclass(slots=True)
class Evaluation:
    """The evaluation of one subject.

    Args:
        standing: state of pull request and label; None while unknown.
        advisory: the base branch's configuration is in advisory mode: nothing fails.
    """

    subject: Subject
    runner: Runner
    inputs: Inputs
    files: EventFiles
    overrides: OverrideReader
    warn: Callable[[str], None]
    standing: CurrentState | None = None
    advisory: bool = False
    _read: tuple[Sides, tuple[Suite, ...]] | None = None

    def run(self, services: EventServices, out: Path) -> RunRecord:
        """Evaluate it; the verdict is the measured one, even if it is waived.

        Raises:
            GateError: it cannot be evaluated.
        """
        commit = self.subject.commit
        self.standing = self.overrides.of(self.subject)
        if self.standing.closed:
            return not_evaluated_record(PullRequestClosed(), commit, services.now())
        override = self.standing.override
        if override is not None and override.counted and self.inputs.on_skip == "skip":
            return overridden_record(override, services.now())
        progress = reading_deadline(self.inputs)
        resolved = within_minutes(progress.minutes, lambda: self._resolved(self._sides(), progress), progress.told)
        if resolved is None:
            return not_evaluated_record(NoConfiguration(path=self.inputs.config_place), commit, services.now())
        if not resolved.touched and not resolved.deleted:
            return skipped_record(resolved, services.now())
        if not resolved.touched:
            return deleted_record(resolved, services.now())
        try:
            return self._evaluated(resolved, services, out)
        except MissingKey as error:
            return self._without_secrets(error, resolved, services)

    def settled(self, run: RunRecord) -> RunRecord:
        """The same run, with its verdict overridden by the label or by advisory mode, where they apply."""
        override = self.standing.override if self.standing else None
        run = with_override(run, override)
        if override is not None and override.counted and not run.skipped_by_label:
            return waive(run, "override", override)
        return waive(run, "advisory", override) if self.advisory and run.exit_code else run

    def marks(self, run: RunRecord) -> tuple[PromptAnnotation, ...]:
        """The changed lines of the prompts that a verdict is about."""
        if self._read is None:
            return ()
        sides, suites = self._read
        return changed_line_annotations(run, sides, suites, self.inputs.working_directory)

    def in_base(self, error: GateError) -> ErrorInBase | None:
        """Whether the merge target has the error already, so that the change did not cause it."""
        base = f"{self.subject.base}:"
        of_change = self.subject.pull is not None
        if not of_change or not isinstance(error, InputErrors):
            return None
        if not any(one.file.startswith(base) for one in error.problems):
            return None
        return ErrorInBase(base=base[:-1], label=self.inputs.skip_label)

    def _sides(self) -> EventSides:
        found, folder = self.files.sides(self.subject.wanted), self.inputs.working_directory
        sides = found.sides
        if folder:
            missing = sides.base.fingerprint(folder) is None and sides.head.fingerprint(folder) is None
            if missing and not self.inputs.config_optional:
                where = f"neither at {sides.base.label} nor at {sides.head.label}"
                raise GateError(f"working-directory: there is no folder {folder}, {where}", "name an existing folder")
            sides = Sides(Subfolder(sides.base, folder), Subfolder(sides.head, folder))
        sides = replace(
            sides,
            stranger=self.subject.stranger,
            stored_suites=store_case_reader(self.runner.workspace, found.sides.base, found.sides.head),
        )
        return replace(found, sides=sides)

    def _resolved(self, found: EventSides, progress: ReadingDeadline) -> Resolved | None:
        """What there is to evaluate, within the limits of the inputs; None where a repository may be without a gate."""
        inputs, subject = self.inputs, self.subject
        both = found.sides.base, found.sides.head
        if inputs.config_optional and all(source.fingerprint(inputs.config_path) is None for source in both):
            return None
        self.advisory = is_advisory(found.sides, inputs.config_path)
        try:
            with prompt_builder() as builder:
                # Nothing that could run code is made near secrets, whatever else is decided about the change.
                sides = found.sides if subject.stranger or subject.privileged else replace(found.sides, builder=builder)
                resolved = resolve(sides, inputs.config_path, everything=subject.baseline)
            progress.doing = "filling every case into its prompts and scorers"
            resolved = rehearsed(without_baseline(resolved) if subject.baseline else resolved)
        except InputErrors as errors:
            raise self._in_change(errors, found.sides.head.label) from None
        resolved = replace(
            resolved,
            notes=(*resolved.notes, *found.notes),
            policy=tightened_policy(resolved.policy, inputs),
            budget=limited_budget(resolved.budget, inputs),
            commit=subject.commit,
            sides=tuple(side.whole if isinstance(side, Subfolder) else side for side in resolved.sides),
        )
        if subject.privileged and resolved.asked:
            _check_privileged(resolved, subject)
        self._read = found.sides, resolved.suites
        return resolved

    def _in_change(self, errors: InputErrors, label: str) -> InputErrors:
        """Files of the change are named by plain path, as their author and GitHub know them."""
        folder = f"{self.inputs.working_directory}/" if self.inputs.working_directory else ""

        def plain(file: str) -> str:
            return folder + file.removeprefix(f"{label}:") if file.startswith(f"{label}:") else file

        return InputErrors([replace(one, file=plain(one.file)) for one in errors.problems])

    def _evaluated(self, resolved: Resolved, services: EventServices, out: Path) -> RunRecord:
        # Loads numpy and the models' SDKs, which a skipped run does not need.
        from gate.app.run_order import RunOrder
        from gate.app.runs import run_plan

        cache = self.folder / CACHE_FOLDER
        plan = RunOrder(
            resolved, self.inputs.concurrency, None, out, services.progress(), cache_folder=cache, say=services.say
        )
        if self.subject.privileged:
            _check_prices(resolved, services.settings)
        run = run_plan(plan, services.settings)
        return baseline_run_record(run, self.subject.base) if self.subject.baseline else run

    def _without_secrets(self, error: MissingKey, resolved: Resolved, services: EventServices) -> RunRecord:
        why = self.subject.secretless
        if not why:
            raise error
        of_base = base_lacks_key(resolved, services.settings)
        if self.inputs.on_missing_secrets == "skip" and of_base:
            return without_secrets_record(why, error, self.subject.commit, services.now())
        fork = self.subject.pull is not None and self.subject.pull.fork
        can = (
            "let a workflow of the main branch evaluate it (docs/how-to/forks.md of Prompt Gate)"
            if fork
            else "store the key as a Dependabot secret"
        )
        hint = f"{can}; or set on-missing-secrets: skip to let such runs pass"
        raise MissingKey(f"{error.message}: {why}", hint)

    @property
    def folder(self) -> Path:
        """The folder of the run's files and of the answers."""
        return self.runner.workspace / self.inputs.working_directory


def enter_model_folder(folder: Path) -> None:
    """Change to the folder for model files, if it exists."""
    if folder.is_dir():
        os.chdir(folder)


def _check_privileged(resolved: Resolved, subject: Subject) -> None:
    """An untrusted change is only evaluated with cases and a budget from the base branch."""
    if resolved.adoption:
        hint = f"add {resolved.config} to {subject.base} with a pull request from a branch of this repository"
        raise CannotEvaluate(
            f"{subject.base} has no {resolved.config}, and a change from a fork cannot bring its own cases and scorers",
            hint,
        )
    budget = resolved.budget
    # A number of calls is no limit of cost: that depends on the model.
    if budget.max_usd is None and (budget.max_calls is None or asks_others(resolved.asked, resolved.base_models)):
        hint = "set budget: {max_usd: 5} in gate.yaml, or the input max-cost-usd"
        raise CannotEvaluate("there is no cost limit, and a change from a fork could spend any amount", hint)


def _check_prices(resolved: Resolved, services: Settings) -> None:
    """A limit in dollars holds an untrusted change only where every price is known."""
    if resolved.budget.max_calls is None or asks_others(resolved.asked, resolved.base_models):
        # A run that is skipped loads no models.
        from gate.app.run_tools import unpriced_models
        from gate.environment.settings import keyless_factory

        factory = keyless_factory(services, resolved.servers, resolved.prices)
        if unknown := unpriced_models(replace(resolved, suites=resolved.asked), factory):
            said = f"the price of {', '.join(unknown)} is unknown, and a change from a fork could spend any amount"
            raise CannotEvaluate(said, "add its price under prices: in gate.yaml")
