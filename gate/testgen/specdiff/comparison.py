"""Two versions of a prompt in, the difference of their rules out; and a specification that follows the change."""

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from os.path import commonprefix

from gate.config.models import ModelRef
from gate.config.specification import GeneratedTest, OutputRule, Specification
from gate.config.specification_file import SpecFile
from gate.errors import CannotEvaluate
from gate.prompts.version import Prompt
from gate.record.parts import TO_TEST, RuleChange, SpecDiff, UpdatePlan
from gate.record.run import PromiseRecord, PromisesRecord
from gate.testgen.effort import EffortSettings
from gate.testgen.forecast import PromptChange
from gate.testgen.generate import generate_tests
from gate.testgen.prompt_under_test import PromptSubject, passages_of
from gate.testgen.questions import GenerationSetup
from gate.testgen.rules.compiler import compile_rule
from gate.testgen.specdiff.carryover import (
    CarriedSpecification,
    carry_over,
    free_ids,
    joined_specification,
    without_carried,
)
from gate.testgen.specdiff.diff import DiffMeans, PromptVersion, spec_diff
from gate.testgen.specification.extraction import NoRules, find_components, find_inverse_rules, find_rules
from gate.testgen.specification.grounding import grounding_by_words
from gate.testgen.specification.pipeline import OTHER_VERSION, specify
from gate.values import JsonValue, counted, digest


@dataclass(frozen=True, slots=True)
class RuleComparison:
    """The result of a comparison."""

    diff: SpecDiff
    base: Specification | None = None
    head: Specification | None = None
    notes: tuple[str, ...] = ()


_QUOTED = 80
"""Characters of a setting that a note quotes."""
MAYBE_REWORDED_NOTE = "A rule shown as dropped may still be there in other words."
NO_RULE_BEFORE = "No rule was found in the old version of the prompt."
NO_RULE_NOW = f"No rule was found in the new part of the prompt. {MAYBE_REWORDED_NOTE}"


async def compare_rules(change: PromptChange, setup: GenerationSetup) -> RuleComparison:
    """Which rules a change adds, drops, loosens and tightens.

    Equal prompts are not read. Unchanged rules of the old specification are carried over, so that a model reads only
    what is new, and no sentence gets a second wording.

    Raises:
        CannotEvaluate: the old prompt could not be read.
    """
    if change.empty:
        return RuleComparison(SpecDiff())
    base = change.given
    notes: tuple[str, ...] = ()
    if base is not None and base.prompt not in (change.base.digest, ""):
        notes = (OTHER_VERSION,)
    if base is None:
        base, notes = await _read_old(change.base, setup)
    carried = carry_over(base, change.base, change.head)
    reading, more = await _read_new(change.head, carried, setup)
    head = joined_specification(base, carried, reading)
    sides = PromptVersion(base, change.base), PromptVersion(head, change.head)
    diff = await spec_diff(*sides, DiffMeans(setup.judge, compile_rule, lineage=True))
    return RuleComparison(diff, base, head, (*diff.notes, *notes, *more))


def unread_messages(base: Prompt, head: Prompt) -> tuple[str, ...]:
    """Differences outside of the prompt's text, such as a schema of the answer; no rules are read there."""
    old, new = dict(base.unused), dict(head.unused)
    differing = [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]
    return tuple(
        f"{key} changed in the prompt file. Rules are not read from it: {_difference(old.get(key), new.get(key))}."
        for key in differing
    )


