"""How the slices were tested, and what that method promises."""

from collections import Counter
from collections.abc import Iterator

from gate.domain.record import MethodRecord, RunRecord
from gate.domain.verdict import State
from gate.report import numbers
from gate.report.parts.whole import Code, Fact, Text
from gate.report.slices import LONGEST_SENTENCE, of_run, short

MARGINS_NAMED = 5

_ALONE = {"percentile": "percentile bootstrap, the familiar rule", "t": "t test", "mcnemar": "exact McNemar test"}
_CORRECTIONS = {"bonferroni": "Bonferroni", "holm": "Holm"}


def method(run: RunRecord) -> Iterator[Fact]:
    """Method, promise, margin and seed."""
    yield Fact("Method", _name(run.method), brief=True)
    if run.method.samples_taken is not None:
        yield Fact("Early stopping", (_early(run),), brief=True)
    yield Fact("False blocks", (_promise(run.method),), brief=True)
    yield Fact("Margin", (_margins(run),))
    yield Fact("Seed", (Code(str(run.seed)),))


def _name(used: MethodRecord) -> Text:
    slices = numbers.counted(used.slices_tested, "slice")
    if used.name in _ALONE:
        correction = f", with the {_CORRECTIONS[used.correction]} correction" if used.correction != "none" else ""
        given = "; its intervals take the number of cases that turned as given" if used.name == "mcnemar" else ""
        return (f"{_ALONE[used.name]} (", Code(used.name), f"), each of {slices} alone{correction}{given}")
    flips = f" with {numbers.counted(used.flips, 'sign flip')}" if used.flips else ""
    breakage = ", and its breakage channel, which asks whether any case changed at all" if used.breakage else ""
    return ("joint sign-flip test (", Code(used.name), f") of {slices} together{flips}, overall included{breakage}")


def _early(run: RunRecord) -> str:
    """How many samples the comparison rests on, and why not on more."""
    used = run.method
    planned, taken = used.samples_planned or 0, used.samples_taken or 0
    told = f"{numbers.counted(planned, 'sample')} per case planned"
    if taken >= planned:
        return f"{told}; no earlier look at the results ended the run"
    fell = any(named.record.blocking and named.record.state is State.REGRESSION for named in of_run(run))
    why = "a regression was beyond doubt" if fell else "nothing looked like a change"
    return f"{told}, {taken} taken: {why}; {numbers.counted(used.spared, 'sample')} saved"


def _promise(used: MethodRecord) -> str:
    rate = numbers.percent(used.alpha)
    if used.name == "maxt" and used.breakage:
        return (
            f"if this change altered no case at all, the chance of a block is at most {rate}, all slices taken "
            "together; a harmless change that alters single cases is blocked more often"
        )
    if used.name == "maxt":
        return f"if this change did nothing, the chance of a block is at most {rate}, all slices taken together"
    if used.correction != "none":
        return {
            "percentile": f"about {rate} for all slices together where each has many cases, more where they are small",
            "t": f"about {rate} for all slices together; weak where many cases tie",
            "mcnemar": f"at most {rate} for all slices together",
        }[used.name]
    if used.name == "percentile":
        return f"about {rate} for one slice of many cases; not for a small slice, and not for several slices together"
    least = "about" if used.name == "t" else "at most"
    together = numbers.percent(min(1.0, used.alpha * used.slices_tested))
    return f"{least} {rate} for each slice alone, so up to {together} for all of them together"


def _margins(run: RunRecord) -> str:
    slices = of_run(run)
    margins = sorted({named.record.margin for named in slices})
    if not margins or margins == [0.0]:
        return "none; a slice is a regression when its whole interval lies below zero"
    means = "a slice is a regression when its whole interval lies below its margin"
    if len(margins) == 1:
        return f"{numbers.delta(-margins[0])} for every slice; {means}"
    counts = Counter(named.record.margin for named in slices)
    usual = max(margins, key=lambda margin: counts[margin])
    others = [named for named in slices if named.record.margin != usual]
    told = [f"{numbers.delta(-named.record.margin)} for {short(named.full)}" for named in others[:MARGINS_NAMED]]
    more = f" and {len(others) - MARGINS_NAMED:,} others" if len(others) > MARGINS_NAMED else ""
    return short(f"{numbers.delta(-usual)}, {', '.join(told)}{more}; {means}", LONGEST_SENTENCE)
