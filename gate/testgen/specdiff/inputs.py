"""What two versions of a prompt say differently of their input; by code alone."""

import re
from collections.abc import Iterator, Sequence

from gate.domain.promptspec import Component, InputRule
from gate.domain.specdiff import InputChange
from gate.testgen.specdiff.carry import component_stands
from gate.testgen.specdiff.place import Side
from gate.testgen.specdiff.units import plain
from gate.testgen.specdiff.wording import ALIKE, matched, similarity


def input_changes(
    base: Sequence[Component], head: Sequence[Component], sides: tuple[Side, Side]
) -> tuple[InputChange, ...]:
    """Components that are new or gone, and those of which something else is said.

    Only what a prompt says counts: assumptions differ each time that they are made, and a component that the prompt
    neither describes nor names is one. What stands in sentences that both versions have is no change either.

    Args:
        base, head: the components of either version.
        sides: the two versions, from `gate.testgen.specdiff.place.sides`.
    """
    pairs = list(matched(base, head, lambda one, other: float(_name(one) == _name(other)), 1.0))
    left = [one for one in base if all(one is not pair[0] for pair in pairs)]
    right = [one for one in head if all(one is not pair[1] for pair in pairs)]
    pairs += matched(left, right, lambda one, other: similarity(one.description, other.description), ALIKE)
    partner = {id(one): other for one, other in pairs}
    paired = {id(other) for _, other in pairs}
    out: list[InputChange] = []
    for one in base:
        if id(one) in partner:
            out += _changed(one, partner[id(one)], sides)
        elif _told(one, sides[0], sides[1]):
            out.append(InputChange(state="removed", component=one.name, before=_said(one)))
    added = (one for one in head if id(one) not in paired and _told(one, sides[1], sides[0]))
    return (*out, *(InputChange(state="added", component=one.name, after=_said(one)) for one in added))


def _changed(base: Component, head: Component, sides: tuple[Side, Side]) -> Iterator[InputChange]:
    before, after = _moved(base.rules, sides[0]), _moved(head.rules, sides[1])
    words = {plain(rule.text) for rule in before} & {plain(rule.text) for rule in after}
    old = " ".join(rule.text for rule in before if plain(rule.text) not in words)
    new = " ".join(rule.text for rule in after if plain(rule.text) not in words)
    if old or new:
        yield InputChange(state="changed", component=head.name, before=old, after=new)


def _moved(rules: Sequence[InputRule], side: Side) -> list[InputRule]:
    """The rules whose words the other version has no longer, or had not yet."""
    return [rule for rule in rules if not rule.assumed and side.standing(rule.evidence) != "stands"]


def _told(component: Component, side: Side, other: Side) -> bool:
    """Does this version alone speak of a component?"""
    if any(not rule.assumed for rule in component.rules):
        return not component_stands(component, side)
    return _named(component, side.text) and not _named(component, other.text)


def _named(component: Component, text: str) -> bool:
    return bool(component.name) and re.search(rf"(?<!\w){re.escape(component.name)}(?!\w)", text) is not None


def _said(component: Component) -> str:
    return " ".join((component.description, *(rule.text for rule in component.rules)))


def _name(component: Component) -> str:
    return re.sub(r"[\W_]+", "", component.name.casefold())
