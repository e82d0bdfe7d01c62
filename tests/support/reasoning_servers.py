"""Servers whose models think between calls of tools, and that refuse a request without those thoughts."""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tests.support.model_server import Raw

Wire = dict[str, Any]


def refused(message: str) -> Raw:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": "invalid_request_error"}
    return Raw(400, json.dumps({"error": error}).encode(), {"content-type": "application/json"})


@dataclass
class ReasoningServer(ABC):
    """One family of servers.

    Args:
        sent: what the model thought before its calls, by the id of the first call.
    """

    api: ClassVar[str] = "openai"
    words: str
    sent: dict[str, Any] = field(default_factory=dict)

    def thought(self) -> str:
        """Something new each time."""
        return f'Let me see, "{len(self.sent)}" \\ ü.'

    @abstractmethod
    def shape(self, wire: Wire) -> Wire:
        """A reply with what the model thought."""

    @abstractmethod
    def has_come_back(self, data: Wire) -> bool:
        """Is everything in a request that was thought before its calls?"""

    def refusal(self, data: Wire) -> Raw | None:
        """What it says to a request that it does not take."""
        return None if self.has_come_back(data) and calls_are_answered(data) else refused(self.words)


@dataclass
class ReasoningContent(ReasoningServer):
    """DeepSeek, Kimi, GLM and Qwen: a field beside the content, which may be empty."""

    empty: bool = False

    def shape(self, wire: Wire) -> Wire:
        message = wire["choices"][0]["message"]
        message["reasoning_content"] = "" if self.empty else self.thought()
        for call in message.get("tool_calls", [])[:1]:
            self.sent[call["id"]] = message["reasoning_content"]
        return wire

    def has_come_back(self, data: Wire) -> bool:
        turns = [turn for turn in data["messages"] if turn.get("tool_calls")]
        return all(turn.get("reasoning_content") == self.sent[turn["tool_calls"][0]["id"]] for turn in turns)


@dataclass
class ThinkTags(ReasoningServer):
    """MiniMax: tags in the content."""

    def shape(self, wire: Wire) -> Wire:
        message = wire["choices"][0]["message"]
        message["content"] = f"<think>\n{self.thought()}\n</think>\n\n{message['content'] or ''}"
        for call in message.get("tool_calls", [])[:1]:
            self.sent[call["id"]] = message["content"]
        return wire

    def has_come_back(self, data: Wire) -> bool:
        turns = [turn for turn in data["messages"] if turn.get("tool_calls")]
        return all(turn["content"] == self.sent[turn["tool_calls"][0]["id"]] for turn in turns)


@dataclass
class ThoughtSignatures(ReasoningServer):
    """Gemini, by OpenAI's interface: a signature within the first call."""

    def shape(self, wire: Wire) -> Wire:
        for call in wire["choices"][0]["message"].get("tool_calls", [])[:1]:
            self.sent[call["id"]] = {"google": {"thought_signature": self.thought()}}
            call["extra_content"] = self.sent[call["id"]]
        return wire

    def has_come_back(self, data: Wire) -> bool:
        firsts = [turn["tool_calls"][0] for turn in data["messages"] if turn.get("tool_calls")]
        return all(call.get("extra_content") == self.sent[call["id"]] for call in firsts)


@dataclass
class ThinkingBlocks(ReasoningServer):
    """Anthropic: blocks with a signature, or sealed, before the calls."""

    api = "anthropic"

    def shape(self, wire: Wire) -> Wire:
        thinking = {"type": "thinking", "thinking": self.thought(), "signature": f"signed {len(self.sent)}"}
        blocks = [thinking, {"type": "redacted_thinking", "data": f"sealed {len(self.sent)}"}]
        for use in [block for block in wire["content"] if block["type"] == "tool_use"][:1]:
            self.sent[use["id"]] = blocks
        return {**wire, "content": [*blocks, *wire["content"]]}

    def has_come_back(self, data: Wire) -> bool:
        for turn in data["messages"]:
            uses = [block for block in turn["content"] if turn["role"] == "assistant" and block["type"] == "tool_use"]
            if uses and turn["content"][:2] != self.sent[uses[0]["id"]]:
                return False
        return True


@dataclass
class ReasoningItems(ReasoningServer):
    """OpenAI's Responses: an item before the calls, whose content is sealed where it was asked for."""

    api = "openai-responses"

    def shape(self, wire: Wire) -> Wire:
        item = {
            "id": f"rs_{len(self.sent)}",
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": self.thought()}],
            "encrypted_content": f"sealed {len(self.sent)}",
        }
        for call in [one for one in wire["output"] if one["type"] == "function_call"][:1]:
            self.sent[call["call_id"]] = item
        return {**wire, "output": [item, *wire["output"]]}

    def has_come_back(self, data: Wire) -> bool:
        if data.get("include") != ["reasoning.encrypted_content"] or data.get("store") is not False:
            return False
        items = [{"type": "message"}, *data["input"]]
        for before, item in zip(items, items[1:], strict=False):
            if item.get("call_id") in self.sent and item["type"] == "function_call":
                if before != self.sent[item["call_id"]]:
                    return False
            elif before.get("type") == "reasoning" and item.get("type") != "message":
                return False
        return True


def families() -> dict[str, ReasoningServer]:
    """One server of each family."""
    missing = "Missing reasoning_content field in the assistant message at message index 2"
    return {
        "DeepSeek": ReasoningContent("The `reasoning_content` in the thinking mode must be passed back to the API."),
        "DeepSeek, without a thought": ReasoningContent("The `reasoning_content` must be passed back.", empty=True),
        "Kimi": ReasoningContent("thinking is enabled but reasoning_content is missing in assistant tool call message"),
        "GLM": ReasoningContent(missing),
        "Qwen": ReasoningContent(missing),
        "MiniMax": ThinkTags("the thinking is missing"),
        "Gemini": ThoughtSignatures("Function call is missing a thought_signature in functionCall parts."),
        "Anthropic": ThinkingBlocks("messages.1.content.0.type: Expected `thinking` or `redacted_thinking`"),
        "OpenAI's Responses": ReasoningItems("Item 'fc_1' of type 'function_call' was provided without its reasoning."),
    }


def calls_are_answered(data: Wire) -> bool:
    """Has each call of a request an id of its own, arguments of the right type, and one result?"""
    called: list[tuple[Any, bool]] = []
    results: list[Any] = []
    for item in data.get("input", ()):
        if item.get("type") == "function_call":
            called.append((item["call_id"], isinstance(item["arguments"], str)))
        if item.get("type") == "function_call_output":
            results.append(item["call_id"])
    for turn in data.get("messages", ()):
        for call in turn.get("tool_calls") or ():
            called.append((call["id"], isinstance(call["function"]["arguments"], str)))
        if turn["role"] == "tool":
            results.append(turn["tool_call_id"])
        for block in turn["content"] if isinstance(turn["content"], list) else ():
            if block["type"] == "tool_use":
                called.append((block["id"], isinstance(block["input"], dict)))
            if block["type"] == "tool_result":
                results.append(block["tool_use_id"])
    ids = [one for one, _ in called]
    well = all(isinstance(one, str) and 0 < len(one) <= 64 and fits for one, fits in called)
    return well and len(set(ids)) == len(ids) and results == ids
