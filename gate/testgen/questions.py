"""Requests of a stage to a model: the messages from its templates, the reply read, and what the stage says of it."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Generic, TypeVar

from jinja2 import Environment, StrictUndefined, Template

from gate.calls.interface import Calls, Request, WorthKeeping, together
from gate.config.documents import BadJson, parse_json, quoted
from gate.config.models import ModelRef, Params
from gate.messages import Message
from gate.record.sample import Reply, effort_of, ending_of
from gate.record.transcript import Failed
from gate.record.usage import Effort
from gate.values import JsonValue

Value = TypeVar("Value")

LONGEST_REPLY = 400_000
"""Characters; a longer reply is refused."""
_APOLOGIES = ("i'm sorry", "i am sorry", "i cannot", "i can't", "i’m sorry", "sorry,", "i won't", "i am unable")


class Malformed(Exception):
    """A reply that is not what was asked for.

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
        stage: its name, for messages.
        messages: makes the request from what was wrong with the last reply; empty for the first request.
        schema: JSON Schema of the reply, an object: every property required, no others.
        read: makes something of that object; raises `Malformed`.
        index: tells requests apart that are the same in every word.
        lacks: how much is missing of what was asked for. A cached reply that lacks something is asked for again; a
            caller that asks again itself leaves this out.
    """

    stage: str
    messages: Callable[[str], tuple[Message, ...]]
    schema: Mapping[str, JsonValue]
    read: Callable[[Mapping[str, JsonValue]], Value]
    index: int = 0
    lacks: Callable[[Value], int] = lambda found: 0


@dataclass(slots=True)
class Asker:
    """Asks one model, and adds up the effort.

    Args:
        on_reply: called after each question.
        effort: of all questions so far.
    """

    calls: Calls
    model: ModelRef
    params: Params
    on_reply: Callable[[], None] = lambda: None
    effort: Effort = field(default_factory=Effort)
    _sittings: set[str] = field(default_factory=set, init=False)
    _anew: dict[tuple[object, ...], asyncio.Task[Reply | Failed]] = field(default_factory=dict, init=False)

    async def ask(self, question: Question[Value]) -> Value | Failed:
        """Ask; a reply that cannot be used is asked for once more, with what is wrong with it.

        If the last reply comes from the cache and is poor, it is asked for again, so that a later run is not bound to
        what a model once failed at. The better of both counts, and is kept.
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

    async def ask_all(self, questions: Sequence[Question[Value]]) -> list[Value | Failed]:
        """Ask several concurrently; the answers come in the order of the questions."""
        return await together(map(self.ask, questions))

    async def _try(self, question: Question[Value], problem: str) -> tuple[Value | Failed | Malformed, bool]:
        """What came of one request, and whether its reply was cached by an earlier run."""
        reply = await self.calls.call(self._request(question, problem))
        self.effort += effort_of(reply)
        if isinstance(reply, Failed):
            return reply, False
        if not reply.origin.reused:
            self._sittings.add(reply.origin.sitting)
        return _read(question, reply), reply.origin.reused and reply.origin.sitting not in self._sittings

    async def _better(
        self, question: Question[Value], problem: str, known: Value | Malformed
    ) -> Value | Failed | Malformed:
        """The cached result, or that of a fresh reply if it can be used and does not lack more."""

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

    async def _fresh(self, request: Request, worth: WorthKeeping) -> Reply | Failed:
        reply = await self.calls.call(request, fresh=True, worth=worth)
        self.effort += effort_of(reply)
        if isinstance(reply, Reply):
            self._sittings.add(reply.origin.sitting)
        return reply

    def _request(self, question: Question[Value], problem: str) -> Request:
        messages, about = question.messages(problem), f"generate {question.stage}"
        return Request(messages, self.model, self.params, question.index, question.schema, about=about)


def _read(question: Question[Value], reply: Reply) -> Value | Malformed:
    try:
        return question.read(read_object(reply))
    except Malformed as malformed:
        return malformed


def read_object(reply: Reply) -> dict[str, JsonValue]:
    """The one JSON object of a reply; a Markdown fence or prose around it is ignored.

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


def read_text(found: Mapping[str, JsonValue], key: str, most: int = 4_000, *, blank: bool = False) -> str:
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


def read_objects(found: Mapping[str, JsonValue], key: str) -> list[dict[str, JsonValue]]:
    """A list of objects; `Malformed` if it is something else."""
    value = found.get(key)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Malformed(f"{key} is no list of objects")
    return [item for item in value if isinstance(item, dict)]


Made = TypeVar("Made")
_NAMED = 8


@dataclass(frozen=True, slots=True)
class StageResult(Generic[Made]):
    """The result of a stage.

    Args:
        value: empty where the stage failed.
        notes: one line each, for the summary: what is missing, and why.
        left_out: items of which the notes may name the first few.
    """

    value: Made
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def problem_notes(problems: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """A line for each of the first few problems, with the first few names; one more line for all others.

    Args:
        problems: names by problem. Models word their refusals in many ways, so there may be as many as names.
    """
    lines = [f"{problem}: {first_names(names)}" for problem, names in problems.items()]
    others = [name for names in list(problems.values())[_NAMED:] for name in names]
    return (*lines[:_NAMED], *([f"other problems: {first_names(others)}"] if others else []))


def first_names(names: Sequence[str], most: int = _NAMED) -> str:
    """The first few names (one or more), and how many there are besides."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def full_list_note(what: str, most: int | None) -> str:
    """The note about a list that ends at its bound.

    Args:
        what: the list holds, in the plural.
        most: items that the model was allowed to write.
    """
    return f"the list of {what} was full at {most}: the model was let write no more, and there may be others"


def stage_messages(stage: str, view: Mapping[str, object], instructions: str, problem: str) -> tuple[Message, ...]:
    """The two messages of a stage: `templates/STAGE_system.md.j2` and `templates/STAGE_user.md.j2`.

    Args:
        view: the variables of the templates.
        instructions: what the user of the gate adds to the stage.
        problem: what was wrong with the last reply; empty for the first request.
    """
    told = {**view, "instructions": instructions, "problem": problem}
    return Message("system", rendered_template(f"{stage}_system", told)), Message(
        "user", rendered_template(f"{stage}_user", told)
    )


def rendered_template(name: str, view: Mapping[str, object]) -> str:
    """`templates/NAME.md.j2`, rendered."""
    return _template(name).render(view).strip()


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
    """JSON Schema of a list. Bounds reach only models whose replies follow a grammar; the messages say them to all.

    Args:
        item: schema of any item.
        least: items that a useful list has.
        each: schemas of the items one by one, where it is known how many there are.
        most: items that are read.
    """
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


@lru_cache
def _template(name: str) -> Template:
    source = resources.files("gate.testgen").joinpath("templates", f"{name}.md.j2").read_text(encoding="utf-8")
    # No HTML is made here: the result is a message to a model.
    env = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)  # noqa: S701
    return env.from_string(source)
