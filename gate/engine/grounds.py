"""What the pass rates of new prompts say to the verdict: reasons for each row of its table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gate.config.policy import OVERALL
from gate.domain.passrate import PassRate, PassState
from gate.domain.suite import Suite
from gate.engine.absolute import PassRates


@dataclass(frozen=True, slots=True)
class Grounds:
    """Full sentences; none of them ever makes a verdict better.

    Args:
        blocks: slices that missed the rate that is wanted.
        gaps: required slices that cannot be judged.
        holds: what is not shown to be good enough, or what nobody set a rate for.
        met: what is.
    """

    blocks: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    met: tuple[str, ...] = ()


def grounds(suites: Sequence[Suite], rates: PassRates) -> Grounds:
    """The reasons that new prompts give.

    Args:
        suites: those that were judged on their own.
        rates: their pass rates.
    """
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
