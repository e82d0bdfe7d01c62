"""What is said to an agent that is a program or a service, and what it says: one JSON object each way.

Said: `start` and `reopen` (with the session, the prompt, the model and the case), `send` (with a text), `close`.
Answered: `ok`, `answer` (with a text, and what it took), `error`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from gate.domain.case import Case
from gate.domain.jsonvalue import JsonValue, more_than
from gate.domain.message import Message
from gate.domain.suite import Arm
from gate.domain.transcript import ToolUse, recorded
from gate.domain.usage import Cost, Dollars, Unpriced, Usage
from gate.inputs.jsontext import BadJson, parse_json
from gate.inputs.render import NotBuilt, render
from gate.providers.untrusted import MAX_TEXT, count
from gate.targets.port import AgentFailed, Answer, Question
from gate.targets.tools.masks import Masks

VERSION = 1
MOST_BYTES = 8 * 2**20
"""Of one reply."""
MOST_TOOLS = 1_000
"""Calls of tools in one answer."""
MOST_VALUES = 100_000
"""Texts, numbers, lists and objects in what one answer tells of its tools."""
_REASON_CHARS = 300
_NAME_CHARS = 200
_LONGEST_S = 1e6
_MOST_USD = 1e6
_REPLIES = frozenset({"ok", "answer", "error"})
_TOLD = ("arguments", "result", "error", "latency_s")

Reply: TypeAlias = Mapping[str, JsonValue]
"""As it was said: whatever of it is used is cleaned of secrets and control characters first."""


@dataclass(frozen=True, slots=True)
class Tongue:
    """Speaks the protocol for one conversation.

    Args:
        question: who is asked what.
        cleaner: takes secrets out of what is said.
        who: the agent, for reasons.
    """

    question: Question
    cleaner: Masks
    who: str

    def opening(self, kind: str, session: str, **more: JsonValue) -> bytes:
        """`start` or `reopen`: everything that the agent needs to be this arm's.

        Args:
            kind: which of the two.
            session: its id.
            more: entries.

        Raises:
            AgentFailed: the prompt has no text for the case.
        """
        arm, case = self.question.arm, self.question.case
        return _line(
            {
                "type": kind,
                "version": VERSION,
                "session": session,
                "prompt": _prompt(arm, case),
                "model": str(arm.model),
                "params": arm.params.changed(),
                "case": {"id": case.id, "slices": dict(case.slices), "vars": dict(case.vars)},
                **more,
            }
        )

    def opened(self, reply: Reply | None) -> int | None:
        """How many messages a session knows of that was begun, or opened again; None where the agent does not say.

        Args:
            reply: to `start` or `reopen`.

        Raises:
            AgentFailed: it is not `ok`.
        """
        found = self._read(reply)
        if found.get("type") != "ok":
            raise AgentFailed(f"{self.who} did not open the session with ok: it answered what nobody asked yet")
        return count(found.get("turns"))

    def answer(self, reply: Reply | None, seconds: float, number: int | None = None) -> Answer:
        """The answer to what was sent.

        Args:
            reply: what came back.
            seconds: that it took.
            number: of the message, which an answer may repeat as its `id`.

        Raises:
            AgentFailed: it is none.
        """
        found = self._read(reply)
        text = found.get("text")
        if found.get("type") != "answer" or not isinstance(text, str):
            raise AgentFailed(f"{self.who} did not answer with a text")
        named = count(found.get("id"))
        if number is not None and named is not None and named != number:
            raise AgentFailed(f"{self.who} answered message {named}, and was asked message {number}")
        if len(text) > MAX_TEXT:
            said = f"the answer has {len(text):,} characters, and no more than {MAX_TEXT:,} are taken"
            raise AgentFailed(f"{self.who}: {said}")
        steps = count(found.get("steps"))
        told = _seconds(found.get("latency_s"))
        return Answer(
            text=self.cleaner.text(text),
            tools=self._tools(found.get("tools")),
            steps=1 if steps is None else min(steps, 10_000),
            usage=_usage(found.get("usage")),
            cost=_cost(found.get("cost_usd")),
            latency_s=seconds if told is None else told,
            model_id=self.cleaner.line(found.get("model"), _NAME_CHARS),
            stop_reason=self.cleaner.line(found.get("stop_reason"), 64),
            tools_told=found.get("tools") is not None,
        )

    def _read(self, reply: Reply | None) -> Reply:
        if reply is None:
            raise AgentFailed(f"{self.who} did not answer with a JSON object whose type is ok, answer or error")
        if reply.get("type") == "error":
            said = self.cleaner.line(reply.get("error") or reply.get("message"), _REASON_CHARS)
            raise AgentFailed(f"{self.who} failed: {said or 'it did not say why'}")
        return reply

    def _tools(self, value: JsonValue) -> tuple[ToolUse, ...]:
        if value is None:
            return ()
        if not isinstance(value, list) or len(value) > MOST_TOOLS:
            raise AgentFailed(f"{self.who} tells of its tools in no list of up to {MOST_TOOLS:,} calls")
        if more_than(MOST_VALUES, value):
            raise AgentFailed(f"{self.who} tells of its tools in more than {MOST_VALUES:,} values")
        return tuple(self._tool(one) for one in value)

    def _tool(self, value: JsonValue) -> ToolUse:
        name = value.get("name") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(name, str) or not name.strip():
            raise AgentFailed(f"{self.who} tells of a call of a tool that has no name")
        value = {key: self.cleaner.value(value[key]) for key in _TOLD if key in value}
        error = value.get("error")
        given, result = value.get("arguments", {}), value.get("result", error if isinstance(error, str) else "")
        arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        said = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
        called = self.cleaner.line(name, _NAME_CHARS)
        if not called:
            raise AgentFailed(f"{self.who} tells of a call of a tool whose name has no sign that can be seen")
        # A secret may be a number, which is text only now.
        masked = self.cleaner.masked
        return recorded(ToolUse(called, masked(arguments), masked(said), bool(error), _seconds(value.get("latency_s"))))


def message(kind: str, **more: JsonValue) -> bytes:
    """`send` or `close`."""
    return _line({"type": kind, **more})


def parsed(data: bytes) -> Reply | None:
    """A reply; None for what is none, such as a line that a program prints for people, or for a log."""
    try:
        found = parse_json(data.decode("utf-8", "replace"))
    except BadJson:
        return None
    if not isinstance(found, dict):
        return None
    kind = found.get("type")
    return found if isinstance(kind, str) and kind in _REPLIES else None


def lost_context(sent: int, known: int) -> AgentFailed:
    """A session that was opened again does not know all that was said."""
    return AgentFailed(f"the context is lost: {sent} messages were sent, and {known} are known", attempts=0)


def _prompt(arm: Arm, case: Case) -> JsonValue:
    """The arm's prompt as it is for this case, with the turns of the case but the last, which is sent."""
    asked = Message("user", "{input}")
    earlier = replace(case, input=asked.content, messages=(*case.messages[:-1], asked) if case.messages else ())
    try:
        placed = render(arm.version.prompt, earlier)
    except NotBuilt as error:
        raise AgentFailed(error.failed.reason, error.failed.attempts) from None
    messages: list[JsonValue] = [{"role": turn.role, "content": turn.content} for turn in placed if turn != asked]
    system = "\n\n".join(turn.content for turn in placed if turn.role == "system")
    return {"text": system, "messages": messages, "path": arm.version.path, "digest": arm.version.prompt.digest}


def _line(value: dict[str, JsonValue]) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _usage(value: JsonValue) -> Usage:
    if not isinstance(value, dict):
        return Usage()
    keys = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
    return Usage(*(count(value.get(key)) or 0 for key in keys))


def _cost(value: JsonValue) -> Cost:
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST_USD
    return Dollars(float(value)) if known and isinstance(value, int | float) else Unpriced("unknown")


def _seconds(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LONGEST_S:
        return None
    return float(value)
