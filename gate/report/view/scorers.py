"""Results by scorer: before and after, rubrics, juries, pairwise judges, agreement with people."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from gate import numbers
from gate.record.comparison import (
    ContestedAnswer,
    DimensionResult,
    Estimate,
    JuryResult,
    PositionBias,
    RubricResult,
    ScorerChange,
)
from gate.record.findings.finding import Code
from gate.record.parts import AskedModel, CaseResult, CaseState, JudgeQuote, ScorerResult
from gate.record.run import RunRecord, SuiteRecord
from gate.report.sheet import Fact, Section, SheetRow, SheetTable, Tone, figure_columns, text_columns
from gate.report.slices import LONGEST_SENTENCE, AnySuite, all_suites, in_suite, listed, short_line, suite_label
from gate.values import counted

PARTS_SHOWN = 12
LONGEST_REASON, BESIDE_PARTS = 200, 100
"""Characters of a scorer's reason where all are listed; fewer where its parts have figures."""
FULL = 1.0 - 1e-9
"""From here on a score counts as full."""

ScoreScale = tuple[float, float] | None
"""The ends of a rubric's scale; None stands for the range of the score itself."""


def scorer_text(one: ScorerResult) -> str:
    """`rubric 3.4 of 5, needs 3.5 (brevity 5.0, tone 3.0)`, with the threshold where it is missed."""
    if one.value is None:
        return f"{short_line(one.name)} no score"
    mark = one.mark if one.passed is False else None
    parts = [f"{short_line(part.name)} {_figure(part.value, one.scale)}" for part in one.parts[:PARTS_SHOWN]]
    more = [*parts, *(["…"] if len(one.parts) > PARTS_SHOWN else [])]
    inside = f" ({', '.join(more)})" if more else ""
    return f"{short_line(one.name)} {score_and_mark(one.value, mark, one.scale)}{inside}"


def case_score(check: CaseResult) -> str:
    """The score of a case, with its threshold where it falls short; a dash where there is none."""
    if check.score is None:
        return numbers.NOTHING
    scale, mark = case_scale(check), check.mark if check.state is CaseState.FAILED else None
    if scale is not None and check.scorers[0].passed is False:
        # The same figure as that of its only scorer.
        mark = check.scorers[0].mark
    return score_and_mark(check.score, mark, scale)


def case_scale(check: CaseResult) -> ScoreScale:
    """The scale of a case's score: that of its only scorer, if it has just one."""
    return check.scorers[0].scale if len(check.scorers) == 1 else None


def score_and_mark(value: float, mark: float | None, scale: ScoreScale) -> str:
    """`3.46 of 5, needs 3.5`, with as many decimals as it takes to tell the two apart.

    Args:
        value: in [0, 1].
        mark: the missed threshold, in [0, 1]; None where there is none, or it is reached.
    """
    of = "" if scale is None else f" of {scale[1]:g}"
    if mark is None:
        return f"{_figure(value, scale)}{of}"
    pairs = ((_figure(value, scale, more), _figure(mark, scale, more)) for more in range(6))
    low, high = next((pair for pair in pairs if pair[0] != pair[1]), (_figure(value, scale), _figure(mark, scale)))
    return f"{low}{of}, needs {high}"


def shortcomings(check: CaseResult) -> Iterator[str]:
    """Each scorer that falls short with its reason, and why there is no score where there is none.

    Where only the combined score has a threshold, every scorer below its full score falls short.
    """
    for one in check.scorers:
        if falls_short(check, one):
            room = BESIDE_PARTS if one.parts else LONGEST_REASON
            yield scorer_text(one) + (f": {short_line(one.reason, room)}" if one.reason else "")


def falls_short(check: CaseResult, one: ScorerResult) -> bool:
    """Whether this scorer is a cause of the case's failing."""
    if check.state is not CaseState.FAILED or one.value is None:
        return False
    return one.passed is False if check.mark is None else one.value < FULL


def other_scores(check: CaseResult) -> str:
    """All other scorers in one line: `rubric 4.1 of 5 (brevity 5.0, tone 3.0), 3 others 1.000`."""
    known = [one for one in check.scorers if one.value is not None and not falls_short(check, one)]
    full = [one for one in known if one.scale is None and (one.value or 0.0) >= FULL]
    named = [one for one in known if one not in full]
    if len(full) == 1:
        named, full = known, []
    told = [scorer_text(one) for one in named]
    if full:
        what = "others" if len(full) < len(check.scorers) else "scorers"
        told.append(f"{len(full)} {what} {_figure(1.0, None)}")
    return ", ".join(told)


