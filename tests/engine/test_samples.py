"""The table of samples, and its arrays, say what a walk through a list says."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.engine.arrays import WANTED, SampleGrid, pair_count, scores, side_by_side
from gate.engine.record_parts import calls_record, dollars_spent, spending_record
from gate.engine.samples import ARMS, SCORED, PartKey, SampleTable
from gate.record.parts import CallsRecord, SpendingRecord, SpentRecord
from gate.record.transcript import (
    UNPRICED,
    ArmName,
    Cost,
    Dollars,
    Effort,
    Failed,
    HarnessCalls,
    Origin,
    Part,
    Reply,
    Sample,
    Score,
    ToolUse,
    Transcript,
    Turn,
    Unpriced,
    Unscored,
    Usage,
)
from gate.suite import Suite
from tests.support.runs import suite, table_of

WORDS = st.sampled_from(["", "a", "b", "one line of a reason"])
AMOUNTS = st.floats(0.0, 1e6)
TOKENS = st.integers(0, 10**9)
VALUES: st.SearchStrategy[float | Unscored] = st.floats(0.0, 1.0) | st.builds(Unscored, WORDS)
COSTS: st.SearchStrategy[Cost] = st.builds(Dollars, AMOUNTS) | st.sampled_from([Unpriced("unknown"), Unpriced("n/a")])
USES = st.builds(ToolUse, WORDS, WORDS, WORDS, st.booleans())
TURNS = st.builds(
    Turn,
    round=st.integers(0, 2),
    said=WORDS,
    by=st.sampled_from(["case", "follow-up", "simulated"]),
    answer=WORDS,
    tools=st.lists(USES, max_size=3).map(tuple),
    steps=st.integers(0, 9),
)
TRANSCRIPTS = st.builds(
    Transcript,
    session=WORDS,
    turns=st.lists(TURNS, max_size=3).map(tuple),
    aside=st.builds(HarnessCalls, calls=st.integers(0, 9), cost=st.none() | COSTS),
)
EFFORTS = st.none() | st.builds(
    Effort,
    calls=st.integers(0, 9),
    retries=st.integers(0, 9),
    reused=st.integers(0, 9),
    cost=st.none() | COSTS,
    aside_calls=st.integers(0, 9),
    aside_cost=st.none() | COSTS,
)
REPLIES = st.builds(
    Reply,
    text=st.text(max_size=20),
    model_id=WORDS,
    usage=st.builds(Usage, TOKENS, TOKENS, TOKENS, TOKENS),
    cost=COSTS,
    latency_s=st.none() | st.floats(0.0, 1e4),
    attempts=st.integers(1, 9),
    stop_reason=WORDS,
    origin=st.builds(Origin, WORDS, AMOUNTS, st.booleans()),
    transcript=st.none() | TRANSCRIPTS,
    effort=EFFORTS,
)
FAILURES = st.builds(Failed, WORDS, st.integers(0, 9), EFFORTS, st.none() | TRANSCRIPTS)
PARTS = st.builds(
    Part,
    kind=st.sampled_from(["dimension", "judge", "round"]),
    name=WORDS,
    value=st.floats(0.0, 1.0),
    weight=st.sampled_from([1.0, 0.25]),
    reason=WORDS,
)
SCORES = st.builds(
    Score,
    scorer=WORDS,
    value=VALUES,
    reason=st.text(max_size=20),
    weight=st.sampled_from([1.0, 2.5]),
    required=st.booleans(),
    calls=st.integers(0, 3),
    retries=st.integers(0, 9),
    cost=st.none() | COSTS,
    reused=st.integers(0, 3),
    parts=st.lists(PARTS, max_size=4).map(tuple),
)


def sample_lists(*, indices: int, most: int) -> st.SearchStrategy[list[Sample]]:
    return st.lists(
        st.builds(
            Sample,
            suite=st.sampled_from(["s", "t"]),
            case_id=st.sampled_from(["c1", "c2", "c3"]),
            arm=st.sampled_from(ArmName),
            index=st.integers(0, indices - 1),
            reply=REPLIES | FAILURES,
            scores=st.lists(SCORES, max_size=3, unique_by=lambda score: score.scorer).map(tuple),
            score=VALUES,
            warmup=st.booleans(),
        ),
        max_size=most,
        unique_by=lambda sample: (sample.suite, sample.case_id, sample.arm, sample.index),
    )


SAMPLES = sample_lists(indices=10, most=12)
FEW = settings(max_examples=3)
"""A sample has many parts, so that each example takes long."""


def figures(score: Score) -> Score:
    """The score without its texts and costs."""
    parts = tuple(replace(part, reason="") for part in score.parts)
    return Score(score.scorer, score.value, weight=score.weight, required=score.required, parts=parts)


@FEW
@given(SAMPLES)
def test_a_sample_is_read_whole_and_its_scores_stand_in_the_columns(samples: list[Sample]) -> None:
    table = table_of(samples)
    assert len(table) == len(samples)
    assert [table.whole(row) for row in range(len(table))] == samples
    told = [tuple(map(figures, sample.scores)) for sample in samples]
    assert list(table.scores_of(np.arange(len(table)))) == told


@FEW
@given(SAMPLES)
def test_a_row_says_what_its_sample_does(samples: list[Sample]) -> None:
    table = table_of(samples)
    for row, sample in zip(table.samples, samples, strict=True):
        assert table.keys[row["key"]] == (sample.suite, sample.case_id, sample.arm)
        assert (row["index"], row["warmup"], row["failed"]) == (
            sample.index,
            sample.warmup,
            isinstance(sample.reply, Failed),
        )
        scored = not isinstance(sample.score, Unscored)
        assert (row["reason"] == SCORED, row["score"]) == (scored, sample.score if scored else 0.0)
        if isinstance(sample.reply, Failed):
            continue
        reply = sample.reply
        assert table.sources[row["source"]] == (reply.model_id, reply.stop_reason, reply.origin.sitting)
        assert Usage(**{field.name: int(row[field.name]) for field in fields(Usage)}) == reply.usage
        assert row["latency_s"] == (-1.0 if reply.latency_s is None else reply.latency_s)
        assert (row["taken_at"], row["reused"]) == (reply.origin.at, reply.origin.reused)
        assert row["blank"] == (not reply.text.strip())
        assert row["cost"] == (reply.cost.amount if isinstance(reply.cost, Dollars) else 0.0)


@FEW
@given(SAMPLES)
def test_a_sample_stands_where_its_arm_case_and_index_say(samples: list[Sample]) -> None:
    cases = ("c1", "c2", "no such case")
    rows = table_of(samples).rows_of("s", cases, 4)
    places = {(s.case_id, s.arm, s.index): row for row, s in enumerate(samples) if s.suite == "s"}
    for (arm, case, index), row in np.ndenumerate(rows):
        assert row == places.get((cases[case], ARMS[arm], index), -1)


@FEW
@given(SAMPLES)
def test_a_part_is_found_where_it_is(samples: list[Sample]) -> None:
    table = table_of(samples)
    for key in table.part_keys:
        suite, scorer, kind, name, weight = key
        known, values = table.part(key)
        for row, sample in enumerate(samples):
            own = [
                part.value
                for score in sample.scores
                for part in score.parts
                if (sample.suite, score.scorer, part.kind, part.name, part.weight)
                == (suite, scorer, kind, name, weight)
            ]
            assert known[row] == bool(own)
            assert values[row] == (own[-1] if own else 0.0)
    known, values = table.part(("s", "no such scorer", "judge", "x", 1.0))
    assert not known.any() and not values.any()


@FEW
@given(SAMPLES)
def test_some_of_a_table_are_a_table_of_some(samples: list[Sample]) -> None:
    table, wanted = table_of(samples), [sample for sample in samples if sample.case_id != "c2"]
    some = table.where(lambda key: key[1] != "c2")
    assert [some.whole(row) for row in range(len(some))] == wanted
    assert list(some.scores_of(np.arange(len(some)))) == [tuple(map(figures, sample.scores)) for sample in wanted]
    assert all(known.sum() == _with_part(wanted, key) for key in table.part_keys for known, _ in [some.part(key)])
    assert len(table) == len(samples)


def _with_part(samples: list[Sample], key: PartKey) -> int:
    """Samples that have a part."""
    return sum(
        any(
            (sample.suite, score.scorer, part.kind, part.name, part.weight) == key
            for score in sample.scores
            for part in score.parts
        )
        for sample in samples
    )


def test_a_table_grows_and_what_was_read_of_it_stays() -> None:
    table = SampleTable()
    table.add(Sample("s", "c0", ArmName.BASELINE, 0, Failed("no"), (), 0.25))
    before = table.samples
    for number in range(1, 5_000):
        table.add(Sample("s", f"c{number}", ArmName.BASELINE, 0, Failed("no"), (Score("x", 0.5),), 0.5))
    assert before["score"].tolist() == [0.25]
    assert (len(table), table.samples["score"].sum(), len(table.scores)) == (5_000, 0.25 + 4_999 / 2, 4_999)


SUITES = st.sampled_from([None, "s", "neither"])


def known(reply: Reply) -> int:
    """Calls of a model that were known with a reply: the agent's, and those of whoever talked with it."""
    talk = reply.transcript
    return 1 if talk is None else sum(turn.steps for turn in talk.turns) + talk.aside.calls


