"""The calibration of a judge becomes a sheet."""

from collections.abc import Iterator
from typing import TypeAlias

from gate.domain.judge_calibration import (
    AgreementRecord,
    ConsistencyRecord,
    FigureRecord,
    JudgeCalibrationRecord,
    ThresholdRecord,
)
from gate.report import numbers
from gate.report.judge_numbers import coefficient, count, rate_of, shares, short, signed, whole
from gate.report.sheet import Grid, Line, Remark, Sheet

_Row: TypeAlias = tuple[str, str]


def sheet(found: JudgeCalibrationRecord) -> Sheet:
    """The calibration as a reader sees it.

    Args:
        found: the whole record.
    """
    grids: list[Grid] = []
    if found.agreement is not None:
        grids += [_agreement(found, found.agreement), _mistakes(found.agreement), _behaviour(found)]
    parts = (_jury(found), _slices(found), _unscored(found), _disagreements(found))
    grids += [grid for grid in parts if grid.lines]
    return Sheet(_headline(found), tuple(_remarks(found)), tuple(grids), tuple(_notes(found)))


def _headline(found: JudgeCalibrationRecord) -> str:
    who = f"{found.judge.name} ({', '.join(found.judge.models)})" if found.judge.models else found.judge.name
    if found.agreement is None:
        return f"{who} gave no answer a score"
    kappa = found.agreement.kappa
    beyond = f", kappa {coefficient(kappa)}" if isinstance(kappa, FigureRecord) else ""
    return f"{who} agrees with people on {shares(found.agreement.share)} of the answers{beyond}"


def _remarks(found: JudgeCalibrationRecord) -> Iterator[Remark]:
    if found.unfinished:
        yield Remark(f"not finished: {found.unfinished}. Nothing was written: this is no calibration yet")
    for sentence in found.limits:
        yield Remark(sentence)


def _agreement(found: JudgeCalibrationRecord, agreement: AgreementRecord) -> Grid:
    labels = found.labels
    rows: list[_Row] = [
        ("share of agreement", shares(agreement.share)),
        ("Cohen's kappa", coefficient(agreement.kappa)),
        ("Gwet's AC1", coefficient(agreement.ac1)),
        ("balanced accuracy", shares(agreement.balanced)),
        ("agreement of one that passes all", whole(agreement.always_pass)),
    ]
    if found.people is not None:
        rows.append(("people among themselves", whole(found.people.share)))
        rows.append(("their Krippendorff's alpha", coefficient(found.people.alpha)))
    if found.grades is not None:
        rows.append(("mean distance to the grades", numbers.score(found.grades.apart)))
        rows.append(("mean of judge minus people", signed(found.grades.above)))
        rows.append(("rank correlation (Spearman)", coefficient(found.grades.order)))
    units = numbers.counted(labels.units, "independent question")
    people = "one label each" if labels.people < 2 else f"up to {labels.people} labels each"
    title = f"Agreement: {numbers.counted(found.judging.judged, 'answer')}, {units}, {people}"
    return Grid(title, ("", ""), tuple(map(Line, rows)), tuple(_reading(found)))


def _reading(found: JudgeCalibrationRecord) -> Iterator[str]:
    yield (
        "Kappa and AC1: 0 is chance, 1 is complete agreement; AC1 is the steadier one where most labels are alike. "
        "Balanced accuracy: 50 % for a judge that always says the same."
    )
    if found.people is not None:
        yield (
            f"People: the chance that two of them give {numbers.counted(found.people.answers, 'answer')} the same "
            "label. A judge is compared with one person, too, so no judge can be asked for more."
        )


def _mistakes(agreement: AgreementRecord) -> Grid:
    passing = (count(agreement.passed_right), count(agreement.failed_wrong), rate_of(agreement.true_pass, "passed"))
    failing = (count(agreement.passed_wrong), count(agreement.failed_right), rate_of(agreement.true_fail, "failed"))
    lines = (Line(("people pass", *passing)), Line(("people fail", *failing)))
    return Grid("Mistakes of either kind", ("", "judge passes", "judge fails", ""), lines)


def _behaviour(found: JudgeCalibrationRecord) -> Grid:
    rows = [*_consistency(found), _length(found), *_threshold(found)]
    return Grid("How the judge behaves", ("", ""), tuple(map(Line, rows)), tuple(_explained(found)))


