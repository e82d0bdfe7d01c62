"""Samples are read back equal, and invalid lines are refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.record.transcript import (
    ArmName,
    Dollars,
    Effort,
    Failed,
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
from gate.store.run_folder import (
    BadSample,
    RunFolder,
    parse_sample,
    sample_at,
    sample_line,
    sample_lines,
    sample_schema,
)
from gate.values import JsonValue
from tests.support.runs import reply, table_of

# Half a surrogate pair is no text: providers and case files clean or refuse it.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
amounts = st.floats(0, 1e12)
tokens = st.integers(0, 10**18)
tries = st.integers(0, 65_535)
costs = st.one_of(st.builds(Dollars, amounts), st.sampled_from([Unpriced("unknown"), Unpriced("n/a")]))
values = st.one_of(st.floats(0, 1), st.builds(Unscored, texts))
counts = st.integers(0, 10**12)
prices = st.one_of(st.none(), costs)
efforts = st.one_of(st.none(), st.builds(Effort, counts, counts, counts, prices, counts, prices))
uses = st.builds(ToolUse, texts, texts, texts, st.booleans(), st.one_of(st.none(), amounts))
turns = st.builds(
    Turn,
    st.integers(0, 49),
    texts,
    st.sampled_from(["case", "follow-up"]),
    texts,
    st.lists(uses, max_size=2).map(tuple),
)
transcripts = st.builds(Transcript, texts, st.lists(turns, max_size=2).map(tuple))
replies = st.builds(
    Reply,
    texts,
    texts,
    st.builds(Usage, tokens, tokens, tokens, tokens),
    costs,
    st.one_of(st.none(), amounts),
    tries,
    texts,
    st.builds(Origin, texts, amounts, st.booleans()),
    transcript=st.one_of(st.none(), transcripts),
    effort=efforts,
)
failures = st.builds(Failed, texts, tries, efforts, st.one_of(st.none(), transcripts))
kinds = st.sampled_from(["dimension", "judge", "order", "round"])
parts = st.builds(Part, kinds, texts, st.floats(0, 1), amounts, texts)
scores = st.builds(
    Score,
    texts,
    values,
    texts,
    amounts,
    st.booleans(),
    tries,
    tries,
    st.one_of(st.none(), costs),
    tries,
    st.lists(parts, max_size=3).map(tuple),
)
samples = st.builds(
    Sample,
    texts,
    texts,
    st.sampled_from(ArmName),
    st.integers(0, 99),
    st.one_of(replies, failures),
    st.lists(scores, max_size=3).map(tuple),
    values,
    st.booleans(),
)
SAMPLE = Sample("s", "c", ArmName.BASELINE, 0, reply(), (Score("exact", 1.0, "is right"),), 1.0)
FAILED = Sample("s", "c", ArmName.BASELINE, 0, Failed("503", 6), (), Unscored("503"))


def row(sample: Sample) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(sample_line(sample))
    return found


def line(row: dict[str, JsonValue]) -> bytes:
    return json.dumps(row).encode() + b"\n"


@given(st.lists(samples, max_size=5))
def test_what_is_written_is_read_back_equal(tmp_path_factory: pytest.TempPathFactory, taken: list[Sample]) -> None:
    path = tmp_path_factory.mktemp("run")
    folder = RunFolder(path, {})
    for sample in taken:
        folder.sample(sample)
    folder.close()
    if not taken:
        return
    found = list(sample_lines(path / "samples.jsonl"))
    assert [parse_sample(one.data) for one in found] == taken
    # What can be read finds room among the samples of a run.
    assert len(table_of(taken)) == len(taken)
    assert [one.number for one in found] == list(range(1, len(taken) + 1))
    with (path / "samples.jsonl").open("rb") as file:
        assert [sample_at(file, one.start) for one in reversed(found)] == taken[::-1]


@pytest.mark.parametrize("sample", [SAMPLE, FAILED], ids=["answered", "failed"])
def test_unknown_keys_are_refused_and_identifying_keys_are_required(sample: Sample) -> None:
    found = row(sample)
    assert parse_sample(line(found)) == sample
    assert found.keys() == sample_schema()["properties"].keys()
    for key in ("schema", "suite", "case", "arm", "index", "reply"):
        with pytest.raises(BadSample):
            parse_sample(line({name: value for name, value in found.items() if name != key}))
    with pytest.raises(BadSample, match="extra"):
        parse_sample(line({**found, "extra": 1}))


def reply_with(**values: object) -> dict[str, Any]:
    return {"reply": {**row(SAMPLE)["reply"], **values}}


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "prompt-gate/sample/2"},
        {"index": -1},
        {"index": 100},
        {"arm": "both"},
        {"score": 1.5},
        {"score": None},
        reply_with(cost=None),
        reply_with(cost={"amount": -1.0}),
        reply_with(text=None),
        reply_with(usage={"input_tokens": -1}),
        reply_with(reason="both a reply and none"),
        reply_with(transcript={"session": "s", "turns": [{}]}),
        reply_with(transcript={"session": "s", "turns": [], "revived": [-1]}),
        reply_with(transcript={"session": "s", "turns": [], "aside": {"calls": 10**30}}),
    ],
    ids=str,
)
def test_values_that_no_run_has_are_refused(change: dict[str, JsonValue]) -> None:
    with pytest.raises(BadSample):
        parse_sample(line({**row(SAMPLE), **change}))


@given(st.one_of(st.binary(max_size=60), st.text(max_size=60).map(lambda text: json.dumps(text).encode())))
def test_bytes_from_anywhere_are_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(BadSample) as refused:
        parse_sample(data)
    assert "\n" not in str(refused.value)
