"""What the gate says about every pair of four real models, over five prompts at once, with recorded verdicts."""

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from benchmarks.promptpex.recorded_verdicts import MODELS, read
from gate.config.policy import MethodName
from gate.record.comparison import Comparison, State, Verdict
from tests.support.recorded_models import ModelComparison, compare_models

ROWS = read()
TESTED = 20  # five prompts, each: overall, rule, inverse, control
RULES = 63  # of three cases each

REGRESSED = {
    ("gpt-4o-mini", "gemma2:9b"): {"extract-names", "text-to-p"},
    ("gpt-4o-mini", "qwen2.5:3b"): {"extract-names", "text-to-p"},
    ("gpt-4o-mini", "llama3.2:1b"): {"classify", "extract-names", "sentence", "text-to-p"},
    ("gemma2:9b", "qwen2.5:3b"): {"text-to-p"},
    ("gemma2:9b", "llama3.2:1b"): {"classify", "extract-names", "sentence", "text-to-p"},
    ("qwen2.5:3b", "llama3.2:1b"): {"extract-names", "text-to-p"},
}
"""Prompts whose `overall` is a regression; every other pair passes, such as these."""
PASSING = (("llama3.2:1b", "gpt-4o-mini"), ("gemma2:9b", "gpt-4o-mini"), ("gemma2:9b", "gemma2:9b"))


@cache
def compared(baseline: str, candidate: str, method: MethodName = "maxt") -> ModelComparison:
    return compare_models(ROWS, baseline, candidate, method)


def rules(comparison: ModelComparison) -> list[Comparison]:
    return [row for piece, row in comparison.assessment.quality.slices if piece.name.startswith("rule=")]


def test_the_data_are_complete() -> None:
    assert len(ROWS) == len({(row["prompt"], row["test"]) for row in ROWS}) == 381
    assert {tuple(row["verdicts"]) for row in ROWS} == {MODELS}
    verdicts = Counter(verdict for row in ROWS for verdict in row["verdicts"].values())
    assert verdicts == {"ok": 1219, "err": 304, None: 1}
    cases = Path(__file__).parents[1] / "data" / "promptpex" / "text-to-p.cases.jsonl"
    known = [json.loads(line)["id"] for line in cases.read_text().splitlines()]
    assert sorted(known) == sorted(row["test"] for row in ROWS if row["prompt"] == "text-to-p")


@pytest.mark.parametrize(("baseline", "candidate"), (*REGRESSED, *PASSING), ids=lambda model: model)
def test_the_verdict_on_a_pair(baseline: str, candidate: str) -> None:
    comparison = compared(baseline, candidate)
    regressed = REGRESSED.get((baseline, candidate), set())
    assert comparison.assessment.decision.verdict is (Verdict.BLOCK if regressed else Verdict.PASS)
    assert {name.removesuffix("/overall") for name in comparison.regressions if name.endswith("/overall")} == regressed
    assert bool(comparison.regressions) == bool(regressed)
    assert comparison.assessment.quality.tested == TESTED
    small = rules(comparison)
    assert [(row.state, row.blocking, row.p) for row in small] == [(State.TOO_FEW, False, None)] * RULES
    # The one case without a verdict is missing from its slice, never counted as 0.
    assert sum(row.n for row in small) == 3 * RULES - ("gemma2:9b" in (baseline, candidate))


def test_a_model_against_itself_shows_no_change_and_claims_no_certainty() -> None:
    comparison = compared("qwen2.5:3b", "qwen2.5:3b")
    bounds = {(row.mean, row.lower, row.upper) for row in comparison.rows}
    assert bounds == {(0.0, None, None)}
    assert comparison.familiar_failures == 0


def test_a_slice_without_one_right_answer_is_tested_but_decides_nothing() -> None:
    """llama3.2:1b answers 3 of the 78 tests of `text-to-p` right, and none of one kind."""
    comparison = compared("llama3.2:1b", "llama3.2:1b")
    silent = [row.slice for row in comparison.rows if row.blocking and row.state is State.TOO_FEW]
    assert silent == ["text-to-p/kind=inverse"]
    assert comparison.too_few == RULES + 1


def test_the_missing_verdict_could_not_have_changed_anything() -> None:
    missing = compared("gpt-4o-mini", "gemma2:9b").assessment.missing
    assert (missing.samples, missing.total) == (1, 762)
    assert missing.best is missing.worst is Verdict.BLOCK
    assert missing.reasons == {"gpt-4o, recorded: no verdict": 1}


def test_the_familiar_rule_blocks_where_the_joint_test_does_not() -> None:
    """One slice of 24 cases lost four: alone it looks certain, among twenty slices it does not."""
    ours, familiar = (compared("gemma2:9b", "gpt-4o-mini", method) for method in ("maxt", "percentile"))
    assert familiar.assessment.decision.verdict is Verdict.BLOCK
    assert familiar.regressions == ("sentence/kind=rule",)
    row = next(row for row in ours.rows if row.slice == "sentence/kind=rule")
    assert row.state is State.NOISE
    assert row.p is not None and row.p > 0.1
    assert row.familiar_fail


def test_the_familiar_rule_fails_slices_of_three_cases() -> None:
    comparison = compared("gpt-4o-mini", "llama3.2:1b")
    assert sum(row.familiar_fail for row in rules(comparison)) == 9
