"""Counts how often a rule blocks, holds, finds a drop or covers the truth."""

import math
import zlib
from dataclasses import dataclass

import numpy as np

from benchmarks.statistics.simulation.decision_rules import SUSPECT, PullRequest, Rule
from benchmarks.statistics.simulation.guarantees import Cell, Question
from benchmarks.statistics.simulation.score_regimes import REGIMES

BROKEN_BEYOND = 3.0
"""Monte Carlo standard errors by which a rate may miss its limit."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of simulated pull requests."""

    hits: int
    runs: int

    @property
    def value(self) -> float:
        return self.hits / self.runs

    @property
    def error(self) -> float:
        """Monte Carlo standard error."""
        return math.sqrt(self.value * (1.0 - self.value) / self.runs)

    def holds(self, limit: float, at_most: bool) -> bool:
        """Whether the rate is within its limit, plus `BROKEN_BEYOND` standard errors."""
        slack = BROKEN_BEYOND * math.sqrt(limit * (1.0 - limit) / self.runs)
        return self.value <= limit + slack if at_most else self.value >= limit - slack


def rate_of(cell: Cell, rule: Rule, runs: int, seed: int) -> Rate:
    """Simulate pull requests; with the same seed, all rules get the same ones."""
    return Rate(sum(_happens(rule, pull_request(cell, seed, run), cell.question) for run in range(runs)), runs)


def pull_request(cell: Cell, seed: int, run: int) -> PullRequest:
    """Draw one pull request of a cell."""
    name = f"{cell.promise} {cell.regime} {cell.layout.words} {cell.n} {cell.fall} {cell.declared}"
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), run])
    regime, cases = REGIMES[cell.regime], cell.n * cell.layout.parts
    deltas = regime.deltas(rng, cell.n, cell.fall)
    if cases > cell.n:
        deltas = np.concatenate([deltas, regime.deltas(rng, cases - cell.n)])
    clusters = np.arange(cases) // regime.variants if cell.declared and regime.variants > 1 else None
    return PullRequest(deltas, cell.layout.draw(rng, cases), clusters, -cell.fall, run)


def _happens(rule: Rule, pull: PullRequest, question: Question) -> bool:
    match question:
        case Question.BLOCK:
            return rule.blocks(pull)
        case Question.HOLD:
            return rule.blocks(pull, SUSPECT)
        case Question.FIND:
            return rule.finds(pull)
        case Question.COVER:
            return rule.covers(pull)
        case Question.FEIGN:
            return rule.feigns(pull)
