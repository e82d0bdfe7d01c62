"""Scorers to begin with: what a prompt itself demands and code can check, or what the cases expect."""

import re
from collections.abc import Iterable, Iterator, Sequence

from gate.domain.case import ScorerSpec
from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import OutputRule
from gate.domain.stored_suite import Entry
from gate.flows.scaffold.finding import FoundPrompt
from gate.testgen.compile.compile import compile_rule, compile_rules

MOST = 4
"""Scorers that are taken out of a prompt."""
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
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_BULLET = re.compile(r"^[\s>#*\d.)-]+")
_CLAUSE = re.compile(r",? and (?=[a-z]+ )|; ")
_HEDGED = re.compile(r"\b(?:if|when|where|unless|except|for|in case|while|until|before|after|or)\b", re.IGNORECASE)
"""What is said under a condition holds for no single half of a sentence."""
_LINES = re.compile(
    r"\b(?:bullet(?:s| points?| list)?|(?:numbered|ordered|bulleted) list|json|yaml|xml|html|table|paragraphs|"
    r"(?:two|three|four|five|several|[2-9]|\d\d) (?:lines|steps|points|items)|step[- ]by[- ]step)\b",
    re.IGNORECASE,
)
"""Words of a prompt by which an answer has several lines."""
_EXAMPLE_LINE = re.compile(r"^[A-Z][\w ]{0,30}:")


def labels_of(text: str) -> tuple[str, ...]:
    """The labels that a prompt asks for: `positive` and `negative`."""
    # In JSON a label is one field of several.
    found = None if "json" in text.lower() else _LABELS.search(text)
    return tuple(dict.fromkeys(_SPLIT.split(found[1]))) if found else ()


def has_lines(text: str) -> bool:
    """Does the prompt ask for an answer of several lines?"""
    return _LINES.search(text) is not None


def from_prompt(prompt: FoundPrompt) -> tuple[JsonValue, ...]:
    """What the prompt's own sentences demand, as far as code can check it.

    Args:
        prompt: its words are those of the base: both versions of it are held against them.

    Returns:
        As `gate.yaml` has scorers, at most four.
    """
    found: list[JsonValue] = []
    if labels := labels_of(prompt.text):
        words = "|".join(map(re.escape, labels))
        found.append({"regex": {"pattern": rf"\A\W*(?:{words})\b", "ignore_case": True, "name": "label"}})
    seen: set[str] = set()
    for spec in _compiled(list(_sentences(prompt.text))):
        if spec.kind not in seen and len(found) < MOST:
            seen.add(spec.kind)
            found.append(_entry(spec))
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


def _compiled(sentences: Sequence[str]) -> Iterator[ScorerSpec]:
    """The scorers of whole sentences, and of the halves of others that are demands by themselves."""
    rules = [_rule(number, text) for number, text in enumerate(sentences, 1)]
    whole = {one.rule: one for one in compile_rules(rules)}
    for rule in rules:
        if (found := whole.get(rule.id)) is not None:
            yield from found.scorers
        elif not _HEDGED.search(rule.text):
            for half in _CLAUSE.split(rule.text):
                one = compile_rule(_rule(0, f"{half[:1].upper()}{half[1:].removesuffix('.')}."))
                yield from one.scorers if one is not None else ()


def _rule(number: int, text: str) -> OutputRule:
    return OutputRule(f"R{number}", text, text, grounding="verbatim")


def _sentences(text: str) -> Iterable[str]:
    for part in _SENTENCE.split(text):
        said = _BULLET.sub("", part).strip()
        if said and not _EXAMPLE_LINE.match(said):
            yield said if said.endswith(".") else f"{said}."


def _entry(spec: ScorerSpec) -> JsonValue:
    options: dict[str, JsonValue] = {key: value for key, value in spec.options.items() if value is not None}
    if spec.negate:
        options["negate"] = True
    return {spec.kind: options} if options else spec.kind
