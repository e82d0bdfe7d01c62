"""The calibration of a judge against people, as a sheet."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from gate import numbers
from gate.cases.case import place_of
from gate.numbers import whole_percent
from gate.record.calibration import (
    AgreementRecord,
    ConsistencyRecord,
    DisagreementRecord,
    FigureRecord,
    JudgeCalibrationRecord,
    MaybeFigure,
    NoFigure,
    SliceRecord,
    on_scale,
)
from gate.record.transcript import masked
from gate.report.sheet import Remark, Sheet, SheetRow, SheetTable, figure_columns, text_columns
from gate.values import clipped, counted, listed

EXCERPT_CHARS = 240
"""Of an answer, and of a reason, that is shown as an example."""
UNIT_SCALE = (0.0, 1.0)


def share_interval(found: MaybeFigure) -> str:
    """A share with its interval: `91 % [86, 95]`."""
    if isinstance(found, NoFigure):
        return numbers.NOTHING
    return numbers.share_interval(found.value, found.lower, found.upper)


def coefficient_interval(found: MaybeFigure) -> str:
    """A coefficient of agreement: `0.74 [0.61, 0.85]`."""
    if isinstance(found, NoFigure):
        return f"none: {found.reason}"
    value, lower, upper = map(numbers.two_decimals, (found.value, found.lower, found.upper))
    return f"{value} [{lower}, {upper}]"


def score_difference(found: MaybeFigure, scale: tuple[float, float]) -> str:
    """A difference of scores: `+0.031 [+0.010, +0.052]`, or `+0.12 [+0.04, +0.21]` on a rubric's scale."""
    if isinstance(found, NoFigure):
        return numbers.NOTHING
    difference = numbers.ScoreFigure(found.value, found.lower, found.upper)
    if scale == UNIT_SCALE:
        return numbers.score_change(difference)
    return numbers.grade_change(difference, scale[1] - scale[0])


def score_distance(distance: float, scale: tuple[float, float]) -> str:
    """A distance of two scores: `0.072`, or `0.29` on a rubric's scale."""
    return numbers.score(distance) if scale == UNIT_SCALE else numbers.grade(distance * (scale[1] - scale[0]))


def tenths(value: float) -> str:
    """Answers, in tenths where several people or judgements speak about one."""
    shown = round(value, 1)
    return f"{shown:,.0f}" if shown.is_integer() else f"{shown:,.1f}"


def rate_interval(found: MaybeFigure, verb: str) -> str:
    """`90 % [80, 95] passed`."""
    return f"{share_interval(found)} {verb}" if isinstance(found, FigureRecord) else found.reason


def excerpt(text: str) -> str:
    """The beginning of a text; a key in it is masked before it could be cut in two."""
    return clipped(masked(text), EXCERPT_CHARS)


LEAST_UNITS = 10
"""With fewer independent questions, the interval of a slice is too wide to be useful."""
_SURE = 1e-9


def slice_parts(found: JudgeCalibrationRecord) -> SheetTable:
    """The slices with enough questions; the others in one sentence."""
    enough = [one for one in found.slices if one.units >= LEAST_UNITS]
    lines = tuple(
        SheetRow((one.name, f"{one.answers:,}", f"{one.units:,}", share_interval(one.share))) for one in enough
    )
    below = list(_folded([one for one in found.slices if one.units < LEAST_UNITS], found.more_slices))
    if len(lines) > 1:
        below.insert(0, "Each interval is for one slice only. Among many slices, some look good or bad by chance.")
    head = (*text_columns("slice"), *figure_columns("answers", "independent questions", "agreement"))
    return SheetTable("By slice", head, lines, tuple(below))


def _folded(few: list[SliceRecord], more: int) -> Iterator[str]:
    if few:
        named = listed([f"{one.name} ({counted(one.answers, 'answer')})" for one in few])
        many = "1 slice has" if len(few) == 1 else f"{len(few):,} slices have"
        yield f"{many} fewer than {LEAST_UNITS} independent questions, too few for a result: {named}."
    if more:
        yield f"{counted(more, 'smaller slice')} not analyzed."


def disagreement_parts(found: JudgeCalibrationRecord) -> SheetTable:
    """Each answer once, under its question; the columns are texts, which may wrap."""
    if not found.disagreements:
        return SheetTable("", (), ())
    shown = len(found.disagreements)
    title = f"Where judge and people differ: {counted(found.differing, 'answer')}"
    title += f", the {shown} furthest apart" if found.differing > shown else ""
    return SheetTable(f"{title} ({found.judge.told(found.judge.threshold)} passes)", (), (), tuple(_told(found)))


