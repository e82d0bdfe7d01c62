"""Converts inputs of other tools to `input` or `messages` of a case."""

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from gate.cases.losses import Losses
from gate.messages import ROLES
from gate.prompts.images import content_of
from gate.values import JsonValue

OWN = "prompt_gate"
"""Key of the metadata."""
WITHOUT = "without"
"""Key, inside it, of a list of fields that the row would give and the case has not."""
PLAIN = frozenset(
    "id input messages expected description slices slice cluster scorers extra_scorers criteria threshold vars "
    "obsolete".split()
)
"""Fields of a case of the plain form."""


def with_kept(case: Mapping[str, JsonValue], kept: JsonValue) -> dict[str, JsonValue]:
    """Restore a case from its row and the parts stored in the row's metadata."""
    inner = kept if isinstance(kept, dict) else {}
    without = inner.get(WITHOUT)
    removed = set(map(str, without)) if isinstance(without, list) else set()
    found = {**case, **{key: value for key, value in inner.items() if key in PLAIN}}
    return {key: value for key, value in found.items() if key not in removed}


_ROLES = {**{role: role for role in ROLES}, "human": "user", "ai": "assistant", "model": "assistant"}


def is_chat(value: JsonValue) -> bool:
    """Does a list contain a turn of a conversation?"""
    items = _only(value)
    return isinstance(items, list) and any(isinstance(item, dict) and {*item} & {"role", "type"} for item in items)


def _only(value: JsonValue) -> JsonValue:
    """The conversation inside a list of one, as LangChain passes it; content parts are a user's message."""
    if (parts := _with_images(value)) is not None:
        return [{"role": "user", "content": parts}]
    return value[0] if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list) else value


def turns_of(value: JsonValue, what: str, line: int, losses: Losses) -> dict[str, JsonValue] | None:
    """`input` or `messages` of a case; None and a loss if the value is neither.

    Args:
        value: a text, a number, or a list of messages as OpenAI, Inspect or LangChain write them.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str):
        if value.strip():
            return {"input": value}
        losses.add(line, f"{what} is empty, so the row is left out")
        return None
    value = _only(value)
    if not isinstance(value, list) or not value:
        losses.add(line, f"{what} is neither a text nor a conversation, so the row is left out", "write a text")
        return None
    messages: list[dict[str, JsonValue]] = []
    for item in value:
        message = _message(item)
        if message is None:
            said = f"{what} has a turn that is not a text of a system, user or assistant, so the row is left out"
            hint = "the gate sends texts, and images as data URLs of a user; conversations with tools have a target"
            losses.add(line, said, hint)
            return None
        if isinstance(item, Mapping) and item.get("name") is not None:
            losses.add(line, f"{what} names who speaks, which is left out")
        messages.append(message)
    last = messages[-1]
    if all(one["role"] == "system" for one in messages):
        # In samples without a question, the instruction is the question.
        losses.add(line, f"{what} ends with the system's turn, which is sent as the user's")
        last["role"] = "user"
    if last["role"] == "user":
        return {"input": last["content"]} if len(messages) == 1 else {"messages": [*messages]}
    losses.add(line, f"{what} does not end with the user's turn, so the row is left out", "end it with what is asked")
    return None


def reply_of(value: JsonValue) -> str | None:
    """The text of one assistant turn, also inside a list; else None."""
    item = value[0] if isinstance(value, list) and len(value) == 1 else value
    message = _message(item)
    said = message["content"] if message is not None and message["role"] == "assistant" else None
    return said if isinstance(said, str) else None


def _message(item: JsonValue) -> dict[str, JsonValue] | None:
    if not isinstance(item, dict):
        return None
    if isinstance(item.get("data"), dict) and isinstance(item.get("type"), str):
        item = {"role": item["type"], **(item["data"] if isinstance(item["data"], dict) else {})}
    named = item.get("id")
    if isinstance(item.get("kwargs"), dict) and isinstance(named, list) and named:
        # LangChain serializes objects with an id whose last part is the class, such as HumanMessage.
        kind = str(named[-1]).removesuffix("Chunk").removesuffix("Message")
        item = {"role": kind, **(item["kwargs"] if isinstance(item["kwargs"], dict) else {}), "type": ""}
    role = _ROLES.get(str(item.get("role", item.get("type", ""))).lower())
    content: JsonValue = _text(item.get("content"))
    if content is None and role == "user":
        content = _with_images(item.get("content"))
    if role is None or content is None or item.get("tool_calls"):
        return None
    return {"role": role, "content": content}


def _with_images(content: JsonValue) -> list[JsonValue] | None:
    """The parts of a content with images, all of them data URLs; None for anything else."""
    try:
        parts = content_of(content) if isinstance(content, list) else ""
    except ValidationError:
        return None
    whole = isinstance(parts, tuple) and all(isinstance(part, str) or part.sha256 for part in parts)
    return content if whole and isinstance(content, list) else None


def _text(content: JsonValue) -> str | None:
    """Text, or the joined texts of a list of parts; None if blank or anything else."""
    if isinstance(content, str):
        return content if content.strip() else None
    if not isinstance(content, Sequence) or not content:
        return None
    texts = [
        part.get("text") for part in content if isinstance(part, dict) and part.get("type") in ("text", "input_text")
    ]
    good = [text for text in texts if isinstance(text, str)]
    return "\n".join(good) if len(good) == len(content) and any(text.strip() for text in good) else None
