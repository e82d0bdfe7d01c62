"""One question of a stage to a model: asked once, and once more where the reply is not what was asked for."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from gate.calls.port import Calls, Worth
from gate.calls.together import together
from gate.domain.absence import Failed
from gate.domain.ending import ending_of
from gate.domain.jsonvalue import JsonValue
from gate.domain.message import Message
from gate.domain.model import ModelRef, Params
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
        lacks: how much is missing of what was asked for. A reply that is known and lacks something is asked for anew,
            for nobody asks for it once more; whoever does that himself leaves this out.
    """

    stage: str
    messages: Callable[[str], tuple[Message, ...]]
    schema: Mapping[str, JsonValue]
    read: Callable[[Mapping[str, JsonValue]], T]
    index: int = 0
    lacks: Callable[[T], int] = lambda found: 0


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
    _sittings: set[str] = field(default_factory=set, init=False)
    _anew: dict[tuple[object, ...], asyncio.Task[Reply | Failed]] = field(default_factory=dict, init=False)

    async def ask(self, question: Question[T]) -> T | Failed:
        """Ask; a reply that cannot be used is asked for once more, with what is wrong with it.

        The last of these replies is asked for anew where it is known from an earlier run and is poor, so that a later
        run is not bound to what a model once failed at. Of both the better one counts, and is known from then on.

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
        if known and not isinstance(found, Failed) and (isinstance(found, Malformed) or question.lacks(found)):
            found = await self._better(question, why, found)
        self.on_reply()
        return found.failed if isinstance(found, Malformed) else found

    async def ask_all(self, questions: Sequence[Question[T]]) -> list[T | Failed]:
        """Ask several side by side; the answers come in the order of the questions."""
        return await together(map(self.ask, questions))

    async def _try(self, question: Question[T], problem: str) -> tuple[T | Failed | Malformed, bool]:
        """What came of one request, and whether its reply was known from an earlier run."""
        reply = await self.calls.call(self._request(question, problem))
        self.effort += effort_of(reply)
        if isinstance(reply, Failed):
            return reply, False
        if not reply.origin.reused:
            self._sittings.add(reply.origin.sitting)
        return _read(question, reply), reply.origin.reused and reply.origin.sitting not in self._sittings

    async def _better(self, question: Question[T], problem: str, known: T | Malformed) -> T | Failed | Malformed:
        """What is known, or what a fresh reply holds, if it can be used and does not lack more."""

        def worth(reply: Reply) -> bool:
            found = _read(question, reply)
            if isinstance(found, Malformed):
                return False
            return isinstance(known, Malformed) or question.lacks(found) <= question.lacks(known)

        request = self._request(question, problem)
        key = (request.messages, request.index, request.about)
        if (task := self._anew.get(key)) is None:  # equal questions of one run get one fresh reply
            task = self._anew[key] = asyncio.ensure_future(self._fresh(request, worth))
        reply = await task
        if isinstance(reply, Failed):
            return reply if isinstance(known, Malformed) else known
        if isinstance(known, Malformed) or worth(reply):
            return _read(question, reply)
        return known

    async def _fresh(self, request: Request, worth: Worth) -> Reply | Failed:
        reply = await self.calls.call(request, fresh=True, worth=worth)
        self.effort += effort_of(reply)
        if isinstance(reply, Reply):
            self._sittings.add(reply.origin.sitting)
        return reply

    def _request(self, question: Question[T], problem: str) -> Request:
        messages, about = question.messages(problem), f"generate {question.stage}"
        return Request(messages, self.model, self.params, question.index, question.schema, about=about)


def _read(question: Question[T], reply: Reply) -> T | Malformed:
    try:
        return question.read(object_of(reply))
    except Malformed as malformed:
        return malformed


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
