"""The stages that extract a specification: intent, inputs, output rules and inverse rules."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gate.calls.endpoints import list_room
from gate.config.documents import quoted
from gate.config.specification import RULES_PER_COMPONENT, Component, InputRule, OutputRule, RuleCheck
from gate.errors import CannotEvaluate
from gate.record.transcript import Failed
from gate.testgen.effort import EffortSettings
from gate.testgen.prompt_under_test import Passages, PromptSubject, Span, passages_of, read_line, same_words
from gate.testgen.questions import (
    SENTENCE_SCHEMA,
    TEXT_SCHEMA,
    Asker,
    MalformedAnswer,
    Question,
    StageResult,
    choice_schema,
    full_list_note,
    list_schema,
    object_schema,
    problem_notes,
    read_objects,
    read_text,
    unused_fence,
)
from gate.testgen.rules.checks import CHECK_KINDS, refusal_reason
from gate.values import JsonValue, counted, listed


async def find_intent(subject: PromptSubject, asker: Asker, instructions: str = "") -> StageResult[str]:
    """Say in a sentence or two what the prompt is for; one request. Empty, with a note, where the model gives none."""
    view = {"prompt": subject.text, "fence": unused_fence(subject.text)}
    schema = object_schema({"intent": SENTENCE_SCHEMA})
    found = await asker.ask(
        Question("intent", view, schema, lambda reply: read_line(reply, "intent", 2_000), instructions)
    )
    if isinstance(found, Failed):
        return StageResult("", (f"the intent of the prompt was not found: {found.reason}",))
    return StageResult(found)


COMPONENTS = 50
"""Parts of one input, at most; a template may have more variables."""
COMPONENT_NAME_CHARS = 100
"""Of the name of a component."""

_INPUT_RULE = object_schema({"evidence": TEXT_SCHEMA, "rule": TEXT_SCHEMA})


async def find_components(
    subject: PromptSubject, asker: Asker, instructions: str = ""
) -> StageResult[tuple[Component, ...]]:
    """Describe the parts of an input; one request.

    Returns:
        The components in the model's order; for a prompt with variables exactly these, in their order. None, with a
        note, where no answer can be used. A rule whose evidence is not in the prompt is an assumption.
    """
    variables = subject.variables if subject.structured else ()
    view = {
        "prompt": subject.text,
        "fence": unused_fence(subject.text),
        "variables": variables,
        "most": RULES_PER_COMPONENT,
    }
    passages = passages_of(subject.text)

    def read(found: Mapping[str, JsonValue]) -> StageResult[tuple[Component, ...]]:
        return _read_components(found, passages, variables)

    each = [_components_schema(choice_schema(name)) for name in variables]
    schema = object_schema({"components": list_schema(_components_schema(TEXT_SCHEMA), least=1, each=each)})
    found = await asker.ask(Question("inputs", view, schema, read, instructions))
    if isinstance(found, Failed):
        return StageResult((), (f"the input specification was not found: {found.reason}",))
    most = list_room(asker.model)
    full = not variables and most is not None and len(found.value) >= most
    return replace(found, notes=(*found.notes, *(full_list_note("parts of the input", most),) * full))


def _components_schema(name: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Of one component."""
    return object_schema(
        {"name": name, "description": TEXT_SCHEMA, "rules": list_schema(_INPUT_RULE, most=RULES_PER_COMPONENT)}
    )


def _read_components(
    found: Mapping[str, JsonValue], passages: Passages, variables: tuple[str, ...]
) -> StageResult[tuple[Component, ...]]:
    objects = read_objects(found, "components")
    if not objects:
        raise MalformedAnswer("there is no component")
    if len(objects) > max(COMPONENTS, len(variables)):
        raise MalformedAnswer(f"there are more than {COMPONENTS} components")
    read = [_component(one, passages) for one in objects]
    names = [component.value.name for component in read]
    if variables and sorted(names) != sorted(variables):
        raise MalformedAnswer("the names of the components are not exactly those of the template's variables")
    if len(set(names if variables else map(same_words, names))) < len(names):
        raise MalformedAnswer("two components have the same name")
    if variables:
        read.sort(key=lambda component: variables.index(component.value.name))
    return StageResult(tuple(one.value for one in read), tuple(note for one in read for note in one.notes))


