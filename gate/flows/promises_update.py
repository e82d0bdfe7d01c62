"""A specification and its tests follow a change of the prompt: new rules with tests, gone rules marked."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from gate.domain.promptspec import GeneratedTest, Specification
from gate.domain.specdiff import UpdatePlan
from gate.flows.promises import Compared
from gate.testgen.asking import Asker
from gate.testgen.effort import EffortSettings
from gate.testgen.evidence import passages_of
from gate.testgen.generation import Directions, generate
from gate.testgen.groundedness import by_words
from gate.testgen.inverse_rules import invert
from gate.testgen.specdiff.follow import update_plan
from gate.testgen.subject import PromptSubject
from gate.testgen.written.specification import SpecFile


@dataclass(frozen=True, slots=True)
class Update:
    """What is to be written.

    Args:
        specification: with the rules that are new, without those that are gone.
        tests: for the new rules.
        plan: what was decided.
        notes: what did not go as it should.
    """

    specification: Specification
    tests: tuple[GeneratedTest, ...]
    plan: UpdatePlan
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Writers:
    """Who makes the tests.

    Args:
        generator, judge: as for a generation.
        settings: how much work goes into it.
        tell: tells the user what is being done.
    """

    generator: Asker
    judge: Asker
    settings: EffortSettings
    tell: Callable[[str], None]


async def follow(kept: SpecFile, compared: Compared, head: PromptSubject, writers: Writers) -> Update:
    """Decide what the file needs, and have tests made for its new rules.

    Args:
        kept: the file, of the old version.
        compared: the two versions.
        head: the new version.
        writers: who makes the tests.

    Raises:
        CannotEvaluate: no test came out for the new rules.
    """
    plan = update_plan(kept.specification, compared.diff, kept.taken)
    found = await invert(plan.add, writers.generator, writers.settings.instructions.get("inverse", ""))
    add = tuple(
        replace(rule, inverse=found.value.get(rule.id, ""), grounding=by_words(rule, passages_of(head.text)))
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
        work = Directions(writers.settings, writers.tell)
        made = await generate(head, replace(after, rules=add), writers.generator, writers.judge, work)
        tests, notes = made.tests, (*notes, *made.notes)
    return Update(after, tests, replace(plan, add=add), notes)
