"""Requests of a stage to a model: the messages from its templates, the reply read, and what the stage says of it."""

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from gate.calls.interface import Calls, Request, Stop, WorthKeeping, any_reply, together
from gate.config.documents import BadJson, parse_json, quoted
from gate.config.models import ModelRef, Params
from gate.config.specification import GeneratedTest
from gate.errors import CannotEvaluate, Interrupted
from gate.messages import Message
from gate.record.findings.finding import Finding
from gate.record.transcript import Effort, Failed, Reply, effort_of, ending_of
from gate.templates.rendering import plain_template
from gate.testgen.effort import EffortSettings, Stage
from gate.values import JsonValue, listed

Value = TypeVar("Value")

LONGEST_REPLY = 400_000
"""Characters; a longer reply is refused."""
_APOLOGIES = ("i'm sorry", "i am sorry", "i cannot", "i can't", "i’m sorry", "sorry,", "i won't", "i am unable")


class MalformedAnswer(Exception):
    """A reply that is not in the requested form.

    Args:
        reason: one line; it becomes part of the second request, so it repeats no untrusted text.
        quote: the reply's own words, for the user alone.
    """

    def __init__(self, reason: str, quote: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.quote = quote

    @property
    def failed(self) -> Failed:
        """As the result of a stage that has nothing."""
        return Failed(f"{self.reason}: {self.quote}" if self.quote else self.reason, attempts=0)


@dataclass(frozen=True, slots=True)
class Question(Generic[Value]):
    """What a stage asks.

    Args:
        stage: names its templates: `templates/STAGE_system.md.j2` and `templates/STAGE_user.md.j2`.
        view: their variables.
        schema: JSON Schema of the reply, an object: every property required, no others.
        read: makes something of that object; raises `MalformedAnswer`.
        instructions: what the user of the gate adds.
        index: tells requests apart that are the same in every word.
        lacks: how much is missing of what was asked for. A cached reply that lacks something is asked for again; a
            caller that asks again itself leaves this out.
        problem: what was wrong with an earlier reply, for the first request.
    """

    stage: str
    view: Mapping[str, object]
    schema: Mapping[str, JsonValue]
    read: Callable[[Mapping[str, JsonValue]], Value]
    instructions: str = ""
    index: int = 0
    lacks: Callable[[Value], int] = lambda found: 0
    problem: str = ""

    def messages(self, problem: str = "") -> tuple[Message, ...]:
        """The request; `problem` is what was wrong with the last reply."""
        told = {**self.view, "instructions": self.instructions, "problem": problem or self.problem}
        return (
            Message("system", rendered_template(f"{self.stage}_system", told)),
            Message("user", rendered_template(f"{self.stage}_user", told)),
        )


FAILURES_IN_A_ROW = 2
"""Requests in a row, each with its retries, after which a service is taken to be down."""
REPEAT_HINT = "repeat the command: cached answers cost nothing"
Answered = TypeVar("Answered")


class UnfinishedGeneration(CannotEvaluate):
    """Requests were left unanswered; the same command continues."""


@dataclass(slots=True)
class BoundedCalls:
    """Calls that raise when a limit is reached, so that no stage mistakes that for a bad reply.

    Args:
        exhausted: why no more calls make sense, or None.
    """

    inner: Calls
    exhausted: Callable[[], Finding | None]
    _flying: set[asyncio.Task[Reply | Failed]] = field(default_factory=set, init=False)
    _unanswered: int = field(default=0, init=False)

    async def call(self, request: Request, *, fresh: bool = False, worth: WorthKeeping = any_reply) -> Reply | Failed:
        """See `gate.calls.interface.Calls`.

        Raises:
            UnfinishedGeneration: a budget is used up, or the service is down. Requests sent before have been answered
                by then, because they are paid for, and are kept.
        """
        return await self.bound(self.inner.call(request, fresh=fresh, worth=worth))

    async def bound(self, asked: Coroutine[Any, Any, Reply | Failed]) -> Reply | Failed:
        """The reply to a request that is sent in another way, with the same limits; errors as for `call`."""
        task = asyncio.ensure_future(asked)
        self._flying.add(task)
        try:
            reply = await task
        finally:
            self._flying.discard(task)
        if not isinstance(reply, Failed):
            self._unanswered = 0
            return reply
        self._unanswered += reply.attempts > 1
        cause = self.exhausted()
        reason = None if cause is None else cause.phrase
        if reason is None and self._unanswered >= FAILURES_IN_A_ROW:
            reason = f"{FAILURES_IN_A_ROW} requests in a row: {reply.reason}"
        if reason is not None:
            while self._flying:
                await asyncio.wait(self._flying)
            raise UnfinishedGeneration(f"not finished: {reason}", f"fix this, then {REPEAT_HINT}")
        return reply


async def until_stopped(work: Coroutine[Any, Any, Answered], stop: Stop) -> Answered:
    """Run work until it is done or a signal stops it.

    Raises:
        Interrupted: the user ended it.
        UnfinishedGeneration: something else did.
    """
    task = asyncio.ensure_future(work)
    stop.abandon_with(task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        if stop.interrupted:
            raise Interrupted(f"interrupted; {REPEAT_HINT}") from None
        if stop.reason is not None:
            raise UnfinishedGeneration(f"not finished: {stop.reason}", REPEAT_HINT) from None
        raise


@dataclass(slots=True)
class Asker:
    """Asks one model, and adds up the effort."""

    calls: Calls
    model: ModelRef
    params: Params
    on_reply: Callable[[], None] = lambda: None
    effort: Effort = field(default_factory=Effort)
    _sittings: set[str] = field(default_factory=set, init=False)
    _anew: dict[tuple[object, ...], asyncio.Task[Reply | Failed]] = field(default_factory=dict, init=False)

    async def ask(self, question: Question[Value]) -> Value | Failed:
        """Call the model; an unusable reply is requested once more, with the reason.

        If the last reply comes from the cache and is poor, it is asked for again, so that a later run is not bound to
        what a model once failed at. The better of both counts, and is kept.
        """
        why = ""
        first = await self._try(question, why)
        found, known = first
        if isinstance(found, MalformedAnswer):
            why = found.reason
            second = await self._try(question, why)
            found, known = second
        if known and not isinstance(found, Failed) and (isinstance(found, MalformedAnswer) or question.lacks(found)):
            found = await self._better(question, why, found)
        self.on_reply()
        return found.failed if isinstance(found, MalformedAnswer) else found

    async def ask_all(self, questions: Sequence[Question[Value]]) -> list[Value | Failed]:
        """Ask several concurrently; the answers come in the order of the questions."""
        return await together(map(self.ask, questions))

    async def _try(self, question: Question[Value], problem: str) -> tuple[Value | Failed | MalformedAnswer, bool]:
        """What came of one request, and whether its reply was cached by an earlier run."""
        reply = await self.calls.call(self._request(question, problem))
        self.effort += effort_of(reply)
        if isinstance(reply, Failed):
            return reply, False
        if not reply.origin.reused:
            self._sittings.add(reply.origin.sitting)
        return _read(question, reply), reply.origin.reused and reply.origin.sitting not in self._sittings

    async def _better(
        self, question: Question[Value], problem: str, known: Value | MalformedAnswer
    ) -> Value | Failed | MalformedAnswer:
        """The cached result, or that of a fresh reply if it can be used and does not lack more."""

        def worth(reply: Reply) -> bool:
            found = _read(question, reply)
            if isinstance(found, MalformedAnswer):
                return False
            return isinstance(known, MalformedAnswer) or question.lacks(found) <= question.lacks(known)

        request = self._request(question, problem)
        key = (request.messages, request.index, request.about)
        if (task := self._anew.get(key)) is None:  # equal questions of one run get one fresh reply
            task = self._anew[key] = asyncio.ensure_future(self._fresh(request, worth))
        reply = await task
        if isinstance(reply, Failed):
            return reply if isinstance(known, MalformedAnswer) else known
        if isinstance(known, MalformedAnswer) or worth(reply):
            return _read(question, reply)
        return known

    async def _fresh(self, request: Request, worth: WorthKeeping) -> Reply | Failed:
        reply = await self.calls.call(request, fresh=True, worth=worth)
        self.effort += effort_of(reply)
        if isinstance(reply, Reply):
            self._sittings.add(reply.origin.sitting)
        return reply

    def _request(self, question: Question[Value], problem: str) -> Request:
        messages, about = question.messages(problem), f"generate {question.stage}"
        return Request(messages, self.model, self.params, question.index, question.schema, about=about)


AnswerOf: TypeAlias = Callable[[GeneratedTest], Coroutine[Any, Any, str | Failed]]
"""The output of the prompt under test, with a reference model, for one test."""


@dataclass(frozen=True, slots=True)
class GenerationSetup:
    """Models and settings of a generation.

    Args:
        generator: extracts rules and writes tests.
        judge: checks the results and compares wordings.
        tell: shows the user a line of progress.
        answer: the reference model, for expected outputs.
    """

    generator: Asker
    judge: Asker
    settings: EffortSettings
    tell: Callable[[str], None] = lambda line: None
    answer: AnswerOf | None = None

    def instructions(self, stage: Stage) -> str:
        """What the user adds to a stage."""
        return self.settings.instructions.get(stage, "")


def _read(question: Question[Value], reply: Reply) -> Value | MalformedAnswer:
    try:
        return question.read(read_object(reply))
    except MalformedAnswer as malformed:
        return malformed


def read_object(reply: Reply) -> dict[str, JsonValue]:
    """The one JSON object of a reply; a Markdown fence or prose around it is ignored.

    Raises:
        Malformed: a refusal, an empty reply, one that was cut off, or one without exactly one object.
    """
    ended, text = ending_of(reply), reply.text
    if ended == "refused":
        raise MalformedAnswer("the model refused")
    if ended == "empty":
        raise MalformedAnswer("the reply is empty")
    if len(text) > LONGEST_REPLY:
        raise MalformedAnswer(f"the reply is longer than {LONGEST_REPLY:,} characters")
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        try:
            found = parse_json(text[start : end + 1])
        except BadJson:
            found = None
        if isinstance(found, dict):
            return found
    if ended == "cut off":
        raise MalformedAnswer("the reply was cut off: raise max_output_tokens")
    if start < 0 and text.strip().lower().startswith(_APOLOGIES):
        raise MalformedAnswer("the model refused", quoted(text.strip()))
    raise MalformedAnswer("the reply is not one JSON object")


def read_text(found: Mapping[str, JsonValue], key: str, most: int = 4_000, *, blank: bool = False) -> str:
    """A text of an object, without white space around it.

    Raises:
        Malformed: it is missing, no text, empty (unless `blank`), or longer than `most` characters.
    """
    value = found.get(key)
    if not isinstance(value, str):
        raise MalformedAnswer(f"{key} is missing or no text")
    if len(value) > most:
        raise MalformedAnswer(f"{key} is longer than {most:,} characters")
    if not value.strip() and not blank:
        raise MalformedAnswer(f"{key} is empty")
    return value.strip()


def read_objects(found: Mapping[str, JsonValue], key: str) -> list[dict[str, JsonValue]]:
    """A list of objects; `MalformedAnswer` if it is something else."""
    value = found.get(key)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise MalformedAnswer(f"{key} is no list of objects")
    return [item for item in value if isinstance(item, dict)]


def read_each(
    found: Mapping[str, JsonValue], key: str, read: Callable[[Mapping[str, JsonValue]], Value]
) -> list[Value]:
    """The usable objects of a list; the first error is raised only where none can be used."""
    out, problems = list[Value](), list[MalformedAnswer]()
    for item in read_objects(found, key):
        try:
            out.append(read(item))
        except MalformedAnswer as problem:
            problems.append(problem)
    if not out:
        raise problems[0] if problems else MalformedAnswer(f"{key} is empty")
    return out


Made = TypeVar("Made")
_NAMED = 8


@dataclass(frozen=True, slots=True)
class StageResult(Generic[Made]):
    value: Made
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def problem_notes(problems: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """A line for each of the first few problems, with the first few names; one more line for all others."""
    lines = [f"{problem}: {listed(names)}" for problem, names in problems.items()]
    others = [name for names in list(problems.values())[_NAMED:] for name in names]
    return (*lines[:_NAMED], *([f"other problems: {listed(others)}"] if others else []))


def full_list_note(what: str, most: int | None) -> str:
    """The note about a list that ends at its bound."""
    return f"the model listed {most} {what}, which is the limit; there may be more"


def rendered_template(name: str, view: Mapping[str, object]) -> str:
    """`templates/NAME.md.j2`, rendered."""
    return plain_template("gate.testgen", f"{name}.md.j2").render(view).strip()


def unused_fence(*texts: str) -> str:
    """A mark that none of the texts can hold, since it is a hash of them all; the same texts get the same one."""
    joined = "\0".join(texts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:24]


def object_schema(properties: Mapping[str, Mapping[str, JsonValue]]) -> dict[str, JsonValue]:
    """JSON Schema of an object with exactly these properties, in the form that every interface takes."""
    return {
        "type": "object",
        "properties": {name: dict(schema) for name, schema in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }


def list_schema(
    item: Mapping[str, JsonValue],
    least: int = 0,
    each: Sequence[Mapping[str, JsonValue]] = (),
    most: int | None = None,
) -> dict[str, JsonValue]:
    """JSON Schema of a list. Bounds reach only models whose replies follow a grammar; the messages say them to all."""
    found: dict[str, JsonValue] = {"type": "array", "items": dict(item)}
    if least:
        found["minItems"] = least
    if most is not None:
        found["maxItems"] = most
    if each:
        found["prefixItems"] = [dict(one) for one in each]
    return found


TEXT_SCHEMA: Mapping[str, JsonValue] = {"type": "string"}
SENTENCE_SCHEMA: Mapping[str, JsonValue] = {"type": "string", "minLength": 20}
"""A text longer than a word; see `list_schema` about bounds."""
REMARK_SCHEMA: Mapping[str, JsonValue] = {"type": "string", "minLength": 20, "maxLength": 400}
"""A sentence for the reader of a test."""
FLAG_SCHEMA: Mapping[str, JsonValue] = {"type": "boolean"}


def choice_schema(*words: str) -> dict[str, JsonValue]:
    """JSON Schema of a choice of words."""
    return {"type": "string", "enum": [*words]}
