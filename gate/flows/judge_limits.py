"""What a calibration's sample does not allow to say, in sentences."""

import math
from collections.abc import Iterator

from gate.domain.judge_calibration import (
    AgreementRecord,
    FigureRecord,
    JudgeCalibrationRecord,
    MaybeFigure,
    ThresholdRecord,
)
from gate.stats.student import normal_quantile

FEW = 30
FEW_OF_A_LABEL = 10
NARROW = 0.05
"""Half the width of an interval of the agreement that is worth citing."""


def limits(record: JudgeCalibrationRecord) -> Iterator[str]:
    """Sentences for the reader, the gravest first.

    Args:
        record: all figures; its own `limits` are not looked at.
    """
    agreement = record.agreement
    if agreement is None:
        yield "The judge gave no answer a score: nothing is known about it."
        return
    yield from _left_out(record, agreement)
    yield from _no_better(agreement)
    yield from _few(record, agreement)
    yield from _of_one_kind(agreement)
    if record.labels.people < 2:
        yield (
            "One person labelled each answer: how far people agree among themselves is not known, and so neither is "
            "how far a judge could agree with them."
        )
    if record.judging.repeats < 2 and record.judge.models:
        yield "Each answer was judged once: whether the judge would say the same again is not known (--repeats)."
    yield from _thresholds(record)


def answers_needed(share: float, half: float = NARROW) -> int:
    """Independent answers whose interval of the agreement has this half width (normal approximation)."""
    z = normal_quantile(0.975)
    spread = max(share * (1.0 - share), 0.05 * 0.95)
    return math.ceil(z * z * spread / half**2)


def _left_out(record: JudgeCalibrationRecord, agreement: AgreementRecord) -> Iterator[str]:
    missing = record.labels.answers - record.judging.judged
    if missing:
        yield (
            f"{missing:,} of {record.labels.answers:,} answers have no score and are in no figure but this: if the "
            f"judge were wrong on all of them, it would agree with people on {_percent(agreement.worst)}."
        )


def _no_better(agreement: AgreementRecord) -> Iterator[str]:
    constant = max(agreement.always_pass, 1.0 - agreement.always_pass)
    word = "passes" if agreement.always_pass >= 0.5 else "fails"
    if agreement.share.lower <= constant:
        yield (
            f"A judge that {word} everything would agree with people on {_percent(constant)}: "
            "the share of agreement does not show that this one does better."
        )
    if isinstance(agreement.kappa, FigureRecord) and agreement.kappa.lower <= 0.0:
        yield "Kappa's interval holds 0: all of the agreement may be chance."


def _few(record: JudgeCalibrationRecord, agreement: AgreementRecord) -> Iterator[str]:
    units, share = record.judging.units, agreement.share
    half = (share.upper - share.lower) / 2.0
    known = f"the share of agreement is known to ± {half * 100:.0f} points"
    if half > NARROW:
        needed = answers_needed(share.value)
        known += f", and ± {NARROW * 100:.0f} would take about {needed:,} independent answers"
    if units < FEW:
        word = "answer is" if units == 1 else "answers are"
        yield f"{units} independent {word} few: {known}."
    elif half > NARROW:
        yield f"{known[0].upper()}{known[1:]}."


def _of_one_kind(agreement: AgreementRecord) -> Iterator[str]:
    kinds: tuple[tuple[str, str, float, MaybeFigure], ...] = (
        ("fail", "fails", agreement.failed_right + agreement.passed_wrong, agreement.true_fail),
        ("pass", "passes", agreement.passed_right + agreement.failed_wrong, agreement.true_pass),
    )
    for word, verb, count, rate in kinds:
        if not isinstance(rate, FigureRecord):
            yield f"People {word} no answer: whether the judge {verb} what they would {word} is not known."
        elif count < FEW_OF_A_LABEL:
            yield (
                f"People {word} {_answers(count)} only: the judge {verb} between {_percent(rate.lower)} and "
                f"{_percent(rate.upper)} of such."
            )


def _answers(count: float) -> str:
    number = f"{count:.1f}".removesuffix(".0")
    return f"{number} answer{'' if number == '1' else 's'}"


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def _thresholds(record: JudgeCalibrationRecord) -> Iterator[str]:
    choice = record.threshold
    if isinstance(choice, ThresholdRecord):
        low, high = record.judge.told(choice.lowest), record.judge.told(choice.highest)
        yield f"Thresholds above {low} and up to {high} cannot be told from the best one."
