"""A conversation with tools has a key of its own, whatever part of it differs."""

from dataclasses import replace

import pytest

from gate.calls.cache import request_key
from gate.calls.interface import Request
from gate.config.models import ModelRef, Params
from gate.messages import Message, Tool, ToolCall

CALLED = Message("assistant", "x", (ToolCall("a", "look", "{}"),))
RESULT = Message("tool", "done", answers="a")
PLAIN = Request((CALLED, RESULT), ModelRef("openai", "m"), Params(), tools=(Tool("look", "Looks.", "{}"),))


@pytest.mark.parametrize(
    "other",
    [
        replace(PLAIN, tools=()),
        replace(PLAIN, tools=(Tool("look", "Looks.", '{"type": "object"}'),)),
        replace(PLAIN, tools=(Tool("look", "Sees.", "{}"),)),
        replace(PLAIN, tools=(*PLAIN.tools, *PLAIN.tools)),
        replace(PLAIN, messages=(CALLED, replace(RESULT, failed=True))),
        replace(PLAIN, messages=(CALLED, replace(RESULT, answers="b"))),
        replace(PLAIN, messages=(replace(CALLED, tool_calls=()), RESULT)),
        replace(PLAIN, messages=(replace(CALLED, tool_calls=(ToolCall("a", "look", "{ }"),)), RESULT)),
        replace(PLAIN, messages=(replace(CALLED, tool_calls=(ToolCall("b", "look", "{}"),)), RESULT)),
    ],
)
def test_two_conversations_have_two_keys(other: Request) -> None:
    assert request_key(other, "") != request_key(PLAIN, "")
