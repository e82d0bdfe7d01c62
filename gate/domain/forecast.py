"""What a run would cost and what it could show, before anything is spent."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from gate.domain.usage import Cost

Basis: TypeAlias = Literal["measured", "assumed"]
"""`measured` in an earlier run, or `assumed`."""

Role: TypeAlias = Literal["baseline", "candidate", "judge", "user"]
"""`user` is a model that plays one."""

Tier: TypeAlias = Literal["never blocks", "below the floor", "decides", "comfortable", "ample"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and where it comes from."""

    value: float
    basis: Basis


@dataclass(frozen=True, slots=True)
class Outlay:
    """The calls of one suite to one model in one role.

    Args:
        suite: its name.
        role: an arm, or who judges or talks with both arms.
        model: who is called.
        calls: how many, without retries.
        input_tokens, output_tokens: of all these calls together.
        seconds: of one call.
        cost: of all these calls together.
        alone: the model takes one call at a time, since it runs inside this process.
        in_a_row: calls that wait for one another, in the longest conversation.
        at_least: there may be more calls, which shows only in a run: an agent decides itself how often it is called.
    """

    suite: str
    role: Role
    model: str
    calls: int
    input_tokens: Figure
    output_tokens: Figure
    seconds: Figure
    cost: Cost
    alone: bool
    in_a_row: int = 1
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class Spending:
    """All calls of a run.

    Args:
        outlays: one for each suite, role and model.
        calls: how many, without retries.
        cost: of all of them, where every price is known; models without a price add nothing.
        cost_note: why it is not known; empty otherwise.
        minutes: wall clock.
        concurrency: calls in flight that the minutes are for.
    """

    outlays: tuple[Outlay, ...]
    calls: int
    cost: Cost
    cost_note: str
    minutes: float
    concurrency: int

    @property
    def at_least(self) -> bool:
        """May there be more calls?"""
        return any(outlay.at_least for outlay in self.outlays)

    @property
    def converses(self) -> bool:
        """Has a sample several calls?"""
        return self.at_least or any(outlay.in_a_row > 1 for outlay in self.outlays)

    @property
    def dollars_at_least(self) -> bool:
        """May they cost more? What conversations of an earlier run took has all of their calls in it."""
        return any(outlay.at_least and outlay.input_tokens.basis == "assumed" for outlay in self.outlays)


@dataclass(frozen=True, slots=True)
class Spread:
    """The standard deviation of a unit's delta if nothing changes, as a range, on the scale of scores.

    Args:
        low, high: its ends; equal where it was measured.
        basis: where it comes from.
        said: the same in a sentence.
        tau, sigma: between cases and within a case; None where they were not told apart.
        ties: share of cases whose delta is exactly 0 with so many samples; 0 where that is not known.
    """

    low: float
    high: float
    basis: Basis
    said: str
    tau: float | None = None
    sigma: float | None = None
    ties: float = 0.0


@dataclass(frozen=True, slots=True)
class Reach:
    """A range from the kindest assumption to the most cautious one; None is infinite, or cannot be named."""

    best: float | None
    worst: float | None


@dataclass(frozen=True, slots=True)
class SliceForecast:
    """What one slice could show.

    Args:
        suite: the suite's name.
        slice: full name, with the suite in front in a run over several.
        cases, units: cases, and independent units among them.
        tier: what so many units are good for.
        tested: belongs to the family and can block.
        advisory, required, margin: as the policy has it.
        detectable: smallest fall that would show with the power asked for, on the scale of scores.
        power: probability to show a fall of the size asked for.
        cases_needed: cases that would show such a fall with the power asked for.
    """

    suite: str
    slice: str
    cases: int
    units: int
    tier: Tier
    tested: bool
    advisory: bool
    required: bool
    margin: float
    detectable: Reach
    power: Reach
    cases_needed: Reach


@dataclass(frozen=True, slots=True)
class SuiteForecast:
    """One suite.

    Args:
        name: its name.
        cases, samples: of the exam.
        arms: 2, or 1 for a new prompt, which has nothing to be compared with.
        spread: noise of its deltas.
        slices: `overall` first.
    """

    name: str
    cases: int
    samples: int
    arms: int
    spread: Spread
    slices: tuple[SliceForecast, ...]


@dataclass(frozen=True, slots=True)
class Warned:
    """A sentence for the reader.

    Args:
        text: what is wrong, and the remedy.
        severe: the run as planned cannot end well.
    """

    text: str
    severe: bool = False


@dataclass(frozen=True, slots=True)
class Forecast:
    """A whole plan.

    Args:
        method: of the test.
        alpha: one-sided level for all slices together.
        power: probability asked for.
        effect: size of the fall asked about, on the scale of scores.
        tested: slices that would be tested together.
        critical: critical value to expect, in standard errors; None when nothing can block.
        spending: calls, tokens, dollars, minutes.
        suites: what each could show.
        warnings: severe ones first.
        notes: further sentences.
    """

    method: str
    alpha: float
    power: float
    effect: float
    tested: int
    critical: float | None
    spending: Spending
    suites: tuple[SuiteForecast, ...]
    warnings: tuple[Warned, ...]
    notes: tuple[str, ...] = ()
