"""Parts of a run: budgets, what is missing, scores that no run writes."""

from dataclasses import replace

import pytest

from gate.cases.case import Case, Round
from gate.config.policy import Budget
from gate.config.scorer import ScorerSpec
from gate.config.targets import ConversationOptions, RoundRule
from gate.engine.schedule import Share
from gate.engine.shards import contradiction, part_of, unfinished
from gate.errors import GateError
from gate.record.findings.unfinished import RunInterrupted, ShardsIncomplete
from gate.record.transcript import ArmName, Failed, Part, Sample, Score, Unscored
from gate.scoring.interface import combine_scores
from gate.suite import Suite
from tests.support import runs
from tests.support.shards import record


@pytest.mark.parametrize(("calls", "of"), [(10, 3), (7, 7), (100, 9), (5000, 256)])
def test_the_parts_of_a_budget_add_up_to_it(calls: int, of: int) -> None:
    whole = Budget(max_calls=calls, max_usd=5.0, max_minutes=20.0)
    parts = [part_of(whole, Share(number, of)) for number in range(1, of + 1)]
    limits = [part.max_calls or 0 for part in parts]
    assert sum(limits) == calls
    assert max(limits) - min(limits) <= 1
    assert sum(part.max_usd or 0 for part in parts) == pytest.approx(5.0)
    assert {part.max_minutes for part in parts} == {20.0}


def test_what_is_no_sum_holds_for_every_part() -> None:
    part = part_of(Budget(max_calls=10, max_usd=5.0, max_minutes=20.0, max_output_tokens=300), Share(1, 2))
    assert part.max_output_tokens == 300


def test_no_limit_stays_none() -> None:
    assert part_of(Budget(), Share(2, 3)) == Budget()


def test_fewer_calls_than_shards_are_refused() -> None:
    with pytest.raises(GateError, match="5 calls cannot be divided among 6 shards"):
        part_of(Budget(max_calls=5), Share(1, 6))


def test_a_whole_run_has_nothing_missing() -> None:
    assert unfinished({1: record(1, 2), 2: record(2, 2)}, 2) is None


def test_what_is_missing_is_named_and_a_long_list_is_counted() -> None:
    assert unfinished({2: record(2, 3), 3: record(3, 3)}, 3) == ShardsIncomplete(missing=["1/3"], ended={})
    many = unfinished({1: record(1, 20)}, 20)
    assert many is not None
    assert many.text.startswith("Shards 2/20, 3/20, ")
    assert many.text.endswith("and 16 more are missing.")


def test_shards_that_ended_early_say_why() -> None:
    killed = RunInterrupted(signal="SIGKILL")
    incomplete = unfinished({1: record(1, 3, unfinished=killed), 3: record(3, 3)}, 3)
    assert incomplete is not None
    assert incomplete.text == (
        "Shard 2/3 is missing; shard 1/3 ended early: it ended without a word, as a process does that is killed."
    )


DIMENSIONS = [{"name": "a", "description": "b", "weight": 0.5}, {"name": "c", "description": "d", "weight": 0.5}]
MODELS = ["fake:x", "fake:y", "fake:z"]
JUDGES = [Part("judge", name, value) for name, value in zip(MODELS, (0.2, 0.4, 1.0), strict=True)]
MARKS = [Part("dimension", "a", 0.1, 0.5), Part("dimension", "c", 0.9, 0.5)]
ORDER = [Part("order", "shown first", 1.0), Part("order", "shown second", 0.5)]


def jury(combine: str = "median", kind: str = "judge") -> ScorerSpec:
    more = {"dimensions": DIMENSIONS} if kind == "rubric" else {}
    return ScorerSpec(kind, kind, {"models": MODELS, "combine": combine, **more})


PAIR = ScorerSpec("pairwise", "pairwise", {"model": "fake:x"})


def said(spec: ScorerSpec, value: float | Unscored, *parts: Part, new: bool = False) -> str:
    """Of a sample that one scorer has scored."""
    one = runs.suite([{}])
    suite: Suite = replace(one, exam=replace(one.exam, scorers=(spec,)), baseline=None if new else one.baseline)
    score = Score(spec.name, value, parts=parts)
    sample = Sample(suite.name, "c0", ArmName.CANDIDATE, 0, runs.reply(), (score,), combine_scores((score,)))
    return contradiction(sample, suite, Case("c0"))


@pytest.mark.parametrize(("how", "value"), [("median", 0.4), ("majority", 0.4), ("mean", 1.6 / 3)])
def test_a_jurys_score_is_what_its_judges_make(how: str, value: float) -> None:
    assert said(jury(how), value, *JUDGES) == ""
    assert said(jury(how), value + 0.01, *JUDGES) == "its score by 'judge' is not what its parts make"
    assert said(jury(how), value, *JUDGES[:2]) == "its score by 'judge' is not made of 'fake:x', 'fake:y', 'fake:z'"


def test_a_jurys_rubric_has_dimensions_and_judges() -> None:
    assert said(jury(kind="rubric"), 0.4, *MARKS, *JUDGES) == ""
    assert "is not made of" in said(jury(kind="rubric"), 0.4, *JUDGES)
    assert "is not made of" in said(jury(kind="rubric"), 0.4, *JUDGES, *MARKS)