def _consistency(found: JudgeCalibrationRecord) -> Iterator[_Row]:
    seen = found.consistency
    if not isinstance(seen, ConsistencyRecord):
        yield ("judged again", seen.reason if found.judge.models else "code says the same again")
        return
    yield ("answers whose verdict changes", f"{shares(seen.flips)} in {found.judging.repeats} judgements")
    yield ("two judgements of one answer", f"differ in {numbers.share(seen.two_differ)}")
    yield ("spread within an answer", f"{numbers.score(seen.within_sd)}, at most {seen.widest:.2f}")


def _length(found: JudgeCalibrationRecord) -> _Row:
    bias = found.length
    return ("an answer twice as long gets", signed(bias) if isinstance(bias, FigureRecord) else f"– ({bias.reason})")


def _threshold(found: JudgeCalibrationRecord) -> Iterator[_Row]:
    own, choice = found.judge.threshold, found.threshold
    if not isinstance(choice, ThresholdRecord):
        yield ("best threshold", f"– ({choice.reason})")
        return
    yield (f"threshold in use, {own:.2f}", f"{whole(choice.now)} balanced accuracy")
    yield (f"best threshold, {choice.best:.2f}", f"{whole(choice.honest)} on answers that did not choose it")


def _explained(found: JudgeCalibrationRecord) -> Iterator[str]:
    if isinstance(found.length, FigureRecord):
        yield f"Length: {_taste(found.length)}."
    choice = found.threshold
    if isinstance(choice, ThresholdRecord):
        alike = choice.alike(found.judge.threshold)
        word = "not shown to be better than" if alike else "better than"
        yield (
            f"The best threshold is {word} the one in use. On the very answers that chose it, it has "
            f"{whole(choice.fitted)}, which flatters it."
        )


def _taste(bias: FigureRecord) -> str:
    if bias.lower <= 0.0 <= bias.upper:
        return "among answers with the same label, longer ones are not shown to get more, or less"
    word = "more" if bias.value > 0.0 else "less"
    return (
        f"longer answers get {word} than their labels explain, by the judge's taste or by something that goes with "
        "length and that the labels miss"
    )


def _jury(found: JudgeCalibrationRecord) -> Grid:
    if found.jury is None:
        return Grid("", (), ())
    lines = tuple(Line((one.name, shares(one.share))) for one in found.jury.members)
    below = f"Krippendorff's alpha of the judges' scores: {coefficient(found.jury.alpha)}"
    return Grid("Each judge of the jury with people", ("judge", "agreement"), lines, (below,))


def _slices(found: JudgeCalibrationRecord) -> Grid:
    lines = tuple(Line((one.name, f"{one.answers:,}", shares(one.share))) for one in found.slices)
    below = "Each interval stands for itself: among many slices some look good or bad by chance."
    return Grid("By slice", ("slice", "answers", "agreement"), lines, (below,))


def _unscored(found: JudgeCalibrationRecord) -> Grid:
    lines = tuple(Line((f"{many:,}", reason)) for reason, many in found.judging.unscored.items())
    return Grid("Judgements without a score", ("judgements", "reason"), lines)


def _disagreements(found: JudgeCalibrationRecord) -> Grid:
    """The texts stand below the table, where they may wrap."""
    rows = found.disagreements
    lines = tuple(Line((one.id, f"{one.people:.2f}", f"{one.judge:.2f}", one.where)) for one in rows)
    below = tuple(f"{one.id}: “{short(one.output)}” – the judge: “{short(one.reason)}”" for one in rows)
    return Grid("Where judge and people are furthest apart", ("answer", "people", "judge", ""), lines, below)


def _notes(found: JudgeCalibrationRecord) -> Iterator[str]:
    judging, labels = found.judging, found.labels
    if found.judge.models:
        spent = f", {numbers.dollars(judging.spent_usd)}" if judging.spent_usd else ""
        yield (
            f"Each answer was judged {numbers.counted(judging.repeats, 'time')}: {judging.calls:,} calls, "
            f"{judging.reused:,} judgements known before{spent}."
        )
    scale = f" on the scale of {labels.low:g} to {labels.high:g}" if labels.graded else ""
    mark = f" A score, and a grade, of at least {found.judge.threshold:.3g} is a pass." if labels.graded else ""
    yield (
        f"Labels: {labels.file}{scale}, {whole(labels.passing)} of them pass.{mark} Intervals hold the true "
        "value 95 times in 100; answers to one question, and those of one cluster, count as one."
    )
    yield f"Judge {found.judge.digest[:12]}, {found.created[:10]}, Prompt Gate {found.tool_version}."
