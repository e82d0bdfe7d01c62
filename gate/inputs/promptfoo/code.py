"""What an assertion in code says about an answer, as scorers: a closed set of forms that mean the same; none is run.

`javascript_code` and `python_code` read the two languages; what they find comes together here.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gate.domain.jsonvalue import JsonValue
from gate.inputs.promptfoo.patterns import pythons, translated

CODE_CHARS = 1_000
"""Longer code is a program."""
EXACT_NUMBER = 2**53
"""From here on JavaScript holds no longer every whole number."""

Options = dict[str, JsonValue]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TEMPLATES = ("{{", "{%", "{#")
_BOUNDS: dict[str, tuple[int | None, int | None]] = {
    "<": (None, -1),
    "<=": (None, 0),
    ">": (1, None),
    ">=": (0, None),
    "==": (0, 0),
}
"""What a comparison with a number allows: the least and the most, each from that number."""
_EMPTY_OR_NOT: tuple[Options, ...] = ({"min": 1}, {"max": 0}, {"min": 0, "max": 0})


class NotRead(Exception):
    """The code is none of the forms."""


@dataclass(frozen=True, slots=True)
class Said:
    """One scorer.

    Args:
        options: its kind to its options.
        negate: the opposite is meant.
        differs: what is not as it was; empty where it means the same.
        may_fail: the code fails where the answer is no JSON, whichever way it is asked.
    """

    options: Options
    negate: bool = False
    differs: str = ""
    may_fail: bool = False

    @property
    def scorer(self) -> Options:
        """As `gate.yaml` has it."""
        return {**self.options, **({"negate": True} if self.negate else {})}


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer, as the code looks at it.

    Args:
        trimmed: without the blanks around it.
        fold: what makes its letters alike; None where they stay as they are.
        wide: an emoji has the length 2.
    """

    trimmed: bool = False
    fold: Callable[[str], str] | None = None
    wide: bool = False

    def _looked_for(self, text: str) -> str:
        """The text; NotRead where the answer so changed holds it never, always, or elsewhere."""
        if not text or self.fold is not None and self.fold(text) != text or self.trimmed and text.strip() != text:
            raise NotRead
        return text

    def holds(self, text: str) -> Said:
        """The text occurs in it."""
        return Said({"contains": {"value": self._looked_for(text), "ignore_case": self.fold is not None}})

    def begins(self, text: str) -> Said:
        """It begins with the text."""
        return self._at("starts_with", text)

    def ends(self, text: str) -> Said:
        """It ends with the text."""
        return self._at("ends_with", text)

    def equals(self, text: str) -> Said:
        """It is the text."""
        if not text and self.trimmed:
            return Said({"characters": {"max": 0}})
        if not text.strip() and not self.trimmed and self.fold is None:
            return Said({"regex": {"pattern": rf"\A{text}\Z"}})
        return self._at("exact", text)

    def _at(self, kind: str, text: str) -> Said:
        options: Options = {"value": self._looked_for(text)}
        if not self.trimmed:
            options["strip"] = False
        if self.fold is not None:
            options["ignore_case"] = True
        return Said({kind: options})

    def length(self, comparison: str, count: int) -> Said:
        """Its length, compared with a number: `<`, `<=`, `>`, `>=` or `==`."""
        if self.fold is not None:
            raise NotRead  # capitals and small letters may differ in number
        low, high = _BOUNDS[comparison]
        limits: Options = {"min": count + low} if low is not None else {}
        if high is not None:
            limits["max"] = count + high
        differs = [] if self.trimmed else ["blanks around the answer do not count"]
        differs += ["an emoji is one character"] if self.wide and limits not in _EMPTY_OR_NOT else []
        return Said({"characters": limits}, differs=", and ".join(differs))


def checked(code: JsonValue) -> str:
    """The code, if it is short and stands on one line; NotRead where a case would be put into it."""
    if not isinstance(code, str) or len(code) > CODE_CHARS or "\n" in code or any(mark in code for mark in _TEMPLATES):
        raise NotRead
    return code.strip()


