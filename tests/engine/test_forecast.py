"""What a plan says: figures by slice, warnings, what earlier runs teach."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cases.case import Case
from gate.config.models import ModelRef, Params
from gate.config.policy import Budget, RunPolicy, SlicePolicy, SuitePolicy
from gate.config.scorer import ScorerSpec
from gate.engine.forecast import EarlierRun, FallToShow, PlanInputs, layout, plan, reach, suite_forecast, tier, warnings
from gate.engine.noise import Spread, compares_itself
from gate.engine.spending import ModelSpending, Range, Spending, budget_warnings, low_budgets
from gate.record.run import RunRecord
from gate.record.transcript import ArmName, Cost, Dollars, Unpriced, Usage
from gate.resolve.resolved import preference_notes, sampling_notes
from gate.suite import Suite
from tests.support.run_records import finished, itself, resolved
from tests.support.runs import suite

SPREAD = Spread(0.2, 0.3, "measured", "")
QUESTION = FallToShow(0.10, 0.8)
ROWS = [{"tier": "gold" if i % 2 else "free", "lang": "pt" if i < 4 else "en"} for i in range(60)]


@pytest.mark.parametrize(
    ("units", "name"),
    [
        (0, "never blocks"),
        (9, "never blocks"),
        (10, "below the floor"),
        (29, "below the floor"),
        (30, "decides"),
        (99, "decides"),
        (100, "comfortable"),
        (300, "ample"),
    ],
)
def test_tiers(units: int, name: str) -> None:
    assert tier(units) == name


def test_the_family_is_what_the_run_would_test() -> None:
    planned = [suite(ROWS, policy=SuitePolicy(advisory=("tier=gold",))), suite([{}] * 9, name="b")]
    found = layout(planned, RunPolicy())
    assert found.tested == {"support/overall", "support/tier=free", "support/lang=en"}
    assert 1.96 < found.critical < 2.6
    assert found.alone(30) == pytest.approx(1.96, abs=0.12)
    assert found.alone(9) == math.inf


def test_one_slice_has_the_usual_critical_value_and_the_familiar_rule_always_has() -> None:
    assert layout([suite([{}] * 100)], RunPolicy()).critical == pytest.approx(1.96, abs=0.1)
    familiar = layout([suite(ROWS)], RunPolicy(method="percentile"))
    assert familiar.critical == pytest.approx(1.96, abs=0.001)


def test_slices_are_marked_and_their_numbers_agree_with_each_other() -> None:
    planned = suite(ROWS, policy=SuitePolicy(required=("lang=pt",), advisory=("tier=gold",)))
    found = suite_forecast(planned, SPREAD, layout([planned], RunPolicy()), QUESTION)
    rows = {row.slice: row for row in found.slices}
    assert (rows["lang=pt"].required, rows["lang=pt"].tested, rows["lang=pt"].units) == (True, False, 4)
    assert (rows["tier=gold"].advisory, rows["tier=gold"].tested) == (True, False)
    overall = rows["overall"]
    at_best = FallToShow(overall.detectable.best or 0.0, 0.8)
    again = suite_forecast(planned, SPREAD, layout([planned], RunPolicy()), at_best).slices[0]
    assert again.power.best == pytest.approx(0.8, abs=0.001)
    assert again.cases_needed.best == pytest.approx(60, abs=1)


def test_clusters_count_as_one_and_their_cases_are_what_is_needed() -> None:
    names = [f"s{i // 5}" for i in range(100)]
    planned = suite([{}] * 100, clusters=names)
    row = suite_forecast(planned, SPREAD, layout([planned], RunPolicy()), QUESTION).slices[0]
    assert (row.cases, row.units, row.tier) == (100, 20, "below the floor")
    alone = suite([{}] * 20)
    single = suite_forecast(alone, SPREAD, layout([alone], RunPolicy()), QUESTION).slices[0]
    assert row.detectable.worst == pytest.approx(single.detectable.worst or 0.0, abs=0.02)
    assert (row.cases_needed.worst or 0) > 4 * (single.cases_needed.worst or 0)


def test_without_noise_six_cases_still_have_to_fall() -> None:
    found = reach(Spread(0.0, 0.1, "measured", ""), 300, 2.0, 0.8)
    assert found.best is not None
    assert found.best >= 6 / 300
    assert found.worst is not None
    assert found.worst >= found.best


def test_a_margin_has_to_be_left_behind_first() -> None:
    free, lax = suite(ROWS), suite(ROWS, policy=SuitePolicy(margin=0.05, slices={"tier=gold": SlicePolicy(margin=0.2)}))
    found = {
        one: suite_forecast(planned, SPREAD, layout([planned], RunPolicy()), QUESTION)
        for one, planned in (("free", free), ("lax", lax))
    }
    before, after = found["free"].slices[0], found["lax"].slices[0]
    assert after.margin == 0.05
    assert after.detectable.best == pytest.approx((before.detectable.best or 0.0) + 0.05)
    assert (after.power.best or 0.0) < (before.power.best or 0.0)
    assert (after.cases_needed.best or 0.0) > (before.cases_needed.best or 0.0)
    (gold,) = [row for row in found["lax"].slices if row.slice == "tier=gold"]
    assert (gold.power.best, gold.power.worst, gold.cases_needed.best) == (0.0, 0.0, None)


@given(
    st.integers(10, 2000),
    st.integers(1, 500),
    st.floats(0.0, 0.6),
    st.floats(0.0, 0.3),
    st.floats(1.9, 3.2),
    st.floats(0.5, 0.95),
)
def test_more_cases_never_show_less(
    units: int, more: int, low: float, wider: float, critical: float, power: float
) -> None:
    spread = Spread(low, low + wider, "measured", "")
    small, large = reach(spread, units, critical, power), reach(spread, units + more, critical, power)
    for one, other in ((small.best, large.best), (small.worst, large.worst)):
        assert one is None or (other is not None and other <= one + 1e-12)
    if small.best is not None and small.worst is not None:
        assert small.best <= small.worst


QUESTION_OF_PLANNING = FallToShow(0.10, 0.8)
SUITE = itself(suite([{"tier": "gold"}] * 60, samples=2))


def free(_: ModelRef, __: Params, ___: Usage) -> Cost:
    return Unpriced("n/a")


def world(*earlier: EarlierRun) -> PlanInputs:
    return PlanInputs(earlier, free, 8)


def noisy(case: Case, arm: ArmName, index: int) -> float:
    """Half of the cases waver between their two samples."""
    return float((int(case.id[1:]) + index + (arm is ArmName.BASELINE)) % 4 > 0)


def kept(name: str, planned: Suite = SUITE) -> EarlierRun:
    run = finished([planned], noisy)
    return EarlierRun(name, lambda: run)


def unread() -> RunRecord:
    raise AssertionError("nothing was left to be known")


BROKEN = EarlierRun(".gate/broken", lambda: None)
UNREAD = EarlierRun(".gate/unread", unread)


def said(*earlier: EarlierRun, planned: Suite = SUITE) -> str:
    return plan(resolved([planned]), world(*earlier), QUESTION_OF_PLANNING).suites[0].spread.said


def test_without_an_earlier_run_everything_is_assumed_and_told_so() -> None:
    found = plan(resolved([SUITE]), world(), QUESTION_OF_PLANNING)
    assert found.suites[0].spread.basis == "assumed"
    assert {outlay.seconds.basis for outlay in found.spending.outlays} == {"assumed"}
    assert any("gate calibrate" in note for note in found.notes)


def test_the_first_run_that_knows_the_suite_counts_and_no_other_is_read() -> None:
    assert ".gate/new" in said(kept(".gate/new"), UNREAD)
    assert ".gate/new" in said(BROKEN, kept("other", planned=replace(SUITE, name="faq")), kept(".gate/new"), UNREAD)
    assert plan(resolved([]), world(UNREAD), QUESTION_OF_PLANNING).suites == ()


def test_a_run_of_another_suite_or_with_other_scorers_does_not_count() -> None:
    other = replace(SUITE, exam=replace(SUITE.exam, scorers=(ScorerSpec("exact", "exact"),)))
    assert said(kept("a", planned=replace(SUITE, name="faq")), kept("b", planned=other)).startswith("assumed")


def test_measured_tokens_and_seconds_are_taken_over() -> None:
    found = plan(resolved([SUITE]), world(kept(".gate/last")), QUESTION_OF_PLANNING)
    baseline = found.spending.outlays[0]
    # Every reply of the made-up run has 20 tokens in, 3 out and took half a second.
    assert (baseline.input_tokens.value, baseline.input_tokens.basis) == (20 * 120, "measured")
    assert (baseline.output_tokens.value, baseline.seconds.value) == (3 * 120, 0.5)
    assert not any("gate calibrate" in note for note in found.notes)


def test_noise_is_carried_over_to_another_number_of_samples() -> None:
    run = kept(".gate/last")
    two, eight = (
        plan(resolved([replace(SUITE, samples=k)]), world(run), QUESTION_OF_PLANNING).suites[0].spread for k in (2, 8)
    )
    assert two.sigma == eight.sigma
    assert two.tau == eight.tau
    assert eight.high < two.high


def test_at_temperature_0_repeats_are_not_counted_on() -> None:
    arm = replace(SUITE.baseline, params=Params(temperature=0.0))
    cool = plan(resolved([replace(SUITE, baseline=arm, candidate=arm, samples=3)]), world(), QUESTION_OF_PLANNING)
    one = plan(resolved([replace(SUITE, samples=1)]), world(), QUESTION_OF_PLANNING)
    assert cool.suites[0].spread.high == one.suites[0].spread.high


@pytest.mark.parametrize(("planned", "same"), [(SUITE, True), (suite([{}] * 12), False)])
def test_a_prompt_against_itself_is_recognised(planned: Suite, same: bool) -> None:
    assert compares_itself(finished([planned], noisy).suites[0]) is same


def warned(planned: Sequence[Suite]) -> list[tuple[bool, str]]:
    found = layout(planned, RunPolicy())
    spread = Spread(0.2, 0.3, "measured", "")
    forecasts = [suite_forecast(one, spread, found, FallToShow(0.1, 0.8)) for one in planned]
    return [(one.severe, one.text) for one in warnings(forecasts, planned)]


def spending(cost: Cost, calls: int = 100, minutes: float = 3.0) -> Spending:
    return Spending((), calls, cost, "the price of openai:new is not known", minutes, 8)


def test_a_required_slice_that_is_too_small_or_not_there() -> None:
    rows = [{"tier": "gold" if i < 3 else "free"} for i in range(40)]
    required = SuitePolicy(required=("tier=gold", "tier=none", "tier=free", "overall"))
    found = warned([suite(rows, policy=required)])
    assert [severe for severe, _ in found] == [True, True]
    assert "tier=gold has 3 independent cases and needs 10" in found[0][1]
    assert "tier=none has no case" in found[1][1]


def test_a_small_slice_can_never_block_and_an_advisory_one_need_not() -> None:
    rows = [{"tier": "gold" if i < 3 else "free", "lang": "pt" if i < 2 else "en"} for i in range(40)]
    found = warned([suite(rows, policy=SuitePolicy(advisory=("lang=pt",)))])
    assert found == [(False, "can never block, under 10 independent cases: tier=gold (3)")]


@pytest.mark.parametrize(
    ("budget", "cost", "said"),
    [
        (Budget(max_calls=99), Dollars(1.0), "budget.max_calls is 99"),
        (Budget(max_usd=0.5), Dollars(1.0), "budget.max_usd is $0.5"),
        (
            Budget(max_calls=100).lowered("max_calls", 99, "the input max-calls"),
            Dollars(1.0),
            "The input max-calls is 99, and",
        ),
        (
            Budget().lowered("max_usd", 0.5, "the input max-cost-usd"),
            Dollars(1.0),
            "The input max-cost-usd is $0.5, and",
        ),
        (
            Budget().lowered("max_minutes", 2.9, "the input max-minutes"),
            Dollars(1.0),
            "The input max-minutes is 2.9, and",
        ),
        (Budget(max_minutes=2.9), Dollars(1.0), "budget.max_minutes is 2.9"),
    ],
)
def test_a_budget_that_would_not_suffice(budget: Budget, cost: Cost, said: str) -> None:
    found = list(budget_warnings(spending(cost), budget))
    assert [one.severe for one in found] == [True]
    assert said in found[0].text


def test_an_unknown_price_is_told_and_ends_no_run() -> None:
    (found,) = budget_warnings(spending(Unpriced("unknown")), Budget().lowered("max_usd", 0.5, "the input x"))
    assert found.text.startswith("The input x does not count every call") and not found.severe


def test_what_shows_only_in_a_run_is_told_as_the_least() -> None:
    none = Range(0, "assumed")
    agent = ModelSpending("s", "candidate", "openai:m", 100, none, none, none, Dollars(1.0), False, at_least=True)
    found = replace(spending(Dollars(1.0)), outlays=(agent,))
    limits = Budget(max_calls=99, max_usd=0.5, max_minutes=2.5)
    assert [one.text.partition(": ")[0] for one in budget_warnings(found, limits)] == [
        "budget.max_calls is 99, and the run needs at least 100 calls",
        "budget.max_usd is $0.5, and the run would cost at least $1.00",
        "budget.max_minutes is 2.5, and the run would take at least 3.0 minutes at 8 calls at once",
    ]
    (low,) = low_budgets(found, 0, Budget(max_calls=99))
    assert "this run needs at least 100 calls. It is likely to end INCONCLUSIVE" in low.text
    measured = replace(agent, input_tokens=Range(0, "measured"))
    (said,) = budget_warnings(replace(found, outlays=(measured,)), Budget(max_usd=0.5))
    assert "cost about $1.00" in said.text


def test_what_a_budget_will_not_let_finish_is_told_with_what_is_known() -> None:
    (low,) = low_budgets(spending(Dollars(1.0), calls=1_200), 300, Budget(max_calls=500))
    assert low.text == (
        "budget.max_calls is 500, and this run needs 900 calls (300 more are cached). It will end INCONCLUSIVE. "
        "The answers are cached, and the next run continues from there."
    )
    (lost,) = low_budgets(spending(Dollars(1.0), calls=900), 0, Budget(max_calls=500), remembered=False)
    assert lost.text == "budget.max_calls is 500, and this run needs 900 calls. It will end INCONCLUSIVE."


def test_dollars_and_minutes_are_cut_in_proportion_and_are_only_likely() -> None:
    cut = low_budgets(spending(Dollars(4.0), minutes=6.0), 25, Budget(max_usd=2.5, max_minutes=4.0))
    assert [(low.phrase, low.certain) for low in cut] == [
        ("budget.max_usd is $2.5, and this run would cost about $3.00", False),
        ("budget.max_minutes is 4, and this run would take about 4.5 minutes at 8 calls at once", False),
    ]
    assert low_budgets(spending(Dollars(4.0), minutes=6.0), 50, Budget(max_usd=2.5, max_minutes=4.0)) == []


def _cool(one: Suite, *arms: str, seed: int | None = None) -> Suite:
    changed = {
        name: replace(arm, params=arm.params.model_copy(update={"temperature": 0.0, "seed": seed}))
        for name, arm in (("baseline", one.baseline), ("candidate", one.candidate))
        if name in arms and arm is not None
    }
    return replace(one, **changed)


def test_repeats_of_a_model_that_repeats_itself() -> None:
    both = _cool(suite([{}] * 3, samples=3), "baseline", "candidate", seed=7)
    assert len(sampling_notes([both])) == 1
    assert sampling_notes([both])[0].samples == 3
    assert len(sampling_notes([replace(both, baseline=None)])) == 1


def test_judges_that_judge_their_own_kind_are_told_once_each() -> None:
    one = suite([{}] * 3)
    arms = {"baseline": one.baseline, "candidate": one.candidate}
    models = {"baseline": "gpt-5-mini", "candidate": "gpt-5"}
    changed = {name: replace(arm, model=ModelRef("openai", models[name])) for name, arm in arms.items() if arm}
    jury = ScorerSpec("rubric", "voice", {"models": ["openai:gpt-5-mini", "anthropic:claude-opus-4-5"]})
    exam = replace(one.exam, scorers=(jury, one.exam.scorers[0]))
    cases = tuple(replace(case, extra_scorers=(jury,)) for case in exam.cases)
    found = preference_notes([replace(one, exam=replace(exam, cases=cases), **changed)])
    assert [(note.scorer, note.judge, note.model, note.relation) for note in found] == [
        ("voice", "openai:gpt-5-mini", "openai:gpt-5-mini", "the same model"),
        ("voice", "openai:gpt-5-mini", "openai:gpt-5", "a weaker model of its family"),
    ]
    assert preference_notes([one]) == []
