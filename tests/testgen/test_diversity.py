"""Figures of diversity: by hand on small sets, and none where there is nothing to tell."""

from gate.config.specification import GeneratedTest, Scenario
from gate.stats.arrays import Undefined
from gate.testgen.cases.diversity import Lengths, diversity_of


def made(*inputs: str, scenario: Scenario | None = None) -> list[GeneratedTest]:
    return [GeneratedTest(f"t{n}", "rule", input=text, scenario=scenario) for n, text in enumerate(inputs)]


def test_figures_by_hand() -> None:
    found = diversity_of(made("a b c", "a b d", "x y"))
    assert found.tests == 3
    assert found.distinct_1 == 6 / 8
    assert found.distinct_2 == 4 / 5
    assert found.nearest == (1 / 3 + 1 / 3 + 0) / 3
    assert found.lengths == Lengths(3, 4, 5, 5, 5)


def test_nothing_is_not_diverse_and_not_uniform() -> None:
    found = diversity_of([])
    assert found.tests == 0 and found.scenarios == {}
    assert all(isinstance(one, Undefined) for one in (found.distinct_1, found.distinct_2, found.nearest, found.lengths))


def test_shares_of_scenarios_leave_out_tests_without_one() -> None:
    tests = [*made("a", "b", scenario="boundary"), *made("c", scenario="edge"), *made("d")]
    assert diversity_of(tests).scenarios == {"boundary": 2 / 3, "edge": 1 / 3}
