"""A plan becomes a sheet."""

from collections.abc import Callable, Iterator

from gate.domain.forecast import Figure, Forecast, Outlay, Reach, SliceForecast, Spending, SuiteForecast
from gate.domain.usage import Dollars
from gate.report import numbers
from gate.report.sheet import Grid, Line, Remark, Sheet, Tone

_TONES: dict[str, Tone] = {
    "never blocks": "bad",
    "below the floor": "doubtful",
    "decides": "",
    "comfortable": "good",
    "ample": "good",
}
_WORDS = {"below the floor": "under 30"}
_ASSUMED = "~"
_LEAST = "≥ "


def sheet(plan: Forecast) -> Sheet:
    """The plan as a reader sees it.

    Args:
        plan: the whole forecast.
    """
    remarks = tuple(Remark(warned.text, "bad" if warned.severe else "doubtful") for warned in plan.warnings)
    if not plan.suites:
        return Sheet("nothing would be called: the change touches no suite", remarks, (), plan.notes)
    grids = (_calls(plan), *(_slices(plan, suite) for suite in plan.suites))
    return Sheet(_headline(plan.spending), remarks, grids, (*_reading(plan), *plan.notes))


def taken(spending: Spending) -> str:
    """Calls, dollars and time, in words."""
    least, about = "at least " if spending.at_least else "", "at least" if spending.dollars_at_least else "about"
    if isinstance(spending.cost, Dollars):
        cost = f"{about} {numbers.dollars(spending.cost.amount)}"
    else:
        cost = "no dollars" if spending.cost.why == "n/a" else f"dollars unknown ({spending.cost_note})"
    time = numbers.duration(spending.minutes * 60)
    return f"{least}{numbers.counted(spending.calls, 'call')}, {cost}, {about} {time}"


def _headline(spending: Spending) -> str:
    alone = all(outlay.alone for outlay in spending.outlays)
    how = "one call after another" if alone else f"with {spending.concurrency} calls in flight"
    return f"{taken(spending)} {how}"


def _calls(plan: Forecast) -> Grid:
    outlays = plan.spending.outlays
    several = len(plan.suites) > 1
    lines = [_outlay(outlay, several=several) for outlay in outlays]
    assumed = any("assumed" in _bases(outlay) for outlay in outlays)
    measured = any("measured" in _bases(outlay) for outlay in outlays)
    below = []
    if assumed:
        below.append(f"{_ASSUMED} assumed: 4 characters a token, 256 output tokens or their limit, 2 s a call.")
    if measured:
        below.append(f"Numbers without {_ASSUMED} were measured in an earlier run." if assumed else _MEASURED)
    if plan.spending.at_least:
        below.append(f"{_LEAST}at least: {_OPEN}")
    head = ("model", "calls", "input tokens", "output tokens", "a call", "cost")
    return Grid("Before spending", head, tuple(lines), tuple(below))


_OPEN = "how often an agent calls its model, asks back or is talked to shows in a run; one call a round is counted."
_MEASURED = "Tokens and times were measured in an earlier run."


def _bases(outlay: Outlay) -> tuple[str, str, str]:
    return outlay.input_tokens.basis, outlay.output_tokens.basis, outlay.seconds.basis


def _outlay(outlay: Outlay, *, several: bool) -> Line:
    suite = f"{outlay.suite}, " if several else ""
    cost = outlay.cost
    price = numbers.dollars(cost.amount) if isinstance(cost, Dollars) else "n/a" if cost.why == "n/a" else "unknown"
    return Line(
        (
            f"{suite}{outlay.role}: {outlay.model}",
            f"{_LEAST * outlay.at_least}{outlay.calls:,}",
            _tokens(outlay.input_tokens),
            _tokens(outlay.output_tokens),
            _mark(outlay.seconds, numbers.duration(outlay.seconds.value)),
            price,
        )
    )


def _tokens(figure: Figure) -> str:
    return _mark(figure, numbers.tokens(round(figure.value)))


def _mark(figure: Figure, text: str) -> str:
    return f"{_ASSUMED}{text}" if figure.basis == "assumed" else text


def _slices(plan: Forecast, suite: SuiteForecast) -> Grid:
    title = f"{suite.name}: {numbers.counted(suite.cases, 'case')}, {numbers.counted(suite.samples, 'sample')} each"
    if suite.arms < 2:
        return Grid(title, (), (), ("A new prompt has no baseline: one arm is called, and nothing is compared.",))
    effect = size(plan.effect)
    head = ("slice", "cases", "smallest fall", f"{effect} shows", f"cases for {effect}", "")
    return Grid(title, head, tuple(_slice(row, suite) for row in suite.slices), tuple(_noise(suite)))


def _noise(suite: SuiteForecast) -> Iterator[str]:
    spread = suite.spread
    sd = size(spread.high) if spread.high - spread.low < 0.0005 else f"{size(spread.low)} to {size(spread.high)}"
    parts = ""
    if spread.tau is not None and spread.sigma is not None:
        parts = f" (tau {size(spread.tau)} between cases, sigma {size(spread.sigma)} within one)"
    yield f"Noise of a case's change: {sd}{parts}; {spread.said}."


def _slice(row: SliceForecast, suite: SuiteForecast) -> Line:
    cases = f"{row.cases:,}" if row.cases == row.units else f"{row.cases:,} in {row.units:,} groups"
    marks = [
        _WORDS.get(row.tier, row.tier),
        *(["advisory"] if row.advisory else []),
        *(["required"] if row.required else []),
        *([f"margin {numbers.score(row.margin)}"] if row.margin else []),
    ]
    shows = _range(row.power, lambda value: f"{value * 100:.0f}", "never")
    return Line(
        (
            row.slice.removeprefix(f"{suite.name}/"),
            cases,
            _range(row.detectable, size, "none"),
            shows if shows == "never" else f"{shows} %",
            _range(row.cases_needed, lambda value: numbers.tokens(round(value)), "–"),
            ", ".join(marks),
        ),
        _TONES[row.tier],
    )


def _range(reach: Reach, shown: Callable[[float], str], absent: str) -> str:
    """`0.12–0.19`, the smaller number first."""
    if reach.best is None:
        return absent
    if reach.worst is None:
        return f"{shown(reach.best)} or more"
    low, high = sorted((reach.best, reach.worst))
    return shown(low) if shown(low) == shown(high) else f"{shown(low)}–{shown(high)}"


def size(value: float) -> str:
    """A change of a score, or its noise, with two digits that tell."""
    return f"{value:.2f}" if value >= 0.095 else f"{value:.3f}"


def _reading(plan: Forecast) -> Iterator[str]:
    share = numbers.percent(plan.power)
    if plan.critical is not None:
        yield (
            f"{numbers.counted(plan.tested, 'slice')} tested together at {numbers.percent(plan.alpha)}: a fall has to "
            f"be about {plan.critical:.2f} standard errors large."
        )
    yield (
        f"Smallest fall: shown with a probability of {share}; the range goes from a change spread over many cases to "
        "whole cases that break."
    )
    yield "Under 10 independent cases a slice never blocks; 30 are the floor, 100 comfortable, 300 to slice five ways."
