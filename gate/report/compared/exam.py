"""What the change does to its own exam: told in the first lines, and what the edited exam says in a table apart."""

from collections.abc import Iterator, Mapping, Sequence

from gate.domain.record import RunRecord
from gate.domain.record_exam import EditedValueRecord, ExamChangeRecord, ExamTrialRecord
from gate.report import numbers
from gate.report.parts.compared import ExamTrial
from gate.report.parts.whole import Code, Text
from gate.report.slices import LONGEST_SENTENCE, short

PARTS_NAMED = 5
RULES_NAMED = {"policy": 7, "budget": 7}
"""Settings of one kind that a sentence names: all of our own, none of which may hide behind others."""
OTHERS_NAMED = 3
LONGEST = 40
"""Characters of one name."""
TRIALS_SHOWN = 30
RULE = "rule"
"""The dimension of generated tests by what they were made for."""

WORDS = {
    "added": "cases that the change adds",
    "edited": "cases that the change edits",
    "scorers": "both prompts, by the change's scorers",
    "rescored": "the same answers, by the present scorers → by the change's",
}


def notice(run: RunRecord) -> Text:
    """One sentence on what the change edits, the most weighty first, and one on what counts; empty without an edit."""
    parts = list(_parts(run))
    if not parts:
        return ()
    out: list[str | Code] = [f"{subject(run)} edits its own exam: "]
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


def subject(run: RunRecord) -> str:
    """The change, which does something else besides if a prompt changed or went."""
    return "This change also" if run.evaluated or run.deleted else "This change"


def weighty(run: RunRecord) -> bool:
    """Is there more than new cases, so that the next change may meet a weaker exam?

    Cases whose promise is gone may go with it; where that is half of an exam or a whole slice that decides, it is
    worth a second look.
    """
    sizes = {suite.name: suite.exam.cases for suite in run.suites}
    return bool(run.run_edits) or any(
        change.rules
        or change.removed
        or change.edited
        or 2 * len(change.obsolete) >= sizes.get(change.suite, 1) > 0
        or emptied(run, change)
        for change in run.exam_changes
    )


def emptied(run: RunRecord, change: ExamChangeRecord) -> tuple[str, ...]:
    """The slices of which no case is left once the obsolete ones are gone, but those of a rule, which go with it.

    Args:
        run: with the cases.
        change: to the exam of one suite.
    """
    gone = set(change.obsolete)
    cases = [case for suite in run.suites if suite.name == change.suite for case in suite.cases]
    touched = {part for case in cases if case.id in gone for part in case.slices.items() if part[0] != RULE}
    left = {part for case in cases if case.id not in gone for part in case.slices.items()}
    return tuple(f"{name}={value}" for name, value in sorted(touched - left))


def calm(run: RunRecord) -> bool:
    """Did cases go with their promise, and is there nothing else to look at but new ones?"""
    return not weighty(run) and any(change.obsolete for change in run.exam_changes)


def trials(run: RunRecord) -> tuple[ExamTrial, ...]:
    """What the edited exam says, suite by suite."""
    several = len(run.exam_changes) > 1
    rows = ((change.suite, trial) for change in run.exam_changes for trial in change.trials)
    return tuple(_trial(suite if several else "", trial) for suite, trial in rows)[:TRIALS_SHOWN]


def scores_head(run: RunRecord) -> str:
    """What heads the scores: both arms, or one arm's answers where no prompt changed."""
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
    """` (margin 0 → 0.5, required and 2 more)`; nothing where an edit has neither parts nor values."""
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
    """The name below its kind, and the values; a threshold has no name below."""
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
        slices = emptied(run, change)
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
        suite=short(suite),
        words=WORDS[trial.kind],
        cases=cases + left,
        scores=scores,
        change=_change(trial),
        reason=short(trial.reason, LONGEST_SENTENCE).rstrip("."),
    )


def _change(trial: ExamTrialRecord) -> str:
    if trial.mean is None:
        return numbers.NOTHING
    if trial.lower is None or trial.upper is None:
        return f"{numbers.delta(trial.mean)}, no interval"
    return f"{numbers.delta(trial.mean)} {numbers.interval(trial.lower, trial.upper)}"


def _code(name: str) -> Code:
    return Code(short(name, LONGEST))
