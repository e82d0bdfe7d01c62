"""From what an event asks for to the record of a run: override, both sides, evaluation, and every way to fail."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from gate.action.limits import limited, tightened
from gate.action.marks import marks
from gate.action.overrides import Overrides, Standing
from gate.action.reading import Reading, reading
from gate.action.secretless import missed_by_the_base
from gate.action.subject import Subject
from gate.bootstrap.building import building
from gate.bootstrap.deadline import in_time
from gate.bootstrap.resolving import rehearsed
from gate.bootstrap.shelves import shelf_of
from gate.bootstrap.sides import EventFiles, Found
from gate.domain.record import RunRecord
from gate.domain.suite import Suite
from gate.errors import CannotEvaluate, GateError, InputErrors, MissingKey
from gate.flows.baseline import alone, recorded
from gate.flows.pairing import Sides
from gate.flows.ports import Progress
from gate.flows.resolve import is_advisory, resolve
from gate.flows.resolved import Resolved
from gate.flows.strangers import asks_others
from gate.flows.unevaluated import closed, deleted, overridden, skipped, without_secrets
from gate.flows.waive import told, waive
from gate.inputs.subfolder import Subfolder
from gate.report.differences.changed_lines import Annotation
from gate.settings.inputs import Inputs
from gate.settings.runner import Runner
from gate.settings.services import Settings
from gate.store.own_folder import CACHE


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the action plays.

    Args:
        say: writes a line to the log.
        show: prints a finished run on the log.
        progress: makes a progress display.
        now: the time.
        wait: lets so many seconds pass.
        services: keys and addresses of the models' services.
    """

    say: Callable[[str], None]
    show: Callable[[RunRecord], None]
    progress: Callable[[], Progress]
    now: Callable[[], datetime]
    wait: Callable[[float], None]
    services: Settings


