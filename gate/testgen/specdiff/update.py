"""Updates a specification and its tests after a change of the prompt: new rules get tests, removed ones are marked."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, replace

from gate.config.models import ModelRef
from gate.config.specification import GeneratedTest, OutputRule, Specification
from gate.config.specification_file import SpecFile
from gate.record.rules import TO_TEST, SpecDiff, UpdatePlan
from gate.testgen.cases.generation import GenerationOptions, generate_tests
from gate.testgen.effort import EffortSettings
from gate.testgen.prompt_under_test import PromptSubject, passages_of
from gate.testgen.questions import Asker
from gate.testgen.specdiff.carryover import free_ids
from gate.testgen.specdiff.comparison import RuleComparison
from gate.testgen.specification.extraction import find_inverse_rules
from gate.testgen.specification.grounding import grounding_by_words
from gate.values import JsonValue, digest


def rules_to_test(diff: SpecDiff) -> tuple[OutputRule, ...]:
    """The rules that no earlier test covers: added, tightened and changed ones, in their new wording.

    Their tests run on both versions and are reported separately; they are no part of the exam.
    """
    return tuple(change.head for change in diff.of(*TO_TEST) if change.head is not None)


def update_plan(kept: Specification, diff: SpecDiff, taken: Collection[str] = ()) -> UpdatePlan:
    """What has to be done so that a specification and its tests fit the new prompt.

    A rule that asks for something else now is a new rule with an id of its own: the tests of the old one, and what they
    expect, were made for the old wording, and are found by its id.

    Args:
        kept: the specification in its file, of the old version.
        diff: between the two versions; a new rule keeps its id where that is free.
        taken: further ids that must not be used again, such as those of obsolete rules.
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


def stamp_of_tests(specification: Specification, settings: EffortSettings, generator: ModelRef) -> str:
    """All that tests are made from, as one text: where it is unchanged, there is nothing to make."""
    wanted: dict[str, JsonValue] = {one.name: getattr(settings, one.name) for one in fields(settings)}
    wanted["instructions"] = {str(stage): text for stage, text in settings.instructions.items()}
    return digest({"specification": specification.digest, "settings": wanted, "generator": str(generator)})


@dataclass(frozen=True, slots=True)
class SpecificationUpdate:
    """What is to be written.

    Args:
        specification: with the rules that are new, without those that are gone.
        tests: for the new rules.
        notes: what did not go as it should.
    """

    specification: Specification
    tests: tuple[GeneratedTest, ...]
    plan: UpdatePlan
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UpdateModels:
    """The models that make the tests, as for a generation; `tell` shows the user a line on what is being done."""

    generator: Asker
    judge: Asker
    settings: EffortSettings
    tell: Callable[[str], None]


async def update_specification(
    kept: SpecFile, compared: RuleComparison, head: PromptSubject, writers: UpdateModels
) -> SpecificationUpdate:
    """Decide what the file needs, and have tests made for its new rules.

    Args:
        kept: the file, of the old version.

    Raises:
        CannotEvaluate: no test came out for the new rules.
    """
    plan = update_plan(kept.specification, compared.diff, kept.taken)
    found = await find_inverse_rules(plan.add, writers.generator, writers.settings.instructions.get("inverse", ""))
    add = tuple(
        replace(rule, inverse=found.value.get(rule.id, ""), grounding=grounding_by_words(rule, passages_of(head.text)))
        for rule in plan.add
    )
    moved = {rule.id: rule for rule in plan.moved}
    old = (moved.get(rule.id, rule) for rule in kept.specification.rules if rule.id not in plan.obsolete)
    # A file with rules that somebody has to decide on is not of the new version yet.
    of = kept.specification.prompt if plan.open else head.digest
    after = replace(kept.specification, prompt=of, rules=(*old, *add))
    tests: tuple[GeneratedTest, ...] = ()
    notes = found.notes
    if add:
        work = GenerationOptions(writers.settings, writers.tell)
        made = await generate_tests(head, replace(after, rules=add), writers.generator, writers.judge, work)
        tests, notes = made.tests, (*notes, *made.notes)
    return SpecificationUpdate(after, tests, replace(plan, add=add), notes)