def _told(found: JudgeCalibrationRecord) -> Iterator[str]:
    said: dict[str, str] = {}
    for head, rows in _by_question(found.disagreements):
        yield head
        for row in rows:
            known = said.setdefault(row.reason, row.id)
            why = f"“{excerpt(row.reason)}”" if known == row.id else f"the same reason as for {known}"
            both = f"people {_label(row, found)}, the judge {found.judge.told(row.judge)}"
            answer = f"“{excerpt(row.output)}”" if row.output.strip() else "(empty)"
            yield f"• {row.id} ({_place(row, found)}): {both}. Answer: {answer} Judge: {why}"


def _by_question(rows: Iterable[DisagreementRecord]) -> Iterator[tuple[str, list[DisagreementRecord]]]:
    """Grouped by cluster or question, in the order of the record."""
    groups: dict[str, list[DisagreementRecord]] = {}
    for row in rows:
        groups.setdefault(row.cluster or f"\0{row.question}", []).append(row)
    for own in groups.values():
        name = f"{own[0].cluster}: question" if own[0].cluster else "Question"
        yield f"{name} “{excerpt(own[0].question)}”", own


def _place(row: DisagreementRecord, found: JudgeCalibrationRecord) -> str:
    """The line, where it is one of the file that the notes name."""
    file, line = place_of(row.where)
    return f"line {line}" if line and file == found.labels.file else row.where


def _label(row: DisagreementRecord, found: JudgeCalibrationRecord) -> str:
    labels = found.labels
    if labels.graded:
        return on_scale(row.people, (labels.low, labels.high))
    if row.people > 1.0 - _SURE:
        return "pass"
    return f"pass ({whole_percent(row.people)} of them)" if row.people > _SURE else "fail"


_Row: TypeAlias = tuple[str, str]


def judge_sheet(found: JudgeCalibrationRecord) -> Sheet:
    """The calibration of a judge as a sheet."""
    grids: list[SheetTable] = []
    if found.agreement is not None:
        grids += [_agreement(found, found.agreement), _wrong_verdicts(found.agreement), _behaviour(found)]
    parts = (_jury(found), slice_parts(found), _unscored(found), disagreement_parts(found))
    grids += [grid for grid in parts if grid.lines or grid.below]
    return Sheet(_headline(found), tuple(_remarks(found)), tuple(grids), tuple(_notes(found)))


def _headline(found: JudgeCalibrationRecord) -> str:
    who = f"{found.judge.name} ({', '.join(found.judge.models)})" if found.judge.models else found.judge.name
    if found.agreement is None:
        return f"{who} scored no answer"
    kappa = found.agreement.kappa
    beyond = f", kappa {coefficient_interval(kappa)}" if isinstance(kappa, FigureRecord) else ""
    return f"{who} agrees with people on {share_interval(found.agreement.share)} of the answers{beyond}"


def _remarks(found: JudgeCalibrationRecord) -> Iterator[Remark]:
    if found.unfinished:
        yield Remark(f"not finished: {found.unfinished}. Nothing was saved")
    for sentence in found.limits:
        yield Remark(sentence)


def _agreement(found: JudgeCalibrationRecord, agreement: AgreementRecord) -> SheetTable:
    labels = found.labels
    rows: list[_Row] = [
        ("share of agreement", share_interval(agreement.share)),
        ("Cohen's kappa", coefficient_interval(agreement.kappa)),
        _constant(agreement),
    ]
    if found.people is not None:
        rows.append(("agreement among people", whole_percent(found.people.share)))
    if found.grades is not None:
        rows.append(("mean distance to the grades", score_distance(found.grades.apart, (labels.low, labels.high))))
        rows.append(("mean of judge minus people", score_difference(found.grades.above, (labels.low, labels.high))))
    units = counted(found.judging.units, "independent question")
    people = "one label each" if labels.people < 2 else f"up to {labels.people} labels each"
    title = f"Agreement: {counted(found.judging.judged, 'answer')}, {units}, {people}"
    return SheetTable(title, text_columns("", ""), tuple(map(SheetRow, rows)), tuple(_reading(found)))


def _constant(agreement: AgreementRecord) -> _Row:
    """The agreement of a judge that gives every answer the same verdict, the better one of the two."""
    passes = agreement.always_pass >= 0.5
    share = agreement.always_pass if passes else 1.0 - agreement.always_pass
    return f"a judge that {'passes' if passes else 'fails'} every answer", whole_percent(share)


def _reading(found: JudgeCalibrationRecord) -> Iterator[str]:
    yield "Kappa: 0 is chance, 1 is complete agreement. It is low where nearly all labels are the same."
    if found.judging.units < found.judging.judged:
        yield (
            "Answers to one question may be right or wrong together. The interval of the share assumes that they are, "
            "so it is wide. That of kappa resamples whole questions, and is too narrow with few questions."
        )
    if found.people is not None:
        yield (
            f"Agreement among people: how often two people give the same label, over "
            f"{counted(found.people.answers, 'answer')}. No judge can be expected to agree more often."
        )