def mean_score(checks: Sequence[CaseResult]) -> str:
    """The mean over some cases, on their scale where all have the same."""
    known = [check for check in checks if check.score is not None]
    if not known:
        return numbers.NOTHING
    scales = {case_scale(check) for check in known}
    mean = fmean(check.score or 0.0 for check in known)
    return score_and_mark(mean, None, scales.pop() if len(scales) == 1 else None)


def _figure(value: float, scale: ScoreScale, more: int = 0) -> str:
    """Three decimals for a share, one for a grade, and `more`."""
    return numbers.score(value, 3 + more) if scale is None else numbers.grade_from_share(value, scale, 1 + more)


SCORERS_SHOWN = 30
DIMENSIONS_NAMED = 4

_WHAT = "The mean of each scorer over the cases that it scored in both arms."
_TEST = "Where one is shown to fall and another to rise, the verdict is HOLD."
_PASSED = "Passed: share of answers that a required scorer gave more than 0. If it gives 0, the answer scores 0."


def scorer_sections(run: RunRecord) -> Iterator[Section]:
    """One for each suite with two scorers or more; a single scorer is in the table of the slices."""
    return (_scorer_section(suite_label(run, suite), suite) for suite in run.suites if len(suite.scorers) > 1)


def _scorer_section(label: str, suite: SuiteRecord) -> Section:
    ordered = sorted(suite.scorers, key=_stillness)
    told = [f"{short_line(one.name)} {numbers.delta(one.mean)}" for one in ordered]
    weighted = any(one.weight is not None for one in ordered)
    passing = any(_passed(one) for one in ordered)
    head = (
        *text_columns("scorer"),
        *figure_columns(*(["weight"] * weighted), "cases", "baseline → candidate", "change", *(["passed"] * passing)),
    )
    lines = tuple(
        SheetRow(
            (
                short_line(one.name),
                *(["" if one.weight is None else numbers.share(one.weight)] * weighted),
                f"{one.n:,}",
                f"{numbers.score(one.baseline)} → {numbers.score(one.candidate)}",
                numbers.delta(one.mean),
                *([_passed(one)] * passing),
            )
        )
        for one in ordered
    )
    return Section(
        title=("By scorer", *in_suite(label)),
        brief=(listed(told),),
        tables=(SheetTable("", head, lines).shortened(SCORERS_SHOWN),),
        missing=("the scorers of {}", "suite"),
        suite=short_line(label),
        notes=(_WHAT, _TEST, *((_PASSED,) if any(one.required for one in suite.scorers) else ())),
    )


def _stillness(one: ScorerChange) -> tuple[bool, float]:
    """Sort key: the largest change first; equals stay in the order of the eval set."""
    return (one.mean is None, -round(abs(one.mean or 0.0), 9))


def _passed(one: ScorerChange) -> str:
    """`98.3 % → 91.7 %`, the answers that it did not fail; empty where it is not required."""
    before, after = one.baseline_passed, one.candidate_passed
    return "" if before is None or after is None else f"{numbers.share(before)} → {numbers.share(after)}"


def dimension_sections(run: RunRecord) -> Iterator[Section]:
    """One for each rubric of each suite."""
    confidence = numbers.percent(1 - 2 * run.method.alpha)
    for suite in run.suites:
        for rubric in suite.rubrics:
            joint = f"The {confidence} intervals are joint over all dimensions. They are not part of the verdict."
            yield _rubric_section(suite_label(run, suite), rubric, (joint,))
    for new in run.new:
        for rubric in new.rubrics:
            yield _rubric_section(suite_label(run, new), rubric, ())