def test_a_preference_is_the_mean_of_both_orders_or_a_tie_of_equal_answers() -> None:
    assert said(PAIR, 0.75, *ORDER) == ""
    assert said(PAIR, 0.5) == ""
    assert said(PAIR, 0.75) == "its score by 'pairwise' has no parts"
    assert said(PAIR, 1.0, *ORDER) == "its score by 'pairwise' is not what its parts make"


def test_what_has_no_value_has_no_parts() -> None:
    assert said(jury(), Unscored("no opinion")) == ""
    assert said(jury(), Unscored("no opinion"), *JUDGES) == "its score by 'judge' has no value, and parts"


def test_a_validator_has_no_parts() -> None:
    plain = ScorerSpec("contains", "contains")
    assert said(plain, 1.0) == ""
    assert said(plain, 1.0, *JUDGES) == "its score by 'contains' has parts"


@pytest.mark.parametrize("reply", [Failed("503", 6), runs.reply()])
def test_what_failed_or_was_cut_off_has_no_score(reply: object) -> None:
    suite = runs.suite([{}])
    sample = Sample(suite.name, "c0", ArmName.CANDIDATE, 0, reply, (), Unscored("503"))
    assert contradiction(sample, suite, Case("c0")) == ""
    assert contradiction(replace(sample, score=1.0), suite, Case("c0")) == "it has a score, but no scorer has one"


ROUNDS = [Part("round", "round 1", 0.25), Part("round", "round 2", 0.75)]
TALK = Case("c0", rounds=(Round("a"), Round("b")))


def of_talk(spec: ScorerSpec, value: float, *parts: Part, rule: RoundRule = "mean", case: Case = TALK) -> str:
    """Of a sample of a case with rounds."""
    one = runs.suite([{}])
    exam = replace(one.exam, scorers=(spec,), conversing=ConversationOptions(score=rule))
    found = [Score(spec.name, value, parts=parts)]
    found += [Score(own.name, 1.0) for own in case.round_scorers]
    sample = Sample(one.name, "c0", ArmName.CANDIDATE, 0, runs.reply(), tuple(found), combine_scores(found))
    return contradiction(sample, replace(one, exam=exam), case)


@pytest.mark.parametrize(("rule", "value"), [("mean", 0.5), ("min", 0.25), ("last", 0.75)])
def test_a_score_of_rounds_is_what_they_come_to(rule: RoundRule, value: float) -> None:
    plain = ScorerSpec("contains", "contains")
    assert of_talk(plain, value, *ROUNDS, rule=rule) == ""
    assert of_talk(plain, value + 0.1, *ROUNDS, rule=rule) == "its score by 'contains' is not what its parts make"
    assert of_talk(plain, value, *ROUNDS[:1], rule=rule) == (
        "its score by 'contains' is not made of 'round 1', 'round 2'"
    )
    assert of_talk(jury(), value, *ROUNDS, *JUDGES, rule=rule) == ""
    assert "is not made of" in of_talk(jury(), value, *JUDGES, rule=rule)


def test_what_looks_at_the_whole_conversation_has_no_rounds() -> None:
    tools = ScorerSpec("tools", "tools")
    assert of_talk(tools, 1.0) == ""
    assert of_talk(tools, 0.5, *ROUNDS) == "its score by 'tools' has parts"


def test_the_scorers_of_single_rounds_come_in_the_order_in_which_the_rounds_name_them() -> None:
    first, second = ScorerSpec("tools", "first"), ScorerSpec("tools", "second")
    case = Case("c0", rounds=(Round("a", scorers=(first,)), Round("b", scorers=(second, first))))
    assert [spec.name for spec in case.round_scorers] == ["first", "second"]
    plain, other = ScorerSpec("contains", "contains"), replace(case, rounds=(case.rounds[0], Round("b")))
    assert of_talk(plain, 0.5, *ROUNDS, case=other) == ""


def test_the_calls_that_rounds_expect_are_scored_by_round() -> None:
    suite, calls = runs.suite([{}]), ScorerSpec("tools", "calls")
    case = Case("c0", rounds=(Round("a", scorers=(calls,)), Round("b", scorers=(calls,)), Round("c")))
    score = Score("calls", 0.5, parts=tuple(ROUNDS))
    sample = Sample(suite.name, "c0", ArmName.CANDIDATE, 0, runs.reply(), (score,), combine_scores((score,)))
    assert contradiction(sample, replace(suite, exam=replace(suite.exam, scorers=())), case) == ""


def test_under_the_rule_last_each_round_counts_that_expects_calls_itself() -> None:
    suite, calls = runs.suite([{}]), ScorerSpec("tools", "calls", required=True)
    case = Case("c0", rounds=(Round("a", scorers=(calls,)), Round("b", scorers=(calls,))))
    exam = replace(suite.exam, scorers=(), conversing=ConversationOptions(score="last"))
    for first, value in ((0.5, 0.75), (0.0, 0.0)):
        parts = (Part("round", "round 1", first), Part("round", "round 2", 1.0))
        score = Score("calls", value, parts=parts, required=True)
        sample = Sample(suite.name, "c0", ArmName.CANDIDATE, 0, runs.reply(), (score,), combine_scores((score,)))
        assert contradiction(sample, replace(suite, exam=exam), case) == ""
