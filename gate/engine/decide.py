"""Comparisons become a verdict: the first row of the verdict table that applies."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gate.config.policy import OVERALL, RunPolicy
from gate.domain.comparison import AxisComparison, Comparison
from gate.domain.deletion import Deletion
from gate.domain.suite import Suite
from gate.domain.verdict import Decision, State, Verdict
from gate.engine.compare import Quality
from gate.engine.grounds import Grounds
from gate.stats.slices import BLOCKABLE_UNITS


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a verdict rests on.

    Args:
        suites: every suite that was compared.
        quality: the comparisons of all slices.
        axes: cost and latency of each suite, by its name.
        unfinished: why the evaluation was not finished, or None.
        new: what the new prompts say, which are judged on their own.
        deleted: prompts that the base examines and that are gone.
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
    """Apply the verdict table.

    Args:
        facts: comparisons, axes, and whether the run was finished.
        policy: `fail_on` turns HOLD into exit 1.
    """
    if facts.unfinished is not None:
        # What was not asked is not known: neither a fall nor the absence of one is read into half a run.
        return Decision(Verdict.INCONCLUSIVE, 3, (f"The evaluation was not finished: {facts.unfinished}.",))
    blocks = [*_regressions(facts), *facts.new.blocks]
    if blocks:
        return Decision(Verdict.BLOCK, 1, tuple(blocks))
    gaps = [*_gaps(facts), *facts.new.gaps]
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


def _gaps(facts: Facts) -> Iterator[str]:
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
                rise, allowed = _percent(axis.change), _percent(axis.allowance)
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


def _percent(value: float) -> str:
    return f"{value * 100:.0f} %"


def _bound(value: float | None) -> str:
    return "infinite" if value is None else f"{value:+.3f}".replace("-", "−")
