"""Compares every pair of four real models with the gate's engine: `python -m benchmarks.real_outputs`."""

import math
import sys
from dataclasses import dataclass
from itertools import combinations
from typing import get_args

from rich.console import Console
from rich.table import Table

from benchmarks.promptpex import MODELS, Row, read, recorded
from gate.config.policy import MethodName, RunPolicy
from gate.config.values import OVERALL
from gate.engine.decide import Assessment, Assessor
from gate.record.comparison import Comparison, State
from gate.report import numbers
from tests.support.runs import table_of

SEED = 20250307
DOWN = tuple(combinations(MODELS, 2))
PAIRS = DOWN + tuple((weak, strong) for strong, weak in DOWN) + tuple((model, model) for model in MODELS)
"""From stronger to weaker, then from weaker to stronger, then each model with itself."""

LEGEND = (
    "regressions: tested slices that the method fails. familiar: slices of any size that the familiar rule fails.",
    "tested: slices of at least 10 cases, tested together. too few: smaller slices, and those without a right answer.",
    "detectable overall: the smallest drop of a whole prompt that is found with 80 % power, over the five prompts.",
)

HONESTY = (
    "1. The outputs are real: 381 tests on five prompts, four models, recorded by PromptPex (CC BY 4.0).",
    "2. The score is a recorded verdict of gpt-4o, 1 or 0. The judge may err, and it may like its own family.",
    "3. The model changes here, not the prompt: these differences are larger than those of most edits.",
    "4. `rule` slices have three cases each. They are too few: they neither block nor show that nothing changed.",
    "5. One verdict is missing. The gate tries both values, and decides only if both give the same result.",
    "6. There is one sample per test and model (k = 1): how much a model varies on one test is unknown.",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One pair under one method.

    Args:
        baseline, candidate: the models.
        method: the policy's method.
        assessment: the engine's result.
    """

    baseline: str
    candidate: str
    method: MethodName
    assessment: Assessment

    @property
    def rows(self) -> tuple[Comparison, ...]:
        return tuple(row for _, row in self.assessment.quality.slices)

    @property
    def tested(self) -> int:
        return self.assessment.quality.tested

    @property
    def too_few(self) -> int:
        return sum(row.state is State.TOO_FEW for row in self.rows)

    @property
    def familiar(self) -> int:
        """Slices that the familiar rule would fail, including those with three cases."""
        return sum(row.familiar_fail for row in self.rows)

    @property
    def regressions(self) -> tuple[str, ...]:
        return tuple(row.slice for row in self.rows if row.blocking and row.state is State.REGRESSION)

    @property
    def worst(self) -> Comparison:
        """The slice with the lowest upper bound, then the lowest mean, of those that can block."""
        blocking = [row for row in self.rows if row.blocking]
        return min(blocking, key=lambda row: (math.inf if row.upper is None else row.upper, row.mean or 0.0))

    @property
    def detectable(self) -> tuple[float | None, ...]:
        """The smallest drop in each prompt's `overall` that is found with 80 % power; None if there is none."""
        return tuple(row.mde for piece, row in self.assessment.quality.slices if piece.name == OVERALL)


def find(rows: tuple[Row, ...], baseline: str, candidate: str, method: MethodName = "maxt") -> Finding:
    """Assess one pair over all five prompts at once.

    Args:
        rows: from `benchmarks.promptpex.read`.
        baseline, candidate: two of `MODELS`.
        method: how the slices are tested.
    """
    run = recorded(rows, baseline, candidate)
    assessor = Assessor(run.suites, RunPolicy(method=method), SEED)
    return Finding(baseline, candidate, method, assessor.assess(table_of(run.samples)))


def table(findings: list[Finding]) -> Table:
    """One row for each finding, grouped by pair."""
    out = Table(title="Real outputs: every pair of models over five prompts, k = 1", title_justify="left")
    for column in ("baseline → candidate", "method", "verdict", "worst slice", "change and interval"):
        out.add_column(column)
    for column in ("regressions", "familiar", "tested", "too few", "detectable overall"):
        out.add_column(column, justify="right")
    before = ""
    for finding in findings:
        pair = f"{finding.baseline} → {finding.candidate}"
        if before and pair != before:
            out.add_section()
        out.add_row("" if pair == before else pair, *_cells(finding))
        before = pair
    return out


def _cells(finding: Finding) -> tuple[str, ...]:
    worst = finding.worst
    return (
        finding.method,
        finding.assessment.decision.verdict.value,
        worst.slice,
        numbers.score_change(worst),
        str(len(finding.regressions)),
        str(finding.familiar),
        str(finding.tested),
        str(finding.too_few),
        _range(finding.detectable),
    )


def _range(values: tuple[float | None, ...]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "nothing"
    text = f"{numbers.score(min(known))} to {numbers.score(max(known))}"
    return text if len(known) == len(values) else f"{text}, nothing in {len(values) - len(known)}"


def main() -> None:
    """Assess all pairs with every method of the policy, and print."""
    rows = read()
    findings = [find(rows, *pair, method) for pair in PAIRS for method in get_args(MethodName)]
    console = Console(width=170 if not sys.stdout.isatty() else None)
    console.print(table(findings))
    for line in (*LEGEND, "", *HONESTY):
        console.print(line, highlight=False)


if __name__ == "__main__":
    main()
