"""From samples to a verdict that missing samples cannot have changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gate.domain.absence import Failed, Unscored
from gate.domain.comparison import AxisComparison
from gate.domain.sample import ArmName, Sample
from gate.domain.suite import RunPolicy, Suite
from gate.domain.verdict import Decision, Verdict
from gate.engine import axes
from gate.engine.absolute import PassRates, pass_rates
from gate.engine.compare import Quality, compare
from gate.engine.decide import Facts, decide
from gate.engine.grounds import grounds
from gate.engine.pairs import Key, by_case, scores
from gate.engine.plan import count
from gate.engine.stack import stack

Axes = Mapping[str, tuple[AxisComparison, AxisComparison]]

SCENARIOS = tuple({ArmName.BASELINE: step / 4, ArmName.CANDIDATE: 1 - step / 4} for step in range(5))
"""What missing scores are taken for, from the kindest to the candidate to the harshest.

The extremes of the mean are not those of the test, which also looks at the spread: hence the steps between.
"""
CASES_NAMED = 8
"""Cases to be asked again that a reason names before it counts the rest."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Samples without a score.

    Args:
        samples: how many are missing, samples that were never taken included.
        total: how many were planned.
        best, worst: the verdicts if all of them had gone for, or against, the candidate; None when none is missing.
        reasons: each distinct reason with its count, the most frequent first.
        cases: which cases they belong to, `suite/id` in a run over several suites.
    """

    samples: int
    total: int
    best: Verdict | None
    worst: Verdict | None
    reasons: tuple[str, ...]
    cases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the run says.

    Args:
        quality: comparisons from the samples that have a score.
        rates: pass rates of the new prompts.
        axes: cost and latency of each suite that was compared.
        decision: the verdict.
        missing: what has no score, and what it could have changed.
    """

    quality: Quality
    rates: PassRates
    axes: Axes
    decision: Decision
    missing: Missing


@dataclass(frozen=True, slots=True)
class Assessor:
    """Judges a set of samples.

    Args:
        suites: what was evaluated.
        policy: level, method and what fails.
        seed: of the test's sign flips.
    """

    suites: tuple[Suite, ...]
    policy: RunPolicy
    seed: int

    @property
    def compared(self) -> tuple[Suite, ...]:
        """The suites with two arms."""
        return tuple(suite for suite in self.suites if suite.baseline is not None)

    @property
    def new(self) -> tuple[Suite, ...]:
        """The suites of prompts that the change brings, which stand alone."""
        return tuple(suite for suite in self.suites if suite.baseline is None)

    def assess(self, samples: Sequence[Sample], unfinished: str | None = None) -> Assessment:
        """Compare, decide, and check what the missing samples could have changed.

        Args:
            samples: every finished sample, failed ones included.
            unfinished: why the run ended early, or None.
        """
        table = by_case(samples)
        alpha = self.policy.alpha
        compared = {s.name: (axes.cost(s, table, alpha), axes.latency(s, table, alpha)) for s in self.compared}
        (quality, rates), decision = self._verdict(table, compared, unfinished)
        total = count(self.suites)
        scored = sum(not isinstance(sample.score, Unscored) for sample in samples)
        if scored == total:
            return Assessment(quality, rates, compared, decision, Missing(0, total, None, None, ()))
        # McNemar's test knows right and wrong, and nothing between.
        scenarios = (SCENARIOS[0], SCENARIOS[-1]) if self.policy.method == "mcnemar" else SCENARIOS
        verdicts = [self._verdict(table, compared, unfinished, scenario)[1].verdict for scenario in scenarios]
        cases = _incomplete(self.suites, table)
        missing = Missing(total - scored, total, verdicts[0], verdicts[-1], _reasons(samples, total), cases)
        return Assessment(quality, rates, compared, _settle(decision, missing, verdicts), missing)

    def _verdict(
        self,
        table: Mapping[Key, Sequence[Sample]],
        compared: Axes,
        unfinished: str | None,
        imputed: Mapping[ArmName, float] | None = None,
    ) -> tuple[tuple[Quality, PassRates], Decision]:
        quality = Quality((), 0, None)
        if self.compared:
            stacked = stack(self.compared, {suite.name: scores(suite, table, imputed) for suite in self.compared})
            quality = compare(stacked, self.policy, self.seed)
        passed = None if imputed is None else imputed[ArmName.CANDIDATE] > 0
        rates = pass_rates(self.new, table, self.policy.alpha, passed)
        facts = Facts(self.compared, quality, compared, unfinished, grounds(self.new, rates))
        return (quality, rates), decide(facts, self.policy)


def _settle(decision: Decision, missing: Missing, verdicts: Sequence[Verdict]) -> Decision:
    """The verdict stands only if the missing samples could not have made it another one."""
    if decision.verdict is Verdict.INCONCLUSIVE or {decision.verdict, *verdicts} == {decision.verdict}:
        return decision
    between = sorted({*verdicts[1:-1]} - {missing.best, missing.worst})
    why = (
        f"{missing.samples} of {missing.total} samples have no score, and they could change the verdict: "
        f"{missing.best} if all of them had gone well for the candidate, {missing.worst} if all had gone badly"
        f"{f', {between[0]} if some had' if between else ''}."
    )
    more = len(missing.cases) - CASES_NAMED
    named = f"{', '.join(missing.cases[:CASES_NAMED])}{f' and {more} more' if more > 0 else ''}"
    again = f"Cases to be asked again: {named}."
    return Decision(Verdict.INCONCLUSIVE, 3, (why, again, *missing.reasons))


def _incomplete(suites: Sequence[Suite], table: Mapping[Key, Sequence[Sample]]) -> tuple[str, ...]:
    """Names of the cases that lack a score, in the order of the exams."""
    out = []
    for suite in suites:
        prefix = f"{suite.name}/" if len(suites) > 1 else ""
        for case in suite.exam.cases:
            rows = [table.get((suite.name, case.id, arm), ()) for arm in suite.arms]
            scored = [sum(not isinstance(sample.score, Unscored) for sample in row) for row in rows]
            if min(scored) < suite.samples:
                out.append(f"{prefix}{case.id}")
    return tuple(out)


def _reasons(samples: Sequence[Sample], total: int) -> tuple[str, ...]:
    counts: dict[str, int] = {}
    for sample in samples:
        if isinstance(sample.reply, Failed):
            counts[sample.reply.reason] = counts.get(sample.reply.reason, 0) + 1
        elif isinstance(sample.score, Unscored):
            counts[sample.score.reason] = counts.get(sample.score.reason, 0) + 1
    if len(samples) < total:
        counts["never taken"] = total - len(samples)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(f"{number} × {reason}" for reason, number in ordered[:5])
