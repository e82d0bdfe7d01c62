"""Stage: the rules that the outputs of a prompt keep, each with the words of the prompt that say so."""

from collections.abc import Mapping
from dataclasses import replace

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import OutputRule
from gate.domain.words import counted
from gate.errors import CannotEvaluate
from gate.inputs.problems import quoted
from gate.providers.schemas import room
from gate.testgen.asking import Asker, Malformed, Question, objects_of
from gate.testgen.effort import EffortSettings
from gate.testgen.evidence import Span, line_of, passages_of, same_words
from gate.testgen.found import Found, full_told, listed
from gate.testgen.frames import SENTENCE, TEXT, fence, framed, list_schema, object_schema
from gate.testgen.subject import PromptSubject

NONE = "there is no rule"
RULES_READ = 1_000
"""Of one reply; more than a prompt has, so that those beyond the effort's own limit can be named."""
NAMED = 3
"""Rules that a note names of those that are left out."""
_RULE = object_schema({"evidence": TEXT, "rule": SENTENCE})


class NoRules(CannotEvaluate):
    """A prompt that promises nothing, as far as its reader can tell."""


async def find_rules(subject: PromptSubject, asker: Asker, settings: EffortSettings) -> Found[tuple[OutputRule, ...]]:
    """List the rules; one request.

    Args:
        subject: the prompt.
        asker: the generator.
        settings: how many rules are kept, and what the user adds.

    Returns:
        Rules without inverses, numbered by where their evidence stands in the prompt; those without evidence come
        last. Evidence is the prompt's own text, never the model's.

    Raises:
        NoRules: the model says that there are none.
        CannotEvaluate: it says nothing that can be used.
    """
    view = {"prompt": subject.text, "fence": fence(subject.text)}
    instructions = settings.instructions.get("rules", "")
    most = room(asker.model, settings.max_rules)
    schema = rules_schema(most)
    question = Question("rules", lambda problem: framed("rules", view, instructions, problem), schema, _read)
    found = await asker.ask(question)
    if isinstance(found, Failed):
        kind = NoRules if found.reason == NONE else CannotEvaluate
        hint = "try another model, or write the rules into a specification file"
        raise kind(f"the model found no rule in the prompt: {found.reason}", hint)
    numbered = _numbered(found, subject, settings.max_rules)
    full = most is not None and len(found) >= most
    return replace(numbered, notes=(*numbered.notes, *(full_told("rules", most),) * full))


def rules_schema(most: int | None = None) -> dict[str, JsonValue]:
    """JSON Schema of a reply.

    Args:
        most: rules that are read; None where all are, so that those which are left out can be named.
    """
    return object_schema({"rules": list_schema(_RULE, least=1, most=most)})


def _read(found: Mapping[str, JsonValue]) -> list[tuple[str, str]]:
    """Text and claimed evidence of each."""
    rules = [(line_of(one, "rule"), line_of(one, "evidence", 4_000, blank=True)) for one in objects_of(found, "rules")]
    if not rules:
        raise Malformed(NONE)
    if len(rules) > RULES_READ:
        raise Malformed(f"there are more than {RULES_READ:,} rules")
    return rules


def _numbered(found: list[tuple[str, str]], subject: PromptSubject, most: int) -> Found[tuple[OutputRule, ...]]:
    passages = passages_of(subject.text)
    nowhere = Span(len(subject.text), "")
    distinct: dict[str, tuple[str, Span]] = {}
    for text, evidence in found:
        distinct.setdefault(same_words(text), (text, passages.find(evidence) or nowhere))
    placed = sorted(distinct.values(), key=lambda rule: rule[1].start)
    rules = tuple(OutputRule(f"R{at}", text, span.text) for at, (text, span) in enumerate(placed[:most], start=1))
    left_out = tuple(text for text, _ in placed[most:])
    notes = []
    if twice := len(found) - len(distinct):
        notes.append(f"{counted(twice, 'rule')} left out: said twice")
    if left_out:
        named = listed([quoted(text) for text in left_out], NAMED)
        notes.append(f"{counted(len(left_out), 'rule')} left out beyond the first {most}: {named}")
    return Found(rules, tuple(notes), left_out)
