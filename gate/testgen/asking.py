"""One question of a stage to a model: asked once, and once more where the reply is not what was asked for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from gate.calls.port import Calls
from gate.calls.together import together
from gate.domain.absence import Failed
from gate.domain.ending import ending_of
from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef, Params
from gate.domain.prompt import Message
from gate.domain.sample import Reply, effort_of
from gate.domain.usage import Effort
from gate.inputs.jsontext import BadJson, parse_json
from gate.inputs.problems import quoted
from gate.providers.base import Request

T = TypeVar("T")

LONGEST_REPLY = 400_000
"""Characters of a reply that is looked at."""
_APOLOGIES = ("i'm sorry", "i am sorry", "i cannot", "i can't", "i’m sorry", "sorry,", "i won't", "i am unable")


class Malformed(Exception):
    """A reply that is not what was asked for.

    Args:
        reason: one line; it becomes part of the second request, so it repeats nothing of a stranger's.
        quote: the reply's own words, for the user alone.
    """

    def __init__(self, reason: str, quote: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.quote = quote

    @property
    def failed(self) -> Failed:
        """That there is nothing, and why."""
        return Failed(f"{self.reason}: {self.quote}" if self.quote else self.reason, attempts=0)


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """What a stage asks.

    Args:
        stage: its name, for messages.
        messages: the request; made from what was wrong with the last reply, empty for the first request.
        schema: JSON Schema of the reply, an object: every property required, no others.
        read: makes something of that object; raises `Malformed`.
        index: tells requests apart that are the same in every word.
        whole: is all there that was asked for? A reply that is known and lacks something is asked for anew, for nobody
            asks for it once more; whoever does that himself leaves this out.
    """

    stage: str
    messages: Callable[[str], tuple[Message, ...]]
    schema: Mapping[str, JsonValue]
    read: Callable[[Mapping[str, JsonValue]], T]
    index: int = 0
    whole: Callable[[T], bool] = lambda found: True


@dataclass(slots=True)
class Asker:
    """Asks one model, and adds up what that took.

    Args:
        calls: sends requests.
        model: who is asked.
        params: of each request.
        on_reply: told after each question.
        effort: of all questions so far.
    """

    calls: Calls
    model: ModelRef
    params: Params
    on_reply: Callable[[], None] = lambda: None
    effort: Effort = field(default_factory=Effort)

    async def ask(self, question: Question[T]) -> T | Failed:
        """Ask; a reply that cannot be used is asked for once more, with what is wrong with it.

        The last of these replies is asked for anew where it is known from before and is poor, so that a later run is
        not bound to what a model once failed at. The new reply takes its place; a good one is known from then on.

        Args:
            question: what to ask.

        Returns:
            What was read, or why there is nothing.
        """
        why = ""
        first = await self._try(question, why)
        found, known = first
        if isinstance(found, Malformed):
            why = found.reason
            second = await self._try(question, why)
            found, known = second
        if known and (isinstance(found, (Malformed, Failed)) or not question.whole(found)):
            anew = await self._try(question, why, fresh=True)
            if isinstance(found, Malformed) or not isinstance(anew[0], (Malformed, Failed)):
                found = anew[0]
        self.on_reply()
        return found.failed if isinstance(found, Malformed) else found

    async def ask_all(self, questions: Sequence[Question[T]]) -> list[T | Failed]:
        """Ask several side by side; the answers come in the order of the questions."""
        return await together(map(self.ask, questions))

    async def _try(
        self, question: Question[T], problem: str, *, fresh: bool = False
    ) -> tuple[T | Failed | Malformed, bool]:
        """What came of one request, and whether its reply was known."""
        reply = await self._send(question, problem, fresh=fresh)
        if isinstance(reply, Failed):
            return reply, False
        try:
            return question.read(object_of(reply)), reply.origin.reused
        except Malformed as malformed:
            return malformed, reply.origin.reused

    async def _send(self, question: Question[T], problem: str, *, fresh: bool) -> Reply | Failed:
        messages = question.messages(problem)
        request = Request(
            messages, self.model, self.params, question.index, question.schema, about=f"generate {question.stage}"
        )
        reply = await self.calls.call(request, fresh=fresh)
        self.effort += effort_of(reply)
        return reply


def object_of(reply: Reply) -> dict[str, JsonValue]:
    """The one JSON object of a reply; a Markdown fence or prose around it is let pass.

    Raises:
        Malformed: a refusal, an empty reply, one that was cut off, or one without exactly one object.
    """
    ended, text = ending_of(reply), reply.text
    if ended == "refused":
        raise Malformed("the model refused")
    if ended == "empty":
        raise Malformed("the reply is empty")
    if len(text) > LONGEST_REPLY:
        raise Malformed(f"the reply is longer than {LONGEST_REPLY:,} characters")
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        try:
            found = parse_json(text[start : end + 1])
        except BadJson:
            found = None
        if isinstance(found, dict):
            return found
    if ended == "cut off":
        raise Malformed("the reply was cut off: raise max_output_tokens")
    if start < 0 and text.strip().lower().startswith(_APOLOGIES):
        raise Malformed("the model refused", quoted(text.strip()))
    raise Malformed("the reply is not one JSON object")


def text_of(found: Mapping[str, JsonValue], key: str, most: int = 4_000, *, blank: bool = False) -> str:
    """A text of an object, without white space around it.

    Raises:
        Malformed: it is missing, no text, empty (unless `blank`), or longer than `most` characters.
    """
    value = found.get(key)
    if not isinstance(value, str):
        raise Malformed(f"{key} is missing or no text")
    if len(value) > most:
        raise Malformed(f"{key} is longer than {most:,} characters")
    if not value.strip() and not blank:
        raise Malformed(f"{key} is empty")
    return value.strip()


def objects_of(found: Mapping[str, JsonValue], key: str) -> list[dict[str, JsonValue]]:
    """A list of objects.

    Raises:
        Malformed: it is something else.
    """
    value = found.get(key)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Malformed(f"{key} is no list of objects")
    return [item for item in value if isinstance(item, dict)]
