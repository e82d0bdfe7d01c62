"""Asks a model what a person would say: once, and once more where its reply is not what was asked for."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from importlib import resources
from typing import TypeAlias

from jinja2 import Environment, StrictUndefined, Template

from gate.calls.port import Calls
from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.domain.message import Message
from gate.domain.model import ModelRef, Params
from gate.domain.sample import Reply, effort_of_all
from gate.domain.usage import added
from gate.inputs.jsontext import BadJson, parse_json
from gate.providers.base import Request
from gate.targets.port import AgentFailed, Said

Turns: TypeAlias = Sequence[tuple[str, str]]
"""Messages to the agent, and its answers."""

MESSAGE_CHARS = 4_000
"""Of what a person says."""
_TRIES = 2


@dataclass(frozen=True, slots=True)
class Form:
    """What the model is asked for: an object with a flag and a text.

    Args:
        system: name of the template that asks.
        flag: name of the flag.
        speaks: the flag's value where the text counts.
        text: name of the text.
    """

    system: str
    flag: str
    speaks: bool
    text: str

    @property
    def schema(self) -> dict[str, JsonValue]:
        """JSON Schema of the reply."""
        return {
            "type": "object",
            "properties": {self.flag: {"type": "boolean"}, self.text: {"type": "string"}},
            "required": [self.flag, self.text],
            "additionalProperties": False,
        }

    def read(self, text: str) -> tuple[str, str]:
        """What the person says, empty where that is nothing; and what is wrong with the reply, or nothing."""
        try:
            found = parse_json(text)
        except BadJson:
            return "", "it is not JSON"
        if not isinstance(found, dict):
            return "", "it is not an object"
        flag, said = found.get(self.flag), found.get(self.text)
        if not isinstance(flag, bool) or not isinstance(said, str):
            return "", f"it has no {self.flag} that is true or false, or no {self.text} that is text"
        if flag is not self.speaks:
            return "", ""
        if not said.strip():
            return "", f"its {self.text} is empty"
        if len(said) > MESSAGE_CHARS:
            return "", f"its {self.text} is longer than {MESSAGE_CHARS:,} characters"
        return said.strip(), ""


@dataclass(frozen=True, slots=True)
class Listener:
    """One model that is asked.

    Args:
        calls: sends requests.
        model: who is asked.
        params: of the requests.
    """

    calls: Calls
    model: ModelRef
    params: Params

    async def ask(self, form: Form, turns: Turns, view: Mapping[str, str], asked: tuple[str, int]) -> Said:
        """What the person says next.

        Args:
            form: what is asked for.
            turns: the conversation so far.
            view: what else the templates show.
            asked: what it is asked for, and the sample index.

        Raises:
            AgentFailed: the model cannot be had; without it nobody knows how the conversation would have gone on.
        """
        about, index = asked
        replies: list[Reply] = []
        problem = ""
        for _ in range(_TRIES):
            messages = _messages(form, turns, {**view, "problem": problem})
            request = Request(messages, self.model, self.params, index, form.schema, about)
            reply = await self.calls.call(request)
            if isinstance(reply, Failed):
                reason = f"{self.model} cannot be asked what the person says: {reply.reason}"
                raise AgentFailed(reason, reply.attempts, effort_of_all(replies))
            replies.append(reply)
            text, problem = form.read(reply.text)
            if not problem:
                return _said(text, "", replies)
        return _said("", f"the reply could not be used: {problem}", replies)


def _said(text: str, missed: str, replies: Sequence[Reply]) -> Said:
    cost = reduce(added, [reply.cost for reply in replies], None)
    return Said(text, len(replies), cost, missed, effort_of_all(replies))


def _messages(form: Form, turns: Turns, view: Mapping[str, str]) -> tuple[Message, ...]:
    # No text can hold the hash of itself, so the assistant cannot close its own fence.
    both = "\0".join(part for turn in turns for part in turn)
    fence = hashlib.sha256(both.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    shown = {**view, "turns": turns, "fence": fence}
    asked = Message("system", _template(form.system).render(shown))
    return (asked, Message("user", _template("talk_user").render(shown)))


@lru_cache
def _template(name: str) -> Template:
    source = resources.files("gate.targets").joinpath("templates", f"{name}.md.j2").read_text(encoding="utf-8")
    # No HTML is made here: the result is a message to a model.
    env = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)  # noqa: S701
    return env.from_string(source)
