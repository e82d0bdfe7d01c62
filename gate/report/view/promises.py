"""The promises of a prompt before and after, and those that the author must confirm."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gate.record.rules import INTENDED, ChangeState, InputChange
from gate.record.run import PromiseRecord, PromisesRecord, PromiseTrialRecord, RunRecord
from gate.report.view.parts import Text
from gate.report.view.slices import short_line
from gate.report.view.tables import InputRow, PromiseRow, PromiseTable
from gate.values import counted

NAMED = 5


def promise_steps(run: RunRecord) -> Iterator[Text]:
    """Promises that the change drops, and new ones that the new prompt does not keep."""
    given_up = [
        _named(run, one, change.rule) for one in run.promises for change in one.changes if needs_confirmation(change)
    ]
    if given_up:
        yield (f"Tick or take back {_listed(given_up)}: the prompt no longer promises that as it did.",)
    unkept = [_named(run, one, trial.rule) for one in run.promises for trial in one.trials if is_broken(trial)]
    if unkept:
        yield (f"Look at {_listed(unkept)}: no answer of the new prompt keeps what it newly promises.",)


def needs_confirmation(change: PromiseRecord) -> bool:
    """Whether the author must confirm the change; not for a rule that nobody relied on before."""
    return change.state in INTENDED and change.before is not None


def is_broken(trial: PromiseTrialRecord) -> bool:
    """Whether no answer of the new prompt keeps the rule."""
    return trial.candidate_scored > 0 and trial.candidate_kept == 0


def _named(run: RunRecord, record: PromisesRecord, rule: str) -> str:
    return f"{short_line(rule)} of {short_line(record.suite)}" if len(run.promises) > 1 else short_line(rule)


def _listed(rules: list[str]) -> str:
    rest = len(rules) - NAMED
    return ", ".join(rules[:NAMED]) + (f" and {rest:,} more" if rest > 0 else "")


ROWS_SHOWN = 30
NOTES_SHOWN = 8
ROWS_UNFOLDED = 5
"""Besides those that the author must confirm."""
FEW = 30
"""With fewer tests a result says little: the floor of a slice that should decide."""
LONGEST_RULE = 240
"""Characters of a wording, and of a quotation."""

CHANGE_WORDS: Mapping[ChangeState, str] = {
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
    """One table for each prompt whose promises differ, in a run or in a comparison of two prompts."""
    differing = [one for one in records if one.changes or one.inputs or one.notes]
    return tuple(_table(one, one.suite if len(records) > 1 else "") for one in differing)


def fewer_rows(table: PromiseTable, rows: int) -> PromiseTable:
    """The most important rows; 0 keeps only the counts, and a few leave out reasons and unimportant rules."""
    kept, folded, inputs = table.rows[:rows], table.folded[: max(0, rows - len(table.rows))], table.inputs[:rows]
    if rows < ROWS_UNFOLDED:
        kept, folded, inputs = tuple(replace(row, reason="", tried="") for row in kept), (), ()
    gone = sum(map(len, (table.rows, table.folded, table.inputs))) - sum(map(len, (kept, folded, inputs)))
    notes = table.notes[: max(1, rows)]
    gone += len(table.notes) - len(notes)
    return replace(table, rows=kept, folded=folded, inputs=inputs, notes=notes, more=table.more + gone)


def _table(record: PromisesRecord, suite: str) -> PromiseTable:
    order = {state: place for place, state in enumerate(CHANGE_WORDS)}
    ordered = sorted(record.changes, key=lambda change: order[change.state])
    trials = {one.rule: one for one in record.trials}
    rows = [_row(change, trials.get(change.rule)) for change in ordered]
    asked = [row for row in rows if row.intended]
    others = [row for row in rows if not row.intended and row.state != "reworded"]
    reworded = [row for row in rows if row.state == "reworded"]
    whole = PromiseTable(
        suite=short_line(suite),
        brief=_brief(record),
        rows=(*asked, *others[:ROWS_UNFOLDED]),
        folded=(*others[ROWS_UNFOLDED:], *reworded),
        more=0,
        inputs=tuple(_input(change) for change in record.inputs),
        notes=tuple(_notes(record)),
    )
    return fewer_rows(whole, ROWS_SHOWN)


def _brief(record: PromisesRecord) -> str:
    counts = {state: sum(change.state == state for change in record.changes) for state in CHANGE_WORDS}
    counts["unchanged"] += record.unchanged
    known = ", ".join(f"{count:,} {CHANGE_WORDS[state]}" for state, count in counts.items() if count)
    return known or ("no rule differs" if record.inputs else "not compared")


def _row(change: PromiseRecord, trial: PromiseTrialRecord | None) -> PromiseRow:
    return PromiseRow(
        state=change.state,
        words=CHANGE_WORDS[change.state],
        rule=short_line(change.rule),
        before=_said(change.before),
        after=_said(change.after),
        evidence=_said(_evidence(change)),
        reason=_said(change.reason),
        tried=_tried(trial) if trial is not None else "",
        broken=trial is not None and is_broken(trial),
        intended=needs_confirmation(change),
    )


def _evidence(change: PromiseRecord) -> str:
    """The prompt's words; empty where a rule that needs no confirmation says the same."""
    rule, evidence = change.before, change.evidence
    if change.after is not None:
        rule, evidence = change.after, change.new_evidence
    return "" if rule == evidence and not needs_confirmation(change) else evidence


def _tried(trial: PromiseTrialRecord) -> str:
    """How often each version keeps a rule, with Wilson's 95 % interval; answers without a score are mentioned."""
    old = _share(trial.baseline_kept, trial.baseline_scored)
    new = _share(trial.candidate_kept, trial.candidate_scored)
    lost = 2 * trial.tests - trial.baseline_scored - trial.candidate_scored
    rest = f", {lost} without a score" if lost else ""
    made = counted(trial.tests, "test")
    few = "; few tests, hence wide intervals (95 %)" if trial.tests < FEW else ""
    return f"{made} made for it: the old prompt keeps it in {old}, the new one in {new}{rest}{few}"


def _share(kept: int, scored: int) -> str:
    """`2 of 6 [10%, 70%]`."""
    from gate.stats.intervals import wilson

    found = wilson(kept, scored)
    return f"{kept} of {scored} [{found.lower:.0%}, {found.upper:.0%}]" if scored else f"{kept} of {scored}"


def _input(change: InputChange) -> InputRow:
    return InputRow(_INPUT_WORDS[change.state], short_line(change.component), _said(change.before), _said(change.after))


def _notes(record: PromisesRecord) -> list[str]:
    out = [_said(note) for note in record.notes[:NOTES_SHOWN]]
    if more := len(record.notes) - len(out):
        out.append(f"And {counted(more, 'note')} more in the record.")
    if record.judge:
        out.append(f"Wordings that code cannot compare were compared by {short_line(record.judge)}.")
    return out


def _said(text: str | None) -> str:
    return short_line(text or "", LONGEST_RULE)
