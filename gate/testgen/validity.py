"""Does an input keep the input specification? A judge says, or nobody knows."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import Component, GeneratedTest
from gate.testgen.asking import Asker, Malformed, Question, objects_of
from gate.testgen.assembly import shown
from gate.testgen.effort import EffortSettings
from gate.testgen.found import noted
from gate.testgen.frames import FLAG, TEXT, fence, framed, list_schema, object_schema, one_of
from gate.testgen.source import Made, in_batches, texts_of

_REASON_CHARS = 400
_Verdicts = Mapping[str, tuple[bool, str]]
"""By the id of a test: does its input keep the specification, and the judge's reason."""


async def validated(
    components: Sequence[Component], tests: Sequence[GeneratedTest], settings: EffortSettings, judge: Asker
) -> Made:
    """The tests with what a judge says of them; what is left unanswered is asked once more, and then unknown.

    Args:
        components: the input specification.
        tests: of any kind; control cases, too.
        settings: how many one request looks at, and instructions.
        judge: another model than the one that wrote the tests, if possible.
    """
    if not components:
        return Made(
            tuple(tests), ("nobody knows which inputs are valid: there is no input specification",) if tests else ()
        )
    verdicts: dict[str, tuple[bool, str]] = {}
    problems: dict[str, list[str]] = defaultdict(list)
    asked = in_batches(tests, settings.tests_per_validation)
    for last in (False, True):
        replies = await judge.ask_all([_question(components, batch, settings, last) for batch in asked])
        again: list[Sequence[GeneratedTest]] = []
        for batch, reply in zip(asked, replies, strict=True):
            if not isinstance(reply, Failed):
                verdicts.update(reply)
            left = [test for test in batch if test.id not in verdicts]
            if left and (last or isinstance(reply, Failed)):
                why = reply.reason if isinstance(reply, Failed) else "the judge gave no verdict"
                problems[f"nobody knows whether these inputs are valid ({why})"] += [test.id for test in left]
            elif left:
                again.append(left)
        asked = again
    return Made(tuple(_judged(test, verdicts) for test in tests), noted(problems))


def _judged(test: GeneratedTest, verdicts: _Verdicts) -> GeneratedTest:
    if test.id not in verdicts:
        return test
    valid, reason = verdicts[test.id]
    return replace(test, valid=valid, invalid="" if valid else reason)


def _question(
    components: Sequence[Component], batch: Sequence[GeneratedTest], settings: EffortSettings, last: bool
) -> Question[_Verdicts]:
    ids = {f"T{number}": test for number, test in enumerate(batch, start=1)}
    inputs = [{"id": name, "texts": shown(test)} for name, test in ids.items()]
    written = (text for test in batch for named in shown(test) for text in named)
    view = {"components": components, "inputs": inputs, "fence": fence(*texts_of(components), *written)}
    extra = settings.instructions.get("validity", "")
    return Question(
        "validity",
        lambda problem: framed("validity", view, extra, problem),
        object_schema({"verdicts": list_schema(_verdict(*ids), each=[_verdict(name) for name in ids])}),
        lambda found: {ids[name].id: verdict for name, verdict in _read(ids, found).items()},
        lacks=lambda verdicts: len(batch) - len(verdicts) if last else 0,
    )


def _verdict(*ids: str) -> dict[str, JsonValue]:
    """JSON Schema of one verdict about one of these."""
    return object_schema({"id": one_of(*ids), "reason": TEXT, "valid": FLAG})


def _read(ids: Mapping[str, GeneratedTest], found: Mapping[str, JsonValue]) -> _Verdicts:
    """Verdicts by opaque id. Two that contradict each other are none."""
    verdicts: dict[str, tuple[bool, str]] = {}
    torn = set()
    for item in objects_of(found, "verdicts"):
        name, valid, reason = item.get("id"), item.get("valid"), item.get("reason")
        if not isinstance(name, str) or name not in ids or not isinstance(valid, bool):
            continue
        why = " ".join(reason.split())[:_REASON_CHARS] if isinstance(reason, str) else ""
        if verdicts.setdefault(name, (valid, why))[0] is not valid:
            torn.add(name)
    verdicts = {name: verdict for name, verdict in verdicts.items() if name not in torn}
    if not verdicts:
        raise Malformed("verdicts holds no id that was asked for, with true or false")
    return verdicts
