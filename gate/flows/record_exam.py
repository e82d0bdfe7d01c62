"""What the change does to its own exam becomes a part of `run.json`."""

from collections.abc import Mapping, Sequence
from math import fsum

from gate.domain.record import RunRecord
from gate.domain.record_exam import EditedValueRecord, ExamChangeRecord, ExamTrialRecord
from gate.domain.record_parts import CallsRecord
from gate.flows.edited_values import Edit
from gate.flows.exam_edits import ExamEdit, Trial
from gate.flows.resolved import Resolved

IN_PARTS = "a run in parts does not try it"


def untried(resolved: Resolved) -> list[ExamChangeRecord]:
    """What the change edits, where nothing of it was tried."""
    return [change(edit, [trial_record(trial, IN_PARTS) for trial in edit.trials]) for edit in resolved.edits]


def change(edit: ExamEdit, trials: Sequence[ExamTrialRecord]) -> ExamChangeRecord:
    """What the change edits of one exam."""
    return ExamChangeRecord(
        suite=edit.suite,
        rules=[rule.name for rule in edit.rules],
        values=value_records(edit.rules),
        added=list(edit.changes.added),
        removed=list(edit.changes.removed),
        edited=list(edit.changes.edited),
        obsolete=list(edit.changes.obsolete),
        trials=list(trials),
    )


def value_records(edits: Sequence[Edit]) -> list[EditedValueRecord]:
    """The old and the new value of each edit that tells them."""
    return [EditedValueRecord(name=one.name, old=one.old, new=one.new) for one in edits if one.told]


def trial_record(trial: Trial, reason: str) -> ExamTrialRecord:
    """A trial without a result.

    Args:
        trial: which.
        reason: why there is none, unless the trial has its own.
    """
    asked = len(trial.suite.exam.cases)
    return ExamTrialRecord(kind=trial.kind, asked=asked, left_out=trial.left_out, reason=trial.reason or reason)


def with_trials(run: RunRecord, changes: Sequence[ExamChangeRecord]) -> RunRecord:
    """The record with its trials: what they cost is counted, and nothing else changes."""
    spent = [run.spent_usd, *(one.spent_usd for one in changes)]
    known = [amount for amount in spent if amount is not None]
    total = fsum(known) if len(known) == len(spent) else None
    calls = added_up([run.calls, *(one.calls for one in changes)])
    # A call with a price costs something: where calls cost nothing, money means nothing, and no suite says so.
    free = not run.evaluated and calls.made > 0 and total == 0.0
    update: Mapping[str, object] = {
        "exam_changes": list(changes),
        "calls": calls,
        "spent_usd": None if free else total,
        "priced": run.priced and not free,
    }
    return run.model_copy(update=update)


def added_up(calls: Sequence[CallsRecord]) -> CallsRecord:
    """The calls of several parts of a run."""
    return CallsRecord(
        made=sum(one.made for one in calls),
        cached=sum(one.cached for one in calls),
        retried=sum(one.retried for one in calls),
        failed=sum(one.failed for one in calls),
    )
