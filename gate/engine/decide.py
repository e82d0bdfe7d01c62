"""Comparisons and pass rates become a verdict: the first row of the verdict table that applies."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gate.config.policy import OVERALL, RunPolicy
from gate.engine.compare import PassRates, Quality
from gate.record.comparison import AxisComparison, Comparison, Decision, PassRate, PassState, State, Verdict
from gate.record.parts import Deletion
from gate.stats.arrays import BLOCKABLE_UNITS
from gate.suite import Suite


@dataclass(frozen=True, slots=True)
class Grounds:
    """Reasons as full sentences; none of them ever makes a verdict better.

    Args:
        blocks: slices that missed the required rate.
        gaps: required slices that cannot be judged.
        holds: what is not shown to be good enough, or has no required rate.
        met: slices that reached the required rate.
    """

    blocks: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    met: tuple[str, ...] = ()


def grounds(suites: Sequence[Suite], rates: PassRates) -> Grounds:
    """The reasons that come from suites that were judged on their own."""
    rows = [(suite, rates.suites[suite.name]) for suite in suites]
    blocking = [(suite.name, rate) for suite, found in rows for rate in found if rate.blocking]
    missed = sorted((one for one in blocking if one[1].state is PassState.MISSED), key=_shortfall)
    return Grounds(
        blocks=tuple(f"{_told(*one)}, and the upper bound is {_percent(one[1].upper)}." for one in missed),
        gaps=tuple(reason for suite, found in rows for reason in _gaps(suite, found)),
        holds=tuple(reason for suite, found in rows for reason in _holds(suite, found)),
        met=tuple(f"{_told(suite.name, found[0])}." for suite, found in rows if found[0].state is PassState.MET),
    )


def _shortfall(one: tuple[str, PassRate]) -> tuple[float, str]:
    return ((one[1].upper or 0.0) - (one[1].wanted or 0.0), f"{one[0]}/{one[1].slice}")


def _gaps(suite: Suite, rates: Sequence[PassRate]) -> Iterator[str]:
    found = {rate.slice: rate for rate in rates}
    for name in suite.exam.policy.required:
        if name not in found:
            yield f"{suite.name}: the required slice {name} has no cases."
        elif found[name].state is PassState.TOO_FEW:
            yield f"{suite.name}/{name} is required and has too few cases to decide ({found[name].n})."


def _holds(suite: Suite, rates: Sequence[PassRate]) -> Iterator[str]:
    policy = suite.exam.policy
    for rate in rates:
        if rate.doubtful:
            yield f"{_told(suite.name, rate)}, which is not shown: the lower bound is {_percent(rate.lower)}."
    if rates[0].state is PassState.TOO_FEW:
        yield f"{suite.name}/{OVERALL}: {rates[0].n} cases are too few to decide; 30 are the floor, 100 comfortable."
    if policy.min_pass_rate is None and all(own.min_pass_rate is None for own in policy.slices.values()):
        yield f"{suite.name}: nobody said what is good enough; set min_pass_rate in the policy of its suite."
    names = {rate.slice for rate in rates}
    for name in policy.slices:
        if name not in names:
            yield f"{suite.name}: the policy names the slice {name}, which has no cases."


def _told(suite: str, rate: PassRate) -> str:
    wanted = "" if rate.wanted is None else f"; at least {_percent(rate.wanted)} are wanted"
    return f"{suite}/{rate.slice}: {_percent(rate.rate)} of the answers to {rate.n} cases passed{wanted}"


def _percent(value: float | None) -> str:
    """With one decimal, unless it is whole."""
    text = f"{(value or 0.0) * 100:.1f}"
    return f"{text.removesuffix('.0')} %"


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a verdict rests on.

    Args:
        axes: cost and latency of each suite, by its name.
        unfinished: why the evaluation was not finished, or None.
        new: reasons from new prompts, which are judged on their own.
    """

    suites: tuple[Suite, ...]
    quality: Quality
    axes: Mapping[str, tuple[AxisComparison, AxisComparison]]
    unfinished: str | None = None
    new: Grounds = field(default_factory=Grounds)
    deleted: tuple[Deletion, ...] = ()

    @property
    def deciding(self) -> tuple[Suite, ...]:
        """The suites that have a part in the verdict."""
        return tuple(suite for suite in self.suites if not suite.trial)


