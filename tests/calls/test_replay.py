"""Recorded answers."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.interface import Completion, RejectedRequest, Request
from gate.calls.providers.replay import ReplayProvider, parse_answers
from gate.config.models import ModelRef, Params
from gate.errors import InputErrors
from gate.messages import Message
from gate.record.transcript import Usage


def rows(*found: dict[str, object]) -> str:
    return "\n".join(json.dumps(row) for row in found)


def ask(provider: ReplayProvider, user: str, index: int = 0) -> Completion:
    messages = (Message("system", "any"), Message("user", user))
    return asyncio.run(provider.complete(Request(messages, ModelRef("replay", "r.jsonl"), Params(), index)))


def test_each_sample_has_its_own_recording_and_starts_again() -> None:
    provider = parse_answers(rows({"input": "q", "output": "a"}, {"input": "q", "output": "b"}), "r.jsonl")
    assert [ask(provider, "q", index).text for index in range(5)] == ["a", "b", "a", "b", "a"]


def test_what_was_recorded_comes_back() -> None:
    usage = {"input_tokens": 9, "cache_read_tokens": 3, "output_tokens": 2}
    text = rows({"input": "q", "output": "a", "model": "m-1", "latency_s": 0.5, "usage": usage, "more": [1]})
    completion = ask(parse_answers(text, "r.jsonl"), "q")
    assert completion == Completion("a", "m-1", Usage(9, 3, 0, 2), 0.5, "replay")


def test_an_input_without_a_recording() -> None:
    with pytest.raises(RejectedRequest, match="no recorded output for the input 'other question'"):
        ask(parse_answers(rows({"input": "q", "output": "a"}), "r.jsonl"), "other\nquestion")


def test_all_errors_at_once_with_their_lines() -> None:
    text = '{"input": "q", "output": "a"}\nnot json\n\n[]\n{"output": "a"}\n{"input": "q", "output": 3}\n'
    text += '{"input": "q", "output": "a", "latency_s": -1}'
    with pytest.raises(InputErrors) as caught:
        parse_answers(text, "r.jsonl")
    assert [problem.line for problem in caught.value.problems] == [2, 4, 5, 6, 7]
    assert caught.value.problems[0].message == "the row is not JSON"


def test_byte_order_mark_windows_line_ends_and_line_separators() -> None:
    text = '\ufeff{"input": "a\u2028b", "output": "x"}\r\n{"input": "c", "output": "y"}\r\n'
    provider = parse_answers(text, "r.jsonl")
    assert (ask(provider, "a\u2028b").text, ask(provider, "c").text) == ("x", "y")


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=8))
def test_whatever_was_written_is_read(pairs: list[tuple[str, str]]) -> None:
    provider = parse_answers(rows(*({"input": key, "output": value} for key, value in pairs)), "r.jsonl")
    for key, _ in pairs:
        own = [value for other, value in pairs if other == key]
        assert [ask(provider, key, index).text for index in range(len(own))] == own


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert parse_answers(text, "r.jsonl").recorded
    except InputErrors as error:
        assert error.problems
