"""The cases of a run: those that explain a drop, the one to read first, and all of them in a table."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import fsum
from typing import TYPE_CHECKING, Literal, TypeAlias

from gate import numbers
from gate.config.values import OVERALL
from gate.record.comparison import State
from gate.record.findings.finding import Text
from gate.record.parts import CaseState, OutputRecord
from gate.record.run import CaseRecord, NewCaseRecord, NewSuiteRecord, RunRecord
from gate.record.transcript import mean_score
from gate.report.differences import AnswerDiff, answer_diff
from gate.report.escape import shell_command, visible
from gate.report.slices import (
    LONGEST_SENTENCE,
    NamedSlice,
    all_suites,
    case_label,
    has_several_suites,
    listed,
    run_slices,
    short_line,
    slice_name,
    slices_in_state,
    suite_label,
)
from gate.report.view.scorers import ScoreScale, score_and_mark
from gate.values import JsonValue, counted

if TYPE_CHECKING:
    from gate.record.parts import TranscriptRecord
    from gate.report.view.conversations import ConversationView


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of one arm, or several that are alike.

    Args:
        text: None where there is none.
        reasons: of scorers and judges, lowest scores first.
        talk: the conversation before it; None where it was one reply.
    """

    label: str
    text: str | None
    reasons: tuple[str, ...]
    folded: tuple[str, ...] = ()
    talk: "ConversationView | None" = None


@dataclass(frozen=True, slots=True)
class CaseView:
    """One case that dropped, or does not pass.

    Args:
        slices: `lang=de, tier=free`.
        scores: mean scores, `1.000 → 0.000`, or `1 of 3 answers passed`.
        question, expected: None where not kept.
        baseline, candidate: the best answer of the baseline first, and the worst of the candidate; empty where not
            kept.
        diff: of the first of each; None where one of them is no answer.
        alone: there is no baseline.
    """

    name: str
    slices: str
    scores: str
    question: str | None
    expected: str | None
    baseline: tuple[Answer, ...]
    candidate: tuple[Answer, ...]
    diff: AnswerDiff | None = None
    alone: bool = False

    @property
    def others(self) -> int:
        """Answers that are not in the difference."""
        return len(self.baseline) + len(self.candidate) - 2 * (self.diff is not None)


