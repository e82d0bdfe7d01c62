"""What travels between processes arrives as it was."""

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef, Params
from gate.domain.prompt import Message
from gate.domain.tools import Tool, ToolCall
from gate.domain.usage import Usage
from gate.errors import CannotEvaluate, GateError, InputErrors, MissingKey, Problem
from gate.providers.base import Completion, Misconfigured, Rejected, Request, Transient
from gate.providers.elsewhere.wire import (
    dumps,
    loads,
    pack_completion,
    pack_error,
    pack_request,
    unpack_outcome,
    unpack_request,
)
from gate.providers.headroom import Headroom

# Every code point, halves of surrogate pairs among them, alone and in wrong company.
TEXT = st.text(st.characters(codec=None), max_size=20) | st.sampled_from(["\ud83d", "\ud83d\ude00", "\ude00\ud83d", ""])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
COUNTS = st.integers(0, 2**53)
JSON = st.recursive(
    st.none() | st.booleans() | COUNTS | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
PARAMS = st.builds(
    Params,
    max_output_tokens=st.none() | COUNTS,
    temperature=st.none() | NUMBERS,
    top_p=st.none() | NUMBERS,
    stop=st.lists(TEXT, max_size=3).map(tuple),
    seed=st.none() | COUNTS,
    reasoning_effort=st.none() | TEXT,
    prompt_cache=st.booleans(),
    chat_template=st.none() | TEXT,
    base_url=st.none() | TEXT,
    timeout_s=NUMBERS,
)
CALLS = st.lists(st.builds(ToolCall, TEXT, TEXT, TEXT), max_size=2).map(tuple)
MESSAGES = st.builds(Message, st.sampled_from(["system", "user", "assistant"]), TEXT) | st.builds(
    Message, st.sampled_from(["assistant", "tool"]), TEXT, CALLS, TEXT, st.booleans()
)
REQUESTS = st.builds(
    Request,
    messages=st.lists(MESSAGES, max_size=3).map(tuple),
    model=st.builds(ModelRef, TEXT, TEXT),
    params=PARAMS,
    index=COUNTS,
    schema=st.none() | st.dictionaries(TEXT, JSON, max_size=3),
    tools=st.lists(st.builds(Tool, TEXT, TEXT, TEXT), max_size=2).map(tuple),
)
HEADROOM = st.none() | st.builds(Headroom, st.booleans(), NUMBERS)
COMPLETIONS = st.builds(
    Completion,
    text=TEXT,
    model_id=TEXT,
    usage=st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS),
    latency_s=st.none() | NUMBERS,
    stop_reason=TEXT,
    headroom=HEADROOM,
    tool_calls=CALLS,
)


def sent(item: list[JsonValue]) -> list[JsonValue]:
    return loads(dumps(item))


@settings(deadline=None, max_examples=60)
@given(REQUESTS)
def test_requests(request: Request) -> None:
    assert unpack_request(sent(pack_request(request))) == request


@settings(deadline=None, max_examples=60)
@given(COMPLETIONS)
def test_answers(completion: Completion) -> None:
    assert unpack_outcome(sent(pack_completion(completion))) == completion


SENT: list[tuple[type, set[str]]] = [
    (Request, {"messages", "model", "params", "index", "schema", "tools"}),
    (Completion, {"text", "model_id", "usage", "latency_s", "stop_reason", "headroom", "tool_calls"}),
    (Message, {"role", "content", "tool_calls", "answers", "failed"}),
    (Tool, {"name", "description", "schema"}),
    (ToolCall, {"id", "name", "arguments"}),
    (Headroom, {"used_up", "reset_s"}),
    (Usage, {"input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"}),
]
NOT_SENT = {"about"}
"""What only the main process needs."""


@pytest.mark.parametrize(("kind", "known"), SENT, ids=lambda one: one.__name__.lower() if isinstance(one, type) else "")
def test_nothing_is_left_behind(kind: type, known: set[str]) -> None:
    """A new field must be put on the wire and into the strategies above, or be named as one that stays here."""
    assert {field.name for field in fields(kind)} - NOT_SENT == known


@settings(deadline=None, max_examples=60)
@given(TEXT, st.none() | NUMBERS, st.booleans(), HEADROOM)
def test_passing_trouble(reason: str, wait: float | None, throttled: bool, left: Headroom | None) -> None:
    found = unpack_outcome(sent(pack_error(Transient(reason, wait, throttled=throttled, headroom=left, unheard=True))))
    assert isinstance(found, Transient)
    known = {"reason": reason, "retry_after_s": wait, "throttled": throttled, "headroom": left, "unheard": True}
    assert vars(found) == known


def test_a_refusal() -> None:
    found = unpack_outcome(sent(pack_error(Rejected("too long"))))
    assert isinstance(found, Rejected)
    assert found.reason == "too long"


@pytest.mark.parametrize("kind", [GateError, Misconfigured, MissingKey, CannotEvaluate])
def test_what_no_request_can_mend(kind: type[GateError]) -> None:
    found = unpack_outcome(sent(pack_error(kind("what", "how"))))
    assert type(found) is kind
    assert (found.message, found.hint, found.exit_code) == ("what", "how", kind.exit_code)


def test_an_error_of_a_kind_that_does_not_travel_becomes_its_parent() -> None:
    found = unpack_outcome(sent(pack_error(InputErrors([Problem("a.yaml", 1, "what")]))))
    assert type(found) is GateError
    assert found.message == "a.yaml:1: what"


def test_a_defect_keeps_its_place_and_not_its_words() -> None:
    def broken() -> None:
        raise ValueError("sk-secret")

    try:
        broken()
    except ValueError as error:
        found = unpack_outcome(sent(pack_error(error)))
    assert isinstance(found, CannotEvaluate)
    assert "ValueError in broken, line" in found.message
    assert "secret" not in f"{found.message} {found.hint}"
