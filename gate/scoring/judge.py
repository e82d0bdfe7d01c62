"""A model as scorer: reads the answer inside a fence that the answer cannot forge, and gives a reason and a score."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources

from jinja2 import Environment, StrictUndefined, Template
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gate.calls.port import Calls
from gate.domain.absence import Failed, Unscored
from gate.domain.case import Case, ScorerSpec
from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef, Params
from gate.domain.prompt import Message
from gate.domain.sample import Reply, Score
from gate.domain.usage import Cost, Dollars
from gate.inputs.render import fill
from gate.providers.base import Request
from gate.scoring.subject import Subject

SCHEMA: Mapping[str, JsonValue] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "score": {"type": "number"}},
    "required": ["reason", "score"],
    "additionalProperties": False,
}
TRIES = 2
"""A reply that is not the asked schema is asked for once more, and then the sample is unscored."""


class _Opinion(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=False)
    reason: str = Field(max_length=20_000)
    score: float = Field(ge=0.0, le=1.0, allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class Judge:
    """One judge of one suite.

    Args:
        spec: a scorer of kind `judge`, with `criteria`.
        model: who judges; the same model for both arms.
        params: parameters of the judge's calls.
        calls: sends requests.
    """

    spec: ScorerSpec
    model: ModelRef
    params: Params
    calls: Calls

    async def score(self, subject: Subject, index: int) -> Score:
        """Ask for an opinion on one answer.

        Args:
            subject: the answer.
            index: sample index, so that equal answers of different samples are judged apart.
        """
        case = subject.case
        asked = messages(self.spec, case, subject.text)
        request = Request(asked, self.model, self.params, index, SCHEMA, about=json.dumps([self.spec.name, case.id]))
        blank = Score(self.spec.name, Unscored("not judged"), "", self.spec.weight, self.spec.required)
        spent: Cost | None = None
        calls = reused = retries = 0
        problem = ""
        for attempt in range(TRIES):
            # What is known and is not the asked schema would be found again.
            reply = await self.calls.call(request, fresh=attempt > 0)
            if isinstance(reply, Failed):
                problem = f"the judge gave no answer: {reply.reason}"
                retries += max(0, reply.attempts - 1)
                break
            if reply.origin.reused:
                reused += 1
            else:
                calls += 1
                retries += reply.attempts - 1
                spent = _add(spent, reply.cost)
            opinion = _parse(reply)
            if isinstance(opinion, _Opinion):
                done = replace(blank, value=opinion.score, reason=opinion.reason)
                return replace(done, calls=calls, retries=retries, cost=spent, reused=reused)
            problem = opinion
        return replace(blank, value=Unscored(problem), calls=calls, retries=retries, cost=spent, reused=reused)


def messages(spec: ScorerSpec, case: Case, answer: str) -> tuple[Message, ...]:
    """What a judge is sent about one answer.

    Args:
        spec: a scorer of kind `judge`.
        case: the case that was asked.
        answer: the model's text, hostile.
    """
    # An answer cannot contain the hash of itself, so it cannot close its own fence; and the same answer gets the
    # same fence, so that judgements can be cached.
    fence = hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    criteria = spec.options.get("criteria")
    reference = case.expected
    view = {
        "fence": fence,
        "criteria": case.criteria or (fill(criteria, case) if isinstance(criteria, str) else ""),
        "question": case.question,
        "answer": answer,
        "reference": reference if isinstance(reference, str) or reference is None else json.dumps(reference),
    }
    return (Message("system", _render("judge_system", view)), Message("user", _render("judge_user", view)))


def _parse(reply: Reply) -> _Opinion | str:
    if reply.stop_reason in ("refusal", "content_filter"):
        return "the judge refused"
    try:
        return _Opinion.model_validate_json(_object(reply.text))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "reply"
        return f"the judge's reply is not the asked schema: {where}: {first['msg']}"[:300]


def _object(text: str) -> str:
    """Cut a code fence or a preamble off: some servers ignore the schema and answer in prose with JSON inside."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _add(left: Cost | None, right: Cost) -> Cost:
    if isinstance(left, Dollars) and isinstance(right, Dollars):
        return Dollars(left.amount + right.amount)
    return right if left is None or isinstance(left, Dollars) else left


def _render(name: str, view: Mapping[str, str | None]) -> str:
    return _template(name).render(view)


@lru_cache
def _template(name: str) -> Template:
    source = resources.files("gate.scoring").joinpath("templates", f"{name}.md.j2").read_text(encoding="utf-8")
    # No HTML is made here: the result is a message to a model.
    return Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True).from_string(source)  # noqa: S701