@dataclass(slots=True)
class Evaluation:
    """Something to be judged.

    Args:
        subject: what.
        runner, inputs: how.
        files: of both sides.
        overrides: looks at labels.
        warn: tells about something that did not work and does not decide.
        standing: how things stood with the label; None until that is known.
        advisory: nothing fails yet, by the merge target's own word.
    """

    subject: Subject
    runner: Runner
    inputs: Inputs
    files: EventFiles
    overrides: Overrides
    warn: Callable[[str], None]
    standing: Standing | None = None
    advisory: bool = False
    _read: tuple[Sides, tuple[Suite, ...]] | None = None

    def run(self, stage: Stage, out: Path) -> RunRecord:
        """Judge it; the verdict is what was measured, whatever is waived.

        Args:
            stage: log, clock and services.
            out: folder for the run's files.

        Raises:
            GateError: it cannot be judged.
        """
        commit = self.subject.commit
        self.standing = self.overrides.of(self.subject)
        if self.standing.closed:
            return closed(commit, stage.now())
        override = self.standing.override
        if override is not None and override.counted and self.inputs.on_skip == "skip":
            return overridden(override, stage.now())
        progress = reading(self.inputs)
        resolved = in_time(progress.minutes, lambda: self._resolved(self._sides(), progress), progress.told)
        if not resolved.touched and not resolved.deleted:
            return skipped(commit, stage.now(), untouched=resolved.untouched, notes=resolved.notes)
        if not resolved.touched:
            return deleted(resolved, stage.now())
        try:
            return self._evaluated(resolved, stage, out)
        except MissingKey as error:
            return self._without_secrets(error, resolved, stage)

    def settled(self, run: RunRecord) -> RunRecord:
        """The same run, with what becomes of its verdict: set aside by the label, or in advisory mode.

        Args:
            run: finished, or failed.
        """
        override = self.standing.override if self.standing else None
        run = told(run, override)
        if override is not None and override.counted and not run.skipped_by_label:
            return waive(run, "override", override)
        return waive(run, "advisory", override) if self.advisory and run.exit_code else run

    def marks(self, run: RunRecord) -> tuple[Annotation, ...]:
        """The changed lines of the prompts that a verdict is about.

        Args:
            run: finished.
        """
        if self._read is None:
            return ()
        sides, suites = self._read
        return marks(run, sides, suites, self.inputs.working_directory)

    def advice(self, error: GateError) -> str:
        """What helps against a mistake that the change did not make; empty for any other."""
        base = f"{self.subject.base}:"
        of_change = self.subject.pull is not None
        if not of_change or not isinstance(error, InputErrors):
            return ""
        if not any(one.file.startswith(base) for one in error.problems):
            return ""
        label = self.inputs.skip_label
        return f"{base[:-1]} has this mistake already; a change that mends it can be merged with the label {label}."

    def _sides(self) -> Found:
        found, folder = self.files.sides(self.subject.wanted), self.inputs.working_directory
        sides = found.sides
        if folder:
            if sides.base.fingerprint(folder) is None and sides.head.fingerprint(folder) is None:
                where = f"neither at {sides.base.label} nor at {sides.head.label}"
                raise GateError(f"working-directory: there is no folder {folder}, {where}", "name one that is there")
            sides = Sides(Subfolder(sides.base, folder), Subfolder(sides.head, folder))
        sides = replace(sides, stranger=self.subject.stranger, shelf=shelf_of(self.runner.workspace))
        return replace(found, sides=sides)

    def _resolved(self, found: Found, progress: Reading) -> Resolved:
        """What there is to evaluate, within the limits of the inputs."""
        inputs, subject = self.inputs, self.subject
        self.advisory = is_advisory(found.sides, inputs.config)
        try:
            with building() as builder:
                # Beside secrets there is nothing that could run code, whatever else is decided about the change.
                sides = found.sides if subject.stranger or subject.privileged else replace(found.sides, builder=builder)
                resolved = resolve(sides, inputs.config, everything=subject.baseline)
            progress.doing = "every case was put into its prompts and scorers"
            resolved = rehearsed(alone(resolved) if subject.baseline else resolved)
        except InputErrors as errors:
            raise self._in_change(errors, found.sides.head.label) from None
        resolved = replace(
            resolved,
            notes=(*resolved.notes, *found.notes),
            policy=tightened(resolved.policy, inputs),
            budget=limited(resolved.budget, inputs),
            commit=subject.commit,
        )
        if subject.privileged and resolved.asked:
            _check_privileged(resolved, subject)
        self._read = found.sides, resolved.suites
        return resolved

    def _in_change(self, errors: InputErrors, label: str) -> InputErrors:
        """Files of the change go by their plain path, by which their author and GitHub know them."""
        folder = f"{self.inputs.working_directory}/" if self.inputs.working_directory else ""

        def plain(file: str) -> str:
            return folder + file.removeprefix(f"{label}:") if file.startswith(f"{label}:") else file

        return InputErrors([replace(one, file=plain(one.file)) for one in errors.problems])

    def _evaluated(self, resolved: Resolved, stage: Stage, out: Path) -> RunRecord:
        # Loads numpy and the models' SDKs, which a run that skips has no need of.
        from gate.bootstrap.memory import Remembering
        from gate.bootstrap.plan import Plan
        from gate.bootstrap.running import run_plan

        remember = Remembering(folder=self.folder / CACHE)
        plan = Plan(resolved, self.inputs.concurrency, None, out, stage.progress(), remember=remember, say=stage.say)
        run = run_plan(plan, stage.services)
        return recorded(run, self.subject.base) if self.subject.baseline else run

    def _without_secrets(self, error: MissingKey, resolved: Resolved, stage: Stage) -> RunRecord:
        why = self.subject.secretless
        if not why:
            raise error
        of_base = missed_by_the_base(resolved, stage.services)
        if self.inputs.on_missing_secrets == "skip" and of_base:
            return without_secrets(why, error, self.subject.commit, stage.now())
        fork = self.subject.pull is not None and self.subject.pull.fork
        can = (
            "a workflow of the main branch can judge it (docs/how-to/forks.md of Prompt Gate)"
            if fork
            else "store it there"
        )
        hint = f"{can}, and on-missing-secrets: skip lets such runs pass"
        raise MissingKey(f"{error.message}: {why}", hint)

    @property
    def folder(self) -> Path:
        """The folder that the run's files and the answers lie in."""
        return self.runner.workspace / self.inputs.working_directory


def enter(folder: Path) -> None:
    """Make a folder the one that model files are looked for in, if it is there."""
    if folder.is_dir():
        os.chdir(folder)


def _check_privileged(resolved: Resolved, subject: Subject) -> None:
    """A change that anybody may have made is only evaluated by an exam, and within a budget, that others set.

    Raises:
        CannotEvaluate: one of the two is missing.
    """
    if resolved.adoption:
        hint = f"add {resolved.config} to {subject.base} by a change from the repository itself"
        raise CannotEvaluate(
            f"{subject.base} has no {resolved.config}, and a change from outside cannot bring its own exam", hint
        )
    budget = resolved.budget
    # So many calls cost what the model makes of them that is asked.
    if budget.max_usd is None and (budget.max_calls is None or asks_others(resolved.asked, resolved.base_models)):
        hint = "set budget: {max_usd: 5} in gate.yaml, or the input max-cost-usd"
        raise CannotEvaluate("there is no budget in dollars, and a change from outside could spend without end", hint)
