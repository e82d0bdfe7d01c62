"""What the change does to its own exam, and where the exam could not show a fall."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gate.config.policy import OVERALL
from gate.record.comparison import FEWEST_UNITS, State
from gate.record.run import EditedValueRecord, ExamChangeRecord, ExamTrialRecord, RunRecord, SuiteRecord
from gate.record.sample import mean_score
from gate.report import numbers
from gate.report.view.slices import (
    LONGEST_SENTENCE,
    NAMES_SHOWN,
    Code,
    NamedSlice,
    Text,
    short_line,
    slice_name,
    suite_slices,
)


@dataclass(frozen=True, slots=True)
class ExamTrial:
    """The result of one edited part of an exam.

    Args:
        suite: empty where only one suite's exam is edited.
        words: what was tried.
        cases: how many, and how many were left out.
        scores: `0.910 → 0.880`, or that of the only arm.
        change: `−0.030 [−0.070, +0.010]`.
        reason: why something is missing; else empty.
    """

    suite: str
    words: str
    cases: str
    scores: str
    change: str
    reason: str


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
    "added": "cases that the change adds",
    "edited": "cases that the change edits",
    "scorers": "both prompts, by the change's scorers",
    "rescored": "the same answers, by the present scorers → by the change's",
}


def exam_notice(run: RunRecord) -> Text:
    """A sentence on what the change edits, the most important first, and one on what counts; empty without an edit."""
    parts = list(_parts(run))
    if not parts:
        return ()
    out: list[str | Code] = [f"{change_subject(run)} edits its own exam: "]
    for place, part in enumerate(parts[:PARTS_NAMED]):
        out += [", " if place else "", *part]
    rest = len(parts) - PARTS_NAMED
    out.append(f", and {rest:,} more edits" if rest > 0 else "")
    removed = any(change.removed for change in run.exam_changes)
    if run.evaluated:
        counts = ", the removed cases included" if removed else ""
        out.append(f". The verdict rests on the merge target's exam as it was{counts}.")
    else:
        out.append(". The verdict says nothing on whether that makes the exam better or worse.")
    return tuple(out)


def change_subject(run: RunRecord) -> str:
    """The subject of that sentence: the change, which does more besides if a prompt changed or was removed."""
    return "This change also" if run.evaluated or run.deleted else "This change"


def is_weighty(run: RunRecord) -> bool:
    """Whether there is more than new cases, so that the next change may meet a weaker exam.

    Cases whose promise is gone may go with it; but half of an exam, or a whole slice that decides, needs a second look.
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
    """The slices that lose all their cases with the obsolete ones, except those of a rule, which go with it."""
    gone = set(change.obsolete)
    cases = [case for suite in run.suites if suite.name == change.suite for case in suite.cases]
    touched = {part for case in cases if case.id in gone for part in case.slices.items() if part[0] != RULE}
    left = {part for case in cases if case.id not in gone for part in case.slices.items()}
    return tuple(f"{name}={value}" for name, value in sorted(touched - left))


def is_calm(run: RunRecord) -> bool:
    """Whether only new cases, and cases that went with their promise, are to be looked at."""
    return not is_weighty(run) and any(change.obsolete for change in run.exam_changes)


def exam_trials(run: RunRecord) -> tuple[ExamTrial, ...]:
    """The results of the edited exam, suite by suite."""
    several = len(run.exam_changes) > 1
    rows = ((change.suite, trial) for change in run.exam_changes for trial in change.trials)
    return tuple(_trial(suite if several else "", trial) for suite, trial in rows)[:TRIALS_SHOWN]


def scores_head(run: RunRecord) -> str:
    """The heading of the scores: both arms, or one arm's answers where no prompt changed."""
    tried = (trial for change in run.exam_changes for trial in change.trials)
    both = any(trial.baseline is not None and trial.kind != "rescored" for trial in tried)
    return "baseline → candidate" if both else "score"


def _parts(run: RunRecord) -> Iterator[Text]:
    changes = run.exam_changes
    yield from _of_run(run, "policy", "the policy of the run")
    yield from (("the suite ", _code(one.suite), " is dropped") for one in changes if "suite" in one.rules)
    yield from (part for one in changes for part in _rules(one, "policy"))
    yield from (part for one in changes for part in _cases(one, one.removed, "removed"))
    yield from (part for one in changes for part in _rules(one, "scorers"))
    for name in ("conversation", "placeholders", "threshold"):
        yield from (part for one in changes for part in _rules(one, name))
    yield from (part for one in changes for part in _cases(one, one.edited, "edited"))
    for name in ("slices", "samples"):
        yield from (part for one in changes for part in _rules(one, name))
    yield from (part for one in changes for part in _obsolete(run, one))
    yield from _of_run(run, "budget", "the budget")
    yield from _of_run(run, "cache", "the cache of answers")
    yield from (part for one in changes for part in _cases(one, one.added, "added"))


def _of_run(run: RunRecord, kind: str, words: str) -> Iterator[Text]:
    if found := _of_kind(run.run_edits, kind):
        yield (words, *_named(found, run.run_values))


def _rules(change: ExamChangeRecord, kind: str) -> Iterator[Text]:
    if found := _of_kind(change.rules, kind):
        yield (f"{kind} of ", _code(change.suite), *_named(found, change.values))


def _of_kind(edits: Sequence[str], kind: str) -> list[str]:
    return [edit for edit in edits if edit.partition(".")[0] == kind]


