"""What of a specification still holds for the next version of its prompt, found by code alone.

A model that reads a prompt twice words its rules differently each time. So what stands unchanged is carried over with
its ids and its words, and a model is asked for the rules of the new sentences only.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from gate.domain.promptspec import Component, OutputRule, Specification
from gate.testgen.specdiff.place import Region, Side, Words, regions, sides, spans, text_of
from gate.testgen.specdiff.wording import alike


@dataclass(frozen=True, slots=True)
class Carried:
    """A specification, taken apart by what a change of the prompt leaves of it.

    Args:
        rules: their sentences stand in the new version as they did; with their ids, words and inverses.
        touched: their quoted words still stand, in part or in a sentence that says something else now.
        gone: their quoted words do not.
        unplaced: rules that quote no words of the prompt, where the prompt lost a sentence: nobody can say which
            rested on it.
        components: of the input, whose sentences stand or which quote none.
        lost: components of which a sentence does not stand.
        new: what the new version says that the old one did not; only here is there anything to read anew.
    """

    rules: tuple[OutputRule, ...] = ()
    touched: tuple[OutputRule, ...] = ()
    gone: tuple[OutputRule, ...] = ()
    unplaced: tuple[OutputRule, ...] = ()
    components: tuple[Component, ...] = ()
    lost: tuple[Component, ...] = ()
    new: tuple[Region, ...] = ()

    @property
    def whole(self) -> bool:
        """Nothing has to be read anew, and nothing is lost."""
        return not (self.touched or self.gone or self.unplaced or self.lost or self.new)


def carry_over(base: Specification, before: Words, after: Words) -> Carried:
    """What of a specification holds for the next version, without asking anybody.

    The unit is the sentence, in its message, under its headings and lead-ins: where a word of it differs, or what
    encloses it, its rules are looked at again. Moving a sentence, breaking its lines elsewhere, numbering it or setting
    it in bold type are no differences. What a new sentence does to an old one ("except on Mondays") is not seen here:
    the new sentence shows as new.

    Args:
        base: the specification of the old version.
        before, after: both versions of the prompt.
    """
    left, right = sides(before, after)
    placed: dict[str, list[OutputRule]] = {"stands": [], "touched": [], "gone": [], "unplaced": []}
    for rule in base.rules:
        placed[_standing(rule.evidence, left)].append(rule)
    kept = tuple(one for one in base.components if component_stands(one, left))
    return Carried(
        rules=tuple(placed["stands"]),
        touched=tuple(placed["touched"]),
        gone=tuple(placed["gone"]),
        unplaced=tuple(placed["unplaced"]),
        components=kept,
        lost=tuple(one for one in base.components if one not in kept),
        new=regions(right),
    )


def component_stands(component: Component, side: Side) -> bool:
    """Is all that a component quotes still there?"""
    return all(_standing(rule.evidence, side) == "stands" for rule in component.rules if rule.evidence)


def of_new(found: Specification, carried: Carried, after: Words) -> Specification:
    """Of a specification that was read from the whole new version, what its new sentences may have brought.

    What rests on other sentences was carried over, or is worded anew for no reason. A rule that quotes no words of the
    prompt stays, unless one that was carried over or has a place says the same: nobody knows where it comes from, and
    `spec_diff` says so.

    Args:
        found: of the new version.
        carried: from `carry_over`.
        after: the new version.
    """
    text = text_of(after)

    def new(evidence: str) -> bool:
        places = spans(evidence, text)
        return any(start < region.end and region.start < end for start, end in places for region in carried.new)

    placed = [rule for rule in found.rules if spans(rule.evidence, text)]
    known = [*carried.rules, *placed]
    rules = tuple(
        rule
        for rule in found.rules
        if (new(rule.evidence) if rule in placed else not any(alike(rule.text, other.text) for other in known))
    )
    components = tuple(one for one in found.components if any(new(rule.evidence) for rule in one.rules))
    return replace(found, rules=rules, components=components)


def joined(base: Specification, carried: Carried, found: Specification) -> Specification:
    """The specification of the new version: what was carried over, and what was read from its new sentences.

    Args:
        base: of the old version; its ids are not given again.
        carried: from `carry_over`.
        found: rules, components and questions of `Carried.new` (see `of_new`), and the digest of the new prompt; of an
            intent, the old one is kept where this has none.

    Returns:
        Carried rules with their ids, then the found ones with new ids. Rules of `touched`, `gone` and `unplaced` are
        not among them: where they live on, they are found in the new sentences.
    """
    ids = free_ids({rule.id for rule in base.rules})
    new = tuple(replace(rule, id=next(ids)) for rule in found.rules)
    names = {one.name for one in found.components}
    kept = tuple(one for one in carried.components if one.name not in names)
    return replace(
        base,
        prompt=found.prompt,
        intent=found.intent or base.intent,
        components=(*kept, *found.components),
        rules=(*carried.rules, *new),
        questions=found.questions,
    )


def free_ids(taken: Collection[str]) -> Iterator[str]:
    """`R7`, `R8`, …: above all that are taken, so that no id ever names two rules."""
    numbers = [int(name[1:]) for name in taken if name[:1] == "R" and name[1:].isdecimal() and len(name) < 12]
    number = max(numbers, default=0)
    while True:
        number += 1
        yield f"R{number}"


def standing_of(rules: Sequence[OutputRule], side: Side) -> tuple[OutputRule, ...]:
    """The rules whose sentences both versions have."""
    return tuple(rule for rule in rules if _standing(rule.evidence, side) == "stands")


def _standing(evidence: str, side: Side) -> str:
    """A rule without a place lost nothing where the prompt lost nothing."""
    found = side.standing(evidence)
    return "stands" if found == "unplaced" and not side.differing else found