def decide(facts: Facts, policy: RunPolicy) -> Decision:
    """Apply the verdict table; `policy.fail_on` turns HOLD into exit 1."""
    if facts.unfinished is not None:
        # What was not asked is not known: neither a fall nor the absence of one is read into half a run.
        return Decision(Verdict.INCONCLUSIVE, 3, (f"The evaluation was not finished: {facts.unfinished}.",))
    blocks = [*_regressions(facts), *facts.new.blocks]
    if blocks:
        return Decision(Verdict.BLOCK, 1, tuple(blocks))
    gaps = [*_missing_samples(facts), *facts.new.gaps]
    if gaps:
        return Decision(Verdict.INCONCLUSIVE, 3, tuple(gaps))
    if not facts.suites and facts.new == Grounds() and not facts.deleted:
        # Both arms are the same, so there is nothing that could have got worse; nor is anything shown to be better.
        return Decision(Verdict.PASS, 0, ("no prompt changed; the exam did.",))
    holds = [*_suspects(facts), *_too_few(facts), *_exceeded(facts), *facts.new.holds, *map(str, facts.deleted)]
    if holds:
        return Decision(Verdict.HOLD, 1 if policy.fail_on == "hold" else 0, tuple(holds))
    improved = [row for row in _overall(facts) if row.state is State.IMPROVEMENT]
    if not improved:
        quiet = "Nothing regressed and nothing is suspect; no improvement was shown either."
        return Decision(Verdict.PASS, 0, (*((quiet,) if facts.suites else ()), *facts.new.met))
    unmeasured = list(_unmeasured(facts))
    wins = tuple(f"{row.slice} rose by {row.mean:.3f}." for row in improved if row.mean is not None)
    if unmeasured:
        return Decision(Verdict.PASS, 0, (*wins, *unmeasured, *facts.new.met))
    calm = "Nothing regressed, and cost and latency are within their allowances."
    return Decision(Verdict.SHIP, 0, (*wins, calm, *facts.new.met))


def _regressions(facts: Facts) -> Iterator[str]:
    rows = [row for _, row in facts.quality.slices if row.blocking and row.state is State.REGRESSION]
    for row in sorted(rows, key=lambda row: (row.upper if row.upper is not None else 0.0, row.slice)):
        margin = f", below the margin of {_bound(-row.margin)}" if row.margin else ""
        yield f"{row.slice} {_fall(row)} over {row.n} cases; the upper bound is {_bound(row.upper)}{margin}."


def _missing_samples(facts: Facts) -> Iterator[str]:
    for suite in facts.deciding:
        rows = {piece.name: row for piece, row in facts.quality.slices if piece.suite == suite.name}
        for name in suite.exam.policy.required:
            row = rows.get(name)
            if row is None:
                yield f"{suite.name}: the required slice {name} has no cases."
            elif row.state is State.TOO_FEW:
                yield f"{row.slice} is required and has too few cases to decide ({row.n})."


def _suspects(facts: Facts) -> Iterator[str]:
    for _, row in facts.quality.slices:
        if row.blocking and row.state is State.SUSPECT:
            chance = "" if row.p is None else f" (p = {row.p:.3f})"
            yield f"{row.slice} is suspect: it {_fall(row)}, which is not beyond doubt{chance}."


def _too_few(facts: Facts) -> Iterator[str]:
    for row in _overall(facts):
        if row.state is not State.TOO_FEW:
            continue
        if row.mean is not None and row.units >= BLOCKABLE_UNITS:
            yield f"{row.slice}: every answer of both arms scored 0, so the scorers cannot tell them apart."
        else:
            yield f"{row.slice}: {_counted(row)} too few to decide; 30 are the floor, 100 comfortable."


def _exceeded(facts: Facts) -> Iterator[str]:
    for name in (suite.name for suite in facts.deciding):
        for axis in facts.axes[name]:
            if axis.exceeded and axis.change is not None:
                where = f"{name}: " if len(facts.suites) > 1 else ""
                rise, allowed = _share_percent(axis.change), _share_percent(axis.allowance)
                yield f"{where}{axis.axis} rose by {rise}, more than the allowed {allowed}."


def _unmeasured(facts: Facts) -> Iterator[str]:
    for name in (suite.name for suite in facts.deciding):
        for axis in facts.axes[name]:
            if axis.applicable and not axis.compared:
                yield f"{name}: {axis.axis} could not be compared ({axis.reason}), so this is not a SHIP."


def _overall(facts: Facts) -> list[Comparison]:
    deciding = {suite.name for suite in facts.deciding}
    return [row for piece, row in facts.quality.slices if piece.name == OVERALL and piece.suite in deciding]


def _counted(row: Comparison) -> str:
    if row.units == row.n:
        return "1 case is" if row.n == 1 else f"{row.n} cases are"
    return f"{row.n} cases in {row.units} independent groups, which count as one each, are"


def _fall(row: Comparison) -> str:
    return f"fell by {-(row.mean or 0.0):.3f}"


def _share_percent(value: float) -> str:
    return f"{value * 100:.0f} %"


def _bound(value: float | None) -> str:
    return "infinite" if value is None else f"{value:+.3f}".replace("-", "−")
