"""Makes the specification of a prompt: stages, requests, and questions for the author."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement, product, starmap
from math import ceil

from gate.calls.interface import together
from gate.config.documents import quoted
from gate.config.specification import AuthorQuestion, Component, OutputRule, Specification
from gate.errors import GateError
from gate.record.transcript import Failed
from gate.scoring.contradictions import contradiction
from gate.testgen.effort import EffortSettings, Stage
from gate.testgen.prompt_under_test import Passages, PromptSubject, passages_of, read_line
from gate.testgen.questions import (
    TEXT_SCHEMA,
    Asker,
    GenerationSetup,
    MalformedAnswer,
    Question,
    StageResult,
    list_schema,
    object_schema,
    problem_notes,
    read_objects,
    unused_fence,
)
from gate.testgen.rules.compiler import check_refusal, compile_rules
from gate.testgen.specification.extraction import (
    RULES_PER_REQUEST,
    find_components,
    find_intent,
    find_inverse_rules,
    find_rules,
)
from gate.testgen.specification.grounding import (
    ground_rules,
    is_unsettled,
    sentence_around,
    supports_rule,
    word_difference,
)
from gate.values import JsonValue, counted

_CONFLICT = object_schema({"why": TEXT_SCHEMA, "rules": list_schema(TEXT_SCHEMA)})
_LEAK = object_schema({"why": TEXT_SCHEMA, "component": TEXT_SCHEMA})
REVIEW_SCHEMA = object_schema({"conflicts": list_schema(_CONFLICT), "leaks": list_schema(_LEAK)})


async def review_specification(
    subject: PromptSubject, specification: Specification, asker: Asker, instructions: str = ""
) -> StageResult[tuple[AuthorQuestion, ...]]:
    """Ask a model for rules that conflict, and for demands on the output among those on the input; one request.

    Returns:
        A question for each finding; none, with a note, where there is no answer. A finding about a rule or a component
        that does not exist is noted and left out.
    """
    components, rules = specification.components, specification.rules
    told = [one.name + one.description + "".join(rule.text for rule in one.rules) for one in components]
    view = {
        "prompt": subject.text,
        "components": components,
        "rules": rules,
        "fence": unused_fence(subject.text, *told, *(rule.text for rule in rules)),
    }
    ids, names = [rule.id for rule in rules], [component.name for component in components]
    found = await asker.ask(
        Question("review", view, REVIEW_SCHEMA, lambda reply: _read(reply, ids, names), instructions)
    )
    if isinstance(found, Failed):
        return StageResult((), (f"the specification was not reviewed: {found.reason}",))
    return found


def ungrounded_questions(rules: Iterable[OutputRule], prompt: str) -> tuple[AuthorQuestion, ...]:
    """A question for each rule that is not in the prompt, and for each whose evidence does not say it."""
    told = ((rule, _doubt(rule, passages_of(prompt))) for rule in rules)
    return tuple(AuthorQuestion("ungrounded", (rule.id,), doubt) for rule, doubt in told if doubt)


def _doubt(rule: OutputRule, passages: Passages) -> str:
    """The question about the source of a rule; empty if there is none."""
    if rule.grounding not in ("ungrounded", "unknown"):
        return ""
    span = passages.find(rule.evidence)
    sentence = "" if span is None else sentence_around(passages.text, span)
    other = word_difference(rule.text, sentence, passages.text)
    if other is not None:
        return (
            f"The rule {quoted(rule.text)} says {other.rule}, but the prompt says {other.prompt}. Which one is right?"
        )
    if rule.grounding == "ungrounded":
        return f"The prompt does not say {quoted(rule.text)}. Keep this rule?"
    if span is None or supports_rule(rule.text, span.text, sentence):
        return ""
    return f"Does {quoted(span.text)} in the prompt say {quoted(rule.text)}?"


def conflict_questions(rules: Iterable[OutputRule]) -> tuple[AuthorQuestion, ...]:
    """A question for each two rules, or one, that code checks and no output can keep."""
    compiled = compile_rules(rules)
    found: dict[tuple[str, ...], AuthorQuestion] = {}
    for one, other in combinations_with_replacement(compiled, 2):
        about = tuple(dict.fromkeys((one.rule, other.rule)))
        why = next(filter(None, starmap(contradiction, product(one.scorers, other.scorers))), "")
        if why:
            who = f"{' and '.join(about)} contradict each other" if len(about) > 1 else f"{one.rule} contradicts itself"
            found[about] = AuthorQuestion("conflict", about, f"{who}: {why}. Which one is right?")
    return tuple(found.values())


def assumption_questions(components: Iterable[Component]) -> tuple[AuthorQuestion, ...]:
    """A question for each rule of the input that is not in the prompt."""
    return tuple(
        AuthorQuestion(
            "assumption",
            (component.name,),
            f"The prompt does not say {quoted(rule.text)} about {quoted(component.name)}. Can tests assume it?",
        )
        for component in components
        for rule in component.rules
        if rule.assumed
    )


def _read(
    found: Mapping[str, JsonValue], ids: Sequence[str], names: Sequence[str]
) -> StageResult[tuple[AuthorQuestion, ...]]:
    conflicts, leaks = read_objects(found, "conflicts"), read_objects(found, "leaks")
    questions: dict[tuple[str, ...], AuthorQuestion] = {}
    for one in conflicts:
        about = _ids(one)
        if len(about) > 1 and about <= {*ids}:
            rules = tuple(name for name in ids if name in about)
            text = f"{' and '.join(rules)} contradict each other: {read_line(one, 'why')} Which one is right?"
            questions.setdefault(("conflict", *rules), AuthorQuestion("conflict", rules, text))
    for one in leaks:
        name = read_line(one, "component")
        if name in names:
            text = f"{quoted(name)} has a rule about the output: {read_line(one, 'why')} Should it be an output rule?"
            questions.setdefault(("leak", name), AuthorQuestion("leak", (name,), text))
    lost = len(conflicts) + len(leaks) - len(questions)
    notes = (
        (f"{counted(lost, 'finding')} of the review left out: duplicates, or not about the specification",)
        if lost
        else ()
    )
    return StageResult(tuple(questions.values()), notes)


def _ids(found: Mapping[str, JsonValue]) -> set[str]:
    value = found.get("rules")
    if not isinstance(value, list):
        raise MalformedAnswer("rules is no list of ids")
    return {name.strip() for name in value if isinstance(name, str)}


OTHER_VERSION = "The specification is for another version of the prompt. To update it: gate generate --diff --update"
STAGES: tuple[Stage, ...] = ("intent", "inputs", "rules", "inverse", "grounding", "review")


@dataclass(frozen=True, slots=True)
class Specified:
    """The specification of a prompt."""

    specification: Specification
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


async def specify(subject: PromptSubject, setup: GenerationSetup, given: Specification | None) -> Specified:
    """Extract the specification of a prompt.

    Args:
        given: what a person may have edited; what it holds is kept, and only what it lacks is asked for. The caller
            checks whether it is of this version of the prompt; where it is not, that is noted.

    Raises:
        GateError: the prompt is empty.
        CannotEvaluate: there is no rule.
    """
    if not subject.text.strip():
        raise GateError("the prompt is empty", "write what its answers must be like")
    held = given or Specification(subject.digest, "", generator=str(setup.generator.model))
    draft = _Draft(subject, setup, held, held)
    await together((draft.find_intent(), draft.find_inputs(), draft.find_rules()))
    setup.tell(f"rules: {len(draft.made.rules)}, parts of the input: {len(draft.made.components)}")
    await together((draft.invert(), draft.ground()))
    setup.tell(f"inverse rules: {sum(1 for rule in draft.made.rules if rule.inverse)}")
    await draft.ask_author()
    setup.tell(f"questions to the author: {len(draft.made.questions)}")
    return draft.result()


def is_foreign(given: Specification, subject: PromptSubject) -> bool:
    """Was a specification extracted from quite another prompt, going by its evidence?"""
    quoted = [rule.evidence for rule in given.rules if rule.evidence]
    passages = passages_of(subject.text)
    return given.prompt not in ("", subject.digest) and bool(quoted) and not any(map(passages.find, quoted))


def stage_calls(settings: EffortSettings, rules: int, given: Specification | None) -> Mapping[Stage, int]:
    """Requests of each stage, if every reply can be used and all evidence supports its rule.

    Each rule that its evidence does not support takes one request more.

    Args:
        rules: of the prompt, as far as known; used where `given` has none.
    """
    held = given or Specification("", "")
    lacking = sum(1 for rule in held.rules if not rule.inverse)
    if not held.rules:
        lacking = min(settings.max_rules, rules)
    unsure = sum(
        1 for rule in held.rules if is_unsettled(rule) and not supports_rule(rule.text, rule.evidence, rule.evidence)
    )
    return {
        "intent": int(not held.intent),
        "inputs": int(not held.components),
        "rules": int(not held.rules),
        "inverse": ceil(lacking / RULES_PER_REQUEST),
        "grounding": unsure if settings.ground else 0,
        "review": int(_reviewed(settings, held)),
    }


def _reviewed(settings: EffortSettings, held: Specification) -> bool:
    """Does a model review it? Not if a person has read it, or there are questions about it."""
    return settings.review and not held.questions and not held.read_by_person


@dataclass(slots=True)
class _Draft:
    """A specification in progress."""

    subject: PromptSubject
    setup: GenerationSetup
    held: Specification
    made: Specification
    notes: dict[Stage, tuple[str, ...]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    async def find_intent(self) -> None:
        if not self.held.intent:
            found = await find_intent(self.subject, self.setup.generator, self.setup.instructions("intent"))
            self.made, self.notes["intent"] = replace(self.made, intent=found.value), found.notes

    async def find_inputs(self) -> None:
        if not self.held.components:
            found = await find_components(self.subject, self.setup.generator, self.setup.instructions("inputs"))
            self.made, self.notes["inputs"] = replace(self.made, components=found.value), found.notes
        elif self.subject.structured and sorted(self.subject.variables) != sorted(
            component.name for component in self.held.components
        ):
            self.notes["inputs"] = (
                "the inputs of the specification do not match the variables of the prompt: "
                + ", ".join(self.subject.variables),
            )

    async def find_rules(self) -> None:
        if not self.held.rules:
            found = await find_rules(self.subject, self.setup.generator, self.setup.settings)
            self.made, self.notes["rules"] = replace(self.made, rules=found.value), found.notes
            self.left_out = found.left_out

    async def invert(self) -> None:
        lacking = [rule for rule in self.made.rules if not rule.inverse]
        found = await find_inverse_rules(lacking, self.setup.generator, self.setup.instructions("inverse"))
        rules = tuple(replace(rule, inverse=found.value.get(rule.id, rule.inverse)) for rule in self.made.rules)
        self.made, self.notes["inverse"] = replace(self.made, rules=rules), found.notes

    async def ground(self) -> None:
        found = await ground_rules(self.made.rules, self.subject, self.setup.judge, self.setup.settings)
        rules = tuple(replace(rule, grounding=found.value[rule.id]) for rule in self.made.rules)
        self.made, self.notes["grounding"] = replace(self.made, rules=rules), found.notes

    async def ask_author(self) -> None:
        """Ask about what is new; the held parts have their questions."""
        known = {(rule.id, rule.grounding) for rule in self.held.rules}
        questions: list[AuthorQuestion] = [
            *self.held.questions,
            *ungrounded_questions(
                (rule for rule in self.made.rules if (rule.id, rule.grounding) not in known), self.subject.text
            ),
            *assumption_questions(() if self.held.components else self.made.components),
        ]
        asked = {(question.kind, question.about) for question in questions}
        questions += (one for one in conflict_questions(self.made.rules) if (one.kind, one.about) not in asked)
        if _reviewed(self.setup.settings, self.held):
            told = self.setup.instructions("review")
            found = await review_specification(self.subject, self.made, self.setup.judge, told)
            self.notes["review"] = found.notes
            asked = {(question.kind, question.about) for question in questions}
            questions += (one for one in found.value if (one.kind, one.about) not in asked)
        self.made = replace(self.made, questions=tuple(questions))

    def result(self) -> Specified:
        """New parts count as not read by a person."""
        other = self.made.prompt != self.subject.digest
        notes = [OTHER_VERSION] if other else []
        notes += [note for stage in STAGES for note in self.notes.get(stage, ())]
        notes += problem_notes(_unused_checks(self.made.rules))
        same = self.made.digest == self.held.digest
        made = replace(self.made, reviewer=self.held.reviewer if same else "")
        return Specified(made, tuple(notes), self.left_out)


def _unused_checks(rules: Iterable[OutputRule]) -> Mapping[str, Sequence[str]]:
    """Ids of rules with a check that is not used, such as a mistyped one in the file, by the reason."""
    problems: dict[str, list[str]] = {}
    for rule in rules:
        if reason := check_refusal(rule):
            problems.setdefault(f"its check in the specification is not used ({reason})", []).append(rule.id)
    return problems
