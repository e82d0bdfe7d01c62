"""Conversations with tools travel to workers and back."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gate.domain.model import ModelRef, Params
from gate.domain.prompt import Message
from gate.domain.tools import Tool, ToolCall
from gate.domain.usage import Usage
from gate.providers.base import Completion, Request
from gate.providers.elsewhere.wire import dumps, loads, pack_completion, pack_request, unpack_outcome, unpack_request
from tests.support.transcripts import CALLS, TEXT
from tests.unit.stats.layouts import THOROUGH

ASSISTANT = st.builds(Message, st.just("assistant"), TEXT, CALLS)
RESULT = st.builds(Message, st.just("tool"), TEXT, st.just(()), TEXT.filter(bool), st.booleans())
TALK = st.lists(ASSISTANT | RESULT, max_size=4).map(tuple)
TOOLS = st.lists(st.builds(Tool, TEXT, TEXT, st.just(json.dumps({"type": "object"}))), max_size=2).map(tuple)


@THOROUGH
@given(TALK, TOOLS)
def test_requests(messages: tuple[Message, ...], tools: tuple[Tool, ...]) -> None:
    request = Request(messages, ModelRef("openai", "m"), Params(), tools=tools)
    assert unpack_request(loads(dumps(pack_request(request)))) == request


@THOROUGH
@given(TEXT, CALLS)
def test_answers(text: str, calls: tuple[ToolCall, ...]) -> None:
    done = replace(Completion(text, "m", Usage(1, 0, 0, 1), 0.5), tool_calls=calls)
    assert unpack_outcome(loads(dumps(pack_completion(done)))) == done
