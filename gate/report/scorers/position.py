"""What the order of the answers did to a pairwise judge, in a sentence."""

from collections.abc import Iterator

from gate.domain.comparison import Estimate
from gate.domain.judged import PositionBias
from gate.domain.record_compared import SuiteRecord
from gate.report import numbers
from gate.report.parts.whole import Fact
from gate.report.slices import short


def position_facts(prefix: str, suite: SuiteRecord) -> Iterator[Fact]:
    """One fact for each pairwise judge.

    Args:
        prefix: the suite's name within a run over several.
        suite: with what was measured.
    """
    for one in suite.positions:
        yield Fact(f"{prefix}{short(one.scorer)}", (_result(one),), brief=True)
        yield Fact(f"{prefix}{short(one.scorer)}, order of the answers", (_told(one),), brief=True)


def _result(one: PositionBias) -> str:
    pairs = f"{one.pairs:,} {'pair' if one.pairs == 1 else 'pairs'} of different answers"
    return f"of {pairs} the candidate's was better in {_share(one.won)} and worse in {_share(one.lost)}"


def _told(one: PositionBias) -> str:
    return (
        f"each pair was shown in both orders: the answer shown first was preferred in {_share(one.first)} of the "
        f"verdicts ({_bias(one.first)}), and in {_share(one.turned)} of the pairs the verdict turned with the order, "
        f"so that it counted half or nothing; {_share(one.tied)} were a tie both times"
    )


def _bias(first: Estimate) -> str:
    """The places are even: each answer is shown once at either."""
    if first.lower is None or first.upper is None:
        return "too few to call it a bias"
    if first.lower > 0.5:
        return "the judge likes the first place"
    return "the judge likes the second place" if first.upper < 0.5 else "no bias shown; 50 % would be none"


def _share(estimate: Estimate) -> str:
    value = numbers.percent(estimate.value)
    if estimate.lower is None or estimate.upper is None:
        return value
    return f"{value} [{_plain(estimate.lower)}, {_plain(estimate.upper)}]"


def _plain(value: float) -> str:
    return numbers.percent(value).removesuffix(" %")