def _difference(old: str | None, new: str | None) -> str:
    """Two values, each from shortly before the place where they differ."""
    start = max(0, len(commonprefix([old or "", new or ""])) - _QUOTED // 4)
    return " → ".join(_excerpt(value, start) for value in (old, new))


def _excerpt(value: str | None, start: int) -> str:
    if value is None:
        return "nothing"
    return f"{'…' * bool(start)}{value[start : start + _QUOTED]}{'…' * (len(value) > start + _QUOTED)}"


async def _read_old(base: PromptSubject, setup: GenerationSetup) -> tuple[Specification, tuple[str, ...]]:
    """A comparison needs neither a review nor a judge of grounding."""
    settings = replace(setup.settings, review=False, ground=False)
    try:
        read = await specify(base, replace(setup, settings=settings), None)
    except NoRules:
        return Specification(base.digest, ""), (NO_RULE_BEFORE,)
    return read.specification, read.notes


async def _read_new(
    head: PromptSubject, carried: CarriedSpecification, setup: GenerationSetup
) -> tuple[Specification, tuple[str, ...]]:
    """What the new version says that the old one did not; without a model where there is nothing new.

    If it cannot be read, the old rules are still looked for in its words.
    """
    blank = Specification(head.digest, "")
    if not carried.new:
        return blank, ()
    setup.tell(f"reading the new part of the prompt: {counted(len(carried.new), 'passage')}")
    try:
        rules = await find_rules(head, setup.generator, setup.settings)
    except NoRules:
        return blank, (NO_RULE_NOW,)
    except CannotEvaluate as error:
        return blank, (f"The new part of the prompt was not read: {error.message}. {MAYBE_REWORDED_NOTE}",)
    inputs = await find_components(head, setup.generator, setup.instructions("inputs"))
    reading = without_carried(replace(blank, rules=rules.value, components=inputs.value), carried, head)
    return reading, (*rules.notes, *inputs.notes)


def promises_record(suite: str, diff: SpecDiff, judge: str = "") -> PromisesRecord:
    """What the record holds of a comparison.

    Args:
        judge: the model that was to compare wordings, as `provider:name`; recorded only if it decided something.
    """
    return PromisesRecord(
        suite=suite,
        unchanged=len(diff.of("unchanged")),
        changes=[_promise_record(change) for change in diff.rules if change.state != "unchanged"],
        inputs=list(diff.inputs),
        notes=list(diff.notes),
        judge=judge if any(change.judged for change in diff.rules) else "",
    )


def _promise_record(change: RuleChange) -> PromiseRecord:
    base, head = change.base, change.head
    return PromiseRecord(
        state=change.state,
        rule=(base or change.rule).id,
        before=base.text if base is not None else None,
        after=head.text if head is not None else None,
        evidence=base.evidence if base is not None else "",
        new_evidence=head.evidence if head is not None else "",
        by=change.by,
        reason=change.reason,
        judged=change.judged,
    )


def rules_to_test(diff: SpecDiff) -> tuple[OutputRule, ...]:
    """The rules that no earlier test covers: added, tightened and changed ones, in their new wording.

    Their tests run on both versions and are reported separately; they are no part of the exam.
    """
    return tuple(change.head for change in diff.of(*TO_TEST) if change.head is not None)


def update_plan(current: Specification, diff: SpecDiff, taken: Collection[str] = ()) -> UpdatePlan:
    """What has to be done so that a specification and its tests fit the new prompt.

    A rule that asks for something else now is a new rule with an id of its own: the tests of the old one, and what they
    expect, were made for the old wording, and are found by its id.

    Args:
        taken: further ids that must not be used again, such as those of obsolete rules.
    """
    own_ids = {rule.id for rule in current.rules}
    used = {*taken, *own_ids}
    ids = free_ids({*used, *(change.head.id for change in diff.rules if change.head is not None)})
    add: list[OutputRule] = []
    obsolete, moved, undecided = [], [], []
    successors: dict[str, str] = {}
    for change in diff.rules:
        own = change.base.id if change.base is not None and change.base.id in own_ids else ""
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
    options: dict[str, JsonValue] = {setting.name: getattr(settings, setting.name) for setting in fields(settings)}
    options["instructions"] = {str(stage): text for stage, text in settings.instructions.items()}
    return digest({"specification": specification.digest, "settings": options, "generator": str(generator)})


@dataclass(frozen=True, slots=True)
class SpecificationUpdate:
    """What is to be written."""

    specification: Specification
    tests: tuple[GeneratedTest, ...]
    plan: UpdatePlan
    notes: tuple[str, ...]


async def update_specification(
    current: SpecFile, compared: RuleComparison, head: PromptSubject, setup: GenerationSetup
) -> SpecificationUpdate:
    """Decide what the file needs, and have tests made for its new rules.

    Raises:
        CannotEvaluate: no test came out for the new rules.
    """
    plan = update_plan(current.specification, compared.diff, current.ids)
    inverses = await find_inverse_rules(plan.add, setup.generator, setup.instructions("inverse"))
    add = tuple(
        replace(
            rule, inverse=inverses.value.get(rule.id, ""), grounding=grounding_by_words(rule, passages_of(head.text))
        )
        for rule in plan.add
    )
    moved = {rule.id: rule for rule in plan.moved}
    old = (moved.get(rule.id, rule) for rule in current.specification.rules if rule.id not in plan.obsolete)
    # A file with rules that somebody has to decide on is not of the new version yet.
    prompt = current.specification.prompt if plan.open else head.digest
    after = replace(current.specification, prompt=prompt, rules=(*old, *add))
    tests: tuple[GeneratedTest, ...] = ()
    notes = inverses.notes
    if add:
        made = await generate_tests(head, replace(after, rules=add), setup)
        tests, notes = made.tests, (*notes, *made.notes)
    return SpecificationUpdate(after, tests, replace(plan, add=add), notes)