def _wrong_verdicts(agreement: AgreementRecord) -> SheetTable:
    passing = (
        tenths(agreement.passed_right),
        tenths(agreement.failed_wrong),
        rate_interval(agreement.true_pass, "passed"),
    )
    failing = (
        tenths(agreement.passed_wrong),
        tenths(agreement.failed_right),
        rate_interval(agreement.true_fail, "failed"),
    )
    lines = (SheetRow(("people pass", *passing)), SheetRow(("people fail", *failing)))
    return SheetTable(
        "Wrong verdicts", (*text_columns(""), *figure_columns("judge passes", "judge fails"), *text_columns("")), lines
    )


def _behaviour(found: JudgeCalibrationRecord) -> SheetTable:
    rows = [*_consistency(found), _length(found)]
    low, high = found.judge.scale
    scale = "" if (low, high) == UNIT_SCALE else f", on its scale of {low:g} to {high:g}"
    return SheetTable(
        f"How the judge behaves{scale}", text_columns("", ""), tuple(map(SheetRow, rows)), tuple(_explained(found))
    )


def _consistency(found: JudgeCalibrationRecord) -> Iterator[_Row]:
    seen = found.consistency
    if not isinstance(seen, ConsistencyRecord):
        yield ("judged again", seen.reason if found.judge.models else "code gives the same result again")
        return
    scale = found.judge.scale
    yield ("answers whose verdict changes", f"{share_interval(seen.flips)} in {found.judging.repeats} judgements")
    yield ("two judgements of one answer", f"differ in {numbers.share(seen.two_differ)}")
    yield (
        "spread within an answer",
        f"{score_distance(seen.within_sd, scale)}, at most {score_distance(seen.widest, scale)}",
    )


def _length(found: JudgeCalibrationRecord) -> _Row:
    bias = found.length
    more = score_difference(bias, found.judge.scale) if isinstance(bias, FigureRecord) else f"– ({bias.reason})"
    return "an answer twice as long gets", more


def _explained(found: JudgeCalibrationRecord) -> Iterator[str]:
    if isinstance(found.length, FigureRecord):
        yield f"Length: {_taste(found.length)}."


def _taste(bias: FigureRecord) -> str:
    if bias.lower <= 0.0 <= bias.upper:
        return "no shown effect among answers with the same label"
    word = "more" if bias.value > 0.0 else "less"
    return (
        f"longer answers get {word} than their labels explain. The judge may prefer a length, or length may go with "
        "something that the labels miss"
    )


def _jury(found: JudgeCalibrationRecord) -> SheetTable:
    if found.jury is None:
        return SheetTable("", (), ())
    lines = tuple(SheetRow((one.name, share_interval(one.share))) for one in found.jury.members)
    below = f"Two of the judges pass or fail {share_interval(found.jury.share)} of the answers alike"
    if found.jury.kappa is not None:
        below += f", kappa {coefficient_interval(found.jury.kappa)}"
    head = (*text_columns("judge"), *figure_columns("agreement"))
    return SheetTable("Each judge of the jury with people", head, lines, (below,))


def _unscored(found: JudgeCalibrationRecord) -> SheetTable:
    lines = tuple(SheetRow((f"{many:,}", reason)) for reason, many in found.judging.unscored.items())
    return SheetTable("Judgements without a score", text_columns("judgements", "reason"), lines)


def _notes(found: JudgeCalibrationRecord) -> Iterator[str]:
    judging, labels = found.judging, found.labels
    if found.judge.models:
        spent = f", {numbers.dollars(judging.spent_usd)}" if judging.spent_usd else ""
        yield (
            f"Each answer was judged {counted(judging.repeats, 'time')}: {judging.calls:,} calls, "
            f"{judging.reused:,} cached judgements{spent}."
        )
    scale = f" on the scale of {labels.low:g} to {labels.high:g}" if labels.graded else ""
    mark = f" A score of at least {found.judge.told(found.judge.threshold)} is a pass"
    if labels.graded:
        mark += f", and so is a grade of {on_scale(found.judge.threshold, (labels.low, labels.high))}"
    yield (
        f"Labels: {labels.file}{scale}, {whole_percent(labels.passing)} of them pass.{mark}. Intervals are 95 % "
        "confidence intervals; answers to one question, or of one cluster, count as one."
    )
    yield f"Judge {found.judge.digest[:12]}, {found.created[:10]}, Prompt Gate {found.tool_version}."