CASES_SHOWN = 3
"""Cases of the most important slice."""
SHOWN_OF_OTHERS = 2
"""Cases of further regressions, one of each."""
_ALIKE = 0.8
"""Share of common words from which on two questions count as the same."""
_CANDIDATES = 300
"""Cases that are examined closely; a run may have tens of thousands."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class FallenCase:
    """A case with a lower score than before; `full` is its id, with the suite in front in a run over several."""

    full: str
    suite: str
    record: CaseRecord

    @property
    def places(self) -> set[tuple[str, str]]:
        """Suite and name of every slice that the case is in."""
        slices = (f"{dimension}={value}" for dimension, value in self.record.slices.items())
        return {(self.suite, OVERALL), *((self.suite, slice) for slice in slices)}


@dataclass(frozen=True, slots=True)
class TellingCases:
    """The cases to show, the most telling first.

    Args:
        head: names how many of them are shown; `brief` does not.
    """

    head: Text
    brief: Text
    cases: tuple[FallenCase, ...]


def telling_cases(run: RunRecord) -> TellingCases:
    """The cases that explain the worst slice: large drops, of different sources, questions and other slices.

    Where nothing regressed and nothing is suspect, the largest drops.
    """
    fallen = [one for one in _all(run) if one.record.delta is not None and one.record.delta < -numbers.ZERO]
    blocking = [named for named in run_slices(run) if named.record.blocking]
    named = slices_in_state(blocking, State.REGRESSION)
    sure = bool(named)
    # A record may have no cases of a slice.
    known = {place for one in fallen for place in one.places}
    named = tuple(slice for slice in named or slices_in_state(blocking, State.SUSPECT) if _place(slice) in known)
    if not named:
        return TellingCases(("The largest drops",), ("The largest drops",), tuple(_told(fallen, (), CASES_SHOWN)))
    mine = [one for one in fallen if _inside(one, named[0])]
    shown = _told(mine, named, CASES_SHOWN)
    more = list(_of_others(fallen, shown, named[1:]))
    head = _head(len(shown), len(mine), len(more), named[0], sure=sure)
    return TellingCases(head, (f"{counted(len(mine), 'case')} dropped in ", slice_name(named[0])), (*shown, *more))


def _all(run: RunRecord) -> Iterator[FallenCase]:
    for suite in run.suites:
        label = suite_label(run, suite)
        for case in suite.cases:
            yield FallenCase(case_label(run, suite, case.id), label, case)


def _place(named: NamedSlice) -> tuple[str, str]:
    return named.suite, named.local


def _inside(one: FallenCase, named: NamedSlice) -> bool:
    return _place(named) in one.places


def _told(found: Sequence[FallenCase], named: Sequence[NamedSlice], count: int) -> list[FallenCase]:
    """The largest drops; among equals those in more slices that dropped, then those with new slice values.

    Cases without answers come last, because they explain nothing. Of variants one is shown; a question nearly the same
    as another only where there are no others.
    """
    fallen = set(map(_place, named))
    left = {one.full: (*_weight(one, fallen), one) for one in _sources(found, fallen)}
    shown: list[FallenCase] = []
    again: list[FallenCase] = []
    seen: set[tuple[str, str]] = set()
    while left and len(shown) < count:
        keys = ((*key[:3], len(seen & {*key[3].record.slices.items()}), full) for full, key in left.items())
        best = left.pop(min(keys)[-1])[3]
        if any(_alike(best, other) for other in shown):
            again.append(best)
            continue
        shown.append(best)
        seen |= {*best.record.slices.items()}
    return [*shown, *again[: count - len(shown)]]


def _sources(found: Sequence[FallenCase], fallen: Set[tuple[str, str]]) -> list[FallenCase]:
    """The heaviest case of each source, no more than can be examined closely."""
    ordered = sorted(found, key=lambda one: (*_weight(one, fallen), one.full))
    first: dict[tuple[str, str], FallenCase] = {}
    for one in ordered:
        first.setdefault((one.suite, one.record.cluster or f"\0{one.full}"), one)
    return list(first.values())[:_CANDIDATES]


def _weight(one: FallenCase, fallen: Set[tuple[str, str]]) -> tuple[bool, float, int]:
    case = one.record
    silent = not case.baseline_outputs and not case.candidate_outputs
    return silent, round(case.delta or 0.0, 9), -len(one.places & fallen)


def _alike(one: FallenCase, other: FallenCase) -> bool:
    """Whether their inputs are nearly the same."""
    left, right = ({*_WORD.findall((case.record.input or "").casefold())} for case in (one, other))
    return bool(left and right) and len(left & right) >= _ALIKE * len(left | right)


def _of_others(
    fallen: Sequence[FallenCase], shown: Sequence[FallenCase], named: Sequence[NamedSlice]
) -> Iterator[FallenCase]:
    """The largest drop of each further slice that has none of the shown cases."""
    told = list(shown)
    for slice in named:
        if len(told) < len(shown) + SHOWN_OF_OTHERS and not any(_inside(one, slice) for one in told):
            for one in _told([case for case in fallen if _inside(case, slice)], named, 1):
                told.append(one)
                yield one


def _head(shown: int, total: int, more: int, named: NamedSlice, *, sure: bool) -> Text:
    """`3 of the 11 cases that dropped in lang=de`."""
    which = f"{shown} of the {total:,} cases that dropped in " if shown < total else f"{_drops(total)} in "
    others = "another regression" if more == 1 else "other regressions"
    return (which, slice_name(named), *((f", and {more} in {others}",) if more and sure else ()))


def _drops(total: int) -> str:
    return "The case that dropped" if total == 1 else f"The {total:,} cases that dropped"


SLICES_NAMED = 8
REASONS_SHOWN = 5


def case_views(run: RunRecord) -> tuple[CaseView, ...]:
    """The cases behind the first line, or else those that dropped most."""
    return tuple(_case(one.full, one.record) for one in telling_cases(run).cases)


def slice_values(slices: Mapping[str, str]) -> str:
    """`lang=de, tier=free`."""
    pairs = [f"{dimension}={value}" for dimension, value in slices.items()]
    return listed(pairs, SLICES_NAMED)


def _case(full: str, case: CaseRecord) -> CaseView:
    baseline, candidate = (
        answer_views(_sorted(outputs, sign))
        for outputs, sign in ((case.baseline_outputs, -1), (case.candidate_outputs, 1))
    )
    scores = f"{numbers.score(mean_score(case.baseline))} → {numbers.score(mean_score(case.candidate))}"
    shown = lone_case_view(case, scores, candidate)
    diff = first_answers_diff(baseline, candidate)
    return replace(shown, name=short_line(full), baseline=baseline, diff=diff, alone=False)


def lone_case_view(case: CaseRecord | NewCaseRecord, scores: str, answers: tuple[Answer, ...]) -> CaseView:
    """A case with the answers of one arm."""
    return CaseView(
        name=short_line(case.id),
        slices=slice_values(case.slices),
        scores=scores,
        question=None if case.input is None else visible(case.input),
        expected=None if case.expected is None else visible(value_text(case.expected)),
        baseline=(),
        candidate=answers,
        alone=True,
    )


def first_answers_diff(baseline: Sequence[Answer], candidate: Sequence[Answer]) -> AnswerDiff | None:
    """The difference of the first answers, as shown, of both arms; None where one of them is no answer."""
    if not baseline or not candidate or baseline[0].text is None or candidate[0].text is None:
        return None
    return answer_diff(baseline[0].text, candidate[0].text)


def _sorted(outputs: Sequence[OutputRecord], sign: int) -> list[OutputRecord]:
    """The best first, or the worst; answers without a score or a text last."""

    def place(one: OutputRecord) -> tuple[bool, bool, float, int]:
        return one.text is None, one.score is None, sign * (one.score or 0.0), one.index

    return sorted(outputs, key=place)


def value_text(value: JsonValue) -> str:
    """A reference answer as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


