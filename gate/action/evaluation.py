"""From the subject of an event to its outcome: override, limits, sides, evaluation, files, and every failure."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from gate.action.changed_lines import changed_line_annotations
from gate.action.job import ActionJob
from gate.action.outcome import ActionOutcome
from gate.action.override import CurrentState, OverrideReader
from gate.action.run_files import hand_over, output_folder, write_record, write_sarif
from gate.action.subject import EventFiles, Subject
from gate.app.resolving import prompt_builder, rehearsed, store_case_reader
from gate.app.run_order import run_folder
from gate.config.documents import Problems
from gate.config.policy import Budget, RunPolicy
from gate.engine.signals import signals_reported, within_minutes
from gate.engine.without_evaluation import (
    baseline_run_record,
    deleted_record,
    failed_record,
    not_evaluated_record,
    overridden_record,
    skipped_record,
    waive,
    with_override,
    without_baseline,
    without_secrets_record,
)
from gate.environment.action import Inputs
from gate.environment.settings import Settings, keys_of
from gate.errors import CannotEvaluate, GateError, InputErrors, MissingKey
from gate.files import CACHE_FOLDER
from gate.prompts.files import Subfolder
from gate.record.findings.skipped import NoConfiguration, PullRequestClosed
from gate.record.findings.unfinished import ErrorInBase
from gate.record.parts import Rule
from gate.record.run import OverrideRecord, RunRecord
from gate.report.exports.sarif import PromptAnnotation
from gate.resolve.pairing import Sides, errors_of_sides
from gate.resolve.resolved import Resolved
from gate.resolve.trust import asks_others
from gate.resolve.two_refs import is_advisory, resolve


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

READING = "reading the files of both versions"
FILLING = "filling every case into its prompts and scorers"

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ReadingDeadline:
    """The time limit for reading the change, all steps together."""

    minutes: float
    begun_s: float

    def run(self, step: str, work: Callable[[], Result]) -> Result:
        """Run one step, in the time that the steps before it have left.

        Args:
            step: text after "while".

        Raises:
            CannotEvaluate: the time is over.
        """
        left = self.minutes - (time.monotonic() - self.begun_s) / 60.0
        return within_minutes(max(left, _AT_ONCE), work, lambda: self.told(step))

    def told(self, step: str) -> tuple[str, str]:
        """The message when the time is over, and what helps."""
        limit = f"{self.minutes:g} minute{'' if self.minutes == 1 else 's'}"
        message = f"preparing the change took longer than {limit}, and stopped while {step}"
        hint = (
            "look in the change for templates with long loops or very long tags, for JSON Schemas and patterns in "
            "many cases, and for large case files that several suites use; or set the input max-minutes higher"
        )
        if step == READING:
            hint = f"run the job again, because GitHub may be slow or the repository very large; or {hint}"
        return message, hint


_AT_ONCE = 1e-5
"""Minutes; zero would be no limit."""


def reading_deadline(inputs: Inputs) -> ReadingDeadline:
    """The time for reading, from the workflow, which no outside change can edit."""
    return ReadingDeadline(inputs.max_minutes or READING_MINUTES, time.monotonic())


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


def evaluate(subject: Subject, files: EventFiles, mistakes: Problems, job: ActionJob) -> ActionOutcome:
    """Evaluate a subject, and write the files of its run; an error that prevents it becomes the record.

    Args:
        mistakes: in the action's inputs.
    """
    inputs, now = job.inputs, job.services.now
    out: Path | None = None
    standing: CurrentState | None = None
    sides: Sides | None = None
    advisory = False
    resolved: Resolved | None = None
    error: Exception | None = None
    try:
        mistakes.check()
        out = output_folder(job)
        run_folder(out).clear()
        if job.folder.is_dir():
            # Paths of model files are relative to it.
            os.chdir(job.folder)
        with signals_reported():
            rule = Rule(inputs.skip_label, inputs.override_by, inputs.label_scope)
            standing = OverrideReader(job.github, files, rule, job.warn).of(subject)
            if standing.closed:
                measured = not_evaluated_record(PullRequestClosed(), subject.commit, now())
            elif standing.override is not None and standing.override.counted and inputs.on_skip == "skip":
                measured = overridden_record(standing.override, now())
            else:
                deadline = reading_deadline(inputs)
                sides = deadline.run(READING, partial(read_sides, subject, files, job))
                advisory = deadline.run(READING, partial(is_advisory, sides, inputs.config_path))
                resolved = resolve_sides(subject, sides, deadline, inputs)
                measured = run_record(subject, resolved, out, job)
    except Exception as fault:
        error = fault
        # What was known before the error counts for its record as well.
        in_base = error_in_base(fault, subject, inputs)
        measured = error_record(fault, subject.commit, job, in_base=in_base, setup=standing is None)
    run = settled(measured, None if standing is None else standing.override, advisory=advisory)
    # The folder was written before label and advisory mode were applied.
    written = run.evaluated and run is measured
    if out is None or not (written or write_record(out, run, job)):
        return ActionOutcome(run, error)
    annotations = annotate(run, sides, resolved, job) if sides is not None and resolved is not None else ()
    write_sarif(out, run, annotations, job)
    hand_over(out, job)
    return ActionOutcome(run, error, str(out.relative_to(job.runner.workspace)), annotations)


def settled(run: RunRecord, override: OverrideRecord | None, *, advisory: bool) -> RunRecord:
    """The same run, with its verdict overridden by the label or by advisory mode, where they apply."""
    run = with_override(run, override)
    if override is not None and override.counted and not run.skipped_by_label:
        return waive(run, "override", override)
    return waive(run, "advisory", override) if advisory and run.exit_code else run


def annotate(run: RunRecord, sides: Sides, resolved: Resolved, job: ActionJob) -> tuple[PromptAnnotation, ...]:
    """The changed lines of the prompts that a verdict is about."""
    try:
        return changed_line_annotations(run, sides, resolved.suites, job.inputs.working_directory)
    except GateError as error:
        job.warn(f"cannot annotate the changed lines: {error.message}")
        return ()


def error_record(
    error: Exception, commit: str, job: ActionJob, *, in_base: ErrorInBase | None = None, setup: bool = True
) -> RunRecord:
    """The record of what could not be evaluated.

    Args:
        setup: it could not even begin.
    """
    now = job.services.now()
    if isinstance(error, GateError):
        return failed_record(error, commit, now, in_base=in_base, setup=setup)
    # The last resort: bugs of the gate are also reported on the pull request.
    job.say_trace(error)
    bug = CannotEvaluate(
        f"Prompt Gate itself failed ({type(error).__name__})",
        "this is a bug in Prompt Gate: report it with the error in the job's log",
    )
    return failed_record(bug, commit, now)


def error_in_base(error: Exception, subject: Subject, inputs: Inputs) -> ErrorInBase | None:
    """That the merge target has the error already, so that the change did not cause it; else None."""
    if subject.pull is None or not isinstance(error, InputErrors):
        return None
    if not any(one.side == "base" for one in error.problems):
        return None
    return ErrorInBase(base=subject.base, label=inputs.skip_label)


def read_sides(subject: Subject, files: EventFiles, job: ActionJob) -> Sides:
    """Both sides of a subject, in the working directory.

    Raises:
        GateError: one of them is not available, or neither has the working directory.
    """
    found, inputs = files.sides(subject), job.inputs
    base, head, folder = found.base, found.head, inputs.working_directory
    if folder:
        if not inputs.config_optional and base.fingerprint(folder) is None and head.fingerprint(folder) is None:
            where = f"neither at {base.label} nor at {head.label}"
            raise GateError(f"working-directory: there is no folder {folder}, {where}", "name an existing folder")
        base, head = Subfolder(base, folder), Subfolder(head, folder)
    return replace(
        found,
        base=base,
        head=head,
        stranger=subject.stranger,
        stored_suites=store_case_reader(job.runner.workspace, found.base, found.head),
    )


def resolve_sides(subject: Subject, sides: Sides, deadline: ReadingDeadline, inputs: Inputs) -> Resolved | None:
    """What there is to evaluate, within the limits of the inputs; None where a repository may be without a gate.

    Raises:
        GateError: it cannot be read in time, has errors, or is not to be trusted with secrets.
    """
    config, both = inputs.config_path, (sides.base, sides.head)

    def read() -> Resolved | None:
        if inputs.config_optional and all(side.fingerprint(config) is None for side in both):
            return None
        with prompt_builder() as builder:
            # Nothing that could run code is made near secrets, whatever else is decided about the change.
            trusted = not (subject.stranger or subject.privileged)
            runnable = replace(sides, builder=builder) if trusted else sides
            return resolve(runnable, config, everything=subject.baseline)

    try:
        resolved = deadline.run(READING, read)
        if resolved is None:
            return None
        one_arm = subject.baseline
        resolved = deadline.run(FILLING, lambda: rehearsed(without_baseline(resolved) if one_arm else resolved))
    except InputErrors as errors:
        raise errors_of_sides(errors, sides, inputs.working_directory) from None
    resolved = replace(
        resolved,
        notes=(*resolved.notes, *sides.notes),
        policy=tightened_policy(resolved.policy, inputs),
        budget=limited_budget(resolved.budget, inputs),
        commit=subject.commit,
        sides=tuple(side.whole if isinstance(side, Subfolder) else side for side in resolved.sides),
    )
    if subject.privileged and resolved.asked:
        _check_privileged(resolved, subject)
    return resolved


def run_record(subject: Subject, resolved: Resolved | None, out: Path, job: ActionJob) -> RunRecord:
    """The record of what there is to evaluate; the verdict is the measured one, even if it is waived.

    Raises:
        GateError: it cannot be evaluated.
    """
    now = job.services.now
    if resolved is None:
        return not_evaluated_record(NoConfiguration(path=job.inputs.config_place), subject.commit, now())
    if not resolved.touched and not resolved.deleted:
        return skipped_record(resolved, now())
    if not resolved.touched:
        return deleted_record(resolved, now())
    try:
        return _evaluated(subject, resolved, out, job)
    except MissingKey as error:
        return _without_secrets(error, subject, resolved, job)


def _evaluated(subject: Subject, resolved: Resolved, out: Path, job: ActionJob) -> RunRecord:
    # Loads numpy and the models' SDKs, which a skipped run does not need.
    from gate.app.run_order import RunOrder
    from gate.app.runs import run_plan

    services = job.services
    plan = RunOrder(
        resolved,
        job.inputs.concurrency,
        None,
        out,
        services.progress(),
        cache_folder=job.folder / CACHE_FOLDER,
        say=services.say,
    )
    if subject.privileged:
        _check_prices(resolved, services.settings)
    run = run_plan(plan, services.settings)
    return baseline_run_record(run, subject.base) if subject.baseline else run


def _without_secrets(error: MissingKey, subject: Subject, resolved: Resolved, job: ActionJob) -> RunRecord:
    why = subject.secretless
    if not why:
        raise error
    if job.inputs.on_missing_secrets == "skip" and base_lacks_key(resolved, job.services.settings):
        return without_secrets_record(why, error, subject.commit, job.services.now())
    fork = subject.pull is not None and subject.pull.fork
    can = (
        "let a workflow of the main branch evaluate it (docs/how-to/forks.md of Prompt Gate)"
        if fork
        else "store the key as a Dependabot secret"
    )
    hint = f"{can}; or set on-missing-secrets: skip to let such runs pass"
    raise MissingKey(f"{error.message}: {why}", hint)


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
