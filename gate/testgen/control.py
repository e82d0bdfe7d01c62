"""The control generator: a careful tester who has the prompt alone, and writes inputs and nothing else."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import GeneratedTest
from gate.testgen.asking import Asker, Malformed, Question, objects_of
from gate.testgen.assembly import Filling, Shape, shape_of
from gate.testgen.duplicates import identity
from gate.testgen.effort import PER_REQUEST, EffortSettings, control_calls
from gate.testgen.frames import fence, framed, list_schema, object_schema
from gate.testgen.source import Made
from gate.testgen.subject import PromptSubject

SHOWN = 40
"""Earlier inputs that a request shows, so that it does not repeat them."""
_SHOWN_CHARS = 400


async def control_cases(subject: PromptSubject, count: int, settings: EffortSettings, generator: Asker) -> Made:
    """So many different inputs, one request after the other: each sees what is there already.

    It asks at most twice as often as good replies take, and gives up after two failures.

    Args:
        subject: the prompt, which is all that the generator sees.
        count: how many, as many as there are tests to compare them with.
        settings: turns and instructions; the rest of it is about rules.
        generator: the model that writes the tests for the rules, too.

    Returns:
        Control cases, and a note where there are fewer.
    """
    shape = shape_of(subject, None, settings)
    found: dict[object, GeneratedTest] = {}
    failures: list[str] = []
    for index in range(2 * control_calls(count)):
        missing = count - len(found)
        if not missing or len(failures) > 1:
            break
        wanted = min(PER_REQUEST, missing)
        view = _view(subject, shape, wanted, list(found.values()))
        question = _question(view, shape, settings.instructions.get("control", ""), index)
        # The first ones are made up for by those that come after them.
        least = wanted if index >= control_calls(count) else 0
        reply = await generator.ask(replace(question, lacks=partial(_lacking, least)))
        if isinstance(reply, Failed):
            failures.append(reply.reason)
            continue
        for filling in reply:
            test = shape.fill(GeneratedTest(f"control-{len(found) + 1}", "control"), filling)
            if len(found) < count:
                found.setdefault(identity(test), test)
    if len(found) == count:
        return Made(tuple(found.values()))
    why = failures[-1] if failures else "the model repeats itself"
    return Made(tuple(found.values()), (f"{len(found)} of {count} control cases ({why})",))


def _view(subject: PromptSubject, shape: Shape, count: int, earlier: list[GeneratedTest]) -> dict[str, object]:
    taken = [test.said[:_SHOWN_CHARS] for test in earlier[-SHOWN:]]
    return {
        "prompt": subject.text,
        "shape": shape,
        "count": count,
        "taken": taken,
        "fence": fence(subject.text, *taken),
    }


def _lacking(least: int, fillings: list[Filling]) -> int:
    return max(0, least - len(fillings))


def _question(view: Mapping[str, object], shape: Shape, extra: str, index: int) -> Question[list[Filling]]:
    return Question(
        "control",
        lambda problem: framed("control", view, extra, problem),
        object_schema({"inputs": list_schema(object_schema(shape.schema()), least=1)}),
        lambda found: _read(shape, found),
        index,
    )


def _read(shape: Shape, found: Mapping[str, JsonValue]) -> list[Filling]:
    fillings: list[Filling] = []
    problems = []
    for item in objects_of(found, "inputs"):
        try:
            fillings.append(shape.read(item))
        except Malformed as problem:
            problems.append(problem)
    if not fillings:
        raise problems[0] if problems else Malformed("inputs is empty")
    return fillings