@dataclass(frozen=True, slots=True)
class _Alike:
    """What answers that are shown once have in common."""

    text: str | None
    failure: str | None
    score: float | None
    reasons: tuple[str, ...]
    ending: str
    said: tuple[object, ...]


def answer_views(outputs: Sequence[OutputRecord], scale: ScoreScale = None) -> tuple[Answer, ...]:
    """Answers with the same text, score, reasons, ending and preceding conversation are shown once."""
    alike: dict[_Alike, list[OutputRecord]] = {}
    for output in outputs:
        said = () if output.transcript is None else _course(output.transcript)
        one = _Alike(
            output.text,
            output.failure,
            output.score,
            tuple(reason.line for reason in output.reasons),
            output.ending,
            said,
        )
        alike.setdefault(one, []).append(output)
    return tuple(
        replace(
            _answer(one, sorted(output.index + 1 for output in same), len(outputs), scale),
            talk=conversation_of(same[0]),
        )
        for one, same in alike.items()
    )


def conversation_of(output: OutputRecord) -> "ConversationView | None":
    """The conversation before an answer; None where there was only one reply, as in most suites."""
    if output.transcript is None:
        return None
    from gate.report.view.conversations import conversation_view

    return conversation_view(output)


def _course(transcript: "TranscriptRecord") -> tuple[object, ...]:
    from gate.report.view.conversations import conversation_course

    return conversation_course(transcript)


def _answer(one: _Alike, samples: Sequence[int], total: int, scale: ScoreScale) -> Answer:
    text = None if one.text is None else visible(one.text)
    reasons = tuple(short_line(reason, LONGEST_SENTENCE) for reason in one.reasons)
    told = (reasons[:REASONS_SHOWN], reasons[REASONS_SHOWN:])
    if total == 1:
        which = ""
    elif len(samples) == total:
        which = "both samples: " if total == 2 else f"all {total} samples: "
    else:
        which = f"{'sample' if len(samples) == 1 else 'samples'} {', '.join(map(str, samples))}: "
    which += f"{one.ending}, " if one.ending else ""
    if one.failure is not None:
        what = "no answer" if text is None else "no score"
        return Answer(f"{which}{what}: {short_line(one.failure, LONGEST_SENTENCE)}", text, *told)
    score = "no score" if one.score is None else f"score {score_and_mark(one.score, None, scale)}"
    return Answer(f"{which}{score}", text, *told)


LONGEST_COMMAND = 200
"""Characters."""


def worst_case(run: RunRecord) -> tuple[str, str] | None:
    """Suite and id of the case that a comment shows first; for prompts without a baseline, the one that fails most.

    None where nothing dropped or failed.
    """
    if fallen := telling_cases(run).cases:
        return fallen[0].suite or run.suites[0].name, fallen[0].record.id
    found = [
        (
            _passed(case),
            fsum(score or 0.0 for score in case.scores) / max(1, len(case.scores)),
            order,
            new.name,
            case.id,
        )
        for new in run.new
        for order, case in enumerate(new.cases)
        if (case.check.state is CaseState.FAILED if case.check is not None else False in case.passed)
    ]
    return min(found)[3:] if found else None