def _rubric_section(suite: str, rubric: RubricResult, notes: tuple[str, ...]) -> Section:
    compared = bool(notes)
    scores = "baseline → candidate" if compared else "mean"
    told = [
        f"{short_line(row.name)} {_grade_change(rubric, row) if compared else _grades(rubric, row)}"
        for row in rubric.dimensions
    ]
    return Section(
        title=(Code(short_line(rubric.scorer)), *in_suite(suite), f", {rubric.low:g} to {rubric.high:g}"),
        brief=(listed(told, DIMENSIONS_NAMED),),
        tables=(
            SheetTable(
                "",
                (*text_columns("dimension"), *figure_columns("weight", "cases", scores, *(["change"] * compared))),
                tuple(_dimension(rubric, row, compared=compared) for row in rubric.dimensions),
            ),
        ),
        missing=("the dimensions of {}", "rubric"),
        suite=short_line(suite),
        notes=notes,
    )


def _dimension(rubric: RubricResult, row: DimensionResult, *, compared: bool) -> SheetRow:
    """One dimension; its tone says which way the interval excludes 0."""
    tone: Tone = "bad" if (row.upper or 0.0) < 0 else "good" if (row.lower or 0.0) > 0 else ""
    cells = (short_line(row.name), numbers.share(row.weight), f"{row.n:,}", _grades(rubric, row))
    if not compared:
        return SheetRow(cells)
    known = row.mean is not None
    change = numbers.grade_change(row, rubric.high - rubric.low) if known else numbers.NOTHING
    return SheetRow((*cells, change), tone)


def _on_scale(rubric: RubricResult, share: float) -> float:
    return (rubric.high - rubric.low) * share


def _grades(rubric: RubricResult, row: DimensionResult) -> str:
    """`3.90 → 3.40 of 5`, or that of the only arm."""
    both = [
        numbers.grade(None if share is None else rubric.low + _on_scale(rubric, share))
        for share in (*(() if row.baseline is None else (row.baseline,)), row.candidate)
    ]
    return f"{' → '.join(both)} of {rubric.high:g}"


def _grade_change(rubric: RubricResult, row: DimensionResult) -> str:
    return numbers.grade_delta(None if row.mean is None else _on_scale(rubric, row.mean))


def agreement_with_people(judge: JudgeQuote) -> str:
    """`agrees with people on 91 % [86, 95] of the answers (n = 120, 2026-11-22)`, or why nothing can be said.

    Where several answers are to one question: `(91 answers to 15 questions, 2026-11-22)`.
    """
    if judge.agreement is not None:
        value, lower, upper = judge.agreement
        share = numbers.share_interval(value, lower, upper)
        return f"agrees with people on {share} of the answers ({_size(judge)}, {judge.created})"
    if judge.standing == "another judge":
        return f"not calibrated: its model, criteria or prompt have changed since the calibration of {judge.created}"
    if judge.standing == "another threshold":
        return f"not calibrated: its threshold has changed since the calibration of {judge.created}"
    if judge.standing == "unreadable":
        return f"not calibrated: {judge.reason}"
    return "not calibrated: its agreement with people was not measured"


def agreement_in_short(run: RunRecord) -> str:
    """`voice 91 % [86, 95] agreement with people; jury not calibrated`; empty without a judge."""
    judges = {judge.scorer: judge for suite in all_suites(run) for judge in suite.exam.judges}
    known = [
        f"{short_line(name)} {numbers.share_interval(*judge.agreement)} agreement with people"
        for name, judge in judges.items()
        if judge.agreement is not None
    ]
    if others := [name for name, judge in judges.items() if judge.agreement is None]:
        known.append(f"{listed(others)} not calibrated")
    return "; ".join(known)


def _size(judge: JudgeQuote) -> str:
    if judge.units == judge.answers:
        return f"n = {judge.answers:,}"
    return f"{counted(judge.answers, 'answer')} to {counted(judge.units, 'question')}"


def judge_fact(suite: str, judge: JudgeQuote) -> Fact:
    """The judge model, its temperature, and its agreement with people."""
    told = short_line(f"{_asked(judge)}{agreement_with_people(judge)}", LONGEST_SENTENCE)
    return Fact(short_line(judge.scorer), (told,), suite, named=True)


def jury_facts(run: RunRecord) -> Iterator[Fact]:
    """Agreement of each jury, and the answers on which its judges differ most."""
    for suite in all_suites(run):
        yield from _juries(short_line(suite_label(run, suite)), suite)


def _asked(judge: JudgeQuote) -> str:
    if not judge.asked:
        return ""
    if len(judge.asked) == 1:
        return f"{judge.kind} by {_one(judge.asked[0])}; "
    members = ", ".join(map(_one, judge.asked))
    return f"{judge.kind} by a jury, {judge.combine} of {members}; "


