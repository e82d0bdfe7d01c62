"""Servers that take less than OpenAI's own: a judge asks in another way, remembers it, and says so."""

import asyncio
import itertools
import random

import pytest

from gate.calls.caller import Caller, CallPolicy
from gate.calls.interface import Misconfigured
from gate.cases.case import Case
from gate.config.models import Params
from gate.config.scorer import ScorerSpec
from gate.record.transcript import Score, Unscored
from gate.scoring.interface import Subject as Answer
from gate.scoring.judge import Judge
from tests.contract.providers.subjects import MODELS, Subject
from tests.support.model_server import Behaviour, ModelServer, Raw
from tests.support.refusing_server import WORDINGS, Tastes, openai_words

CASE = Case("c", input="How much is it?", expected="12 euro")
SPEC = ScorerSpec("judge", "tone", {"criteria": "Names the price."})
BOTH, OBJECT, NONE = frozenset({"json_schema", "json_object"}), frozenset({"json_object"}), frozenset[str]()
LIMITED = Params(max_output_tokens=200)


def judged(server: ModelServer, params: Params, answers: int, at_once: int = 1) -> tuple[list[Score], list[str]]:
    """Scores of right answers, judged by a model whose temperature the gate chooses, and the notes of the run."""
    subject = Subject(MODELS["openai"], server.url)

    async def work() -> tuple[list[Score], list[str]]:
        factory = subject.factory()
        caller = Caller(factory.provider, CallPolicy(at_once), random.Random(1), factory.price)
        judge = Judge(SPEC, subject.model, factory.cold(subject.model, params), caller)
        try:
            asked = [judge.score(Answer(CASE, f"It is 12 euro, {number}."), 0) for number in range(answers)]
            return list(await asyncio.gather(*asked)), [note.text for note in caller.notes()]
        finally:
            await factory.close()

    return asyncio.run(work())


TASTES = [
    Tastes(forms, limit, temperature, words)
    for forms, limit, temperature, words in itertools.product(
        (BOTH, OBJECT, NONE), ("max_tokens", "max_completion_tokens"), (True, False), WORDINGS.values()
    )
    # What is refused without a word could be anything: a limit that a server ignores would be none.
    if words is not WORDINGS["no"] or limit == "max_tokens"
]


@pytest.mark.parametrize("tastes", TASTES, ids=[str(number) for number in range(len(TASTES))])
def test_a_judge_is_asked_for_what_its_server_takes(server: ModelServer, tastes: Tastes) -> None:
    server.behaviour = Behaviour(refusal=tastes.refusal)
    scores, notes = judged(server, LIMITED, answers=6)
    assert [score.value for score in scores] == [1.0] * 6
    answered = [body for body in server.bodies if tastes.refusal(body) is None]
    assert answered == server.bodies[-6:]  # learnt at the first, and never refused again
    assert len(server.bodies) <= 6 + 4
    for body in answered:
        assert body[tastes.limit] == 200
        silent = tastes.words is WORDINGS["no"] and tastes.forms != BOTH
        if not silent:
            assert ("temperature" in body) is tastes.temperature
        form = (body.get("response_format") or {}).get("type")
        assert form == next((form for form in ("json_schema", "json_object") if form in tastes.forms), None) or (
            tastes.words is WORDINGS["no"] and not tastes.temperature
        )
    assert any("refuses a JSON schema" in note for note in notes) is (
        answered[0].get("response_format", {}).get("type") != "json_schema"
    )
    assert any("refuses temperature 0" in note for note in notes) is ("temperature" not in answered[0])
    assert len(notes) <= 2


@pytest.mark.parametrize("forms", [OBJECT, NONE], ids=["object", "text"])
def test_requests_at_once_learn_the_same(server: ModelServer, forms: frozenset[str]) -> None:
    server.behaviour = Behaviour(refusal=Tastes(forms, temperature=False).refusal, latency_s=0.02)
    scores, notes = judged(server, LIMITED, answers=40, at_once=8)
    assert [score.value for score in scores] == [1.0] * 40
    assert len(notes) == 2
    assert len(server.bodies) <= 40 + 3 * 8


def test_a_temperature_of_the_user_is_never_left_out(server: ModelServer) -> None:
    server.behaviour = Behaviour(refusal=Tastes(temperature=False).refusal)
    with pytest.raises(Misconfigured, match="temperature"):
        judged(server, Params(temperature=0.0), answers=1)
    assert len(server.bodies) == 1


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_a_limit_that_is_too_large_is_not_taken_for_an_unknown_one(server: ModelServer, name: str) -> None:
    said = f"{name} is too large: 900000. This model supports at most 4096 completion tokens."
    server.behaviour = Behaviour(refusal=lambda data: WORDINGS["ollama"](name, said))
    with pytest.raises(Misconfigured, match="is too large: 900000"):
        judged(server, Params(max_output_tokens=900000), answers=1)
    assert len(server.bodies) == 1


def test_a_limit_that_is_refused_by_both_names_stops_the_run(server: ModelServer) -> None:
    def refusal(data: dict[str, object]) -> Raw | None:
        names = [name for name in data if name.startswith("max_")]
        return openai_words(names[0], f"Unsupported parameter: {names[0]}") if names else None

    server.behaviour = Behaviour(refusal=refusal)
    with pytest.raises(Misconfigured, match="Unsupported parameter"):
        judged(server, LIMITED, answers=1)
    assert len(server.bodies) == 2


def test_one_input_that_is_refused_teaches_nothing(server: ModelServer) -> None:
    """A refusal that names nothing may be about the input: what is learnt is what was answered."""

    def refusal(data: dict[str, object]) -> Raw | None:
        return WORDINGS["plain"]("", "prompt is too long") if "euro, 0." in str(data["messages"]) else None

    server.behaviour = Behaviour(refusal=refusal)
    scores, notes = judged(server, LIMITED, answers=4)
    assert isinstance(scores[0].value, Unscored)
    assert "prompt is too long" in scores[0].value.reason
    assert [score.value for score in scores[1:]] == [1.0] * 3
    assert not notes
    assert all(body["response_format"]["type"] == "json_schema" for body in server.bodies[-3:])


@pytest.mark.parametrize("status", [401, 403, 429, 503])
def test_other_troubles_are_no_refusal_of_a_schema(server: ModelServer, status: int) -> None:
    said = Raw(status, b'{"error": {"message": "no json_schema for you", "code": "insufficient_quota"}}')
    server.behaviour = Behaviour(refusal=lambda data: said)
    with pytest.raises(Misconfigured):
        judged(server, LIMITED, answers=1)
    assert {body["response_format"]["type"] for body in server.bodies} == {"json_schema"}