def _component(found: Mapping[str, JsonValue], passages: Passages) -> StageResult[Component]:
    name = read_line(found, "name", COMPONENT_NAME_CHARS)
    rules: dict[str, InputRule] = {}
    for one in read_objects(found, "rules"):
        span = passages.find(read_line(one, "evidence", 4_000, blank=True))
        text = read_line(one, "rule")
        rules.setdefault(same_words(text), InputRule(text, "" if span is None else span.text))
    kept = tuple(rules.values())[:RULES_PER_COMPONENT]
    over = len(rules) - len(kept)
    told = "1 rule" if over == 1 else f"{over} rules"
    notes = (f"{told} of {name!r} left out; the limit is {RULES_PER_COMPONENT}",) if over else ()
    return StageResult(Component(name, read_line(found, "description"), kept), notes)


NO_RULE = "there is no rule"
MOST_RULES_READ = 1_000
"""Of one reply; more than a prompt has, so that those beyond the effort's own limit can be named."""
NO_CHECK = "none"
"""The kind of check of a rule that only a judge can check."""
VALUES_PER_CHECK = 50
"""Words of one check, at most."""
_CHECK = object_schema(
    {
        "kind": choice_schema(NO_CHECK, *CHECK_KINDS),
        "value": list_schema(TEXT_SCHEMA),
        "keeps": TEXT_SCHEMA,
        "breaks": TEXT_SCHEMA,
    }
)
_OUTPUT_RULE = object_schema({"evidence": TEXT_SCHEMA, "rule": SENTENCE_SCHEMA, "check": _CHECK})


class NoRules(CannotEvaluate):
    """The model found no rule in the prompt."""


async def find_rules(
    subject: PromptSubject, asker: Asker, settings: EffortSettings
) -> StageResult[tuple[OutputRule, ...]]:
    """List the rules; one request.

    Returns:
        Rules without inverses, numbered by where their evidence stands in the prompt; those without evidence come
        last. Evidence is the prompt's own text, never the model's. A check that does not hold is left out, with a note.

    Raises:
        NoRules: the model says that there are none.
        CannotEvaluate: no reply can be used.
    """
    view = {"prompt": subject.text, "fence": unused_fence(subject.text), "none": NO_CHECK}
    most = list_room(asker.model, settings.max_rules)
    told = settings.instructions.get("rules", "")
    found = await asker.ask(Question("rules", view, rules_schema(most), _read_rules, told))
    if isinstance(found, Failed):
        kind = NoRules if found.reason == NO_RULE else CannotEvaluate
        hint = "try another model, or write the rules into a specification file"
        raise kind(f"the model found no rule in the prompt: {found.reason}", hint)
    numbered = _numbered(found, subject, settings.max_rules)
    full = most is not None and len(found) >= most
    return replace(numbered, notes=(*numbered.notes, *(full_list_note("rules", most),) * full))


def rules_schema(most: int | None = None) -> dict[str, JsonValue]:
    """JSON Schema of a reply with at most so many rules. None: all are read, so that a note can name those left out."""
    return object_schema({"rules": list_schema(_OUTPUT_RULE, least=1, most=most)})


def _read_rules(reply: Mapping[str, JsonValue]) -> list[OutputRule]:
    """The rules as the model gives them, without ids; their evidence and checks are its claims."""
    rules = [
        OutputRule(
            "",
            read_line(row, "rule"),
            read_line(row, "evidence", 4_000, blank=True),
            check=_read_check(row.get("check")),
        )
        for row in read_objects(reply, "rules")
    ]
    if not rules:
        raise MalformedAnswer(NO_RULE)
    if len(rules) > MOST_RULES_READ:
        raise MalformedAnswer(f"there are more than {MOST_RULES_READ:,} rules")
    return rules


def _read_check(check: JsonValue) -> RuleCheck | None:
    """The proposed check; None for no check, or for one in another form, which is not worth a second request."""
    kind = next((name for name in CHECK_KINDS if isinstance(check, dict) and check.get("kind") == name), None)
    if kind is None or not isinstance(check, dict):
        return None
    given = check.get("value")
    values = given if isinstance(given, list) else [] if given is None else [given]
    words = tuple(str(value) for value in values if isinstance(value, str | int))
    try:
        examples = [read_text(check, name, blank=True) for name in ("keeps", "breaks")]
    except MalformedAnswer:
        return None
    return RuleCheck(kind, words[:VALUES_PER_CHECK], *examples)


