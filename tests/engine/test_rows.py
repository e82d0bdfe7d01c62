"""Arrays in order of completion say what a walk through the samples says."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.engine.arrays import Rows
from gate.engine.record_parts import calls_record, dollars_spent, spending_record
from gate.engine.samples import SampleTable
from gate.record.parts import CallsRecord, SpendingRecord, SpentRecord
from gate.record.sample import ArmName, Reply, Sample
from gate.record.transcript import Aside, Failed, Transcript, Turn
from gate.record.usage import UNPRICED, Cost, Dollars, Effort, Unpriced, Usage
from tests.engine.test_samples import FEW, SAMPLES, bare

SUITES = st.sampled_from([None, "s", "neither"])


def known(reply: Reply) -> int:
    """Calls of a model that were known with a reply: the agent's, and those of whoever talked with it."""
    talk = reply.transcript
    return 1 if talk is None else sum(turn.steps for turn in talk.turns) + talk.aside.calls


def own(samples: list[Sample], name: str | None) -> list[Sample]:
    return [sample for sample in samples if name in (None, sample.suite)]


@FEW
@given(SAMPLES, SUITES)
def test_the_samples_of_one_suite_or_of_all(samples: list[Sample], name: str | None) -> None:
    rows = Rows(SampleTable.holding(samples), name)
    assert list(rows) == [bare(sample) for sample in own(samples, name)]
    assert len(rows) == len(own(samples, name))


@FEW
@given(SAMPLES, SUITES)
def test_calls_are_counted(samples: list[Sample], name: str | None) -> None:
    found = calls_record(Rows(SampleTable.holding(samples), name))
    mine = own(samples, name)
    scores = [score for sample in mine for score in sample.scores]
    replies = [sample.reply for sample in mine if isinstance(sample.reply, Reply)]
    failed = [sample.reply for sample in mine if isinstance(sample.reply, Failed)]
    asked = [reply for reply in replies if not reply.origin.reused]
    efforts = [reply.effort for reply in (*asked, *failed) if reply.effort is not None]
    plain = [reply for reply in (*asked, *failed) if reply.effort is None]
    assert found.failed == len(failed)
    made = sum(effort.calls + effort.aside_calls for effort in efforts) + sum(
        isinstance(reply, Reply) for reply in plain
    )
    assert found.made == made + sum(score.calls for score in scores)
    reused = sum(effort.reused for effort in efforts) + sum(known(r) for r in replies if r.origin.reused)
    assert found.cached == reused + sum(score.reused for score in scores)
    again = sum(effort.retries for effort in efforts) + sum(max(0, reply.attempts - 1) for reply in plain)
    assert found.retried == again + sum(score.retries for score in scores)


def test_whoever_talks_with_an_agent_is_paid_too_but_is_no_part_of_its_cost() -> None:
    talk = Transcript("s", (Turn(0, "hi", "case", "yes", steps=3),), aside=Aside(2, Dollars(0.5)))
    effort = Effort(3, 1, 0, Dollars(0.25), aside_calls=2, aside_cost=Dollars(0.5))
    asked = Reply("yes", "m", Usage(), Dollars(0.25), None, transcript=talk, effort=effort)
    table = SampleTable.holding([Sample("s", "c", ArmName.CANDIDATE, 0, asked)])
    assert dollars_spent(Rows(table)) == (0.75, "")
    assert table.column("cost").tolist() == [0.25]
    found = calls_record(Rows(table))
    assert (found.made, found.retried) == (5, 1)
    assert spending_record(Rows(table)) == SpendingRecord(
        answers=SpentRecord(calls=3, usd=0.25), aside=SpentRecord(calls=2, usd=0.5), judges=SpentRecord()
    )


@pytest.mark.parametrize(
    ("own", "aside", "told"),
    [
        (Dollars(0.25), Unpriced("unknown"), (0.25, None)),
        (Unpriced("unknown"), Dollars(0.5), (None, 0.5)),
        (Unpriced("n/a"), Dollars(0.5), (None, 0.5)),
    ],
)
def test_a_price_that_is_not_known_hides_no_other(own: Cost, aside: Cost, told: tuple[float | None, ...]) -> None:
    failed = Failed("the server is gone", 1, Effort(3, cost=own, aside_calls=2, aside_cost=aside))
    found = spending_record(Rows(SampleTable.holding([Sample("s", "c", ArmName.CANDIDATE, 0, failed)])))
    assert (found.answers.usd, found.aside.usd) == told


def test_a_conversation_that_broke_off_is_paid_until_then() -> None:
    failed = Failed("the server is gone", 1, Effort(calls=3, retries=2, reused=1, cost=Dollars(0.5)))
    rows = Rows(SampleTable.holding([Sample("s", "c", ArmName.CANDIDATE, 0, failed)]))
    assert dollars_spent(rows) == (0.5, "")
    assert calls_record(rows) == CallsRecord(made=3, cached=1, retried=2, failed=1)


@FEW
@given(SAMPLES, SUITES)
def test_dollars_are_summed_where_every_price_is_known(samples: list[Sample], name: str | None) -> None:
    spent, why = dollars_spent(Rows(SampleTable.holding(samples), name))
    mine = own(samples, name)
    costs: list[Cost | None] = [score.cost for sample in mine for score in sample.scores]
    for reply in (sample.reply for sample in mine):
        if isinstance(reply, Reply) and reply.origin.reused:
            continue
        if reply.effort is not None:
            costs += [reply.effort.cost, reply.effort.aside_cost]
        elif isinstance(reply, Reply):
            costs.append(reply.cost)
    dollars = [cost.amount for cost in costs if isinstance(cost, Dollars)]
    if Unpriced("unknown") in costs:
        assert (spent, why) == (None, UNPRICED)
    elif dollars:
        assert spent == pytest.approx(math.fsum(dollars))
    else:
        assert spent is None


@FEW
@given(SAMPLES, SUITES)
def test_endings_are_counted_by_arm(samples: list[Sample], name: str | None) -> None:
    rows = Rows(SampleTable.holding(samples), name)
    for arm in ArmName:
        replies = [s.reply for s in own(samples, name) if s.arm is arm and isinstance(s.reply, Reply)]
        expected = Counter((r.model_id, r.stop_reason, not r.text.strip()) for r in replies)
        assert rows.endings(arm) == expected
