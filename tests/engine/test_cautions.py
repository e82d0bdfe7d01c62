"""What a plan warns of."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gate.config.models import ModelRef
from gate.config.policy import Budget, RunPolicy, SuitePolicy
from gate.config.scorer import ScorerSpec
from gate.engine.forecast import FallToShow, layout, suite_forecast, warnings
from gate.engine.noise import Spread, preference_notes, sampling_notes
from gate.engine.spending import Figure, Outlay, Spending, budget_warnings, foreseen
from gate.record.usage import Cost, Dollars, Unpriced
from gate.suite import Suite
from tests.support.runs import suite


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


def test_a_small_suite_is_told_once() -> None:
    found = warned([suite([{"tier": "gold"}] * 9)])
    assert len(found) == 1
    assert found[0][0]
    assert "every run is a HOLD" in found[0][1]


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
        (Budget().lowered("max_usd", 0.5, "the input x"), Unpriced("unknown"), "The input x cannot be kept"),
        (
            Budget().lowered("max_minutes", 2.9, "the input max-minutes"),
            Dollars(1.0),
            "The input max-minutes is 2.9, and",
        ),
        (Budget(max_usd=0.5), Unpriced("unknown"), "would not start"),
        (Budget(max_minutes=2.9), Dollars(1.0), "budget.max_minutes is 2.9"),
    ],
)
def test_a_budget_that_would_not_suffice(budget: Budget, cost: Cost, said: str) -> None:
    found = list(budget_warnings(spending(cost), budget))
    assert [one.severe for one in found] == [True]
    assert said in found[0].text


def test_a_run_that_may_stop_early_may_do_with_less() -> None:
    for budget in (Budget(max_calls=99), Budget(max_usd=0.5)):
        (found,) = budget_warnings(spending(Dollars(1.0)), budget, early=True)
        assert not found.severe
        assert found.text.endswith("unless it can stop early, it would end INCONCLUSIVE")


def test_what_shows_only_in_a_run_is_told_as_the_least() -> None:
    none = Figure(0, "assumed")
    agent = Outlay("s", "candidate", "openai:m", 100, none, none, none, Dollars(1.0), False, at_least=True)
    found = replace(spending(Dollars(1.0)), outlays=(agent,))
    limits = Budget(max_calls=99, max_usd=0.5, max_minutes=2.5)
    assert [one.text.partition(": ")[0] for one in budget_warnings(found, limits)] == [
        "budget.max_calls is 99, and the run needs at least 100 calls",
        "budget.max_usd is $0.5, and the run would cost at least $1.00",
        "budget.max_minutes is 2.5, and the run would take at least 3.0 minutes at 8 calls at once",
    ]
    (foreseen_calls,) = foreseen(found, 0, Budget(max_calls=99))
    assert "this run needs at least 100 calls: it is likely to end INCONCLUSIVE" in foreseen_calls
    measured = replace(agent, input_tokens=Figure(0, "measured"))
    (said,) = budget_warnings(replace(found, outlays=(measured,)), Budget(max_usd=0.5))
    assert "cost about $1.00" in said.text


def test_what_a_budget_will_not_let_finish_is_told_with_what_is_known() -> None:
    assert foreseen(spending(Dollars(1.0), calls=1_200), 300, Budget(max_calls=500)) == [
        "budget.max_calls is 500, and this run needs 900 calls (300 more are known already): it will end INCONCLUSIVE; "
        "the answers are kept, and the next run takes up from there."
    ]
    (lost,) = foreseen(spending(Dollars(1.0), calls=900), 0, Budget(max_calls=500), remembered=False)
    assert lost == "budget.max_calls is 500, and this run needs 900 calls: it will end INCONCLUSIVE."
    alone = foreseen(spending(Dollars(1.0), calls=900), 0, Budget(max_calls=500))
    assert alone[0].startswith("budget.max_calls is 500, and this run needs 900 calls: it will")


def test_dollars_and_minutes_are_cut_in_proportion_and_are_only_likely() -> None:
    cut = foreseen(spending(Dollars(4.0), minutes=6.0), 25, Budget(max_usd=2.5, max_minutes=4.0))
    assert [said.split(";")[0] for said in cut] == [
        "budget.max_usd is $2.5, and this run would cost about $3.00: it is likely to end INCONCLUSIVE",
        "budget.max_minutes is 4, and this run would take about 4.5 minutes at 8 calls at once: it is likely to end "
        "INCONCLUSIVE",
    ]
    assert foreseen(spending(Dollars(4.0), minutes=6.0), 50, Budget(max_usd=2.5, max_minutes=4.0)) == []


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
    assert sampling_notes([both])[0].startswith("support: samples is 3, and at temperature 0 a model repeats itself")
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
    assert [note.partition(" (")[0] for note in found] == [
        "support: the judge voice asks openai:gpt-5-mini, the very model that it judges",
        "support: the judge voice asks openai:gpt-5-mini, a weaker relative of openai:gpt-5, which it judges",
    ]
    assert preference_notes([one]) == []