def _numbered(claims: list[OutputRule], subject: PromptSubject, most: int) -> StageResult[tuple[OutputRule, ...]]:
    passages = passages_of(subject.text)
    nowhere = Span(len(subject.text), "")
    distinct: dict[str, tuple[OutputRule, Span]] = {}
    for claim in claims:
        distinct.setdefault(same_words(claim.text), (claim, passages.find(claim.evidence) or nowhere))
    placed = sorted(distinct.values(), key=lambda rule: rule[1].start)
    rules, problems = [], defaultdict[str, list[str]](list)
    for number, (claim, span) in enumerate(placed[:most], start=1):
        rule = replace(claim, id=f"R{number}", evidence=span.text)
        if rule.check is not None and (reason := refusal_reason(rule.check, span.text, rule.text)):
            problems[f"left to the judge, since the check that the model proposed does not hold ({reason})"].append(
                rule.id
            )
            rule = replace(rule, check=None)
        rules.append(rule)
    left_out = tuple(claim.text for claim, _ in placed[most:])
    notes = [*problem_notes(problems)]
    if twice := len(claims) - len(distinct):
        notes.append(f"{counted(twice, 'rule')} left out as duplicates")
    if left_out:
        named = listed([quoted(text) for text in left_out])
        notes.append(f"{counted(len(left_out), 'rule')} left out, the limit is {most}: {named}")
    return StageResult(tuple(rules), tuple(notes), left_out)


RULES_PER_REQUEST = 20

_INCOMPLETE = "it had no inverse of these rules, or more than one of the same rule, or one that says what the rule says"


async def find_inverse_rules(
    rules: Sequence[OutputRule], asker: Asker, instructions: str = ""
) -> StageResult[Mapping[str, str]]:
    """Ask for the inverses, `RULES_PER_REQUEST` rules per request, and once more for those that are missing.

    Returns:
        Inverse by the id of its rule, and a note about rules that have none.
    """
    first = await asker.ask_all([_inverse_question(batch, "", instructions) for batch in _batches(rules)])
    inverses: dict[str, str] = {}
    failures = []
    missing = []
    for batch, found in zip(_batches(rules), first, strict=True):
        if isinstance(found, Failed):
            failures.append(f"no inverse of {_span(batch)}: {found.reason}")
        else:
            inverses |= found
            missing += [rule for rule in batch if rule.id not in found]
    for found in await asker.ask_all(
        [_inverse_question(batch, _INCOMPLETE, instructions) for batch in _batches(missing)]
    ):
        if not isinstance(found, Failed):
            inverses |= found
    none = [rule.id for rule in missing if rule.id not in inverses]
    notes = (f"no inverse of {listed(none)}: the model gave none that is usable",) if none else ()
    return StageResult(inverses, (*failures, *notes))


def _span(batch: Sequence[OutputRule]) -> str:
    return batch[0].id if len(batch) == 1 else f"{batch[0].id} to {batch[-1].id}"


def _batches(rules: Sequence[OutputRule]) -> list[Sequence[OutputRule]]:
    return [rules[at : at + RULES_PER_REQUEST] for at in range(0, len(rules), RULES_PER_REQUEST)]


def _inverse_question(rules: Sequence[OutputRule], lacking: str, instructions: str) -> Question[dict[str, str]]:
    texts = [" ".join(rule.text.split()) for rule in rules]
    shown = [{"id": rule.id, "text": text} for rule, text in zip(rules, texts, strict=True)]
    view = {"rules": shown, "fence": unused_fence(*texts)}
    ids = [rule.id for rule in rules]
    return Question(
        "inverse",
        view,
        object_schema({"inverses": list_schema(_inverse(*ids), each=[_inverse(name) for name in ids])}),
        lambda found: _read_inverse_rules(found, {rule.id: rule for rule in rules}),
        instructions,
        # Missing inverses are requested once more.
        lacks=lambda found: len(rules) - len(found) if lacking else 0,
        problem=lacking,
    )


def _inverse(*ids: str) -> dict[str, JsonValue]:
    """JSON Schema of the inverse of one of these rules."""
    return object_schema({"id": choice_schema(*ids), "inverse": SENTENCE_SCHEMA})


def _read_inverse_rules(found: Mapping[str, JsonValue], asked: Mapping[str, OutputRule]) -> dict[str, str]:
    """The usable ones: a requested id, once, with a text that does not repeat the rule."""
    told = [
        (read_line(one, "id", 20), read_line(one, "inverse", blank=True)) for one in read_objects(found, "inverses")
    ]
    times = Counter(name for name, _ in told)
    return {
        name: text
        for name, text in told
        if times[name] == 1 and name in asked and same_words(text) not in ("", same_words(asked[name].text))
    }
