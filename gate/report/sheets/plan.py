"""The plan of a run and the calibration of its noise, as sheets."""

from collections.abc import Callable, Iterator

from gate import numbers
from gate.engine.forecast import FigureRange, Forecast, SliceForecast, SuiteForecast
from gate.engine.spending import ModelSpending, Range, Spending
from gate.record.calibration import CalibrationRecord, ChoiceRecord, RateRecord, SuiteCalibration
from gate.record.transcript import Dollars
from gate.report.sheet import Remark, Sheet, SheetRow, SheetTable, Tone, figure_columns, text_columns
from gate.values import counted

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


def plan_sheet(plan: Forecast) -> Sheet:
    """The forecast of a run as a sheet."""
    remarks = tuple(Remark(warned.text, "bad" if warned.severe else "doubtful") for warned in plan.warnings)
    if not plan.suites:
        return Sheet("no calls: the change touches no suite", remarks, (), plan.notes)
    grids = (_calls(plan), *(_slices(plan, suite) for suite in plan.suites))
    return Sheet(_plan_headline(plan.spending), remarks, grids, (*_reading(plan), *plan.notes))


def spending_words(spending: Spending) -> str:
    """Calls, dollars and time, in words."""
    least, about = "at least " if spending.at_least else "", "at least" if spending.dollars_at_least else "about"
    if isinstance(spending.cost, Dollars):
        cost = f"{about} {numbers.dollars(spending.cost.amount)}"
    else:
        cost = "no cost" if spending.cost.why == "n/a" else f"cost unknown ({spending.cost_note})"
    time = numbers.duration(spending.minutes * 60)
    return f"{least}{counted(spending.calls, 'call')}, {cost}, {about} {time}"


def _plan_headline(spending: Spending) -> str:
    alone = all(outlay.alone for outlay in spending.outlays)
    how = "one call after another" if alone else f"with {spending.concurrency} calls in flight"
    return f"{spending_words(spending)} {how}"


def _calls(plan: Forecast) -> SheetTable:
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
    head = (*text_columns("model"), *figure_columns("calls", "input tokens", "output tokens", "a call", "cost"))
    return SheetTable("Expected calls", head, tuple(lines), tuple(below))


_OPEN = "only a run shows how many calls an agent makes; this plan counts one call per round."
_MEASURED = "Tokens and times were measured in an earlier run."


def _bases(outlay: ModelSpending) -> tuple[str, str, str]:
    return outlay.input_tokens.basis, outlay.output_tokens.basis, outlay.seconds.basis


def _outlay(outlay: ModelSpending, *, several: bool) -> SheetRow:
    suite = f"{outlay.suite}, " if several else ""
    cost = outlay.cost
    price = numbers.dollars(cost.amount) if isinstance(cost, Dollars) else "n/a" if cost.why == "n/a" else "unknown"
    return SheetRow(
        (
            f"{suite}{outlay.role}: {outlay.model}",
            f"{_LEAST * outlay.at_least}{outlay.calls:,}",
            _tokens(outlay.input_tokens),
            _tokens(outlay.output_tokens),
            _mark(outlay.seconds, numbers.duration(outlay.seconds.value)),
            price,
        )
    )


def _tokens(figure: Range) -> str:
    return _mark(figure, numbers.tokens(round(figure.value)))


def _mark(figure: Range, text: str) -> str:
    return f"{_ASSUMED}{text}" if figure.basis == "assumed" else text


def _slices(plan: Forecast, suite: SuiteForecast) -> SheetTable:
    title = f"{suite.name}: {counted(suite.cases, 'case')}, {counted(suite.samples, 'sample')} each"
    if suite.arms < 2:
        return SheetTable(
            title, (), (), ("A new prompt has no baseline. Only the candidate is called, and nothing is compared.",)
        )
    effect = change_size(plan.effect)
    known = figure_columns("cases", "smallest drop", f"power for {effect}", f"cases for {effect}")
    head = (*text_columns("slice"), *known, *text_columns(""))
    return SheetTable(title, head, tuple(_slice(row, suite) for row in suite.slices), tuple(_noise(suite)))


def _noise(suite: SuiteForecast) -> Iterator[str]:
    spread = suite.spread
    sd = (
        change_size(spread.high)
        if spread.high - spread.low < 0.0005
        else f"{change_size(spread.low)} to {change_size(spread.high)}"
    )
    parts = ""
    if spread.tau is not None and spread.sigma is not None:
        parts = f" (tau {change_size(spread.tau)} between cases, sigma {change_size(spread.sigma)} within one)"
    yield f"Noise of a case's change: {sd}{parts}; {spread.said}."


def _slice(row: SliceForecast, suite: SuiteForecast) -> SheetRow:
    cases = f"{row.cases:,}" if row.cases == row.units else f"{row.cases:,} in {row.units:,} groups"
    marks = [
        _WORDS.get(row.tier, row.tier),
        *(["advisory"] if row.advisory else []),
        *(["required"] if row.required else []),
        *([f"margin {numbers.score(row.margin)}"] if row.margin else []),
    ]
    shows = _range(row.power, lambda value: f"{value * 100:.0f}", "never")
    return SheetRow(
        (
            row.name,
            cases,
            _range(row.detectable, change_size, "none"),
            shows if shows == "never" else f"{shows} %",
            _range(row.cases_needed, lambda value: numbers.tokens(round(value)), "–"),
            ", ".join(marks),
        ),
        _TONES[row.tier],
    )


