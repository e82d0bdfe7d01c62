"""Stage: for each rule the sentence that contradicts it."""

from collections import Counter
from collections.abc import Mapping, Sequence

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import OutputRule
from gate.testgen.asking import Asker, Question, objects_of
from gate.testgen.evidence import line_of, same_words
from gate.testgen.found import Found, listed
from gate.testgen.frames import SENTENCE, fence, framed, list_schema, object_schema, one_of

RULES_PER_REQUEST = 20

_INCOMPLETE = "it had no inverse of these rules, or more than one of the same rule, or one that says what the rule says"


async def invert(rules: Sequence[OutputRule], asker: Asker, instructions: str = "") -> Found[Mapping[str, str]]:
    """Ask for the inverses, and once more for those that are missing.

    Args:
        rules: to invert; `RULES_PER_REQUEST` go into one request.
        asker: the generator.
        instructions: what the user adds.

    Returns:
        Inverse by the id of its rule, and a note about rules that have none.
    """
    first = await asker.ask_all([_question(batch, "", instructions) for batch in _batches(rules)])
    inverses: dict[str, str] = {}
    failures = []
    missing = []
    for batch, found in zip(_batches(rules), first, strict=True):
        if isinstance(found, Failed):
            failures.append(f"no inverse of {_span(batch)}: {found.reason}")
        else:
            inverses |= found
            missing += [rule for rule in batch if rule.id not in found]
    for found in await asker.ask_all([_question(batch, _INCOMPLETE, instructions) for batch in _batches(missing)]):
        if not isinstance(found, Failed):
            inverses |= found
    none = [rule.id for rule in missing if rule.id not in inverses]
    notes = (f"no inverse of {listed(none)}: the model gave none that can be used",) if none else ()
    return Found(inverses, (*failures, *notes))


def _span(batch: Sequence[OutputRule]) -> str:
    return batch[0].id if len(batch) == 1 else f"{batch[0].id} to {batch[-1].id}"


def _batches(rules: Sequence[OutputRule]) -> list[Sequence[OutputRule]]:
    return [rules[at : at + RULES_PER_REQUEST] for at in range(0, len(rules), RULES_PER_REQUEST)]


def _question(rules: Sequence[OutputRule], lacking: str, instructions: str) -> Question[dict[str, str]]:
    texts = [" ".join(rule.text.split()) for rule in rules]
    shown = [{"id": rule.id, "text": text} for rule, text in zip(rules, texts, strict=True)]
    view = {"rules": shown, "fence": fence(*texts)}
    return Question(
        "inverse",
        lambda problem: framed("inverse", view, instructions, problem or lacking),
        _schema([rule.id for rule in rules]),
        lambda found: _read(found, {rule.id: rule for rule in rules}),
        # What is missing from the first reply is asked for once more; what is missing then is missing.
        lacks=lambda found: len(rules) - len(found) if lacking else 0,
    )


def _schema(ids: Sequence[str]) -> dict[str, JsonValue]:
    return object_schema({"inverses": list_schema(_inverse(*ids), each=[_inverse(name) for name in ids])})


def _inverse(*ids: str) -> dict[str, JsonValue]:
    """JSON Schema of the inverse of one of these rules."""
    return object_schema({"id": one_of(*ids), "inverse": SENTENCE})


def _read(found: Mapping[str, JsonValue], asked: Mapping[str, OutputRule]) -> dict[str, str]:
    """Those that can be used: the id was asked for, it is there once, and the text does not repeat the rule."""
    told = [(line_of(one, "id", 20), line_of(one, "inverse", blank=True)) for one in objects_of(found, "inverses")]
    times = Counter(name for name, _ in told)
    return {
        name: text
        for name, text in told
        if times[name] == 1 and name in asked and same_words(text) not in ("", same_words(asked[name].text))
    }
