"""Stage: what the author of a prompt is asked about its specification."""

from collections.abc import Iterable, Mapping, Sequence

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import AuthorQuestion, Component, OutputRule, Specification
from gate.domain.words import counted
from gate.inputs.problems import quoted
from gate.testgen.asking import Asker, Malformed, Question, objects_of
from gate.testgen.bearing import around, bears, differing
from gate.testgen.evidence import Passages, line_of, passages_of
from gate.testgen.found import Found
from gate.testgen.frames import TEXT, fence, framed, list_schema, object_schema
from gate.testgen.subject import PromptSubject

_CONFLICT = object_schema({"why": TEXT, "rules": list_schema(TEXT)})
_LEAK = object_schema({"why": TEXT, "component": TEXT})
SCHEMA = object_schema({"conflicts": list_schema(_CONFLICT), "leaks": list_schema(_LEAK)})


async def review(
    subject: PromptSubject, specification: Specification, asker: Asker, instructions: str = ""
) -> Found[tuple[AuthorQuestion, ...]]:
    """Ask a model for rules that conflict, and for demands on the output among those on the input; one request.

    Args:
        subject: the prompt.
        specification: of the prompt.
        asker: the reviewer.
        instructions: what the user adds.

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
        "fence": fence(subject.text, *told, *(rule.text for rule in rules)),
    }
    ids, names = [rule.id for rule in rules], [component.name for component in components]

    def read(found: Mapping[str, JsonValue]) -> Found[tuple[AuthorQuestion, ...]]:
        return _read(found, ids, names)

    found = await asker.ask(
        Question("review", lambda problem: framed("review", view, instructions, problem), SCHEMA, read)
    )
    return (
        Found((), (f"nobody has reviewed the specification: {found.reason}",)) if isinstance(found, Failed) else found
    )


def ungrounded(rules: Iterable[OutputRule], prompt: str) -> tuple[AuthorQuestion, ...]:
    """A question for each rule that does not stand in the prompt, and for each whose evidence does not say it.

    Args:
        rules: with what is known of where they come from.
        prompt: its text.
    """
    told = ((rule, _doubt(rule, passages_of(prompt))) for rule in rules)
    return tuple(AuthorQuestion("ungrounded", (rule.id,), doubt) for rule, doubt in told if doubt)


def _doubt(rule: OutputRule, passages: Passages) -> str:
    """What the author is asked about where a rule comes from; empty where nothing is."""
    if rule.grounding not in ("ungrounded", "unknown"):
        return ""
    span = passages.find(rule.evidence)
    sentence = "" if span is None else around(passages.text, span)
    other = differing(rule.text, sentence, passages.text)
    if other is not None:
        return f"The rule {quoted(rule.text)} says {other.rule} and the prompt says {other.prompt}: which one counts?"
    if rule.grounding == "ungrounded":
        return f"The prompt does not say {quoted(rule.text)}: is it meant?"
    if span is None or bears(rule.text, span.text, sentence):
        return ""
    return f"Does {quoted(span.text)} in the prompt say {quoted(rule.text)}?"


def assumptions(components: Iterable[Component]) -> tuple[AuthorQuestion, ...]:
    """A question for each rule of the input that does not stand in the prompt."""
    return tuple(
        AuthorQuestion(
            "assumption",
            (component.name,),
            f"The prompt does not say {quoted(rule.text)} of {quoted(component.name)}: may tests rest on it?",
        )
        for component in components
        for rule in component.rules
        if rule.assumed
    )


def _read(
    found: Mapping[str, JsonValue], ids: Sequence[str], names: Sequence[str]
) -> Found[tuple[AuthorQuestion, ...]]:
    conflicts, leaks = objects_of(found, "conflicts"), objects_of(found, "leaks")
    questions: dict[tuple[str, ...], AuthorQuestion] = {}
    for one in conflicts:
        about = _ids(one)
        if len(about) > 1 and about <= {*ids}:
            rules = tuple(name for name in ids if name in about)
            text = f"{' and '.join(rules)} cannot all be kept: {line_of(one, 'why')} Which one counts?"
            questions.setdefault(("conflict", *rules), AuthorQuestion("conflict", rules, text))
    for one in leaks:
        name = line_of(one, "component")
        if name in names:
            text = f"{quoted(name)} tells something of the output: {line_of(one, 'why')} Is that a rule of the output?"
            questions.setdefault(("leak", name), AuthorQuestion("leak", (name,), text))
    lost = len(conflicts) + len(leaks) - len(questions)
    notes = (
        (f"{counted(lost, 'finding')} of the review left out: said twice, or about nothing in the specification",)
        if lost
        else ()
    )
    return Found(tuple(questions.values()), notes)


def _ids(found: Mapping[str, JsonValue]) -> set[str]:
    value = found.get("rules")
    if not isinstance(value, list):
        raise Malformed("rules is no list of ids")
    return {name.strip() for name in value if isinstance(name, str)}
