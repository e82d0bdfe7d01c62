"""A calibration becomes a sheet."""

from collections.abc import Iterator

from gate.domain.calibration import CalibrationRecord, ChoiceRecord, RateRecord, SuiteCalibration
from gate.report import numbers
from gate.report.plan import size
from gate.report.sheet import Grid, Line, Remark, Sheet


def sheet(found: CalibrationRecord) -> Sheet:
    """The calibration as a reader sees it.

    Args:
        found: the whole record.
    """
    grids = []
    for suite in found.suites:
        grids += [_facts(suite), _choices(suite)]
    return Sheet(_headline(found), tuple(_remarks(found)), tuple(grids), tuple(_notes(found)))


def _headline(found: CalibrationRecord) -> str:
    rates = found.false_blocks
    if found.not_resampled:
        return f"How often noise alone blocks was not measured: {found.not_resampled}"
    if rates is None:
        return "nothing can block here: no slice has 10 independent cases"
    joint, familiar = _rate(rates.joint), _rate(rates.familiar)
    return f"Noise alone blocks {joint} of runs with the joint test, {familiar} with the familiar rule"


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
                f"{suite.name}: the prompt differs from itself by {numbers.delta(drift.mean)} "
                f"{numbers.interval(drift.lower, drift.upper)}{where}. That is chance in 1 run of 20; if it comes "
                "back, the service is not stable, and no comparison can be trusted",
                "bad",
            )
        for sentence in suite.advice:
            yield Remark(f"{suite.name}: {sentence}", "")


def _facts(suite: SuiteCalibration) -> Grid:
    title = f"{suite.name}: {numbers.counted(suite.cases, 'case')}, {numbers.counted(suite.samples, 'sample')} each"
    if suite.units < suite.cases:
        title += f", {suite.units:,} independent groups"
    drift = suite.drift
    rows = [
        ("noise between cases, tau", _sd(suite.tau, suite)),
        ("noise within a case, sigma", _sd(suite.sigma, suite)),
        ("noise of a case's change", "–" if suite.sd is None else f"{suite.sd:.3f}"),
        ("cases that tied", f"{suite.ties * 100:.0f} %"),
        ("cases always right", f"{suite.always_right * 100:.0f} %"),
        ("mean change", f"{numbers.delta(drift.mean)} {numbers.interval(drift.lower, drift.upper)}"),
    ]
    if suite.left_out:
        rows.append(("cases left out", f"{suite.left_out:,}, without all of their scores"))
    return Grid(title, ("", ""), tuple(Line(row) for row in rows))


def _sd(value: float | None, suite: SuiteCalibration) -> str:
    if value is not None:
        return f"{value:.3f}"
    return "none seen" if not suite.varied and suite.cases > 1 else "cannot be told with one sample or one case"


def _choices(suite: SuiteCalibration) -> Grid:
    if not suite.choices:
        return Grid("", (), ())
    lines = tuple(Line((f"samples: {c.samples}", f"{c.cases:,}", f"{c.calls:,}", _fall(c), "")) for c in suite.choices)
    return Grid("", ("choice", "cases", "calls", "smallest fall", ""), lines)


def _fall(choice: ChoiceRecord) -> str:
    if choice.best is None:
        return "none"
    if choice.worst is None:
        return f"{size(choice.best)} or more"
    return f"{size(choice.best)}–{size(choice.worst)}"


def _notes(found: CalibrationRecord) -> Iterator[str]:
    rates = found.false_blocks
    if rates is not None:
        yield (
            f"{rates.replicates:,} simulated runs over {numbers.counted(rates.slices, 'slice')}: cases drawn with "
            f"replacement, their samples dealt to two arms at random. The joint test promises "
            f"{rates.promised * 100:g} % at most; the familiar rule is a bootstrap interval for each slice on its own."
        )
    if found.not_resampled:
        yield (
            "The choices take the critical value that holds for any slices at all (Bonferroni): where slices overlap, "
            "smaller falls show, too."
        )
    yield (
        "Smallest fall: shown with a probability of 80 %; the range goes from a change spread over many cases to whole "
        "cases that break."
    )
    yield from found.notes
