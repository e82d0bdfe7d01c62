"""A model that writes tests and judges them, each request after what it asks for; replies can be bent by stage."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from gate.calls.interface import Request, WorthKeeping, any_reply
from gate.config.models import ModelRef, Params
from gate.config.specification import Component, InputRule, OutputRule, Specification
from gate.record.transcript import Failed, Origin, Reply
from gate.testgen.prompt_under_test import PromptSubject
from gate.testgen.questions import Asker
from tests.support.fakes import reply

Bend: TypeAlias = Callable[[int, dict[str, Any]], "dict[str, Any] | str | Reply | Failed"]
"""Makes something else of a good reply; the number counts the requests of the stage, from 0."""
_COUNT = re.compile(r"^(S\d+) \((\d+) tests?\): ", re.MULTILINE)
_INPUTS = re.compile(r"exactly (\d+) inputs?\b")


class Killed(Exception):
    """The process ended here."""


@dataclass
class ScriptedTests:
    """A `Calls` that does what the templates of tests, expansion, validity and control ask for.

    Args:
        bend: by stage.
        killed_after: requests, after which the process ends.
        known: answers of an earlier process, by request; new ones are added.
    """

    bend: Mapping[str, Bend] = field(default_factory=dict)
    killed_after: int | None = None
    known: dict[object, Reply] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """Requests by stage."""
        return dict(Counter(map(stage_of, self.requests)))

    def sent(self, stage: str) -> list[Request]:
        """The requests of a stage, in order."""
        return [request for request in self.requests if stage_of(request) == stage]

    async def call(self, request: Request, *, fresh: bool = False, worth: WorthKeeping = any_reply) -> Reply | Failed:
        key = (request.messages, request.index, request.about)
        if key in self.known and not fresh:
            return replace(self.known[key], origin=replace(self.known[key].origin, reused=True))
        if len(self.requests) == self.killed_after:
            raise Killed
        stage, number = stage_of(request), len(self.sent(stage_of(request)))
        self.requests.append(request)
        good = _GOOD[stage](request)
        said = self.bend[stage](number, good) if stage in self.bend else good
        if isinstance(said, Failed):
            return said
        answer = said if isinstance(said, Reply) else reply(said if isinstance(said, str) else json.dumps(said))
        if worth(answer):
            answer = self.known[key] = replace(answer, origin=Origin(sitting=str(id(self))))
        return answer

    def asker(self, name: str = "writer") -> Asker:
        """Asks this model."""
        return Asker(self, ModelRef("fake", name), Params())


def stage_of(request: Request) -> str:
    """Which stage sent it."""
    return request.about.removeprefix("generate ")


def words_of(seed: str, count: int = 12) -> str:
    """A text that is like no other."""
    letters = hashlib.sha512(seed.encode("utf-8", "surrogatepass")).hexdigest()
    return " ".join(letters[place * 6 : place * 6 + 6] for place in range(count))


def _tests(request: Request) -> dict[str, Any]:
    item = _item(request, "tests")
    counts = [(name, int(count)) for name, count in _COUNT.findall(request.messages[1].content)]
    assert [name for name, _ in counts] == item["properties"]["statement"]["enum"]
    scenarios = item["properties"]["scenario"]["enum"]
    tests = [
        {
            "statement": name,
            "reasoning": "It shows.",
            "scenario": scenarios[number % 3],
            **_input(request, item, f"{name}/{number}"),
            "behaviour": "Answers well.",
        }
        for name, count in counts
        for number in range(count)
    ]
    return {"tests": tests}


def _expansion(request: Request) -> dict[str, Any]:
    assert request.schema is not None
    return {"reasoning": "Harder.", **_input(request, request.schema, "expanded"), "behaviour": "Answers better."}


def _validity(request: Request) -> dict[str, Any]:
    names = _item(request, "verdicts")["properties"]["id"]["enum"]
    return {"verdicts": [{"id": name, "reason": "No demand is broken.", "valid": True} for name in names]}


def _control(request: Request) -> dict[str, Any]:
    found = _INPUTS.search(request.messages[0].content)
    assert found
    item = _item(request, "inputs")
    return {"inputs": [_input(request, item, str(number)) for number in range(int(found[1]))]}


def _input(request: Request, schema: Any, seed: str) -> dict[str, Any]:
    properties, seed = schema["properties"], f"{request.messages}/{request.index}/{seed}"
    out: dict[str, Any] = {}
    if "components" in properties:
        names = properties["components"]["items"]["properties"]["name"]["enum"]
        out["components"] = [{"name": name, "text": words_of(f"{seed}/{name}")} for name in names]
    if "turns" in properties:
        found = re.search(r"user speaks exactly (\d+) times", request.messages[0].content)
        assert found
        out["turns"] = [words_of(f"{seed}/{turn}") for turn in range(int(found[1]))]
    return out


def _item(request: Request, key: str) -> Any:
    schema: Any = request.schema
    return schema["properties"][key]["items"]


_GOOD: Mapping[str, Callable[[Request], dict[str, Any]]] = {
    "tests": _tests,
    "expansion": _expansion,
    "validity": _validity,
    "control": _control,
}


SUBJECT = PromptSubject("Tag the part of speech of the word.", (), "d" * 64)
"""A prompt that is no template."""


def specification(rules: int = 2, *components: str) -> Specification:
    """So many rules, each with an inverse, and components with one demand each."""
    parts = (Component(name, f"the {name}", (InputRule(f"The {name} is English."),)) for name in components)
    promised = (
        OutputRule(f"R{n}", f"The output is number {n}.", inverse=f"The output is not number {n}.")
        for n in range(1, rules + 1)
    )
    return Specification("d" * 64, "Tags words.", tuple(parts), tuple(promised))
