"""Replies of the interfaces: every field may be missing or hostile."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.interface import RejectedRequest, Transient
from gate.calls.providers import anthropic, local, openai
from gate.calls.untrusted import Cleaner, MalformedReply, UnusableReply
from gate.record.transcript import Usage
from gate.values import JsonValue

KEY = "opaque-key-0123456789"

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def openai_reply(**changes: JsonValue) -> dict[str, JsonValue]:
    message: JsonValue = {"role": "assistant", "content": "hi"}
    reply: dict[str, JsonValue] = {
        "model": "gpt-x",
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 5},
    }
    return {**reply, **changes}


def anthropic_reply(**changes: JsonValue) -> dict[str, JsonValue]:
    reply: dict[str, JsonValue] = {
        "model": "claude-x",
        "content": [{"type": "text", "text": "hi"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }
    return {**reply, **changes}


def said(message: JsonValue, finish: JsonValue = "stop") -> dict[str, JsonValue]:
    return openai_reply(choices=[{"message": message, "finish_reason": finish}])


@pytest.mark.parametrize(
    ("reply", "text", "stop"),
    [
        (openai_reply(), "hi", "stop"),
        (said({"content": None, "refusal": "I cannot."}), "I cannot.", "refusal"),
        (said({"content": None}, "content_filter"), "", "content_filter"),
        (said({"content": "a\ud800b"}, "le\x1bngth"), "a\ufffdb", "length"),
        (said({"content": f"your key is {KEY}"}), "your key is [key]", "stop"),
    ],
)
def test_openai_texts(reply: dict[str, JsonValue], text: str, stop: str) -> None:
    completion = openai.read_completion(reply, 0.1, Cleaner((KEY,)), "asked")
    assert (completion.text, completion.stop_reason) == (text, stop)


@pytest.mark.parametrize(
    ("reply", "text", "stop"),
    [
        (anthropic_reply(), "hi", "end_turn"),
        (
            anthropic_reply(content=[{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}, 3]),
            "a",
            "end_turn",
        ),
        (anthropic_reply(content=[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), "ab", "end_turn"),
        (
            anthropic_reply(content=[], stop_reason="refusal", stop_details={"explanation": "No."}),
            "No.",
            "refusal",
        ),
    ],
)
def test_anthropic_texts(reply: dict[str, JsonValue], text: str, stop: str) -> None:
    completion = anthropic.read_completion(reply, 0.1, Cleaner(), "asked")
    assert (completion.text, completion.stop_reason) == (text, stop)


@pytest.mark.parametrize(
    "reply",
    [
        {},
        {"choices": [{}]},
        {"choices": [{"message": "hi"}]},
    ],
)
def test_openai_replies_without_an_answer(reply: dict[str, JsonValue]) -> None:
    with pytest.raises(MalformedReply):
        openai.read_completion(reply, 0.1, Cleaner(), "asked")


@pytest.mark.parametrize("reply", [{}, {"content": None}, {"type": "error"}])
def test_anthropic_replies_without_an_answer(reply: dict[str, JsonValue]) -> None:
    with pytest.raises(MalformedReply):
        anthropic.read_completion(reply, 0.1, Cleaner(), "asked")


def test_an_error_inside_a_good_status_is_quoted() -> None:
    with pytest.raises(MalformedReply, match="upstream is down"):
        openai.read_completion({"error": {"message": "upstream\nis down"}}, 0.1, Cleaner(), "asked")


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 5}, Usage(100, 0, 0, 5)),
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 5,
                "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
            },
            Usage(10, 60, 30, 5),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 90}},
            Usage(0, 10, 0, 5),
        ),
        ({"prompt_tokens": "10", "completion_tokens": 5}, Usage()),
        (None, Usage()),
    ],
)
def test_openai_usage(usage: JsonValue, expected: Usage) -> None:
    assert openai.read_completion(openai_reply(usage=usage), 0.1, Cleaner(), "asked").usage == expected


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"input_tokens": 10, "output_tokens": 5}, Usage(10, 0, 0, 5)),
        (
            {
                "input_tokens": 10,
                "output_tokens": 5,
                "cache_read_input_tokens": 200,
                "cache_creation_input_tokens": 30,
            },
            Usage(10, 200, 30, 5),
        ),
        ({"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": None}, Usage(10, 0, 0, 5)),
        (None, Usage()),
    ],
)
def test_anthropic_usage(usage: JsonValue, expected: Usage) -> None:
    assert anthropic.read_completion(anthropic_reply(usage=usage), 0.1, Cleaner(), "asked").usage == expected


@pytest.mark.parametrize("model", [None, 3, "", "\x00"])
def test_a_reply_that_names_no_model_is_of_the_one_that_was_asked(model: JsonValue) -> None:
    assert openai.read_completion(openai_reply(model=model), 0.1, Cleaner(), "asked").model_id == "asked"
    assert anthropic.read_completion(anthropic_reply(model=model), 0.1, Cleaner(), "asked").model_id == "asked"


@given(st.sampled_from(["model", "choices", "usage"]), JSON)
def test_any_openai_field_may_be_anything(name: str, value: JsonValue) -> None:
    try:
        completion = openai.read_completion(openai_reply(**{name: value}), 0.1, Cleaner(), "asked")
    except (MalformedReply, UnusableReply):
        return
    completion.text.encode()
    assert completion.usage.total_input >= 0


@given(st.sampled_from(["model", "content", "usage", "stop_reason", "stop_details"]), JSON)
def test_any_anthropic_field_may_be_anything(name: str, value: JsonValue) -> None:
    try:
        completion = anthropic.read_completion(anthropic_reply(**{name: value}), 0.1, Cleaner(), "asked")
    except (MalformedReply, UnusableReply):
        return
    completion.text.encode()
    assert completion.usage.total_input >= 0


@given(st.dictionaries(st.sampled_from(["error", "choices", "usage", "model"]), JSON))
def test_any_reply_of_llama_cpp_is_read_or_refused(reply: dict[str, JsonValue]) -> None:
    try:
        local.completion(reply, "m.gguf", 0.1).text.encode()
    except (MalformedReply, UnusableReply, RejectedRequest, Transient) as error:
        assert str(error)


def test_errors_of_llama_cpp() -> None:
    with pytest.raises(RejectedRequest, match="exceeds the available context"):
        local.completion({"error": {"code": 400, "message": "request exceeds the available context"}}, "m", 0.1)
    with pytest.raises(Transient, match="out of memory"):
        local.completion({"error": {"code": 500, "message": "out of memory"}}, "m", 0.1)
