"""Figures of a judge's calibration as a reader sees them."""

from gate.domain.judge_calibration import FigureRecord, MaybeFigure, NoFigure
from gate.report import numbers
from gate.report.secrets import masked

TEXT_CHARS = 240
"""Of an answer, and of a reason, that is shown as an example."""
UNIT = (0.0, 1.0)


def shares(found: MaybeFigure) -> str:
    """A share with its interval: `91 % [86, 95]`."""
    if isinstance(found, NoFigure):
        return numbers.NOTHING
    return f"{whole(found.value)} [{found.lower * 100:.0f}, {found.upper * 100:.0f}]"


def whole(share: float) -> str:
    """A share in whole percent; only all is `100 %`, and only none `0 %`."""
    percent = round(share * 100)
    percent = min(percent, 99) if share < 1.0 - numbers.ZERO else percent
    return f"{max(percent, 1) if share > numbers.ZERO else percent} %"


def coefficient(found: MaybeFigure) -> str:
    """A coefficient of agreement: `0.74 [0.61, 0.85]`."""
    if isinstance(found, NoFigure):
        return f"none: {found.reason}"
    return f"{numbers.plain(found.value)} [{numbers.plain(found.lower)}, {numbers.plain(found.upper)}]"


def signed(found: MaybeFigure, scale: tuple[float, float]) -> str:
    """A difference of scores: `+0.031 [+0.010, +0.052]`, or `+0.12 [+0.04, +0.21]` on a rubric's scale."""
    if isinstance(found, NoFigure):
        return numbers.NOTHING
    if scale == UNIT:
        return f"{numbers.delta(found.value)} {numbers.interval(found.lower, found.upper)}"
    steps = scale[1] - scale[0]
    return numbers.grade_change(found.value * steps, found.lower * steps, found.upper * steps)


def size(distance: float, scale: tuple[float, float]) -> str:
    """A distance of two scores: `0.072`, or `0.29` on a rubric's scale."""
    return numbers.score(distance) if scale == UNIT else numbers.grade(distance * (scale[1] - scale[0]))


def count(value: float) -> str:
    """Answers, in tenths where several people or judgements speak about one."""
    return f"{value:,.1f}".removesuffix(".0")


def rate_of(found: MaybeFigure, verb: str) -> str:
    """`90 % [80, 95] passed`."""
    return f"{shares(found)} {verb}" if isinstance(found, FigureRecord) else found.reason


def short(text: str) -> str:
    """The beginning of a text; a key in it is masked before it could be cut in two."""
    text = masked(text)
    return text if len(text) <= TEXT_CHARS else text[:TEXT_CHARS] + "…"
