"""What the author of a change is still to say of its promises, for the steps at the end of a report."""

from collections.abc import Iterator

from gate.domain.record import RunRecord
from gate.domain.record_promises import PromiseRecord, PromisesRecord, PromiseTrialRecord
from gate.domain.specdiff import INTENDED
from gate.report.parts.whole import Text
from gate.report.slices import short

NAMED = 5


def steps(run: RunRecord) -> Iterator[Text]:
    """Promises that the change gives up, and new ones that the new prompt does not keep.

    Args:
        run: with what the change does to promises.
    """
    given_up = [_named(run, one, change.rule) for one in run.promises for change in one.changes if intended(change)]
    if given_up:
        yield (f"Tick or take back {_listed(given_up)}: the prompt no longer promises that as it did.",)
    unkept = [_named(run, one, trial.rule) for one in run.promises for trial in one.trials if broken(trial)]
    if unkept:
        yield (f"Look at {_listed(unkept)}: no answer of the new prompt keeps what it newly promises.",)


def intended(change: PromiseRecord) -> bool:
    """Is the author asked whether that was meant? Not of a rule that nobody relied on before."""
    return change.state in INTENDED and change.before is not None


def broken(trial: PromiseTrialRecord) -> bool:
    """Does no answer of the new prompt keep the rule?"""
    return trial.candidate_scored > 0 and trial.candidate_kept == 0


def _named(run: RunRecord, record: PromisesRecord, rule: str) -> str:
    return f"{short(rule)} of {short(record.suite)}" if len(run.promises) > 1 else short(rule)


def _listed(rules: list[str]) -> str:
    rest = len(rules) - NAMED
    return ", ".join(rules[:NAMED]) + (f" and {rest:,} more" if rest > 0 else "")