def _named(edits: Sequence[str], values: Sequence[EditedValueRecord]) -> Text:
    """` (margin 0 → 0.5, required and 2 more)`; empty where an edit has neither parts nor values."""
    known = {value.name: value for value in values}
    parts = [part for edit in edits if (part := _edit(edit, known))]
    if not parts:
        return ()
    most = RULES_NAMED.get(edits[0].partition(".")[0], OTHERS_NAMED)
    out: list[str | Code] = []
    for part in parts[:most]:
        out += [", " if out else " (", *part]
    rest = len(parts) - most
    return (*out, f" and {rest:,} more)" if rest > 0 else ")")


def _edit(edit: str, values: Mapping[str, EditedValueRecord]) -> Text:
    """The name under its kind, and the values; a threshold has no name."""
    name, value = edit.partition(".")[2], values.get(edit)
    named: Text = (_code(name),) if name else ()
    if value is None:
        return named
    return (*named, *((" ",) if named else ()), _code(value.old), " → ", _code(value.new))


def _cases(change: ExamChangeRecord, ids: Sequence[str], verb: str) -> Iterator[Text]:
    if ids:
        yield (f"{numbers.counted(len(ids), 'case')} of ", _code(change.suite), f" {verb}")


def _obsolete(run: RunRecord, change: ExamChangeRecord) -> Iterator[Text]:
    for part in _cases(change, change.obsolete, "marked obsolete"):
        slices = emptied_slices(run, change)
        rest = f" and {len(slices) - OTHERS_NAMED:,} more" if len(slices) > OTHERS_NAMED else ""
        named = [piece for name in slices[:OTHERS_NAMED] for piece in (", ", _code(name))][1:]
        yield (*part, *((" (no case is left of ", *named, f"{rest})") if slices else ()))


def _trial(suite: str, trial: ExamTrialRecord) -> ExamTrial:
    missing = trial.asked - trial.n
    cases = f"{trial.n:,} of {trial.asked:,}" if missing else f"{trial.asked:,}"
    left = f", {trial.left_out:,} more left out" if trial.left_out else ""
    scores = numbers.score(trial.candidate)
    if trial.baseline is not None:
        scores = f"{numbers.score(trial.baseline)} → {scores}"
    return ExamTrial(
        suite=short_line(suite),
        words=EDIT_WORDS[trial.kind],
        cases=cases + left,
        scores=scores,
        change=_change(trial),
        reason=short_line(trial.reason, LONGEST_SENTENCE).rstrip("."),
    )


def _change(trial: ExamTrialRecord) -> str:
    if trial.mean is None:
        return numbers.NOTHING
    if trial.lower is None or trial.upper is None:
        return f"{numbers.delta(trial.mean)}, no interval"
    return f"{numbers.delta(trial.mean)} {numbers.interval(trial.lower, trial.upper)}"


def _code(name: str) -> Code:
    return Code(short_line(name, LONGEST_VALUE))


MOST_ABOVE = 0.1
"""Share of cases above 0 up to which a baseline counts as 0 in nearly all."""
SUITES_SHOWN = 3
REMEDY = "If they are right, mend the scorer or the cases; if not, mend the prompt, or take a model that obeys it"
"""What to do about answers that all score 0, once somebody has read some."""
_LOOK = "read some answers: the model may not obey, or the scorer or the cases may ask for the wrong thing"


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
    """Slices that cannot fall, with how many of their cases still can; only `overall` where it is one of them."""
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
    """Number of cases with a baseline above 0; None where they are no exception."""
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
        return (*said, f": no change could make it worse {where}, so that none is shown says nothing; {_LOOK}.")
    named, above = found[0]
    what = f"all but {above:,} of the {numbers.counted(named.record.n, 'case')} of "
    few = "it could hardly be shown to get worse"
    return (f"The baseline already scores {numbers.score(0.0)} in {what}", slice_name(named), f": {few}; {_LOOK}.")


def _listed(found: Sequence[NamedSlice]) -> Text:
    if len(found) == 1:
        (named,) = found
        one = named.record.n == 1
        return ("the only case of " if one else f"all {numbers.counted(named.record.n, 'case')} of ", slice_name(named))
    out: list[str | Code] = []
    for named in found[:NAMES_SHOWN]:
        out += [", " if out else "all cases of ", slice_name(named), f" ({named.record.n:,})"]
    rest = len(found) - NAMES_SHOWN
    return (*out, *((f" and {numbers.counted(rest, 'more slice')}",) if rest > 0 else ()))


def _silent(run: RunRecord, suite: SuiteRecord) -> Iterator[Text]:
    """Scorers among several that gave only 0, over enough cases to say so."""
    if len(suite.scorers) < 2:
        return
    several = len(run.suites) > 1
    fewest = min(FEWEST_UNITS, suite.quality.overall.n)
    for one in suite.scorers:
        known = one.baseline is not None and one.candidate is not None and one.n >= max(1, fewest)
        if known and max(one.baseline or 0.0, one.candidate or 0.0) <= numbers.ZERO:
            where: Text = (" of ", Code(short_line(suite.name))) if several else ()
            over = numbers.counted(one.n, "case")
            found = f" gave 0 to every answer of both arms ({over})"
            why = "the model may never obey, or the scorer may look for the wrong thing"
            yield ("Scorer ", Code(short_line(one.name)), *where, f"{found}; read some of them: {why}.")
