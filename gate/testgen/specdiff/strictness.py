"""Did a rule become stricter? By its checks, by its wording, and as a check on the judge's answer."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal, TypeAlias

from gate.config.scorer import ScorerSpec
from gate.config.specification import CompiledRule
from gate.record.parts import AlignedBy, Relation
from gate.testgen.lexicon import bounds_in, negations_in, numbers_in, quotes_in
from gate.testgen.specdiff.alignment import similarity
from gate.testgen.specdiff.structure import plain_text
from gate.values import JsonValue, digest

Step: TypeAlias = Literal["same", "tighter", "looser", "other", "unclear"]

_NARROWS = {"forbidden_words": ("words",), "contains": ("all", "none")}
"""Lists where more entries let fewer outputs pass."""
_WIDENS = {"contains": ("any",), "json_path": ("one_of",)}
"""Lists where more entries let more outputs pass."""
_RELATIONS: Mapping[frozenset[Step], Relation] = {
    frozenset(): "reworded",
    frozenset({"tighter"}): "tightened",
    frozenset({"looser"}): "loosened",
}


def strictness_by_code(base: CompiledRule, head: CompiledRule) -> Relation | None:
    """How two compiled rules relate; equal ones are `reworded`.

    Returns:
        None where options differ and code cannot say which outputs they let pass, such as two patterns, and where the
        rules are about different things.
    """
    if not _by_kind(base.scorers).keys() & _by_kind(head.scorers).keys():
        return None
    steps = frozenset(step for step in _steps(base.scorers, head.scorers) if step != "same")
    if "unclear" in steps:
        return None
    return _RELATIONS.get(steps, "changed")


def _steps(base: tuple[ScorerSpec, ...], head: tuple[ScorerSpec, ...]) -> Iterator[Step]:
    before, after = _by_kind(base), _by_kind(head)
    for kind in before.keys() | after.keys():
        if kind not in after:
            yield "looser"
        elif kind not in before:
            yield "tighter"
        elif len(before[kind]) != 1 or len(after[kind]) != 1:
            yield "same" if _digests(before[kind]) == _digests(after[kind]) else "unclear"
        else:
            yield _step(before[kind][0], after[kind][0])


def _by_kind(scorers: tuple[ScorerSpec, ...]) -> dict[tuple[str, bool], list[ScorerSpec]]:
    by_kind: dict[tuple[str, bool], list[ScorerSpec]] = {}
    for scorer in scorers:
        by_kind.setdefault((scorer.kind, scorer.negate), []).append(scorer)
    return by_kind


def _digests(scorers: list[ScorerSpec]) -> list[str]:
    return sorted(digest(dict(scorer.options)) for scorer in scorers)


def _step(base: ScorerSpec, head: ScorerSpec) -> Step:
    """Of two scorers of one kind."""
    if dict(base.options) == dict(head.options):
        return "same"
    steps = {_option(base.kind, key, base.options, head.options) for key in base.options.keys() | head.options.keys()}
    steps -= {"same"} if len(steps) > 1 else set()
    step: Step = "unclear" if "unclear" in steps else steps.pop() if len(steps) == 1 else "other"
    return _turned(step) if base.negate else step


def _option(kind: str, key: str, base: Mapping[str, JsonValue], head: Mapping[str, JsonValue]) -> Step:
    before, after = base.get(key), head.get(key)
    if before == after:
        return "same"
    if key in ("min", "max"):
        return _bound(key, before, after)
    if isinstance(before, list) and isinstance(after, list):
        if key in _NARROWS.get(kind, ()):
            return _list(before, after)
        if key in _WIDENS.get(kind, ()):
            return _turned(_list(before, after))
    return "unclear"


def _bound(key: str, before: JsonValue, after: JsonValue) -> Step:
    free = -math.inf if key == "min" else math.inf
    old, new = _number(before, free), _number(after, free)
    if old is None or new is None:
        return "unclear"
    return "tighter" if (new > old) == (key == "min") else "looser"


def _number(value: JsonValue, free: float) -> float | None:
    if value is None:
        return free
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _list(before: list[JsonValue], after: list[JsonValue]) -> Step:
    old, new = {digest(item) for item in before}, {digest(item) for item in after}
    if old == new:
        return "same"
    return "tighter" if old < new else "looser" if new < old else "other"


def _turned(step: Step) -> Step:
    turned: Mapping[Step, Step] = {"tighter": "looser", "looser": "tighter"}
    return turned.get(step, step)


_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_WEAK = re.compile(r"\b(?:may|might|can|could|should|ideally|preferably|usually|try)\b")
_UPPER, _LOWER = ("most", "below"), ("least", "above")
_CONNECTIVES: Mapping[str, frozenset[str]] = {
    "all": frozenset("all every each both everything".split()),
    "any": frozenset("any either anything".split()),
    "some": frozenset("some several few certain most many".split()),
    "or": frozenset({"or"}),
    "and": frozenset({"and"}),
    "except": frozenset("unless except excepting but".split()),
    "if": frozenset("if when whenever where".split()),
    "only": frozenset("only solely exclusively".split()),
    "always": frozenset({"always"}),
    "sometimes": frozenset("sometimes occasionally often usually rarely".split()),
    "before": frozenset("before until".split()),
    "after": frozenset("after since".split()),
}
_BINDING = ("all", "only", "always", "and")
_LOOSENING = ("some", "or", "except", "if", "sometimes")
_FILLERS = frozenset("the a an that this is are please also".split())


def number_relation(before: str, after: str) -> Relation:
    """What another number does to a rule with one bound; `unknown` where code cannot tell."""
    bounds = {_bounds(before), _bounds(after)}
    numbers = [_value(text) for text in (before, after)]
    bound = bounds.pop() if len(bounds) == 1 else ()
    if len(bound) != 1 or bound[0] not in (*_UPPER, *_LOWER) or numbers[0] is None or numbers[1] is None:
        return "unknown"
    if numbers[0] == numbers[1]:
        return "unknown"
    return "tightened" if (numbers[1] < numbers[0]) == (bound[0] in _UPPER) else "loosened"


def weaker_words(before: str, after: str) -> str:
    """The first sign that a rule asks for less: a word that loosens was added, or one that binds removed; or empty."""
    old, new = connectives_in(before), connectives_in(after)
    for name in _LOOSENING:
        if new.count(name) > old.count(name):
            return f'"{name}" is new'
    for name in _BINDING:
        if new.count(name) < old.count(name):
            return f'"{name}" was removed'
    if _weak(after) and not _weak(before):
        return "the obligation (must) was removed"
    return "a negation was removed" if _negated(before) and not _negated(after) else ""


def added_words(short: str, long: str) -> Sequence[str]:
    """The words that `long` has besides all those of `short` in their order; empty where it differs otherwise."""
    words = _telling_words(short)
    added, place = [], 0
    for word in _telling_words(long):
        if place < len(words) and words[place] == word:
            place += 1
        else:
            added.append(word)
    return added if place == len(words) else ()


def connectives_in(text: str) -> list[str]:
    """Quantifiers and connectives by what they say, sorted; two of one kind in a row count once."""
    words = re.findall(r"\w+", bounds_in(plain_text(text))[1])
    kinds = (kind for word in words for kind, known in _CONNECTIVES.items() if word in known)
    return sorted(kind for kind, _ in groupby(kinds))


def _bounds(text: str) -> tuple[str, ...]:
    return bounds_in(plain_text(text))[0]


def _numbers(text: str) -> list[str]:
    return sorted(numbers_in(plain_text(text)))


def _telling_words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", plain_text(text).casefold()) if word not in _FILLERS]


def _value(text: str) -> float | None:
    """The one number of a text."""
    numbers = _numbers(text)
    try:
        return float(numbers[0]) if len(numbers) == 1 else None
    except ValueError:
        return None


def _quotes(text: str) -> list[str]:
    return sorted(quote.casefold() for quote in quotes_in(plain_text(text)))


def _capitals(text: str) -> list[str]:
    words = plain_text(text)
    return [] if words.isupper() else _CAPITALS.findall(words)


def _negated(text: str) -> bool:
    return negations_in(plain_text(text)) % 2 == 1


def _weak(text: str) -> bool:
    return _WEAK.search(plain_text(text).casefold()) is not None


WORDING_FEATURES: Mapping[str, Callable[[str], object]] = {
    "numbers": _numbers,
    "bounds": _bounds,
    "quoted words": _quotes,
    "words in capitals": _capitals,
    "negations": _negated,
    "words of obligation": _weak,
    "quantifiers and connectives": connectives_in,
}
"""What two wordings of one rule have in common."""


MOST_UNLIKE = 0.25
"""Below this similarity two sentences hardly share a word: a judge alone does not make them one rule."""

_STRANGERS = "the judge says it is the same rule, but the wordings share almost no words"


def checked_relation(relation: Relation, wordings: tuple[str, str], by: AlignedBy) -> tuple[Relation, str]:
    """The relation that a judge gave for two wordings, unless code contradicts it.

    Returns:
        The relation, and the reason where it is not the judge's.
    """
    if by == "meaning" and relation != "loosened" and similarity(*wordings) < MOST_UNLIKE:
        return "unknown", _STRANGERS
    if relation == "reworded":
        against = _not_the_same(wordings)
    else:
        against = _not_stricter(wordings) if relation == "tightened" else ""
    return ("unknown", against) if against else (relation, "")


def _not_the_same(wordings: tuple[str, str]) -> str:
    before, after = wordings
    for what, feature in WORDING_FEATURES.items():
        if feature(before) != feature(after):
            return f"the judge says the meaning is the same, but their {what} differ"
    if words := added_words(before, after) or added_words(after, before):
        return f"the judge says the meaning is the same, but one has more words: {' '.join(words)}"
    return ""


def _not_stricter(wordings: tuple[str, str]) -> str:
    before, after = wordings
    if _numbers(before) != _numbers(after) and number_relation(before, after) != "tightened":
        return "the judge says it is stricter, but the numbers do not show that"
    if words := weaker_words(before, after):
        return f"the judge says it is stricter, but the words do not show that: {words}"
    return ""
