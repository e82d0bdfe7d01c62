"""The simulation counts correctly, and reports a broken guarantee."""

from pathlib import Path

import pytest

from benchmarks.statistics import error_rates
from benchmarks.statistics.simulation.decision_rules import Familiar, Joint, PullRequest
from benchmarks.statistics.simulation.guarantees import Cell, Question
from benchmarks.statistics.simulation.planned_power import Plan, predict_and_find
from benchmarks.statistics.simulation.rates import Rate, rate_of
from benchmarks.statistics.simulation.result_tables import Result, plans, promises
from benchmarks.statistics.simulation.score_regimes import REGIMES
from benchmarks.statistics.simulation.slice_layouts import ONE, TAGS
from gate.stats.power import WHOLE

NOTHING = Cell("G1", Question.BLOCK, "R3", TAGS, 60, 0.025)
FALL = Cell("G4", Question.FIND, "R3", ONE, 100, 0.98, fall=0.10)


class CriesWolf(Joint):
    """A bad rule: it blocks half of all pull requests at random, and finds no drop."""

    def blocks(self, pull: PullRequest, alpha: float = 0.025) -> bool:
        return pull.seed % 2 == 0

    def finds(self, pull: PullRequest) -> bool:
        return False


def test_a_bad_rule_is_reported_as_broken() -> None:
    results = [Result(cell, rate_of(cell, CriesWolf(1), 40, 1), Rate(0, 1)) for cell in (NOTHING, FALL)]
    assert [result.held for result in results] == [False, False]
    assert [row[-1] for row in promises(results).rows] == ["BROKEN", "BROKEN"]


def test_the_familiar_rule_breaks_the_guarantee_and_the_joint_test_keeps_it() -> None:
    runs = 30
    assert rate_of(NOTHING, Joint(199), runs, 1).holds(0.025, at_most=True)
    assert not rate_of(NOTHING, Familiar(200), runs, 1).holds(0.025, at_most=True)


def test_a_limit_may_be_missed_by_three_standard_errors_and_not_by_more() -> None:
    assert Rate(39, 1000).holds(0.025, at_most=True)
    assert not Rate(40, 1000).holds(0.025, at_most=True)
    assert Rate(763, 1000).holds(0.80, at_most=False)
    assert not Rate(761, 1000).holds(0.80, at_most=False)
    assert not Rate(1, 1000).holds(0.0, at_most=True)


def test_a_plan_that_predicts_the_wrong_power_is_reported_as_broken() -> None:
    plan = Plan("R1a", ONE, 60, WHOLE, quick=True)
    honest, blind = predict_and_find(plan, Joint(199), 60, 1), predict_and_find(plan, CriesWolf(1), 60, 1)
    assert honest.held and not blind.held
    assert [row[-1] for row in plans([honest, blind]).rows] == ["yes", "BROKEN"]


def test_the_exit_code_is_1_if_a_guarantee_is_broken(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--quick", "--scale", "0.02", "--jobs", "1"]
    assert error_rates.main([*options, "--markdown"], [FALL], []) == 0
    assert "| G4 | R3, falls by 0.10 | 100 |" in capsys.readouterr().out
    hopeless = Cell("G4", Question.FIND, "R1a", ONE, 10, 0.99, fall=0.01)
    assert error_rates.main(options, [hopeless], []) == 1
    assert "BROKEN" in capsys.readouterr().out


def test_the_page_defines_every_regime_of_the_table() -> None:
    page = (Path(__file__).parents[2] / "docs/statistics.md").read_text(encoding="utf-8")
    assert [name for name in REGIMES if f"\n| {name} | " not in page] == []
