"""Whether a rule became stricter, told by code where both wordings compile to counts or lists."""

import math
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from gate.config.scorerspec import ScorerSpec
from gate.domain.jsonvalue import JsonValue, digest
from gate.domain.promptspec import CompiledRule
from gate.domain.specdiff import Relation

Step: TypeAlias = Literal["same", "tighter", "looser", "other", "unclear"]

_NARROWS = {"forbidden_words": ("words",), "contains": ("all", "none")}
"""Lists of which a longer one lets fewer outputs pass."""
_WIDENS = {"contains": ("any",), "json_path": ("one_of",)}
"""Lists of which a longer one lets more pass."""
_RELATIONS: Mapping[frozenset[Step], Relation] = {
    frozenset(): "reworded",
    frozenset({"tighter"}): "tightened",
    frozenset({"looser"}): "loosened",
}


def by_code(base: CompiledRule, head: CompiledRule) -> Relation | None:
    """How two compiled rules relate; equal ones are `reworded`.

    Args:
        base, head: what checks the rule before and after.

    Returns:
        None where options differ of which code cannot say what they let pass, such as two patterns, and where the
        rules are about different things altogether.
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
    found: dict[tuple[str, bool], list[ScorerSpec]] = {}
    for scorer in scorers:
        found.setdefault((scorer.kind, scorer.negate), []).append(scorer)
    return found


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
