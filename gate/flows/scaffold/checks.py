"""Scorers to begin with: what a prompt itself demands and code can check, or what the cases expect."""

import re
from collections.abc import Sequence

from gate.config.scorerspec import ScorerSpec
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.testgen.compile.instructions import orders_of

MOST = 8
"""Scorers that are taken out of a prompt."""
NAME_CHARS = 40
"""Of the name of a scorer that is read off a prompt."""
_ONCE = frozenset({"words", "sentences", "characters", "language", "json", "json_schema"})
"""Kinds of which a suite gets one: a second bound would be that of a part."""
LABEL_CHARS = 40
"""An expected answer that is longer is no label."""
SHORT_CHARS = 80
"""An expected answer that is longer is held against the whole answer."""

_LABELS = re.compile(
    r"\b(?:label|classify|categori[sz]e|tag|sort|mark)\b[^.:\n]{0,80}?\b(?:as|into)\b"
    r"(?: one of)?(?: the following)?[: ]+"
    r"((?:[\w-]{2,30}(?:, (?:or |and )?| or | and | / |/)){1,9}[\w-]{2,30})(?=[.\n]|$)",
    re.IGNORECASE,
)
_SPLIT = re.compile(r", (?:or |and )?| or | and | / |/")
_LINES = re.compile(
    r"\b(?:bullet(?:s| points?| list)?|(?:numbered|ordered|bulleted) list|json|yaml|xml|html|table|paragraphs|"
    r"(?:two|three|four|five|several|[2-9]|\d\d) (?:lines|steps|points|items)|step[- ]by[- ]step)\b",
    re.IGNORECASE,
)
"""Words of a prompt by which an answer has several lines."""


def labels_of(text: str) -> tuple[str, ...]:
    """The labels that a prompt asks for: `positive` and `negative`."""
    # In JSON a label is one field of several.
    found = None if "json" in text.lower() else _LABELS.search(text)
    return tuple(dict.fromkeys(_SPLIT.split(found[1]))) if found else ()


def has_lines(text: str) -> bool:
    """Does the prompt ask for an answer of several lines?"""
    return _LINES.search(text) is not None


def from_prompt(prompt: str) -> tuple[JsonValue, ...]:
    """What the prompt's own sentences demand, as far as code can check it.

    Args:
        prompt: its words, those of the base: both versions of it are held against them.

    Returns:
        As `gate.yaml` has scorers, at most eight.
    """
    found: list[JsonValue] = []
    if labels := labels_of(prompt):
        words = "|".join(map(re.escape, labels))
        found.append({"regex": {"pattern": rf"\A\W*(?:{words})\b", "ignore_case": True, "name": "label"}})
    taken: set[str] = set()
    for order in orders_of(prompt):
        for spec, told in zip(order.scorers, order.told, strict=True):
            entry, name = _entry(spec, told), spec.kind if spec.kind in _ONCE else told
            if name not in taken and len(found) < MOST:
                taken.add(name)
                found.append(entry)
    return tuple(found)


def from_cases(entries: Sequence[Entry], *, strict: bool) -> tuple[JsonValue, ...]:
    """What fits the answers that the cases expect; empty where not every case expects one.

    Args:
        entries: of the suite.
        strict: the model says nothing but a label where one is asked for.
    """
    expected = [entry.get("expected") for entry in entries]
    if not expected or any(one is None or one == "" for one in expected):
        return ()
    if any(isinstance(one, list) for one in expected) and all(map(_alternatives, expected)):
        return ({"contains": {"any": "{{ expected }}"}},)
    if not all(isinstance(one, str) for one in expected):
        numbers = all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in expected)
        return ("number",) if numbers else ({"json_path": {"path": "$", "equals": "{{ expected }}"}},)
    texts = [str(one).strip() for one in expected]
    few = len(set(texts)) <= max(2, len(texts) // 3)
    if few and strict and all(len(text) <= LABEL_CHARS and "\n" not in text for text in texts):
        return ({"starts_with": {"value": "{{ expected }}", "ignore_case": True}},)
    return ("contains",) if all(len(text) <= SHORT_CHARS for text in texts) else ("similarity",)


def _alternatives(expected: JsonValue) -> bool:
    """Is it a short text, or several of which any will do, as OpenAI evals have them?"""
    texts = expected if isinstance(expected, list) else [expected]
    return bool(texts) and all(isinstance(one, str) and len(one) <= SHORT_CHARS for one in texts)


def usual(*, talks: bool) -> tuple[JsonValue, ...]:
    """What nearly every prompt wants: an answer that is none of excuses, short, and no echo.

    Args:
        talks: the prompt answers people.
    """
    found: list[JsonValue] = [{"words": {"min": 1, "max": 150}}, {"refusal": {"negate": True, "name": "no refusal"}}]
    return (*found, "paraphrases") if talks else tuple(found)


def _entry(spec: ScorerSpec, told: str) -> JsonValue:
    """As `gate.yaml` has it, with a name that says what is looked for where the kind says too little."""
    options: dict[str, JsonValue] = {key: value for key, value in spec.options.items() if value is not None}
    if spec.negate:
        options["negate"] = True
    if spec.kind not in _ONCE:
        options["name"] = told if len(told) <= NAME_CHARS else f"{told[:NAME_CHARS]}…"
    return {spec.kind: options} if options else spec.kind