def table_of_suite(samples: list[Sample], name: str | None) -> SampleTable:
    table = table_of(samples)
    return table if name is None else table.of_suite(name)


def own(samples: list[Sample], name: str | None) -> list[Sample]:
    return [sample for sample in samples if name in (None, sample.suite)]


@FEW
@given(SAMPLES, SUITES)
def test_the_samples_of_one_suite_or_of_all(samples: list[Sample], name: str | None) -> None:
    found = table_of_suite(samples, name)
    assert [found.whole(row) for row in range(len(found))] == own(samples, name)


@FEW
@given(SAMPLES, SUITES)
def test_calls_are_counted(samples: list[Sample], name: str | None) -> None:
    found = calls_record(table_of_suite(samples, name))
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
    talk = Transcript("s", (Turn(0, "hi", "case", "yes", steps=3),), aside=HarnessCalls(2, Dollars(0.5)))
    effort = Effort(3, 1, 0, Dollars(0.25), aside_calls=2, aside_cost=Dollars(0.5))
    asked = Reply("yes", "m", Usage(), Dollars(0.25), None, transcript=talk, effort=effort)
    table = table_of([Sample("s", "c", ArmName.CANDIDATE, 0, asked)])
    assert dollars_spent(table) == (0.75, "")
    assert table.samples["cost"].tolist() == [0.25]
    found = calls_record(table)
    assert (found.made, found.retried) == (5, 1)
    assert spending_record(table) == SpendingRecord(
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
    found = spending_record(table_of([Sample("s", "c", ArmName.CANDIDATE, 0, failed)]))
    assert (found.answers.usd, found.aside.usd) == told


def test_a_conversation_that_broke_off_is_paid_until_then() -> None:
    failed = Failed("the server is gone", 1, Effort(calls=3, retries=2, reused=1, cost=Dollars(0.5)))
    rows = table_of([Sample("s", "c", ArmName.CANDIDATE, 0, failed)])
    assert dollars_spent(rows) == (0.5, "")
    assert calls_record(rows) == CallsRecord(made=3, cached=1, retried=2, failed=1)


@FEW
@given(SAMPLES, SUITES)
def test_dollars_are_summed_where_every_price_is_known(samples: list[Sample], name: str | None) -> None:
    spent, why = dollars_spent(table_of_suite(samples, name))
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


CASES, K = ("c0", "c1", "c2"), 4
DENSE = sample_lists(indices=K + 1, most=40)
FILLS = st.none() | st.sampled_from([{ArmName.BASELINE: 0.25, ArmName.CANDIDATE: 0.75}])
MOST = st.none() | st.integers(0, K)


def one() -> Suite:
    made = replace(suite([{}] * len(CASES), samples=K), name="s")
    cases = tuple(replace(case, id=name) for case, name in zip(made.exam.cases, CASES, strict=True))
    return replace(made, exam=replace(made.exam, cases=cases))


def own_samples(samples: Iterable[Sample], case: str, arm: ArmName) -> list[Sample]:
    found = [s for s in samples if (s.suite, s.case_id, s.arm) == ("s", case, arm) and s.index < K]
    return sorted(found, key=lambda sample: sample.index)


def values(samples: Sequence[Sample], most: int, fill: float | None) -> list[float]:
    known = {s.index: s.score for s in samples if not isinstance(s.score, Unscored)}
    if fill is None:
        return [score for index, score in known.items() if index < most]
    return [known.get(index, fill) for index in range(most)]


@FEW
@given(DENSE, FILLS, MOST)
def test_scores_of_both_arms_over_equally_many_samples(
    samples: list[Sample], fill: dict[ArmName, float] | None, most: int | None
) -> None:
    found = scores(SampleGrid(one(), table_of(samples)), fill, most)
    expected = {}
    limit = K if most is None else most
    for position, case in enumerate(CASES):
        arms = [values(own_samples(samples, case, arm), limit, None if fill is None else fill[arm]) for arm in ArmName]
        if k := min(map(len, arms)):
            expected[position] = [sum(arm[:k]) / k for arm in arms]
    assert found.positions.tolist() == list(expected)
    assert found.means[0].tolist() == pytest.approx([means[0] for means in expected.values()])
    assert found.means[1].tolist() == pytest.approx([means[1] for means in expected.values()])
    everything = fill is not None and limit == K
    assert (found.samples is not None) or not everything


@FEW
@given(DENSE)
def test_side_by_side_is_what_one_sitting_asked_of_both_arms(samples: list[Sample]) -> None:
    kept, why = side_by_side(SampleGrid(one(), table_of(samples)))
    pairs = usable = replied = 0
    for position, case in enumerate(CASES):
        everything = {arm: own_samples(samples, case, arm) for arm in ArmName}
        replied += min(sum(isinstance(s.reply, Reply) for s in row) for row in everything.values())
        rows = {arm: [s for s in row if not s.warmup] for arm, row in everything.items()}
        replies = {arm: {s.index: s.reply for s in row if isinstance(s.reply, Reply)} for arm, row in rows.items()}
        mixed = any(reply.origin.reused for row in replies.values() for reply in row.values())
        met = set.intersection(*({reply.origin.sitting for reply in row.values()} for row in replies.values()))
        counts = []
        for arm, row in zip(kept, ArmName, strict=True):
            expected = [index for index, r in replies[row].items() if not mixed or r.origin.sitting in met]
            assert np.flatnonzero(arm[position]).tolist() == expected
            counts.append(len(expected))
            usable += len(replies[row])
        pairs += min(counts)
    assert pair_count(kept) == pairs
    too_few = kept.sum() < usable and pairs < WANTED
    assert bool(why) == (too_few or (pairs == 0 and replied > 0))


def test_a_table_without_samples_is_a_grid_without_samples() -> None:
    grid = SampleGrid(one(), SampleTable())
    assert not grid.taken.any()
    assert not grid["failed"].any()
    assert grid["latency_s"].shape == (2, len(CASES), K)
    assert scores(grid).positions.size == 0
