"""What a record leaves out, and that reports do without it."""

from dataclasses import replace

import pytest

from gate.cases.case import Case
from gate.config.policy import RunPolicy
from gate.config.targets import CommandAgent, Target
from gate.engine.collect import Collection
from gate.engine.decide import Assessor
from gate.engine.record_parts import output_record
from gate.engine.run_json import Finished, record
from gate.engine.samples import SampleTable
from gate.record.run import RunRecord
from gate.record.sample import ArmName, Part, Sample, Score
from gate.record.transcript import Failed, Unscored
from gate.record.usage import Cost, Dollars, Unpriced
from gate.report.markdown.report import render_report
from tests.support.finished import CREATED, finished, resolved
from tests.support.runs import reply, suite, take


def test_a_suite_of_whose_prompt_cache_nothing_is_known_has_its_verdict_all_the_same() -> None:
    one = suite([{}] * 12)
    samples = SampleTable.holding(take(one, lambda *_: 1.0))
    assessment = Assessor((one,), RunPolicy(), 1).assess(samples)
    made = record(Finished(resolved([one]), Collection(samples), assessment, {}, 1, CREATED, 1.0))
    assert made.suites[0].cache is None
    assert "cacheable prefix" not in render_report(made)
    assert made.notes == ["What the change does to the prompt cache of support could not be found out."]


def spending(*costs: Cost | None, target: Target | None = None) -> RunRecord:
    """The record of a run over suites of which each answer has this price, or failed before anything was called."""
    suites = [suite([{}] * 3, name=f"s{place}") for place in range(len(costs))]
    suites = [replace(one, candidate=replace(one.candidate, target=target)) for one in suites]
    samples = []
    for one, cost in zip(suites, costs, strict=True):
        for sample in take(one, lambda *_: 1.0):
            answered = replace(sample, reply=replace(reply(), cost=cost or Dollars(0.0)))
            samples.append(
                answered if cost else replace(sample, reply=Failed("no", 0), scores=(), score=Unscored("no"))
            )
    table = SampleTable.holding(samples)
    assessment = Assessor(tuple(suites), RunPolicy(), 1).assess(table)
    return record(Finished(resolved(suites), Collection(table), assessment, {}, 1, CREATED, 1.0))


def test_suites_in_which_nothing_with_a_price_was_called_add_nothing_to_the_dollars() -> None:
    paid, unknown, free = Dollars(0.5), Unpriced("unknown"), Unpriced("n/a")
    assert spending(paid, None, free).spent_usd == 3.0
    assert spending(paid, unknown).spent_usd is None
    assert spending(free, None).spent_usd is None
    assert "**Spent**: \\$3.00 in" in render_report(spending(paid, None))


def test_an_agent_that_does_not_tell_its_cost_is_no_model_without_a_price() -> None:
    unknown, agent = Unpriced("unknown"), CommandAgent(run=("./agent",))
    assert "unknown: the agent does not tell its cost (cost\\_usd)" in render_report(spending(unknown, target=agent))
    assert "unknown: at least one model has no known price" in render_report(spending(unknown))


def test_every_scorer_is_in_the_record() -> None:
    one = suite([{}] * 12)
    made = finished([one], lambda case, arm, _: 1.0 if arm is ArmName.BASELINE or case.id > "c003" else 0.0)
    (row,) = made.suites[0].scorers
    assert (row.name, row.weight, row.required, row.n) == ("contains", 1.0, False, 12)
    assert (row.baseline, row.candidate, row.mean) == pytest.approx((1.0, 8 / 12, -4 / 12))


def test_what_was_said_of_rounds_is_told_one_by_one_the_lowest_first() -> None:
    rounds = tuple(
        Part("round", f"round {number}", value, reason=said)
        for number, value, said in ((1, 0.9, "knows it"), (2, 0.25, "forgot it"), (3, 1.0, ""))
    )
    scores = (
        Score("calm", 0.5, "is loud"),
        Score("judge", 0.7, "round 2: forgot it", parts=rounds),
        Score("older", 0.1, "round 1: no", parts=tuple(replace(part, reason="") for part in rounds)),
    )
    told = output_record(Sample("s", "c", ArmName.CANDIDATE, 0, reply(), scores, 0.5)).reasons
    assert told == [
        "older: round 1: no",
        "judge: round 2: 0.25: forgot it",
        "calm: is loud",
        "judge: round 1: 0.9: knows it",
    ]


def test_the_cases_of_a_slice_that_fell_are_kept_with_their_answers_before_larger_falls() -> None:
    one = suite([{"lang": "de"}] * 30 + [{"lang": "en"}] * 60)
    cases = one.exam.cases

    def score(case: Case, arm: ArmName, _: int) -> float:
        place = cases.index(case)
        after = 0.5 if place < 30 else 0.0 if place < 50 else 1.0
        before = 1.0 if place < 50 or place >= 70 else 0.0
        return before if arm is ArmName.BASELINE else after

    samples = SampleTable.holding(take(one, score))
    assessment = Assessor((one,), RunPolicy(), 1).assess(samples)
    made = record(Finished(resolved([one]), Collection(samples), assessment, {}, 1, CREATED, 1.0)).suites[0]
    states = {row.slice: row.state.value for row in made.quality.slices}
    assert states == {"lang=de": "regression", "lang=en": "noise"}
    kept = [row for row in made.cases if row.baseline_outputs and row.delta is not None and row.delta < 0]
    assert kept and all(row.slices["lang"] == "de" for row in kept)
