"""Stage: what a prompt is for."""

from collections.abc import Mapping

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.testgen.asking import Asker, Question
from gate.testgen.evidence import line_of
from gate.testgen.found import Found
from gate.testgen.frames import SENTENCE, fence, framed, object_schema
from gate.testgen.subject import PromptSubject

SCHEMA = object_schema({"intent": SENTENCE})


async def find_intent(subject: PromptSubject, asker: Asker, instructions: str = "") -> Found[str]:
    """Say in a sentence or two what the prompt is for; one request.

    Args:
        subject: the prompt.
        asker: the generator.
        instructions: what the user adds.

    Returns:
        The intent; empty, with a note, where the model gives none.
    """
    view = {"prompt": subject.text, "fence": fence(subject.text)}
    question = Question("intent", lambda problem: framed("intent", view, instructions, problem), SCHEMA, _read)
    found = await asker.ask(question)
    return (
        Found("", (f"the intent of the prompt is not known: {found.reason}",))
        if isinstance(found, Failed)
        else Found(found)
    )


def _read(found: Mapping[str, JsonValue]) -> str:
    return line_of(found, "intent", 2_000)
