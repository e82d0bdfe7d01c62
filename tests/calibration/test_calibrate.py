"""What a finished run says about noise."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest

from gate.calibration.noise import calibrate
from gate.cases.case import Case
from gate.config.policy import SuitePolicy
from gate.errors import GateError
from gate.record.calibration import CalibrationRecord
from gate.record.run import RunRecord
from gate.record.transcript import ArmName
from gate.stats.power import Effort
from tests.support.run_records import finished, itself
from tests.support.runs import ScoreOf, suite

FEW = Effort(40, 199, 200)
ROWS = [{"tier": "gold" if i % 3 else "free"} for i in range(60)]


@dataclass
class Counted:
    """Counts what it is told."""

    total: int = 0
    steps: int = 0
    ends: int = field(default=0)

    def start(self, total: int) -> None:
        self.total = total

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        self.steps += 1

    def finish(self) -> None:
        self.ends += 1


def coins(share: float = 0.7, seed: int = 1) -> ScoreOf:
    """Independent right-or-wrong answers."""
    rng = np.random.default_rng(seed)
    return lambda case, arm, index: float(rng.random() < share)


def said(run: RunRecord) -> CalibrationRecord:
    return calibrate(run, Counted(), FEW)


@cache
def usual() -> tuple[RunRecord, CalibrationRecord]:
    """Independent answers, two to a case."""
    made = finished([itself(suite(ROWS, samples=2))], coins())
    return made, said(made)


def test_independent_answers_have_noise_within_cases_and_false_blocks_below_the_promise() -> None:
    steps = Counted()
    found = calibrate(finished([itself(suite(ROWS, samples=3))], coins()), steps, Effort(40, 199, 200))
    one = found.suites[0]
    assert one.same_arms
    assert one.sigma == pytest.approx(0.46, abs=0.03)
    assert one.tau is not None
    assert one.tau < 0.2
    assert (one.cases, one.units, one.samples, one.left_out) == (60, 60, 3, 0)
    assert not one.drift.shown
    rates = found.false_blocks
    assert rates is not None
    assert rates.joint.rate <= 0.025 + 3 * rates.joint.error
    assert rates.familiar.rate > rates.joint.rate
    assert (rates.slices, rates.replicates) == (3, steps.total)
    assert (steps.steps, steps.ends) == (steps.total, 1)


def test_choices_get_better_with_cases_and_with_samples_and_cost_more() -> None:
    choices = usual()[1].suites[0].choices
    assert [(c.samples, c.cases) for c in choices] == [(k, n) for k in (1, 2, 3, 5) for n in (60, 120, 180)]
    assert [c.calls for c in choices[:3]] == [120, 240, 360]
    by_key = {(c.samples, c.cases): c.worst or 9.0 for c in choices}
    assert by_key[1, 60] > by_key[1, 120] > by_key[1, 180]
    assert by_key[1, 60] > by_key[2, 60] > by_key[5, 60]
    # Three times the cases never show less than three times the samples, which cost the same.
    assert by_key[1, 180] <= by_key[3, 60]


def test_no_noise_promises_nothing() -> None:
    one = said(finished([itself(suite(ROWS, samples=3))], lambda *_: 1.0)).suites[0]
    assert (one.varied, one.tau, one.sigma, one.sd, one.ties, one.always_right) == (False, None, None, 0.0, 1.0, 1.0)
    assert {c.samples for c in one.choices} == {1}
    assert all(c.best is not None and c.best >= 6 / c.cases for c in one.choices)
    assert "may still not show" in one.advice[0]
    assert (one.drift.lower, one.drift.upper, one.drift.shown) == (None, None, False)


def test_one_sample_cannot_tell_tau_from_sigma() -> None:
    one = said(finished([itself(suite(ROWS, samples=1))], coins())).suites[0]
    assert (one.tau, one.sigma, one.varied) == (None, None, True)
    assert one.sd is not None
    assert one.sd > 0
    assert "--samples 2" in one.advice[0]
    assert {c.samples for c in one.choices} == {1}


def test_a_service_that_drifts_is_told() -> None:
    worse: ScoreOf = lambda case, arm, index: float(arm is ArmName.BASELINE or int(case.id[1:]) % 3 == 0)  # noqa: E731
    one = said(finished([itself(suite(ROWS, samples=2))], worse)).suites[0]
    assert one.drift.shown
    assert one.drift.mean == pytest.approx(-2 / 3)
    assert "overall" in one.fell


def test_two_versions_are_told_and_do_not_count_as_drift() -> None:
    found = said(finished([suite(ROWS, samples=2)], coins()))
    assert not found.suites[0].same_arms
    assert found.suites[0].fell == []
    assert any("compared two versions" in note for note in found.notes)


def test_failed_samples_leave_their_cases_out() -> None:
    def score(case: Case, arm: ArmName, index: int) -> float | None:
        return None if case.id in ("c001", "c002") and index == 1 else float(index)

    found = said(finished([itself(suite(ROWS, samples=2))], score))
    assert (found.suites[0].cases, found.suites[0].left_out) == (58, 2)
    assert found.unfinished.startswith("4 of 240 samples have no score: 503")


def test_a_run_without_scores_of_both_arms_is_refused() -> None:
    run = finished([itself(suite(ROWS))], lambda case, arm, index: 1.0 if arm is ArmName.BASELINE else None)
    with pytest.raises(GateError, match="no case with scores of both arms"):
        said(run)


def test_several_suites_are_tested_together_and_keep_their_clusters_and_advisory_slices() -> None:
    first = itself(suite(ROWS, samples=2, policy=SuitePolicy(advisory=("tier=free",))))
    second = itself(suite([{}] * 40, name="b", clusters=[f"s{i // 2}" for i in range(40)]))
    found = said(finished([first, second], coins()))
    assert [(one.name, one.cases, one.units) for one in found.suites] == [("support", 60, 60), ("b", 40, 20)]
    rates = found.false_blocks
    assert rates is not None
    # Overall of both, and tier=gold.
    assert rates.slices == 3


def test_a_run_that_is_too_large_to_be_resampled_says_so_and_still_gives_choices() -> None:
    made, known = usual()
    whole = made.suites[0]
    names = [f"d{i}" for i in range(2000)]
    slices = [whole.quality.overall.model_copy(update={"slice": f"{name}=x"}) for name in names]
    cases = [case.model_copy(update={"slices": dict.fromkeys(names, "x")}) for case in whole.cases]
    quality = whole.quality.model_copy(update={"slices": slices})
    huge = whole.model_copy(update={"quality": quality, "cases": cases})
    steps = Counted()
    found = calibrate(made.model_copy(update={"suites": [huge]}), steps)
    assert (found.false_blocks, steps.total) == (None, 0)
    assert found.not_resampled == "60 cases in 2,001 slices are too many to resample"
    plainly = known.suites[0]
    # Bonferroni for so many slices shows larger falls only; the noise is the same.
    assert found.suites[0].sigma == plainly.sigma
    for strict, plain in zip(found.suites[0].choices, plainly.choices, strict=True):
        assert strict.best is None or (plain.best is not None and strict.best > plain.best)
    assert any(choice.best is not None for choice in found.suites[0].choices)
