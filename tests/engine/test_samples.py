"""What goes into the table comes out, the texts aside; and they can be put back."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.engine.samples import MOST_CALLS, UNREAD, Key, SampleTable
from gate.record.sample import ArmName, Origin, Part, Reply, Sample, Score, effort_of
from gate.record.transcript import Aside, Failed, ToolUse, Transcript, Turn, Unscored
from gate.record.usage import Cost, Dollars, Effort, Unpriced, Usage

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
    aside=st.builds(Aside, calls=st.integers(0, 9), cost=st.none() | COSTS),
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
            scores=st.lists(SCORES, max_size=3).map(tuple),
            score=VALUES,
            warmup=st.booleans(),
        ),
        max_size=most,
        unique_by=lambda sample: (sample.suite, sample.case_id, sample.arm, sample.index),
    )


SAMPLES = sample_lists(indices=10, most=12)
FEW = settings(max_examples=8)
"""A sample has many parts, so that each example takes long."""


def counted(sample: Sample) -> Sample:
    """The sample without what it took, which is counted, and given back where a conversation broke off alone."""
    broke = isinstance(sample.reply, Failed) and sample.reply.transcript is not None
    return replace(sample, reply=replace(sample.reply, effort=effort_of(sample.reply) if broke else None))


def bare(sample: Sample) -> Sample:
    """The sample without its texts."""
    reply: Reply | Failed = replace(sample.reply, transcript=None, effort=None)
    if isinstance(reply, Reply):
        reply = replace(reply, text=UNREAD if reply.text.strip() else "")
    return replace(sample, reply=reply, scores=tuple(map(_silent, sample.scores)))


def _silent(score: Score) -> Score:
    return replace(score, reason="", parts=tuple(replace(part, reason="") for part in score.parts))


@FEW
@given(SAMPLES)
def test_what_goes_in_comes_out(samples: list[Sample]) -> None:
    table = SampleTable.holding(samples)
    assert list(table) == [bare(sample) for sample in samples]
    assert len(table) == len(samples)
    assert [table[i] for i in range(len(table))] == table[:] == list(table)
    assert [table.whole(sample) for sample in table] == [counted(sample) for sample in samples]


@FEW
@given(SAMPLES)
def test_it_is_grouped_as_a_list_would_be(samples: list[Sample]) -> None:
    expected: dict[Key, list[Sample]] = {}
    for sample in sorted(samples, key=lambda sample: sample.index):
        expected.setdefault((sample.suite, sample.case_id, sample.arm), []).append(bare(sample))
    found = SampleTable.holding(samples).by_case()
    assert {key: list(row) for key, row in found.items()} == expected
    assert found.get(("s", "no such case", ArmName.BASELINE), ()) == ()


@FEW
@given(SAMPLES)
def test_a_part_is_found_where_it_is(samples: list[Sample]) -> None:
    table = SampleTable.holding(samples)
    for key in table.parts:
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
    table = SampleTable.holding(samples)
    some = table.only(lambda key: key[1] != "c2")
    wanted = [sample for sample in samples if sample.case_id != "c2"]
    assert list(some) == [bare(sample) for sample in wanted]
    assert [some.whole(sample) for sample in some] == [counted(sample) for sample in wanted]
    assert len(table) == len(samples)


def test_a_conversation_of_more_calls_than_there_can_be_has_as_many_as_are_counted() -> None:
    for told, steps in ((10**30, MOST_CALLS), (-1, 0)):
        talk = Transcript("s", (Turn(0, "hi", "case", "yes", steps=told),), aside=Aside(told))
        reply = Reply("yes", "m", Usage(), Unpriced("n/a"), None, transcript=talk, effort=Effort(told, told))
        known = replace(reply, origin=Origin(reused=True))
        table = SampleTable.holding([Sample("s", "c", ArmName.BASELINE, 0, one) for one in (reply, known)])
        counts = [table.column(name).tolist() for name in ("made", "again", "known")]
        assert counts == [[steps, 0], [steps, 0], [0, steps]]


def test_what_comes_later_is_grouped_too() -> None:
    table = SampleTable()
    for index in (1, 0):
        table.add(Sample("s", "c", ArmName.BASELINE, index, Failed("no")))
        assert len(table.by_case()["s", "c", ArmName.BASELINE]) == len(table)
    assert [sample.index for sample in table.by_case()["s", "c", ArmName.BASELINE]] == [0, 1]
