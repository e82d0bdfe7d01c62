"""What other tools send to a model, as `input` or `messages` of a case."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from gate.prompts.reading import ROLES
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
    """The case as it was before it became a row, with what was kept in the row's metadata."""
    inner = kept if isinstance(kept, dict) else {}
    without = inner.get(WITHOUT)
    gone = set(map(str, without)) if isinstance(without, list) else set()
    found = {**case, **{key: value for key, value in inner.items() if key in PLAIN}}
    return {key: value for key, value in found.items() if key not in gone}


_ROLES = {**{role: role for role in ROLES}, "human": "user", "ai": "assistant", "model": "assistant"}


def is_chat(value: JsonValue) -> bool:
    """Does a list hold what looks like a turn?"""
    items = _only(value)
    return isinstance(items, list) and any(isinstance(item, dict) and {*item} & {"role", "type"} for item in items)


def _only(value: JsonValue) -> JsonValue:
    """The only conversation of a list: LangChain's models take a list of them."""
    return value[0] if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list) else value


class Tell(Protocol):
    """Collects what has no equivalent here."""

    def add(self, line: int, message: str, hint: str = "") -> None:
        """Add one such thing."""
        ...


def turns_of(value: JsonValue, what: str, line: int, tell: Tell) -> dict[str, JsonValue] | None:
    """`input` or `messages` of a case; None, and a note to `tell`, where the value is neither.

    Args:
        value: a text, a number, or a list of messages as OpenAI, Inspect or LangChain write them.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str):
        if value.strip():
            return {"input": value}
        tell.add(line, f"{what} is empty, so the row is left out")
        return None
    value = _only(value)
    if not isinstance(value, list) or not value:
        tell.add(line, f"{what} is neither a text nor a conversation, so the row is left out", "write a text")
        return None
    messages: list[dict[str, JsonValue]] = []
    for item in value:
        message = _message(item)
        if message is None:
            said = f"{what} has a turn that is no text of a system, user or assistant, so the row is left out"
            tell.add(line, said, "the gate asks in words; conversations with tools have a target")
            return None
        if isinstance(item, Mapping) and item.get("name") is not None:
            tell.add(line, f"{what} names who speaks, which is left out")
        messages.append(message)
    last = messages[-1]
    if all(one["role"] == "system" for one in messages):
        # Samples without a question let the instruction be the question.
        tell.add(line, f"{what} ends with the system's turn, which is asked as the user's")
        last["role"] = "user"
    if last["role"] == "user":
        return {"input": last["content"]} if len(messages) == 1 else {"messages": [*messages]}
    tell.add(line, f"{what} does not end with the user's turn, so the row is left out", "end it with what is asked")
    return None


def reply_of(value: JsonValue) -> str | None:
    """The words of one turn of an assistant, alone or in a list; None where that is something else."""
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
        # As LangChain writes down its own objects: the last part of the id is the class, such as HumanMessage.
        kind = str(named[-1]).removesuffix("Chunk").removesuffix("Message")
        item = {"role": kind, **(item["kwargs"] if isinstance(item["kwargs"], dict) else {}), "type": ""}
    role = _ROLES.get(str(item.get("role", item.get("type", ""))).lower())
    content = _words(item.get("content"))
    if role is None or content is None or item.get("tool_calls"):
        return None
    return {"role": role, "content": content}


def _words(content: JsonValue) -> str | None:
    """Text, or the texts of a list of parts; None where it is blank or holds anything else."""
    if isinstance(content, str):
        return content if content.strip() else None
    if not isinstance(content, Sequence) or not content:
        return None
    texts = [
        part.get("text") for part in content if isinstance(part, dict) and part.get("type") in ("text", "input_text")
    ]
    good = [text for text in texts if isinstance(text, str)]
    return "\n".join(good) if len(good) == len(content) and any(text.strip() for text in good) else None


KNOWN = ("input", "ideal", "item")
_EXPECTED = ("ideal", "expected", "expected_output", "correct_label", "label", "ground_truth", "reference", "answer")
_INPUT = ("input", "question", "prompt", "query", "messages")


def is_sample(entries: Mapping[str, JsonValue]) -> bool:
    """Is a row a sample of OpenAI evals, and not a case of the gate's own?"""
    if entries.keys() in ({"item"}, {"item", "sample"}):
        return isinstance(entries["item"], Mapping)
    return "id" not in entries and "input" in entries and ("ideal" in entries or _is_chat(entries["input"]))


def case_of(sample: Mapping[str, JsonValue], number: int, line: int, tell: Tell) -> dict[str, JsonValue] | None:
    """The case of a sample; None, and a note to `tell`, where it cannot be asked.

    Args:
        number: from 1; gives the name `sample-1`.
    """
    row = dict(sample)
    if isinstance(row.get("item"), dict):
        if "sample" in row:
            tell.add(line, f"the recorded answer of sample {number} is left out")
        return _item(row["item"], number, line, tell)
    case: dict[str, JsonValue] = {"id": f"sample-{number}"}
    asked = turns_of(row.pop("input", None), f"input of sample {number}", line, tell)
    if asked is None:
        return None
    case |= asked
    if "ideal" in row:
        case["expected"] = row.pop("ideal")
    variables = {key: value for key, value in row.items() if key not in _RESERVED}
    for key in sorted(row.keys() & set(_RESERVED)):
        tell.add(line, f"{key!r} of sample {number} is left out: it is a word of the gate's own")
    return {**case, **({"vars": variables} if variables else {})}


_RESERVED = ("id", "slices", "expected", "input")


def _item(value: JsonValue, number: int, line: int, tell: Tell) -> dict[str, JsonValue] | None:
    item = dict(value) if isinstance(value, dict) else {}
    case: dict[str, JsonValue] = {"id": f"sample-{number}"}
    if (question := next((key for key in _INPUT if key in item), None)) is not None:
        asked = turns_of(item.pop(question), f"{question} of sample {number}", line, tell)
        if asked is None:
            return None
        case |= asked
    if (answer := next((key for key in _EXPECTED if key in item), None)) is not None:
        case["expected"] = item.pop(answer)
    for key in [key for key in item if key in _RESERVED]:
        tell.add(line, f"{key!r} of sample {number} is left out: it is a word of the gate's own")
        del item[key]
    if not item and len(case) == 1:
        tell.add(line, f"sample {number} holds nothing to ask, and is left out")
        return None
    return {**case, **({"vars": item} if item else {})}


def _is_chat(value: JsonValue) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and "role" in one for one in value)
