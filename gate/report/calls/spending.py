"""What a run took: calls and dollars, who made and cost them, and what one answer's share is called."""

from collections.abc import Iterator, Sequence
from math import fsum

from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.domain.record_new import NewSuiteRecord
from gate.domain.record_parts import SpendingRecord, SpentRecord
from gate.domain.usage import FREE, UNPRICED
from gate.report import numbers
from gate.report.parts.whole import Fact, Text
from gate.report.slices import LONGEST_SENTENCE, short

_NO_MONEY = ("n/a", "nothing")


def per(suites: Sequence[SuiteRecord | NewSuiteRecord]) -> str:
    """What dollars and seconds of an answer are means over: `per call`, `per conversation`."""
    units = dict.fromkeys("call" if suite.conversations is None else "conversation" for suite in suites)
    return f"per {' or '.join(units) or 'call'}"


def costs(run: RunRecord) -> Iterator[Fact]:
    """Calls, dollars and time; where agents were talked with, also who made the calls."""
    calls = run.calls
    yield Fact(
        "Calls",
        (f"{calls.made:,} made, {calls.cached:,} from a cache, {calls.retried:,} sent again, {calls.failed:,} failed",),
        brief=True,
    )
    money, time = _spent(run), numbers.duration(run.duration_s)
    both = f"{money}; took {time}" if money == "n/a" or money.startswith("unknown") else f"{money} in {time}"
    yield Fact("Spent", (both,), brief=True)
    suites: list[SuiteRecord | NewSuiteRecord] = [*run.suites, *run.new]
    known = [suite.spending for suite in suites]
    talked = any(suite.conversations is not None for suite in suites)
    if talked and len(told := _callers(known)) > 1:
        yield Fact("Of these", ("; ".join(told),), brief=True)


def spent(run: RunRecord) -> Text:
    """What the run took, and what it did not for answers that were known: `1,080 calls, $0.087, 42.3 s`."""
    if not run.calls.made and not run.calls.cached:
        return ()
    calls, money, time = numbers.counted(run.calls.made, "call"), _spent(run), numbers.duration(run.duration_s)
    if money.startswith("unknown"):
        told = f"This run took {calls} and {time}; its price is {money}"
    else:
        told = f"This run took {calls}{'' if money in _NO_MONEY else f', {money}'} and {time}"
    known, saved = _known(run)
    if not known:
        return (f"{told}.",)
    worth = f" and about {numbers.dollars(saved)}" if saved else ""
    return (f"{told}; {numbers.counted(known, 'known answer')} saved {_calls(known)}{worth}.",)


def _calls(count: int) -> str:
    return "a call" if count == 1 else "as many calls"


def _known(run: RunRecord) -> tuple[int, float]:
    """Answers that were reused, and what they would have cost at the price of the others."""
    count, usd = 0, 0.0
    for suite in run.suites:
        if suite.reuse is None:
            continue
        arms = ((suite.reuse.baseline, suite.cost.baseline.mean), (suite.reuse.candidate, suite.cost.candidate.mean))
        for arm, price in arms:
            if arm is not None:
                count += arm.reused
                usd += arm.reused * (price or 0.0)
    return count, usd


def _callers(parts: Sequence[SpendingRecord]) -> list[str]:
    told = (
        ("agents", [part.answers for part in parts]),
        ("follow-ups and simulated users", [part.aside for part in parts]),
        ("judges", [part.judges for part in parts]),
    )
    return [f"{who} {_together(spent)}" for who, spent in told if any(one.calls for one in spent)]


def _together(parts: Sequence[SpentRecord]) -> str:
    """Calls, and dollars where all of the calls have a price."""
    called = [part for part in parts if part.calls]
    prices = [part.usd for part in called if part.usd is not None]
    dollars = f", {numbers.dollars(fsum(prices))}" if called and len(prices) == len(called) else ""
    return f"{numbers.counted(sum(part.calls for part in called), 'call')}{dollars}"


def _spent(run: RunRecord) -> str:
    if run.spent_usd is not None:
        return numbers.dollars(run.spent_usd)
    if untold := _untold(run):
        return f"unknown: {untold}"
    priced = [suite.cost.applicable for suite in run.suites] + [suite.priced for suite in run.new]
    if not (any(priced) if run.evaluated else run.priced):
        return "n/a"
    return f"unknown: {UNPRICED}" if run.calls.made else "nothing"


def _untold(run: RunRecord) -> str:
    """Why suites do not know what they spent, each reason once; empty where none says so."""
    suites: list[SuiteRecord | NewSuiteRecord] = [*run.suites, *run.new]
    notes = dict.fromkeys(suite.cost_note for suite in suites if suite.calls.made and suite.spent_usd is None)
    return "; ".join(short(note, LONGEST_SENTENCE) for note in notes if note and note != FREE)
