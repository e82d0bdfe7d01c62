"""Arrays in order of completion say what a walk through the samples says."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.domain.sample import ArmName, Reply, Sample
from gate.domain.transcript import Aside, Transcript, Turn
from gate.domain.usage import Dollars, Unpriced, Usage
from gate.engine.rows import Rows
from gate.engine.samples import SampleTable
from gate.flows.record_parts import calls_record, dollars_spent
from tests.unit.engine.test_samples import SAMPLES, STEADY, bare

SUITES = st.sampled_from([None, "s", "neither"])


def steps(reply: Reply) -> int:
    return 1 if reply.transcript is None else sum(turn.steps for turn in reply.transcript.turns)


def answered(reply: Reply) -> int:
    """Calls of a model that a reply took: the agent's, and those of whoever talked with it."""
    return steps(reply) + (reply.transcript.aside.calls if reply.transcript else 0)


def own(samples: list[Sample], name: str | None) -> list[Sample]:
    return [sample for sample in samples if name in (None, sample.suite)]


@STEADY
@given(SAMPLES, SUITES)
def test_the_samples_of_one_suite_or_of_all(samples: list[Sample], name: str | None) -> None:
    rows = Rows(SampleTable.holding(samples), name)
    assert list(rows) == [bare(sample) for sample in own(samples, name)]
    assert len(rows) == len(own(samples, name))


@STEADY
@given(SAMPLES, SUITES)
def test_calls_are_counted(samples: list[Sample], name: str | None) -> None:
    found = calls_record(Rows(SampleTable.holding(samples), name))
    mine = own(samples, name)
    scores = [score for sample in mine for score in sample.scores]
    replies = [sample.reply for sample in mine if isinstance(sample.reply, Reply)]
    failed = [sample.reply for sample in mine if not isinstance(sample.reply, Reply)]
    asked = [reply for reply in replies if not reply.origin.reused]
    assert found.failed == len(failed)
    known = [reply for reply in replies if reply.origin.reused]
    assert found.made == sum(map(answered, asked)) + sum(score.calls for score in scores)
    assert found.cached == sum(map(answered, known)) + sum(score.reused for score in scores)
    again = [max(0, reply.attempts - max(1, steps(reply))) for reply in asked]
    again += [max(0, reply.attempts - 1) for reply in failed]
    assert found.retried == sum(again) + sum(score.retries for score in scores)


def test_whoever_talks_with_an_agent_is_paid_too_but_is_no_part_of_its_cost() -> None:
    talk = Transcript("s", (Turn(0, "hi", "case", "yes", steps=3),), aside=Aside(2, Dollars(0.5)))
    asked = Reply("yes", "m", Usage(), Dollars(0.25), None, attempts=4, transcript=talk)
    table = SampleTable.holding([Sample("s", "c", ArmName.CANDIDATE, 0, asked)])
    assert dollars_spent(Rows(table)) == (0.75, "")
    assert table.column("cost").tolist() == [0.25]
    found = calls_record(Rows(table))
    assert (found.made, found.retried) == (5, 1)


@STEADY
@given(SAMPLES, SUITES)
def test_dollars_are_summed_where_every_price_is_known(samples: list[Sample], name: str | None) -> None:
    spent, why = dollars_spent(Rows(SampleTable.holding(samples), name))
    replies = [sample.reply for sample in own(samples, name) if isinstance(sample.reply, Reply)]
    costs = [reply.cost for reply in replies if not reply.origin.reused]
    costs += [
        reply.transcript.aside.cost
        for reply in replies
        if not reply.origin.reused and reply.transcript and reply.transcript.aside.cost
    ]
    costs += [score.cost for sample in own(samples, name) for score in sample.scores if score.cost is not None]
    dollars = [cost.amount for cost in costs if isinstance(cost, Dollars)]
    if Unpriced("unknown") in costs:
        assert (spent, why) == (None, "the price of a model is unknown")
    elif dollars:
        assert spent == pytest.approx(math.fsum(dollars))
    else:
        assert spent is None


@STEADY
@given(SAMPLES, SUITES)
def test_endings_are_counted_by_arm(samples: list[Sample], name: str | None) -> None:
    rows = Rows(SampleTable.holding(samples), name)
    for arm in ArmName:
        replies = [s.reply for s in own(samples, name) if s.arm is arm and isinstance(s.reply, Reply)]
        expected = Counter((r.model_id, r.stop_reason, not r.text.strip()) for r in replies)
        assert rows.endings(arm) == expected
