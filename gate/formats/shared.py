"""What the formats have in common: metadata as slices, mappings as inputs, and what only the gate knows kept beside."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.inputs.kept import OWN, WITHOUT, with_kept
from gate.inputs.messages import Tell, is_chat, reply_of, turns_of
from gate.inputs.names import dimension_complaint, value_complaint
from gate.inputs.problems import quoted

Row = Mapping[str, JsonValue]
TAG = "tag:"
RESERVED = frozenset({"input", "id", "slices", "expected"})
_CHATS = ("messages", "input", "chat_history")
_INPUTS = ("input", "question", "prompt", "query", "text", "user_input")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row stands.

    Args:
        line: of the file.
        number: of the row, from 1.
        tell: hears of losses.
    """

    line: int
    number: int
    tell: Tell

    def lost(self, what: str, remedy: str = "") -> None:
        """Something of this row is left out, or put differently."""
        self.tell.add(self.line, what, remedy)


class Draft:
    """A case that is put together from a row of another tool.

    Args:
        place: of the row.
        name: what the other tool calls it; one that cannot be an id gives way to the place.
    """

    def __init__(self, place: Place, name: JsonValue = None) -> None:
        self.place = place
        text = str(name).strip() if isinstance(name, (str, int)) and not isinstance(name, bool) else ""
        if name is not None and (not text or value_complaint(text)):
            place.lost(f"the id {quoted(str(name))} of row {place.number} cannot be used, so it is called by its place")
            text = ""
        self.case: dict[str, JsonValue] = {"id": text or f"row-{place.number}"}
        self.kept: JsonValue = None

    def ask(self, value: JsonValue, what: str = "input") -> bool:
        """Take what is asked; False, and a word, where it cannot be."""
        asked = turns_of(value, f"{what} of row {self.place.number}", self.place.line, self.place.tell)
        self.case |= asked or {}
        return asked is not None

    def ask_mapping(self, inputs: Row) -> bool:
        """Take a mapping that is asked: its question, or its conversation, and all else as variables."""
        rest = dict(inputs)
        key = next((key for key in _CHATS if is_chat(rest.get(key))), "")
        if not key and len(rest) == 1 and is_chat(next(iter(rest.values()))):
            key = next(iter(rest))
        if key:
            if not self.ask(rest.pop(key), key):
                return False
        else:
            found = next((key for key in _INPUTS if isinstance(rest.get(key), str)), None)
            if found is None and len(rest) == 1 and isinstance(next(iter(rest.values())), str):
                found = next(iter(rest))
            if found is not None and str(rest[found]).strip():
                self.case["input"] = rest.pop(found)
        self.variables(rest)
        if len(self.case) == 1:
            self.place.lost(f"row {self.place.number} holds nothing to ask, and is left out")
        return len(self.case) > 1

    def expect(self, value: JsonValue) -> None:
        """Take the reference answer: of a reply that is written down as a turn, its words."""
        if value is not None and value != "":
            self.case["expected"] = value if (said := reply_of(value)) is None else said

    def expect_mapping(self, outputs: Row) -> None:
        """Take a mapping of answers: its only one, or the one of a well-known name where nothing else stands there."""
        if len(outputs) == 1:
            self.expect(next(iter(outputs.values())))
        elif outputs:
            self.expect(dict(outputs))

    def variables(self, values: Row) -> None:
        """Take further values."""
        good: dict[str, JsonValue] = {}
        for key, value in values.items():
            if key in RESERVED:
                self.place.lost(f"the value {quoted(key)} of row {self.place.number} is left out: the gate's own word")
            else:
                good[key] = value
        if good:
            known = self.case.get("vars")
            self.case["vars"] = {**(known if isinstance(known, dict) else {}), **good}

    def metadata(self, value: JsonValue) -> None:
        """Take metadata: short values as slices, and what the gate itself has kept there."""
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except ValueError:
                self.place.lost(f"metadata of row {self.place.number} is no mapping, and is left out")
                return
        if not isinstance(value, dict):
            return
        for key, item in value.items():
            if key == OWN and isinstance(item, dict):
                self.kept = item
            else:
                self.slice(key, item)

    def slice(self, key: str, value: JsonValue) -> None:
        """Take a value as a slice, if it is short."""
        text = json.dumps(value) if isinstance(value, (bool, int, float)) else value
        if value is None or text == "":
            return
        if not isinstance(text, str) or dimension_complaint(key) or value_complaint(text):
            said = f"metadata {quoted(key)} of row {self.place.number} is no short text, and is left out"
            self.place.lost(said, "name the value as a variable, if the prompt needs it")
            return
        known = self.case.get("slices")
        self.case["slices"] = {**(known if isinstance(known, dict) else {}), key: text}

    def tags(self, value: JsonValue) -> None:
        """Take tags: a slice `tag:NAME` with the value `yes` for each."""
        for tag in value if isinstance(value, list) else [value] if isinstance(value, str) and value else []:
            self.slice(f"{TAG}{tag}", "yes")

    def done(self) -> dict[str, JsonValue]:
        """The case, with what the gate has kept about it."""
        return with_kept(self.case, self.kept)


def text_or_texts(value: JsonValue) -> JsonValue:
    """A reference answer where only a text, or a list of them, may stand: anything else as JSON."""
    texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return value if isinstance(value, str) or texts else json.dumps(value, ensure_ascii=False)


def metadata_of(entry: Entry, *, tags: bool = False) -> dict[str, JsonValue]:
    """Slices of a case as metadata; those that are tags only where the format has no tags."""
    slices = entry.get("slices")
    found = slices if isinstance(slices, dict) else {}
    return {
        key: value
        for key, value in found.items()
        if isinstance(value, str) and key != OWN and not (tags and _is_tag(key, value))
    }


def tags_of(entry: Entry) -> list[JsonValue]:
    """Slices of a case that are tags."""
    slices = entry.get("slices")
    found = slices if isinstance(slices, dict) else {}
    return [key.removeprefix(TAG) for key, value in found.items() if _is_tag(key, value)]


def _is_tag(key: str, value: JsonValue) -> bool:
    return key.startswith(TAG) and value == "yes"


def asked_of(entry: Entry) -> JsonValue:
    """What a case asks, as a text or as messages; None for one of variables alone."""
    return entry.get("input", entry.get("messages"))


def mapping_of(entry: Entry) -> dict[str, JsonValue]:
    """What a case asks, as a mapping."""
    variables = entry.get("vars")
    asked = {key: entry[key] for key in ("input", "messages") if key in entry}
    return {**asked, **(variables if isinstance(variables, dict) else {})}


def difference(entry: Entry, back: Entry) -> dict[str, JsonValue]:
    """What has to be kept so that a case comes back as it is.

    Args:
        entry: the case.
        back: what its row would be read as.
    """
    kept = {key: value for key, value in entry.items() if key not in back or not same(value, back[key])}
    gone: list[JsonValue] = [key for key in back if key not in entry]
    return {**kept, **({WITHOUT: gone} if gone else {})}


def same(one: JsonValue, other: JsonValue) -> bool:
    """Equal as JSON: to Python 1, 1.0 and true are the same."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
