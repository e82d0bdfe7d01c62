"""What follows from a comparison: rules to test on both versions, and what to do to a specification and its tests."""

from collections.abc import Collection
from dataclasses import fields, replace

from gate.domain.jsonvalue import JsonValue, digest
from gate.domain.model import ModelRef
from gate.domain.promptspec import OutputRule, Specification
from gate.domain.specdiff import TO_TEST, SpecDiff, UpdatePlan
from gate.testgen.effort import EffortSettings
from gate.testgen.specdiff.carry import free_ids


def targeted(diff: SpecDiff) -> tuple[OutputRule, ...]:
    """The rules that no earlier test knows: added, tightened and changed ones, in their new wording.

    Their tests run on both versions and are reported apart; they are no part of the exam.

    Args:
        diff: the comparison.
    """
    return tuple(change.head for change in diff.of(*TO_TEST) if change.head is not None)


def update_plan(kept: Specification, diff: SpecDiff, taken: Collection[str] = ()) -> UpdatePlan:
    """What has to be done so that a specification and its tests fit the new prompt.

    A rule that asks for something else now is a new rule with an id of its own: the tests of the old one, and what they
    expect, were made for the old wording, and are found by its id.

    Args:
        kept: the specification as its file has it, of the old version.
        diff: between the two versions; a new rule keeps its id where that is free.
        taken: further ids that must not be given again, such as those of obsolete rules.
    """
    known = {rule.id for rule in kept.rules}
    used = {*taken, *known}
    ids = free_ids({*used, *(change.head.id for change in diff.rules if change.head is not None)})
    add: list[OutputRule] = []
    obsolete, moved, undecided = [], [], []
    successors: dict[str, str] = {}
    for change in diff.rules:
        own = change.base.id if change.base is not None and change.base.id in known else ""
        if change.state in (*TO_TEST, "loosened") and change.head is not None:
            add.append(replace(change.head, id=next(ids)) if change.head.id in used else change.head)
            used.add(add[-1].id)
            if own:
                successors[own] = add[-1].id
        if change.state in ("removed", "tightened", "loosened", "changed") and own:
            obsolete.append(own)
        if change.state == "reworded" and own and change.base is not None and change.head is not None:
            moved.append(replace(change.base, evidence=change.head.evidence, grounding=change.head.grounding))
        if change.state == "unknown":
            undecided.append(own or change.rule.id)
    return UpdatePlan(tuple(add), tuple(obsolete), tuple(moved), tuple(undecided), successors)


def tests_of(specification: Specification, settings: EffortSettings, generator: ModelRef) -> str:
    """What tests are made from, as one text to compare: where it is the same, there is nothing to make.

    Args:
        specification: of the prompt.
        settings: how many tests, of which kind.
        generator: who writes them.
    """
    wanted: dict[str, JsonValue] = {one.name: getattr(settings, one.name) for one in fields(settings)}
    wanted["instructions"] = {str(stage): text for stage, text in settings.instructions.items()}
    return digest({"specification": specification.digest, "settings": wanted, "generator": str(generator)})