def _range(reach: FigureRange, shown: Callable[[float], str], absent: str) -> str:
    """`0.12–0.19`, the smaller number first."""
    if reach.best is None:
        return absent
    if reach.worst is None:
        return f"{shown(reach.best)} or more"
    low, high = sorted((reach.best, reach.worst))
    return shown(low) if shown(low) == shown(high) else f"{shown(low)}–{shown(high)}"


def change_size(value: float) -> str:
    """A change of a score, or its noise, with two significant digits."""
    return f"{value:.2f}" if value >= 0.095 else f"{value:.3f}"


def _reading(plan: Forecast) -> Iterator[str]:
    share = numbers.percent(plan.power)
    if plan.critical is not None:
        yield (
            f"{counted(plan.tested, 'slice')} tested together at a false block rate of "
            f"{numbers.percent(plan.alpha)}: a drop is significant from about {plan.critical:.2f} standard errors."
        )
    yield (
        f"Smallest drop: the smallest one that can be detected with a probability of {share}. The smaller figure is "
        "for a change spread over many cases, the larger for single cases that fail completely."
    )
    yield (
        "A slice with fewer than 10 independent cases never blocks. Use at least 30 cases, better 100, "
        "and 300 to compare five slices."
    )


def calibration_sheet(found: CalibrationRecord) -> Sheet:
    """The calibration of a suite's noise as a sheet."""
    grids = []
    for suite in found.suites:
        grids += [_facts(suite), _choices(suite)]
    return Sheet(_noise_headline(found), tuple(_remarks(found)), tuple(grids), tuple(_notes(found)))


def _noise_headline(found: CalibrationRecord) -> str:
    rates = found.false_blocks
    if found.not_resampled:
        return f"The rate of false blocks was not measured: {found.not_resampled}"
    if rates is None:
        return "no slice can block: none has 10 independent cases"
    joint, familiar = _rate(rates.joint), _rate(rates.familiar)
    return f"Without any change, {joint} of runs are blocked by the joint test, {familiar} by the familiar rule"


def _rate(found: RateRecord) -> str:
    return f"{found.rate * 100:.1f} % (± {found.error * 100:.1f})"


def _remarks(found: CalibrationRecord) -> Iterator[Remark]:
    if found.unfinished:
        yield Remark(f"not finished: {found.unfinished}")
    for suite in found.suites:
        drift = suite.drift
        if suite.same_arms and (drift.shown or suite.fell):
            where = f" ({', '.join(suite.fell[:5])})" if suite.fell else ""
            yield Remark(
                f"{suite.name}: the prompt differs from itself by {numbers.score_change(drift)}"
                f"{where}. Chance does this in 1 run of 20. If it "
                "happens again, the service is not stable, and no comparison can be trusted",
                "bad",
            )
        for sentence in suite.advice:
            yield Remark(f"{suite.name}: {sentence}", "")


def _facts(suite: SuiteCalibration) -> SheetTable:
    title = f"{suite.name}: {counted(suite.cases, 'case')}, {counted(suite.samples, 'sample')} each"
    if suite.units < suite.cases:
        title += f", {suite.units:,} independent groups"
    drift = suite.drift
    rows = [
        ("noise between cases, tau", _sd(suite.tau, suite)),
        ("noise within a case, sigma", _sd(suite.sigma, suite)),
        ("noise of a case's change", "–" if suite.sd is None else f"{suite.sd:.3f}"),
        ("cases without a change", f"{suite.ties * 100:.0f} %"),
        ("cases always right", f"{suite.always_right * 100:.0f} %"),
        (
            "mean change",
            numbers.score_change(drift)
            if drift.undetected is None
            else numbers.unchanged_cases(suite.cases, drift.undetected),
        ),
    ]
    if suite.left_out:
        rows.append(("cases left out", f"{suite.left_out:,}, because scores are missing"))
    return SheetTable(title, text_columns("", ""), tuple(SheetRow(row) for row in rows))


def _sd(value: float | None, suite: SuiteCalibration) -> str:
    if value is not None:
        return f"{value:.3f}"
    return "none seen" if not suite.varied and suite.cases > 1 else "unknown: needs more than one sample and one case"


def _choices(suite: SuiteCalibration) -> SheetTable:
    if not suite.choices:
        return SheetTable("", (), ())
    lines = tuple(
        SheetRow((f"samples: {c.samples}", f"{c.cases:,}", f"{c.calls:,}", _smallest_drop(c))) for c in suite.choices
    )
    return SheetTable("", (*text_columns("choice"), *figure_columns("cases", "calls", "smallest drop")), lines)


def _smallest_drop(choice: ChoiceRecord) -> str:
    if choice.best is None:
        return "none"
    if choice.worst is None:
        return f"{change_size(choice.best)} or more"
    return f"{change_size(choice.best)}–{change_size(choice.worst)}"


def _notes(found: CalibrationRecord) -> Iterator[str]:
    rates = found.false_blocks
    if rates is not None:
        yield (
            f"{rates.replicates:,} simulated runs over {counted(rates.slices, 'slice')}: cases are drawn "
            f"with replacement, and their samples are assigned to the two arms at random. The joint test keeps the "
            f"rate at {rates.promised * 100:g} % or below. Familiar rule: a separate bootstrap interval for each slice."
        )
    if found.not_resampled:
        yield (
            "The choices use a critical value that holds for any slices (Bonferroni). Where slices overlap, "
            "smaller drops can be detected, too."
        )
    yield (
        "Smallest drop: the smallest one that can be detected with a probability of 80 %. The smaller figure is for a "
        "change spread over many cases, the larger for single cases that fail completely."
    )
    yield from found.notes
