"""What is sent, as an address: any change of it is another address."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.cache import UNSENT, request_key
from gate.calls.interface import Request
from gate.config.models import ModelRef, Params
from gate.messages import Message, Tool, ToolCall
from gate.values import JsonValue

URL = "https://api.example.com/v1"
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "max_output_tokens": st.none() | st.integers(1, 9),
    "temperature": st.none() | st.sampled_from([0, 0.0, 0.5, 1, 1.0]),
    "top_p": st.none() | st.sampled_from([0.5, 1, 1.0]),
    "stop": st.lists(ANY_TEXT, max_size=2).map(tuple),
    "seed": st.none() | st.integers(0, 2**70),
    "reasoning_effort": st.none() | st.sampled_from(["low", "high"]),
    "prompt_cache": st.booleans(),
    "chat_template": st.none() | st.just("passthrough"),
    "keep_thinking": st.booleans(),
    "timeout_s": st.sampled_from([1.0, 120.0]),
}
PARAMS = st.builds(Params.model_construct, **VALUES)
ROLES = st.sampled_from(["system", "user", "assistant"])
MESSAGES = st.lists(st.builds(Message, ROLES, ANY_TEXT), max_size=4).map(tuple)
SCHEMAS: st.SearchStrategy[dict[str, JsonValue] | None] = st.none() | st.dictionaries(
    ANY_TEXT, ANY_TEXT | st.integers() | st.lists(ANY_TEXT, max_size=2), max_size=3
)
MODELS = st.builds(ModelRef, st.sampled_from(["openai", "fake"]), ANY_TEXT)
REQUESTS = st.builds(Request, MESSAGES, MODELS, PARAMS, st.integers(0, 5), SCHEMAS)


def test_every_parameter_is_tried() -> None:
    assert set(VALUES) == set(Params.model_fields)


@given(REQUESTS, st.data())
def test_any_changed_field_changes_the_key(request: Request, data: st.DataObject) -> None:
    key = request_key(request, URL)
    assert request_key(request, URL + "x") != key
    assert request_key(replace(request, index=request.index + 1), URL) != key
    assert request_key(replace(request, model=replace(request.model, provider="anthropic")), URL) != key
    assert request_key(replace(request, model=replace(request.model, name=request.model.name + "x")), URL) != key
    assert request_key(replace(request, messages=(*request.messages, Message("user", ""))), URL) != key
    assert request_key(replace(request, schema=None if request.schema is not None else {}), URL) != key
    for name, values in VALUES.items():
        value = data.draw(values, label=name)
        other = request_key(replace(request, params=request.params.model_copy(update={name: value})), URL)
        assert (other == key) == (name in UNSENT or value == getattr(request.params, name))


@given(MESSAGES, st.integers(0, 3), ANY_TEXT.filter(bool))
def test_text_may_not_move_between_messages(messages: tuple[Message, ...], at: int, extra: str) -> None:
    turns = [Message("user", "a"), *messages, Message("user", "b")]
    before, after = list(turns), list(turns)
    i = min(at, len(turns) - 2)
    before[i] = Message(turns[i].role, turns[i].content + extra)
    after[i + 1] = Message(turns[i + 1].role, extra + turns[i + 1].content)
    model, params = ModelRef("fake", "m"), Params()
    assert request_key(Request(tuple(before), model, params), "") != request_key(
        Request(tuple(after), model, params), ""
    )


def test_the_order_of_a_schema_counts() -> None:
    model, params = ModelRef("fake", "m"), Params()
    one = Request((), model, params, schema={"a": 1, "b": 2})
    two = Request((), model, params, schema={"b": 2, "a": 1})
    assert request_key(one, "") != request_key(two, "")


def test_the_key_of_a_request_stays_the_same_over_releases() -> None:
    """Goes with `FORMAT`: a change here makes every kept answer unknown."""
    request = Request(
        (Message("user", "hello"),), ModelRef("openai", "m"), Params(temperature=0.5), 1, {"type": "object"}
    )
    assert request_key(request, URL).hex() == "4740b0b9ca810e9d15cba36f98ab18f0577eba1e9c1a704a0495315be83fa188"


CALLED = Message("assistant", "x", (ToolCall("a", "look", "{}"),))
RESULT = Message("tool", "done", answers="a")
PLAIN = Request((CALLED, RESULT), ModelRef("openai", "m"), Params(), tools=(Tool("look", "Looks.", "{}"),))


@pytest.mark.parametrize(
    "other",
    [
        replace(PLAIN, tools=()),
        replace(PLAIN, tools=(Tool("look", "Looks.", '{"type": "object"}'),)),
        replace(PLAIN, messages=(CALLED, replace(RESULT, failed=True))),
        replace(PLAIN, messages=(CALLED, replace(RESULT, answers="b"))),
        replace(PLAIN, messages=(replace(CALLED, tool_calls=(ToolCall("a", "look", "{ }"),)), RESULT)),
    ],
)
def test_two_conversations_with_tools_have_two_keys(other: Request) -> None:
    assert request_key(other, "") != request_key(PLAIN, "")