def _one(asked: AskedModel) -> str:
    if asked.temperature is None:
        return f"{asked.model} (no temperature setting)"
    return f"{asked.model} at temperature {asked.temperature:g}"


def _juries(label: str, suite: AnySuite) -> Iterator[Fact]:
    scales = {one.scorer: (one.low, one.high) for one in suite.rubrics if (one.low, one.high) != (0.0, 1.0)}
    for jury in suite.juries:
        scale, name = scales.get(jury.scorer), short_line(jury.scorer)
        yield Fact(f"{name}, agreement", (_agreement(jury, scale),), label, named=True)
        means = "; ".join(
            f"{member.model} {_mean(member.baseline, scale)}{_opinion(member.candidate, scale)}"
            for member in jury.members
        )
        yield Fact(f"{name}, mean scores", (short_line(means, LONGEST_SENTENCE),), label, named=True)
        if jury.contested:
            told = "; ".join(_contested(one, scale) for one in jury.contested)
            yield Fact(f"{name}, contested", (short_line(told, LONGEST_SENTENCE),), label, named=True)


def _agreement(jury: JuryResult, scale: ScoreScale) -> str:
    """`two judges agree on 82 % [74, 88] of the answers, pass or fail at 0.70; kappa 0.62 [0.50, 0.71] (…)`."""
    told = [f"two judges agree on {_share(jury.share)} of the answers, pass or fail at {_opinion(jury.mark, scale)}"]
    if jury.kappa is not None:
        told.append(f"kappa {_estimate_text(jury.kappa)}")
    elif jury.why_not:
        told.append(f"no kappa: {short_line(jury.why_not, LONGEST_SENTENCE)}")
    size = f"{len(jury.members)} judges, {counted(jury.answers, 'answer')}"
    return f"{'; '.join(told)} ({size})"


def _estimate_text(found: Estimate) -> str:
    low, high = (numbers.NOTHING if end is None else numbers.two_decimals(end) for end in (found.lower, found.upper))
    return f"{numbers.two_decimals(found.value)} [{low}, {high}]"


def _opinion(value: float | None, scale: ScoreScale) -> str:
    return numbers.NOTHING if value is None else score_and_mark(value, None, scale)


def _mean(value: float | None, scale: ScoreScale) -> str:
    return "" if value is None else f"{_opinion(value, scale)} → "


def _contested(one: ContestedAnswer, scale: ScoreScale) -> str:
    opinions = " / ".join(
        numbers.two_decimals(value) if scale is None else score_and_mark(value, None, scale) for value in one.opinions
    )
    return f"{short_line(one.case)} ({one.arm}, sample {one.index + 1}) {opinions}"


def position_facts(label: str, suite: SuiteRecord) -> Iterator[Fact]:
    """Two facts for each pairwise judge; `label` is the suite's name in a run over several."""
    for one in suite.positions:
        name = short_line(one.scorer)
        yield Fact(name, (_result(one),), label, named=True)
        yield Fact(f"{name}, position bias", (_told(one),), label, named=True)


def _result(one: PositionBias) -> str:
    pairs = f"{one.pairs:,} {'pair' if one.pairs == 1 else 'pairs'} of different answers"
    return f"of {pairs} the candidate's was better in {_share(one.won)} and worse in {_share(one.lost)}"


def _told(one: PositionBias) -> str:
    return (
        f"each pair was shown in both orders; the first answer was preferred in {_share(one.first)} of the comparisons "
        f"({_bias(one.first)}); in {_share(one.turned)} of the pairs the preference changed with the order, "
        f"so the pair counted half or not at all; {_share(one.tied)} were a tie both times"
    )


def _bias(first: Estimate) -> str:
    """What the share of the first place means; each answer is shown once at either place."""
    if first.lower is None or first.upper is None:
        return "too few to show a bias"
    if first.lower > 0.5:
        return "the judge prefers the first place"
    return "the judge prefers the second place" if first.upper < 0.5 else "no bias shown"


def _share(estimate: Estimate) -> str:
    value = numbers.percent(estimate.value)
    if estimate.lower is None or estimate.upper is None:
        return value
    return f"{value} [{numbers.percent_figure(estimate.lower)}, {numbers.percent_figure(estimate.upper)}]"
