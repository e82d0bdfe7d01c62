"""The promises of a prompt before and after, for a comment and a terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gate.domain.record_promises import PromiseRecord, PromisesRecord, PromiseTrialRecord
from gate.domain.specdiff import ChangeState, InputChange
from gate.domain.words import counted
from gate.report.parts.specdiff import InputRow, PromiseRow, PromiseTable
from gate.report.promises.open_ones import broken, intended
from gate.report.slices import short

ROWS_SHOWN = 30
NOTES_SHOWN = 8
ROWS_UNFOLDED = 5
"""Besides those that the author is asked about."""
FEW = 30
"""Tests that say little: the floor of a slice that should decide."""
LONGEST_RULE = 240
"""Characters of a wording, and of a quotation."""

WORDS: Mapping[ChangeState, str] = {
    "removed": "dropped",
    "loosened": "loosened",
    "changed": "changed",
    "unknown": "not known",
    "tightened": "tightened",
    "added": "new",
    "reworded": "reworded",
    "unchanged": "unchanged",
}
"""In the order in which they matter to a reviewer."""
_INPUT_WORDS = {"added": "new", "removed": "dropped", "changed": "changed"}


def promise_tables(records: Sequence[PromisesRecord]) -> tuple[PromiseTable, ...]:
    """One table for each prompt whose promises differ.

    Args:
        records: of the suites of a run, or the one of a comparison of two prompts.
    """
    differing = [one for one in records if one.changes or one.inputs or one.notes]
    return tuple(_table(one, one.suite if len(records) > 1 else "") for one in differing)


def fewer(table: PromiseTable, rows: int) -> PromiseTable:
    """A table with this many rows at most, the most weighty ones.

    Args:
        table: the whole table.
        rows: 0 leaves the counts; a few leave neither reasons nor what can be passed over.
    """
    kept, folded, inputs = table.rows[:rows], table.folded[: max(0, rows - len(table.rows))], table.inputs[:rows]
    if rows < ROWS_UNFOLDED:
        kept, folded, inputs = tuple(replace(row, reason="", tried="") for row in kept), (), ()
    gone = sum(map(len, (table.rows, table.folded, table.inputs))) - sum(map(len, (kept, folded, inputs)))
    notes = table.notes[: max(1, rows)]
    gone += len(table.notes) - len(notes)
    return replace(table, rows=kept, folded=folded, inputs=inputs, notes=notes, more=table.more + gone)


def _table(record: PromisesRecord, suite: str) -> PromiseTable:
    order = {state: place for place, state in enumerate(WORDS)}
    ordered = sorted(record.changes, key=lambda change: order[change.state])
    trials = {one.rule: one for one in record.trials}
    rows = [_row(change, trials.get(change.rule)) for change in ordered]
    asked = [row for row in rows if row.intended]
    others = [row for row in rows if not row.intended and row.state != "reworded"]
    reworded = [row for row in rows if row.state == "reworded"]
    whole = PromiseTable(
        suite=short(suite),
        brief=_brief(record),
        rows=(*asked, *others[:ROWS_UNFOLDED]),
        folded=(*others[ROWS_UNFOLDED:], *reworded),
        more=0,
        inputs=tuple(_input(change) for change in record.inputs),
        notes=tuple(_notes(record)),
    )
    return fewer(whole, ROWS_SHOWN)


def _brief(record: PromisesRecord) -> str:
    counts = {state: sum(change.state == state for change in record.changes) for state in WORDS}
    counts["unchanged"] += record.unchanged
    known = ", ".join(f"{count:,} {WORDS[state]}" for state, count in counts.items() if count)
    return known or ("no rule differs" if record.inputs else "not compared")


def _row(change: PromiseRecord, trial: PromiseTrialRecord | None) -> PromiseRow:
    return PromiseRow(
        state=change.state,
        words=WORDS[change.state],
        rule=short(change.rule),
        before=_said(change.before),
        after=_said(change.after),
        evidence=_said(_evidence(change)),
        reason=_said(change.reason),
        tried=_tried(trial) if trial is not None else "",
        broken=trial is not None and broken(trial),
        intended=intended(change),
    )


def _evidence(change: PromiseRecord) -> str:
    """The prompt's words; none where a rule that nobody asks about says the same."""
    rule, evidence = change.before, change.evidence
    if change.after is not None:
        rule, evidence = change.after, change.new_evidence
    return "" if rule == evidence and not intended(change) else evidence


def _tried(trial: PromiseTrialRecord) -> str:
    """How often each version keeps a rule, with Wilson's interval of 95 %; what has no score is told."""
    old = _share(trial.baseline_kept, trial.baseline_scored)
    new = _share(trial.candidate_kept, trial.candidate_scored)
    lost = 2 * trial.tests - trial.baseline_scored - trial.candidate_scored
    rest = f", {lost} without a score" if lost else ""
    made = counted(trial.tests, "test")
    few = "; few tests, hence wide intervals (95 %)" if trial.tests < FEW else ""
    return f"{made} made for it: the old prompt keeps it in {old}, the new one in {new}{rest}{few}"


def _share(kept: int, scored: int) -> str:
    """`2 of 6 [10%, 70%]`."""
    from gate.stats.wilson import wilson  # only a report with trials has need of numpy

    found = wilson(kept, scored)
    return f"{kept} of {scored} [{found.lower:.0%}, {found.upper:.0%}]" if scored else f"{kept} of {scored}"


def _input(change: InputChange) -> InputRow:
    return InputRow(_INPUT_WORDS[change.state], short(change.component), _said(change.before), _said(change.after))


def _notes(record: PromisesRecord) -> list[str]:
    out = [_said(note) for note in record.notes[:NOTES_SHOWN]]
    if more := len(record.notes) - len(out):
        out.append(f"And {counted(more, 'note')} more in the record.")
    if record.judge:
        out.append(f"Wordings that code cannot compare were compared by {short(record.judge)}.")
    return out


def _said(text: str | None) -> str:
    return short(text or "", LONGEST_RULE)
