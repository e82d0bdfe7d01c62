"""Stage: what the inputs of a prompt look like."""

from collections.abc import Mapping
from dataclasses import replace

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import RULES_PER_COMPONENT, Component, InputRule
from gate.providers.schemas import room
from gate.testgen.asking import Asker, Malformed, Question, objects_of
from gate.testgen.evidence import Passages, line_of, passages_of, same_words
from gate.testgen.found import Found, full_told
from gate.testgen.frames import TEXT, fence, framed, list_schema, object_schema, one_of
from gate.testgen.subject import PromptSubject

COMPONENTS = 50
"""Parts of one input, at most; a template may have more variables."""
NAME_CHARS = 100
"""Of the name of a component."""

_RULE = object_schema({"evidence": TEXT, "rule": TEXT})


async def find_components(subject: PromptSubject, asker: Asker, instructions: str = "") -> Found[tuple[Component, ...]]:
    """Describe the parts of an input; one request.

    Args:
        subject: the prompt; of one with variables the components are exactly these.
        asker: the generator.
        instructions: what the user adds.

    Returns:
        The components in the model's order, or in that of the variables; none, with a note, where the model gives none
        that can be used. A rule whose evidence does not stand in the prompt is an assumption.
    """
    variables = subject.variables if subject.structured else ()
    view = {
        "prompt": subject.text,
        "fence": fence(subject.text),
        "variables": variables,
        "most": RULES_PER_COMPONENT,
    }
    passages = passages_of(subject.text)

    def read(found: Mapping[str, JsonValue]) -> Found[tuple[Component, ...]]:
        return _read(found, passages, variables)

    each = [_schema(one_of(name)) for name in variables]
    schema = object_schema({"components": list_schema(_schema(TEXT), least=1, each=each)})
    question = Question("inputs", lambda problem: framed("inputs", view, instructions, problem), schema, read)
    found = await asker.ask(question)
    if isinstance(found, Failed):
        return Found((), (f"what inputs look like is not known: {found.reason}",))
    most = room(asker.model)
    full = not variables and most is not None and len(found.value) >= most
    return replace(found, notes=(*found.notes, *(full_told("parts of the input", most),) * full))


def _schema(name: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Of one component."""
    return object_schema({"name": name, "description": TEXT, "rules": list_schema(_RULE, most=RULES_PER_COMPONENT)})


def _read(
    found: Mapping[str, JsonValue], passages: Passages, variables: tuple[str, ...]
) -> Found[tuple[Component, ...]]:
    objects = objects_of(found, "components")
    if not objects:
        raise Malformed("there is no component")
    if len(objects) > max(COMPONENTS, len(variables)):
        raise Malformed(f"there are more than {COMPONENTS} components")
    read = [_component(one, passages) for one in objects]
    names = [component.value.name for component in read]
    if variables and sorted(names) != sorted(variables):
        raise Malformed("the names of the components are not exactly those of the template's variables")
    if len(set(names if variables else map(same_words, names))) < len(names):
        raise Malformed("two components have the same name")
    if variables:
        read.sort(key=lambda component: variables.index(component.value.name))
    return Found(tuple(one.value for one in read), tuple(note for one in read for note in one.notes))


def _component(found: Mapping[str, JsonValue], passages: Passages) -> Found[Component]:
    name = line_of(found, "name", NAME_CHARS)
    rules: dict[str, InputRule] = {}
    for one in objects_of(found, "rules"):
        span = passages.find(line_of(one, "evidence", 4_000, blank=True))
        text = line_of(one, "rule")
        rules.setdefault(same_words(text), InputRule(text, "" if span is None else span.text))
    kept = tuple(rules.values())[:RULES_PER_COMPONENT]
    over = len(rules) - len(kept)
    told = "1 rule" if over == 1 else f"{over} rules"
    notes = (f"{told} of {name!r} left out beyond the first {RULES_PER_COMPONENT}",) if over else ()
    return Found(Component(name, line_of(found, "description"), kept), notes)
