"""A model that plays the person: a simulated user, and answers to an agent's follow-up questions."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

from gate.agents.interface import AgentFailed, PersonReply
from gate.calls.interface import Calls, Request
from gate.cases.case import Case, fill
from gate.config.documents import BadJson, parse_json
from gate.config.models import ModelRef, Params
from gate.messages import Message
from gate.record.transcript import Failed, Reply, added, effort_of_all
from gate.templates.rendering import plain_template
from gate.values import JsonValue

Turns: TypeAlias = Sequence[tuple[str, str]]
"""Messages to the agent, and its answers."""

MESSAGE_CHARS = 4_000
"""Of a person's message."""
_TRIES = 2


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """The form of the model's reply: an object with a flag and a text.

    Args:
        system: name of the template of the request.
        speaks: the flag's value where the text counts.
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
        """The person's message, empty where there is none; and the fault of the reply, empty where there is none."""
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
class PersonModel:
    """One model that is called."""

    calls: Calls
    model: ModelRef
    params: Params

    async def ask(self, form: ReplyForm, turns: Turns, view: Mapping[str, str], asked: tuple[str, int]) -> PersonReply:
        """The person's next message.

        Raises:
            AgentFailed: the model is not available, so that the rest of the conversation is unknown.
        """
        about, index = asked
        replies: list[Reply] = []
        problem = ""
        for _ in range(_TRIES):
            messages = _messages(form, turns, {**view, "problem": problem})
            request = Request(messages, self.model, self.params, index, form.schema, about)
            reply = await self.calls.call(request)
            if isinstance(reply, Failed):
                reason = f"the call to {self.model}, which plays the user, failed: {reply.reason}"
                raise AgentFailed(reason, reply.attempts, effort_of_all(replies))
            replies.append(reply)
            text, problem = form.read(reply.text)
            if not problem:
                return _said(text, "", replies)
        return _said("", f"the reply could not be used: {problem}", replies)


def _said(text: str, missed: str, replies: Sequence[Reply]) -> PersonReply:
    cost = reduce(added, [reply.cost for reply in replies], None)
    return PersonReply(text, len(replies), cost, missed, effort_of_all(replies))


def _messages(form: ReplyForm, turns: Turns, view: Mapping[str, str]) -> tuple[Message, ...]:
    # No text can contain its own hash, so the assistant cannot close its own fence.
    both = "\0".join(part for turn in turns for part in turn)
    fence = hashlib.sha256(both.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    shown = {**view, "turns": turns, "fence": fence}
    asked = Message("system", plain_template("gate.agents", f"{form.system}.md.j2").render(shown))
    return (asked, Message("user", plain_template("gate.agents", "talk_user.md.j2").render(shown)))


PERSONA_FORM = ReplyForm("persona_system", "done", False, "message")


@dataclass(frozen=True, slots=True)
class SimulatedUser:
    """See `gate.agents.interface.PersonSimulator`."""

    listener: PersonModel

    async def reply(self, said: Sequence[tuple[str, str]], case: Case, index: int) -> PersonReply:
        """The person's next message; empty where the person is done."""
        if case.user is None:
            return PersonReply()
        texts = {"persona": case.user.persona, "goal": case.user.goal, "facts": case.facts}
        view = {name: fill(text, case) for name, text in texts.items()}
        return await self.listener.ask(PERSONA_FORM, said, view, (f"user {case.id}", index))


FOLLOWUP_FORM = ReplyForm("followup_system", "asks", True, "answer")


@dataclass(frozen=True, slots=True)
class FollowUps:
    """See `gate.agents.interface.PersonSimulator`."""

    listener: PersonModel

    async def reply(self, said: Sequence[tuple[str, str]], case: Case, index: int) -> PersonReply:
        """The person's answer; empty if the agent asked for nothing."""
        if not said or not said[-1][1].strip():
            return PersonReply()
        return await self.listener.ask(
            FOLLOWUP_FORM, said, {"facts": fill(case.facts, case)}, (f"follow-up {case.id}", index)
        )
