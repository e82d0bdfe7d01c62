"""Texts are redacted and figures are not; a record without outputs is still valid."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.record.run import RunRecord
from gate.store.run_folder import dump_run, parse_sample, sample_line
from gate.store.sql.retention import redacted, without_outputs
from tests.golden.runs import runs as golden
from tests.support.runs import suite, take

TEXTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "id", "rows"]), inner),
    max_leaves=12,
)


def shout(text: str) -> str:
    return f"<{text}>"


def numbers(value: object) -> list[object]:
    """All that is no text, in its order."""
    if isinstance(value, dict):
        return [one for name, inner in value.items() for one in [name, *numbers(inner)]]
    if isinstance(value, list):
        return [one for inner in value for one in numbers(inner)]
    return [] if isinstance(value, str) else [value]


@given(TEXTS)
def test_only_texts_under_their_keys_change(value: object) -> None:
    found = json.loads(redacted(json.dumps({"id": "a", "text": value, "name": "b"}).encode(), shout))
    assert (found["id"], found["name"]) == ("a", "b")
    assert numbers(found["text"]) == numbers(value)
    if isinstance(value, str):
        assert found["text"] == shout(value)


@pytest.mark.parametrize("name", ["block", "agents", "judged", "check-block", "new-block"])
def test_a_redacted_record_is_still_valid(name: str) -> None:
    run = golden()[name]
    data = dump_run(run).encode()
    for found in (redacted(data, lambda text: "x"), without_outputs(data), without_outputs(without_outputs(data))):
        left = RunRecord.model_validate_json(found)
        assert (left.verdict, left.exit_code, left.seed) == (run.verdict, run.exit_code, run.seed)
        for now, before in zip(left.suites, run.suites, strict=True):
            assert now.quality == before.quality
            assert [case.candidate for case in now.cases] == [case.candidate for case in before.cases]
    assert redacted(data, lambda text: text) == redacted(redacted(data, lambda text: text), lambda text: text)
    without = RunRecord.model_validate_json(without_outputs(data))
    assert not [case for one in without.suites for case in one.cases if case.baseline_outputs or case.candidate_outputs]
    assert not [case for one in without.new for case in one.cases if case.outputs]


def test_a_redacted_sample_is_still_valid() -> None:
    exam = suite([{"tier": "free"}], samples=1)
    for sample in take(exam, lambda case, arm, index: 1.0):
        found = parse_sample(redacted(sample_line(sample), lambda text: "x"))
        assert (found.suite, found.case_id, found.score) == (sample.suite, sample.case_id, sample.score)
        assert getattr(found.reply, "text", "x") == "x"