def matches(pattern: str, flags: str) -> Said:
    """A pattern of JavaScript occurs in the answer.

    Raises:
        NotRead: it means something else here.
    """
    if not set(flags) <= {"g", "i"} or len(set(flags)) < len(flags) or pythons(pattern):
        raise NotRead
    return Said({"regex": {"pattern": translated(pattern), **({"ignore_case": True} if "i" in flags else {})}})


def json_is(path: Sequence[str | int], value: JsonValue, differs: str = "") -> Said:
    """The answer is JSON, and holds a value at a path.

    Raises:
        NotRead: code might find there what no path finds, such as a letter of a text.
    """
    last = path[-1]
    if isinstance(value, (int, float)) and (last == "length" or abs(value) >= EXACT_NUMBER):
        raise NotRead
    if isinstance(value, str) and len(value) == 1 and isinstance(last, int):
        raise NotRead
    steps = (
        f"[{step}]"
        if isinstance(step, int)
        else f".{step}"
        if _NAME.fullmatch(step)
        else f"[{json.dumps(step, ensure_ascii=False)}]"
        for step in path
    )
    # To the scorer a key without a value is a mistake.
    wanted: Options = {"one_of": [None]} if value is None else {"equals": value}
    options: Options = {"path": "$" + "".join(steps), **wanted, "fence": False}
    return Said({"json_path": options}, differs=differs, may_fail=True)


def turned(said: Sequence[Said]) -> list[Said]:
    """The opposite.

    Raises:
        NotRead: of several; or of what fails where the answer is no JSON.
    """
    if len(said) != 1 or said[0].may_fail:
        raise NotRead
    return [replace(said[0], negate=not said[0].negate)]


def one_of(parts: Sequence[Sequence[Said]]) -> list[Said]:
    """One at least of several: of texts that the answer holds.

    Raises:
        NotRead: of anything else.
    """
    found = [_contains(said) for part in parts for said in part]
    if len(found) != len(parts) or any("value" not in one for one in found) or len({_folded(one) for one in found}) > 1:
        raise NotRead
    texts = _each_once([one["value"] for one in found])
    return [Said({"contains": {"any": texts, "ignore_case": _folded(found[0])}})]


def all_of(parts: Sequence[Sequence[Said]]) -> list[Said]:
    """All of several: in one scorer where one says it."""
    said = [one for part in parts for one in part]
    for joined in (_joined_texts, _joined_lengths):
        try:
            return [joined(said)]
        except NotRead:
            continue
    return said


def _contains(said: Said) -> Options:
    options = said.options.get("contains")
    if not isinstance(options, dict) or said.negate:
        raise NotRead
    return options


def _folded(options: Options) -> bool:
    return options["ignore_case"] is True


def _joined_texts(said: Sequence[Said]) -> Said:
    """`contains` with all that must be there, and all that must not."""
    there: list[JsonValue] = []
    missing: list[JsonValue] = []
    rest: Options = {}
    options = [_contains(replace(one, negate=False)) for one in said]
    if len({_folded(one) for one in options}) > 1:
        raise NotRead
    for one, found in zip(said, options, strict=True):
        if "value" in found:
            (missing if one.negate else there).append(found["value"])
        elif not one.negate and found.keys() == {"any", "ignore_case"} and not rest:
            rest = {"any": found["any"]}
        else:
            raise NotRead
    lists: Options = {"all": _each_once(there), **rest, "none": _each_once(missing)}
    joined: Options = {key: value for key, value in lists.items() if value}
    return Said({"contains": {**joined, "ignore_case": _folded(options[0])}})


def _each_once(texts: Sequence[JsonValue]) -> list[JsonValue]:
    return [*dict.fromkeys(map(str, texts))]


def _joined_lengths(said: Sequence[Said]) -> Said:
    """`characters` from the least to the most."""
    limits = [options for one in said if isinstance(options := one.options.get("characters"), dict) and not one.negate]
    if len(limits) < len(said):
        raise NotRead
    low = [value for one in limits if isinstance(value := one.get("min"), int)]
    high = [value for one in limits if isinstance(value := one.get("max"), int)]
    bounds: Options = {**({"min": max(low)} if low else {}), **({"max": min(high)} if high else {})}
    told = dict.fromkeys(one.differs for one in said)
    differs = [one for one in told if not any(one in other for other in told if other != one)]
    return Said({"characters": bounds}, differs="; ".join(differs))
