"""What of a specification still holds for the next version of its prompt, and what changed in its inputs."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from gate.config.specification import Component, InputRule, OutputRule, Specification
from gate.record.parts import InputChange
from gate.testgen.specdiff.alignment import LEAST_SIMILARITY, closest_pairs, may_be_same, similarity
from gate.testgen.specdiff.places import (
    ChangedRegion,
    PromptWords,
    VersionSide,
    changed_regions,
    prompt_text,
    quoted_spans,
    version_sides,
)
from gate.testgen.specdiff.structure import plain_text


@dataclass(frozen=True, slots=True)
class CarriedSpecification:
    """A specification, divided by what a change of the prompt leaves of it.

    Args:
        touched: their quoted words are still there, in part or in a sentence that says something else now.
        gone: their quoted words are not.
        unplaced: rules that quote no words of the prompt, where the prompt lost a sentence: one may have rested on it.
        new: what the new version says that the old one did not; only this has to be read.
    """

    rules: tuple[OutputRule, ...] = ()
    touched: tuple[OutputRule, ...] = ()
    gone: tuple[OutputRule, ...] = ()
    unplaced: tuple[OutputRule, ...] = ()
    components: tuple[Component, ...] = ()
    lost: tuple[Component, ...] = ()
    new: tuple[ChangedRegion, ...] = ()

    @property
    def whole(self) -> bool:
        """Nothing has to be read again, and nothing is lost."""
        return not (self.touched or self.gone or self.unplaced or self.lost or self.new)


def carry_over(base: Specification, before: PromptWords, after: PromptWords) -> CarriedSpecification:
    """What of a specification holds for the next version, without a model.

    The unit is the sentence, in its message, under its headings and lead-ins: where a word of it differs, or what
    encloses it, its rules are looked at again. Moving a sentence, breaking its lines elsewhere, numbering it or setting
    it in bold type are no differences. What a new sentence does to an old one ("except on Mondays") is not seen here:
    the new sentence shows as new.
    """
    left, right = version_sides(before, after)
    placed: dict[str, list[OutputRule]] = {"stands": [], "touched": [], "gone": [], "unplaced": []}
    for rule in base.rules:
        placed[_standing(rule.evidence, left)].append(rule)
    standing = tuple(component for component in base.components if component_stands(component, left))
    return CarriedSpecification(
        rules=tuple(placed["stands"]),
        touched=tuple(placed["touched"]),
        gone=tuple(placed["gone"]),
        unplaced=tuple(placed["unplaced"]),
        components=standing,
        lost=tuple(component for component in base.components if component not in standing),
        new=changed_regions(right),
    )


def component_stands(component: Component, side: VersionSide) -> bool:
    """Is all that a component quotes still there?"""
    return all(_standing(rule.evidence, side) == "stands" for rule in component.rules if rule.evidence)


def without_carried(reading: Specification, carried: CarriedSpecification, after: PromptWords) -> Specification:
    """A specification read from the whole new version, cut to what its new sentences may have brought.

    What rests on other sentences was carried over, or is only worded differently. A rule that quotes no words of the
    prompt stays, unless one that was carried over or has a place says the same: its origin is unknown, and
    `spec_diff` says so.
    """
    text = prompt_text(after)

    def new(evidence: str) -> bool:
        places = quoted_spans(evidence, text)
        return any(start < region.end and region.start < end for start, end in places for region in carried.new)

    placed = [rule for rule in reading.rules if quoted_spans(rule.evidence, text)]
    others = [*carried.rules, *placed]
    rules = tuple(
        rule
        for rule in reading.rules
        if (new(rule.evidence) if rule in placed else not any(may_be_same(rule.text, other.text) for other in others))
    )
    components = tuple(part for part in reading.components if any(new(rule.evidence) for rule in part.rules))
    return replace(reading, rules=rules, components=components)


def joined_specification(base: Specification, carried: CarriedSpecification, reading: Specification) -> Specification:
    """The specification of the new version: what was carried over, and what was read from its new sentences.

    Args:
        base: of the old version; its ids are not used again.

    Returns:
        Carried rules with their ids, then those that were read, with new ids. Rules of `touched`, `gone` and `unplaced`
        are not among them: if they still hold, they are read from the new sentences.
    """
    ids = free_ids({rule.id for rule in base.rules})
    new = tuple(replace(rule, id=next(ids)) for rule in reading.rules)
    names = {component.name for component in reading.components}
    carried_components = tuple(component for component in carried.components if component.name not in names)
    return replace(
        base,
        prompt=reading.prompt,
        intent=reading.intent or base.intent,
        components=(*carried_components, *reading.components),
        rules=(*carried.rules, *new),
        questions=reading.questions,
    )


def free_ids(taken: Collection[str]) -> Iterator[str]:
    """`R7`, `R8`, …: above all that are taken, so that no id ever names two rules."""
    numbers = [int(name[1:]) for name in taken if name[:1] == "R" and name[1:].isdecimal() and len(name) < 12]
    number = max(numbers, default=0)
    while True:
        number += 1
        yield f"R{number}"


def standing_rules(rules: Sequence[OutputRule], side: VersionSide) -> tuple[OutputRule, ...]:
    """The rules whose sentences both versions have."""
    return tuple(rule for rule in rules if _standing(rule.evidence, side) == "stands")


def _standing(evidence: str, side: VersionSide) -> str:
    """A rule without a place is unaffected if the prompt lost nothing."""
    standing = side.standing(evidence)
    return "stands" if standing == "unplaced" and not side.differing else standing


def input_changes(
    base: Sequence[Component], head: Sequence[Component], sides: tuple[VersionSide, VersionSide]
) -> tuple[InputChange, ...]:
    """Components that are new or gone, and those of which something else is said.

    Only what a prompt says counts: assumptions differ each time that they are made, and a component that the prompt
    neither describes nor names is one. What is in sentences that both versions have is no change either.
    """
    pairs = list(closest_pairs(base, head, lambda old, new: float(_bare_name(old) == _bare_name(new)), 1.0))
    left = [old for old in base if all(old is not pair[0] for pair in pairs)]
    right = [new for new in head if all(new is not pair[1] for pair in pairs)]
    pairs += closest_pairs(left, right, lambda old, new: similarity(old.description, new.description), LEAST_SIMILARITY)
    partner = {id(old): new for old, new in pairs}
    paired = {id(new) for _, new in pairs}
    changes: list[InputChange] = []
    for old in base:
        if id(old) in partner:
            changes += _rule_changes(old, partner[id(old)], sides)
        elif _only_here(old, sides[0], sides[1]):
            changes.append(InputChange(state="removed", component=old.name, before=_component_text(old)))
    added = (new for new in head if id(new) not in paired and _only_here(new, sides[1], sides[0]))
    return (*changes, *(InputChange(state="added", component=new.name, after=_component_text(new)) for new in added))


def _rule_changes(base: Component, head: Component, sides: tuple[VersionSide, VersionSide]) -> Iterator[InputChange]:
    before, after = _changed_rules(base.rules, sides[0]), _changed_rules(head.rules, sides[1])
    words = {plain_text(rule.text) for rule in before} & {plain_text(rule.text) for rule in after}
    old = " ".join(rule.text for rule in before if plain_text(rule.text) not in words)
    new = " ".join(rule.text for rule in after if plain_text(rule.text) not in words)
    if old or new:
        yield InputChange(state="changed", component=head.name, before=old, after=new)


def _changed_rules(rules: Sequence[InputRule], side: VersionSide) -> list[InputRule]:
    """The rules whose words the other version no longer has, or did not have yet."""
    return [rule for rule in rules if not rule.assumed and side.standing(rule.evidence) != "stands"]


def _only_here(component: Component, side: VersionSide, other: VersionSide) -> bool:
    """Does this version alone mention a component?"""
    if any(not rule.assumed for rule in component.rules):
        return not component_stands(component, side)
    return _names_component(component, side.text) and not _names_component(component, other.text)


def _names_component(component: Component, text: str) -> bool:
    return bool(component.name) and re.search(rf"(?<!\w){re.escape(component.name)}(?!\w)", text) is not None


def _component_text(component: Component) -> str:
    return " ".join((component.description, *(rule.text for rule in component.rules)))


def _bare_name(component: Component) -> str:
    return re.sub(r"[\W_]+", "", component.name.casefold())
