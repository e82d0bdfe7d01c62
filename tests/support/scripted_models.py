"""A model that answers each stage of a specification from a script, and can go wrong in the ways that models do."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gate.calls.batches.ledger import request_id
from gate.calls.interface import Request, WorthKeeping, any_reply
from gate.config.models import ModelRef, Params
from gate.messages import Message
from gate.prompts.version import Prompt
from gate.record.transcript import Dollars, Failed, Origin, Reply, Usage
from gate.testgen.prompt_under_test import PromptSubject, subject_of
from gate.testgen.questions import Asker
from gate.values import JsonValue

Said: TypeAlias = Mapping[str, JsonValue] | str | Reply | Failed
"""An object, raw text, or a whole reply."""
Script: TypeAlias = Said | Sequence[Said] | Callable[[Request], Said]
"""The same each time, one after the other (the last one for ever), or made from the request."""


class Killed(Exception):
    """The process ends here."""


@dataclass
class ScriptedModel:
    """Answers by stage, which a request names in `about`.

    Args:
        script: by stage; a stage that it leaves out is answered well.
        known: answers of earlier requests, which are reused; give the same one to a second model to resume.
        dies_after: requests that are answered before the process is killed.
        requests: all that were sent and not known.
    """

    script: Mapping[str, Script] = field(default_factory=dict)
    known: dict[str, Reply] = field(default_factory=dict)
    dies_after: int | None = None
    requests: list[Request] = field(default_factory=list)

    async def call(self, request: Request, *, fresh: bool = False, worth: WorthKeeping = any_reply) -> Reply | Failed:
        key = request_id(request)
        if key in self.known and not fresh:
            return replace(self.known[key], origin=replace(self.known[key].origin, reused=True))
        if self.dies_after is not None and len(self.requests) >= self.dies_after:
            raise Killed
        said = self._said(request)
        self.requests.append(request)
        if isinstance(said, Failed):
            return said
        reply = said if isinstance(said, Reply) else reply_of(said)
        if worth(reply):
            reply = self.known[key] = replace(reply, origin=Origin(sitting=str(id(self))))
        return reply

    @property
    def counts(self) -> Counter[str]:
        """Requests by stage."""
        return Counter(map(stage_of, self.requests))

    def of(self, stage: str) -> list[Request]:
        """The requests of a stage."""
        return [request for request in self.requests if stage_of(request) == stage]

    def _said(self, request: Request) -> Said:
        stage = stage_of(request)
        script = self.script.get(stage, GOOD[stage])
        if callable(script):
            return script(request)
        if isinstance(script, (str, Mapping, Reply, Failed)):
            return script
        return script[min(self.counts[stage], len(script) - 1)]


def stage_of(request: Request) -> str:
    """Which stage asks."""
    return request.about.removeprefix("generate ")


def reply_of(said: str | Mapping[str, JsonValue], stop_reason: str = "stop") -> Reply:
    """A reply with unremarkable figures."""
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return Reply(text, "fake-1", Usage(100, 0, 0, 20), Dollars(0.001), 0.1, 1, stop_reason)


def rules_of(*rules: tuple[str, str]) -> dict[str, JsonValue]:
    """A reply of the stage `rules`: evidence and text of each."""
    return {"rules": [{"evidence": evidence, "rule": text} for evidence, text in rules]}


def asked_rules(request: Request) -> dict[str, str]:
    """The rules that a request shows, by id."""
    return dict(re.findall(r"^(R\d+): (.*)$", request.messages[1].content, re.MULTILINE))


def inverted(request: Request) -> dict[str, JsonValue]:
    """A good inverse of each rule that a request shows."""
    return {"inverses": [{"id": name, "inverse": f"Not so: {text}"} for name, text in asked_rules(request).items()]}


def subject(*texts: str, template: bool = False) -> PromptSubject:
    """A prompt of one system message, or of several."""
    messages = tuple(Message("system", text) for text in texts)
    return subject_of(Prompt(messages, template=template))


def asker(model: ScriptedModel) -> Asker:
    """Asks it."""
    return Asker(model, ModelRef("fake", "one"), Params())


COMPONENT: dict[str, JsonValue] = {"name": "text", "description": "A text of any length.", "rules": []}

GOOD: Mapping[str, Script] = {
    "intent": {"intent": "Shortens a text."},
    "inputs": {"components": [COMPONENT]},
    "rules": rules_of(("at most 80 words", "The answer has at most 80 words.")),
    "inverse": inverted,
    "grounding": {"reason": "The prompt says so.", "grounded": True},
    "review": {"conflicts": [], "leaks": []},
}