def _passed(case: NewCaseRecord) -> int:
    """Samples that pass; a check sorts its cases by score alone."""
    return 0 if case.check is not None else case.passed.count(True)


def explain_command(run: RunRecord, folder: str) -> str:
    """`gate explain .gate/last c17`; empty where there is no such case, or its name cannot be in a command line."""
    named = worst_case(run)
    if named is None:
        return ""
    suite, case = named
    said = shell_command(
        ["gate", "explain", folder, f"{suite}/{case}" if has_several_suites(run) else case], LONGEST_COMMAND
    )
    return "" if case.startswith("-") else said


CaseChoice: TypeAlias = Literal["all", "worse", "better", "failed"]
CaseOrder: TypeAlias = Literal["worst", "best", "case"]
CaseOutcome: TypeAlias = Literal["worse", "better", "same", "unknown"]
AnyCase: TypeAlias = CaseRecord | NewCaseRecord


@dataclass(frozen=True, slots=True)
class CaseFilter:
    """Which cases somebody wants to see.

    Args:
        which: got worse, got better, or has a sample without a score; without a baseline `worse` has a sample that does
            not pass, and `better` is the rest.
        slice: `dimension=value`; empty for all.
        order: by the change, or the score where there is no baseline; or by id.
    """

    which: CaseChoice = "all"
    slice: str = ""
    order: CaseOrder = "worst"


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case.

    Args:
        id: as it is; `name` is its form for readers.
        change: signed; a dash where there is none.
    """

    id: str
    name: str
    slices: str
    baseline: str
    candidate: str
    change: str
    outcome: CaseOutcome
    missing: int


@dataclass(frozen=True, slots=True)
class CaseTable:
    """One suite with the chosen cases."""

    suite: str
    alone: bool
    rows: tuple[CaseRow, ...]
    total: int
    slices: tuple[str, ...]


def case_table(run: RunRecord, suite: str, wanted: CaseFilter) -> CaseTable | None:
    """The chosen cases of a suite; None where the run has no such suite."""
    found = next((one for one in all_suites(run) if one.name == suite), None)
    if found is None:
        return None
    slices = sorted({f"{name}={value}" for case in found.cases for name, value in case.slices.items()})
    rows = [(case, case_figures(case)) for case in found.cases]
    chosen = sorted((one for one in rows if _chosen(*one, wanted)), key=lambda one: _ORDERS[wanted.order](one[0]))
    alone = isinstance(found, NewSuiteRecord)
    return CaseTable(suite, alone, tuple(row for _, row in chosen), len(found.cases), tuple(slices))


def case_figures(case: AnyCase) -> CaseRow:
    """One case as a row of a table."""
    if isinstance(case, NewCaseRecord):
        known = [one for one in case.passed if one is not None]
        outcome: CaseOutcome = "unknown" if not known else "better" if all(known) else "worse"
        scores, before, after, change = case.scores, None, mean_score(case.scores), None
    else:
        outcome, change = _outcome(case.delta), case.delta
        scores, before, after = [*case.baseline, *case.candidate], mean_score(case.baseline), mean_score(case.candidate)
    return CaseRow(
        id=case.id,
        name=short_line(case.id),
        slices=slice_values(case.slices),
        baseline=numbers.score(before),
        candidate=numbers.score(after),
        change=numbers.delta(change),
        outcome=outcome,
        missing=scores.count(None),
    )


def _outcome(delta: float | None) -> CaseOutcome:
    if delta is None:
        return "unknown"
    return "same" if abs(delta) < numbers.ZERO else "worse" if delta < 0 else "better"


def _chosen(case: AnyCase, row: CaseRow, wanted: CaseFilter) -> bool:
    dimension, _, value = wanted.slice.partition("=")
    if wanted.slice and case.slices.get(dimension) != value:
        return False
    return wanted.which == "all" or (row.missing > 0 if wanted.which == "failed" else row.outcome == wanted.which)


def _value(case: AnyCase) -> float | None:
    """What cases are sorted by: the change, or the score where there is no baseline."""
    return mean_score(case.scores) if isinstance(case, NewCaseRecord) else case.delta


_ORDERS: Mapping[CaseOrder, Callable[[AnyCase], tuple[bool, float, str]]] = {
    # Cases without a change come last, whatever the direction.
    "worst": lambda case: (_value(case) is None, _value(case) or 0.0, case.id),
    "best": lambda case: (_value(case) is None, -(_value(case) or 0.0), case.id),
    "case": lambda case: (False, 0.0, case.id),
}
