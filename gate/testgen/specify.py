"""From a prompt to its specification: what the stages make, in which order, and with how many requests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil

from gate.calls.together import together
from gate.domain.promptspec import AuthorQuestion, Specification
from gate.errors import GateError
from gate.testgen.asking import Asker
from gate.testgen.bearing import bears
from gate.testgen.effort import EffortSettings, Stage
from gate.testgen.evidence import passages_of
from gate.testgen.groundedness import ground, unsettled
from gate.testgen.input_spec import find_components
from gate.testgen.intent import find_intent
from gate.testgen.inverse_rules import RULES_PER_REQUEST, invert
from gate.testgen.output_rules import find_rules
from gate.testgen.review import assumptions, review, ungrounded
from gate.testgen.subject import PromptSubject

OTHER_VERSION = (
    "The specification was taken from another version of the prompt: gate generate --diff --update lets it follow."
)
STAGES: tuple[Stage, ...] = ("intent", "inputs", "rules", "inverse", "grounding", "review")


@dataclass(frozen=True, slots=True)
class Specified:
    """What came of it.

    Args:
        specification: of the prompt.
        notes: one line each: what is missing or left out, and why.
        left_out: rules beyond those that are wanted.
    """

    specification: Specification
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Askers:
    """Who reads the prompt.

    Args:
        generator: the model that extracts.
        judge: the model that decides whether a rule stands in the prompt, and reviews.
    """

    generator: Asker
    judge: Asker


async def specify(
    subject: PromptSubject,
    askers: Askers,
    settings: EffortSettings,
    given: Specification | None,
    tell: Callable[[str], None],
) -> Specified:
    """Take the specification from a prompt.

    Args:
        subject: the prompt.
        askers: models.
        settings: the effort.
        given: what a person may have edited; what it holds is kept, and only what it lacks is asked for. Whether it
            was taken from this version of the prompt is the caller's to see to, and noted where it was not.
        tell: told a line after each step.

    Raises:
        GateError: the prompt is empty.
        CannotEvaluate: there is no rule.
    """
    if not subject.text.strip():
        raise GateError("the prompt is empty", "it has to say what its outputs are like")
    generator, judge = askers.generator, askers.judge
    held = given or Specification(subject.digest, "", generator=str(generator.model))
    draft = _Draft(subject, settings, held, held)
    await together((draft.find_intent(generator), draft.find_inputs(generator), draft.find_rules(generator)))
    tell(f"rules: {len(draft.made.rules)}, parts of the input: {len(draft.made.components)}")
    await together((draft.invert(generator), draft.ground(judge)))
    tell(f"inverse rules: {sum(1 for rule in draft.made.rules if rule.inverse)}")
    await draft.ask_author(judge)
    tell(f"questions to the author: {len(draft.made.questions)}")
    return draft.result()


def foreign(given: Specification, subject: PromptSubject) -> bool:
    """Was a specification taken from quite another prompt?

    Args:
        given: with the words that its rules rest on.
        subject: the prompt that it is to be used for.
    """
    quoted = [rule.evidence for rule in given.rules if rule.evidence]
    passages = passages_of(subject.text)
    return given.prompt not in ("", subject.digest) and bool(quoted) and not any(map(passages.find, quoted))


def calls_of(settings: EffortSettings, rules: int, given: Specification | None) -> Mapping[Stage, int]:
    """Requests of each stage, where every reply can be used and all evidence says what its rule says.

    Where it does not, there is one request more for each such rule.

    Args:
        settings: the effort.
        rules: of the prompt, as far as anybody knows.
        given: as for `specify`; its rules are the ones that count.
    """
    held = given or Specification("", "")
    lacking = sum(1 for rule in held.rules if not rule.inverse)
    if not held.rules:
        lacking = min(settings.max_rules, rules)
    unsure = sum(1 for rule in held.rules if unsettled(rule) and not bears(rule.text, rule.evidence, rule.evidence))
    return {
        "intent": int(not held.intent),
        "inputs": int(not held.components),
        "rules": int(not held.rules),
        "inverse": ceil(lacking / RULES_PER_REQUEST),
        "grounding": unsure if settings.ground else 0,
        "review": int(_reviewed(settings, held)),
    }


def _reviewed(settings: EffortSettings, held: Specification) -> bool:
    """Does a model review it? Not what a person has read, nor what there are questions about."""
    return settings.review and not held.questions and not held.read_by_person


@dataclass(slots=True)
class _Draft:
    """A specification on its way.

    Args:
        subject: the prompt.
        settings: the effort.
        held: what there was before.
        made: what there is by now.
        notes: of each stage.
        left_out: rules beyond those that are wanted.
    """

    subject: PromptSubject
    settings: EffortSettings
    held: Specification
    made: Specification
    notes: dict[Stage, tuple[str, ...]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    async def find_intent(self, asker: Asker) -> None:
        if not self.held.intent:
            found = await find_intent(self.subject, asker, self._instructions("intent"))
            self.made, self.notes["intent"] = replace(self.made, intent=found.value), found.notes

    async def find_inputs(self, asker: Asker) -> None:
        if not self.held.components:
            found = await find_components(self.subject, asker, self._instructions("inputs"))
            self.made, self.notes["inputs"] = replace(self.made, components=found.value), found.notes
        elif self.subject.structured and sorted(self.subject.variables) != sorted(
            component.name for component in self.held.components
        ):
            self.notes["inputs"] = (
                "the parts of the input in the specification are not the variables of the prompt: "
                + ", ".join(self.subject.variables),
            )

    async def find_rules(self, asker: Asker) -> None:
        if not self.held.rules:
            found = await find_rules(self.subject, asker, self.settings)
            self.made, self.notes["rules"] = replace(self.made, rules=found.value), found.notes
            self.left_out = found.left_out

    async def invert(self, asker: Asker) -> None:
        lacking = [rule for rule in self.made.rules if not rule.inverse]
        found = await invert(lacking, asker, self._instructions("inverse"))
        rules = tuple(replace(rule, inverse=found.value.get(rule.id, rule.inverse)) for rule in self.made.rules)
        self.made, self.notes["inverse"] = replace(self.made, rules=rules), found.notes

    async def ground(self, judge: Asker) -> None:
        found = await ground(self.made.rules, self.subject, judge, self.settings)
        rules = tuple(replace(rule, grounding=found.value[rule.id]) for rule in self.made.rules)
        self.made, self.notes["grounding"] = replace(self.made, rules=rules), found.notes

    async def ask_author(self, judge: Asker) -> None:
        """What is new is asked about: the held parts have their questions."""
        known = {(rule.id, rule.grounding) for rule in self.held.rules}
        questions: list[AuthorQuestion] = [
            *self.held.questions,
            *ungrounded(
                (rule for rule in self.made.rules if (rule.id, rule.grounding) not in known), self.subject.text
            ),
            *assumptions(() if self.held.components else self.made.components),
        ]
        if _reviewed(self.settings, self.held):
            found = await review(self.subject, self.made, judge, self._instructions("review"))
            self.notes["review"] = found.notes
            questions += found.value
        self.made = replace(self.made, questions=tuple(questions))

    def result(self) -> Specified:
        """Nobody has read what was made only now."""
        other = self.made.prompt != self.subject.digest
        notes = [OTHER_VERSION] if other else []
        notes += [note for stage in STAGES for note in self.notes.get(stage, ())]
        same = self.made.digest == self.held.digest
        made = replace(self.made, reviewer=self.held.reviewer if same else "")
        return Specified(made, tuple(notes), self.left_out)

    def _instructions(self, stage: Stage) -> str:
        return self.settings.instructions.get(stage, "")
