"""Edits of cases, scorers and policy, changed rules of the prompt, and scores that cannot drop."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gate import numbers
from gate.config.values import OVERALL
from gate.record.comparison import FEWEST_UNITS, State
from gate.record.findings.finding import Code, Text
from gate.record.findings.unfinished import PromptDeleted
from gate.record.parts import INTENDED, ChangeState, InputChange
from gate.record.run import (
    ExamChangeRecord,
    ExamTrialRecord,
    PromiseRecord,
    PromisesRecord,
    PromiseTrialRecord,
    RunRecord,
    SettingEdit,
    SettingKind,
    SuiteRecord,
)
from gate.record.transcript import mean_score
from gate.report.sheet import Column, Section, SheetRow, SheetTable, figure_columns, text_columns
from gate.report.slices import LONGEST_SENTENCE, NamedSlice, listed, short_line, slice_name, suite_slices
from gate.values import NAMES_SHOWN, counted

PARTS_NAMED = 5
RULES_NAMED = {"policy": 7, "budget": 7}
"""Settings of one kind that a sentence names: all of our own, so that none is hidden behind others."""
OTHERS_NAMED = 3
LONGEST_VALUE = 40
"""Characters of one name."""
TRIALS_SHOWN = 30
RULE = "rule"
"""The dimension of generated tests by what they were made for."""

EDIT_WORDS = {
    "added": "added cases",
    "edited": "edited cases",
    "scorers": "both prompts, edited scorers",
    "rescored": "same answers, present scorers → edited scorers",
}


def exam_notice(run: RunRecord) -> Text:
    """What the change edits, the most important first, and which tests count; empty without an edit."""
    parts = list(_parts(run))
    if not parts:
        return ()
    out: list[str | Code] = [f"{change_subject(run)} edits its own tests: "]
    for place, part in enumerate(parts[:PARTS_NAMED]):
        out += [", " if place else "", *part]
    rest = len(parts) - PARTS_NAMED
    out.append(f", and {rest:,} more edits" if rest > 0 else "")
    removed = any(change.removed for change in run.exam_changes)
    if run.evaluated:
        counts = ", the removed cases included" if removed else ""
        out.append(f". The verdict uses the tests of the base branch{counts}.")
    else:
        out.append(". The verdict does not say whether that makes the tests better or worse.")
    return tuple(out)


def exam_notice_in_short(run: RunRecord) -> Text:
    """That the change edits its own tests, without what; empty where it does not."""
    edits = next(_parts(run), None)
    return (f"{change_subject(run)} edits its own tests; run.json lists the edits.",) if edits else ()


def change_subject(run: RunRecord) -> str:
    """The subject of that sentence; `also` where a prompt changed or was removed."""
    return "This change also" if run.evaluated or _deletes(run) else "This change"


def _deletes(run: RunRecord) -> bool:
    return any(isinstance(finding, PromptDeleted) for finding in run.findings)


def is_weighty(run: RunRecord) -> bool:
    """Whether the edits may weaken the tests: more than new cases, and more than cases of a dropped rule.

    Obsolete cases count where they are half of all cases, or all cases of a slice.
    """
    sizes = {suite.name: suite.exam.cases for suite in run.suites}
    return bool(run.run_edits) or any(
        change.rules
        or change.removed
        or change.edited
        or 2 * len(change.obsolete) >= sizes.get(change.suite, 1) > 0
        or emptied_slices(run, change)
        for change in run.exam_changes
    )


def emptied_slices(run: RunRecord, change: ExamChangeRecord) -> tuple[str, ...]:
    """The slices of which all cases are obsolete, except slices of a rule."""
    gone = set(change.obsolete)
    cases = [case for suite in run.suites if suite.name == change.suite for case in suite.cases]
    touched = {part for case in cases if case.id in gone for part in case.slices.items() if part[0] != RULE}
    left = {part for case in cases if case.id not in gone for part in case.slices.items()}
    return tuple(f"{name}={value}" for name, value in sorted(touched - left))


def is_calm(run: RunRecord) -> bool:
    """Whether there are only new cases, and cases of a dropped rule."""
    return not is_weighty(run) and any(change.obsolete for change in run.exam_changes)


def exam_section(run: RunRecord) -> Section | None:
    """The results of the edited exam, suite by suite; None without any."""
    several = len(run.exam_changes) > 1
    trials = [(change.suite, trial) for change in run.exam_changes for trial in change.trials]
    if not trials:
        return None
    # Where no prompt changed, only one arm answers.
    both = any(trial.baseline is not None and trial.kind != "rescored" for _, trial in trials)
    interval = f"change [{numbers.percent(1 - 2 * run.method.alpha)} interval]"
    head = (
        *text_columns(*(["suite"] * several), "tested"),
        Column("cases", figures=True, label="cases "),
        *figure_columns("baseline → candidate" if both else "score"),
        Column(interval, figures=True, label="change "),
    )
    lines = tuple(_trial(suite if several else "", trial) for suite, trial in trials)
    return Section(
        title=("Results with the edited tests (not part of the verdict)",),
        brief=(),
        tables=(SheetTable("", head, lines).shortened(TRIALS_SHOWN),),
        missing=("the results with the edited tests", ""),
    )


_BEFORE_EDITED: tuple[SettingKind, ...] = ("conversation", "placeholders", "threshold")
_BEHIND_EDITED: tuple[SettingKind, ...] = ("slices", "samples")


def _parts(run: RunRecord) -> Iterator[Text]:
    changes = run.exam_changes
    yield from _of_run(run, "policy", "the policy of the run")
    yield from (("the suite ", _code(one.suite), " is dropped") for one in changes if _of_kind(one.rules, "suite"))
    yield from (part for one in changes for part in _rules(one, "policy"))
    yield from (part for one in changes for part in _cases(one, one.removed, "removed"))
    yield from (part for one in changes for part in _rules(one, "scorers"))
    for kind in _BEFORE_EDITED:
        yield from (part for one in changes for part in _rules(one, kind))
    yield from (part for one in changes for part in _cases(one, one.edited, "edited"))
    for kind in _BEHIND_EDITED:
        yield from (part for one in changes for part in _rules(one, kind))
    yield from (part for one in changes for part in _obsolete(run, one))
    yield from _of_run(run, "budget", "the budget")
    yield from _of_run(run, "cache", "the answer cache")
    yield from _of_run(run, "providers", "the servers")
    yield from (part for one in changes for part in _cases(one, one.added, "added"))


def _of_run(run: RunRecord, kind: SettingKind, words: str) -> Iterator[Text]:
    if found := _of_kind(run.run_edits, kind):
        yield (words, *_named(found))


def _rules(change: ExamChangeRecord, kind: SettingKind) -> Iterator[Text]:
    if found := _of_kind(change.rules, kind):
        yield (f"{kind} of ", _code(change.suite), *_named(found))


def _of_kind(edits: Sequence[SettingEdit], kind: SettingKind) -> list[SettingEdit]:
    return [edit for edit in edits if edit.kind == kind]


def _named(edits: Sequence[SettingEdit]) -> Text:
    """` (margin 0 → 0.5, required and 2 more)`; empty where an edit has neither parts nor values."""
    parts = [part for edit in edits if (part := _edit(edit))]
    if not parts:
        return ()
    most = RULES_NAMED.get(edits[0].kind, OTHERS_NAMED)
    out: list[str | Code] = []
    for part in parts[:most]:
        out += [", " if out else " (", *part]
    rest = len(parts) - most
    return (*out, f" and {rest:,} more)" if rest > 0 else ")")


def _edit(edit: SettingEdit) -> Text:
    """The name under its kind, and the values; a threshold has no name."""
    named: Text = (_code(edit.name),) if edit.name else ()
    if not edit.old:
        return named
    return (*named, *((" ",) if named else ()), _code(edit.old), " → ", _code(edit.new))


def _cases(change: ExamChangeRecord, ids: Sequence[str], verb: str) -> Iterator[Text]:
    if ids:
        yield (f"{counted(len(ids), 'case')} of ", _code(change.suite), f" {verb}")


def _obsolete(run: RunRecord, change: ExamChangeRecord) -> Iterator[Text]:
    for part in _cases(change, change.obsolete, "marked obsolete"):
        slices = emptied_slices(run, change)
        rest = f" and {len(slices) - OTHERS_NAMED:,} more" if len(slices) > OTHERS_NAMED else ""
        named = [piece for name in slices[:OTHERS_NAMED] for piece in (", ", _code(name))][1:]
        yield (*part, *((" (no case left in ", *named, f"{rest})") if slices else ()))


def _trial(suite: str, trial: ExamTrialRecord) -> SheetRow:
    missing = trial.asked - trial.n
    cases = f"{trial.n:,} of {trial.asked:,}" if missing else f"{trial.asked:,}"
    left = f", {trial.left_out:,} more left out" if trial.left_out else ""
    scores = numbers.score(trial.candidate)
    if trial.baseline is not None:
        scores = f"{numbers.score(trial.baseline)} → {scores}"
    reason = short_line(trial.reason, LONGEST_SENTENCE).rstrip(".")
    words = f"{EDIT_WORDS[trial.kind]}{f' ({reason})' if reason else ''}"
    return SheetRow((*([short_line(suite)] if suite else []), words, cases + left, scores, _change(trial)))


def _change(trial: ExamTrialRecord) -> str:
    if trial.mean is None:
        return numbers.NOTHING
    return numbers.score_change(trial)


def _code(name: str) -> Code:
    return Code(short_line(name, LONGEST_VALUE))


MOST_ABOVE = 0.1
"""Share of cases above 0 up to which a baseline counts as 0 in nearly all."""
SUITES_SHOWN = 3
REMEDY = "If they are right, fix the scorer or the cases; if not, fix the prompt or use a stronger model"
"""What to do about answers that all score 0."""
_LOOK = "read some answers: the model may ignore the prompt, or the scorer or the cases may be wrong"


def floor_findings(run: RunRecord) -> tuple[Text, ...]:
    """A sentence for each suite at its floor, in whole or in slices, and for each scorer that gave only 0.

    Nothing for an incomplete run, or for a slice too small to block.
    """
    if run.unfinished is not None:
        return ()
    told = [
        *(said for suite in run.suites if (said := _floor(slices_at_floor(run, suite)))),
        *(said for suite in run.suites for said in _silent(run, suite)),
    ]
    rest = len(told) - 2 * SUITES_SHOWN
    more: tuple[Text, ...] = ((f"and {rest:,} more remarks on scores of 0",),) if rest > 0 else ()
    return (*told[: 2 * SUITES_SHOWN], *more)


def suites_at_floor(run: RunRecord) -> tuple[NamedSlice, ...]:
    """`overall` of the suites in which nothing could have got worse."""
    if run.unfinished is not None:
        return ()
    return tuple(
        named for suite in run.suites for named, above in slices_at_floor(run, suite)[:1] if named.overall and not above
    )


def slices_at_floor(run: RunRecord, suite: SuiteRecord) -> list[tuple[NamedSlice, int]]:
    """Slices whose score cannot drop, with how many of their cases can; only `overall` where it is one of them."""
    found = []
    for named in suite_slices(run, suite):
        above = _above(suite, named)
        big = named.overall or named.record.units >= FEWEST_UNITS
        if big and above is not None and named.record.state is not State.IMPROVEMENT:
            if named.overall and not above:
                return [(named, 0)]
            found.append((named, above))
    return found


def _above(suite: SuiteRecord, named: NamedSlice) -> int | None:
    """Number of cases with a baseline above 0; None where many are."""
    record = named.record
    if not record.n or record.baseline is None:
        return None
    if record.baseline <= numbers.ZERO:
        return 0
    if record.baseline > MOST_ABOVE:
        return None
    inside = [
        mean_score(case.baseline) or 0.0
        for case in suite.cases
        if case.delta is not None
        and (named.local == OVERALL or named.local in {f"{key}={value}" for key, value in case.slices.items()})
    ]
    above = sum(score > numbers.ZERO for score in inside)
    return above if len(inside) == record.n and 0 < above <= MOST_ABOVE * record.n else None


def _floor(found: Sequence[tuple[NamedSlice, int]]) -> Text:
    """`The baseline already scores 0.000 in all 20 cases of lang=de: no change could make it worse there; …`."""
    none = [named for named, above in found if not above]
    if not none and not found:
        return ()
    if none:
        where = "here" if none[0].overall else "there"
        said: Text = (f"The baseline already scores {numbers.score(0.0)} in ", *_listed(none))
        return (*said, f", so the score cannot drop {where} and shows nothing; {_LOOK}.")
    named, above = found[0]
    what = f"all but {above:,} of the {counted(named.record.n, 'case')} of "
    few = "the score can hardly drop there"
    return (f"The baseline already scores {numbers.score(0.0)} in {what}", slice_name(named), f", so {few}; {_LOOK}.")


def _listed(found: Sequence[NamedSlice]) -> Text:
    if len(found) == 1:
        (named,) = found
        one = named.record.n == 1
        return ("the only case of " if one else f"all {counted(named.record.n, 'case')} of ", slice_name(named))
    out: list[str | Code] = []
    for named in found[:NAMES_SHOWN]:
        out += [", " if out else "all cases of ", slice_name(named), f" ({named.record.n:,})"]
    rest = len(found) - NAMES_SHOWN
    return (*out, *((f" and {counted(rest, 'more slice')}",) if rest > 0 else ()))


def _silent(run: RunRecord, suite: SuiteRecord) -> Iterator[Text]:
    """Scorers among several that gave only 0, over enough cases."""
    if len(suite.scorers) < 2:
        return
    several = len(run.suites) > 1
    fewest = min(FEWEST_UNITS, suite.quality.overall.n)
    for one in suite.scorers:
        known = one.baseline is not None and one.candidate is not None and one.n >= max(1, fewest)
        if known and max(one.baseline or 0.0, one.candidate or 0.0) <= numbers.ZERO:
            where: Text = (" of ", Code(short_line(suite.name))) if several else ()
            over = counted(one.n, "case")
            found = f" gave 0 to every answer of both arms ({over})"
            why = "the model may ignore the prompt, or the scorer may check the wrong thing"
            yield ("Scorer ", Code(short_line(one.name)), *where, f"{found}; read some of them: {why}.")


@dataclass(frozen=True, slots=True)
class PromiseRow:
    """One rule.

    Args:
        words: the state in words, `dropped`.
        before, after: wordings; empty where there is none.
        reason: why, or why that is unknown; empty where nothing needs saying.
        tried: how well both versions keep it, on tests made for it; empty where there were none.
    """

    state: ChangeState
    words: str
    rule: str
    before: str
    after: str
    evidence: str
    reason: str
    tried: str
    intended: bool
    broken: bool = False


@dataclass(frozen=True, slots=True)
class InputRow:
    """One component of the input.

    Args:
        before, after: its description; empty where it is not there.
    """

    words: str
    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PromiseTable:
    """The rules of one suite's prompt.

    Args:
        suite: empty where there is only one.
        brief: `1 dropped, 2 new, 12 unchanged`.
        rows: the most important first.
        folded: less important rules: those beyond the first few, and those that were only reworded.
    """

    suite: str
    brief: str
    rows: tuple[PromiseRow, ...]
    folded: tuple[PromiseRow, ...]
    more: int
    inputs: tuple[InputRow, ...]
    notes: tuple[str, ...]

    @property
    def folded_brief(self) -> str:
        """`3 more rules, 1 part of the input`."""
        rules = counted(len(self.folded), "more rule") if self.folded else ""
        inputs = counted(len(self.inputs), "part of the input", "parts of the input") if self.inputs else ""
        return ", ".join(filter(None, (rules, inputs)))


NAMED = 5


def promise_steps(run: RunRecord) -> Iterator[Text]:
    """Rules that the change drops, and new rules that no answer keeps."""
    given_up = [
        _rule_of(run, one, change.rule) for one in run.promises for change in one.changes if needs_confirmation(change)
    ]
    if given_up:
        yield (f"Confirm or revert {listed(given_up, NAMED)}: the prompt drops or weakens these rules.",)
    unkept = [_rule_of(run, one, trial.rule) for one in run.promises for trial in one.trials if is_broken(trial)]
    if unkept:
        yield (f"Fix {listed(unkept, NAMED)}: no answer of the new prompt keeps this new rule.",)


def needs_confirmation(change: PromiseRecord) -> bool:
    """Whether the author must confirm the change; not for a rule that nobody relied on before."""
    return change.state in INTENDED and change.before is not None


def is_broken(trial: PromiseTrialRecord) -> bool:
    """Whether no answer of the new prompt keeps the rule."""
    return trial.candidate_scored > 0 and trial.candidate_kept == 0


def _rule_of(run: RunRecord, record: PromisesRecord, rule: str) -> str:
    return f"{short_line(rule)} of {short_line(record.suite)}" if len(run.promises) > 1 else rule


ROWS_SHOWN = 30
NOTES_SHOWN = 8
ROWS_UNFOLDED = 5
"""Besides those that the author must confirm."""
FEW = 30
"""With fewer tests the intervals are wide."""
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
    """One table for each prompt whose rules differ, in a run or in a comparison of two prompts."""
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
    few = "; few tests, so the 95 % intervals are wide" if trial.tests < FEW else ""
    return f"{made} for this rule: the old prompt keeps it in {old}, the new one in {new}{rest}{few}"


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
        out.append(f"{short_line(record.judge)} compared the wordings that code cannot compare.")
    return out


def _said(text: str | None) -> str:
    return short_line(text or "", LONGEST_RULE)
