"""Agents behind an address: real HTTP, and whatever comes back."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from aiohttp import web

from gate.agents.external import ProtocolSession, Service, ServiceAgent
from gate.agents.interface import AgentFailed, Answer
from gate.agents.masks import Masks
from gate.agents.resources import _client
from gate.cases.case import Case
from tests.support.agent_service import AgentService, Answering, polite
from tests.support.fake_agents import question

SECRET = "Bearer-0123456789-secret"
SECRETS = (
    "Bearer abcdef0123456789xyz",
    "hunter2",
    'p"w\\d-0123456789',
    "postgresql://u:S3cret%20Passw0rd@db/x",
    "74185296",
)


@pytest.fixture
def service() -> Iterator[AgentService]:
    with AgentService() as one:
        yield one


async def talked(url: str, *texts: str, timeout_s: float = 20.0, revive: bool = False) -> list[Answer]:
    async with _client() as client:
        made = Service(url, {"Authorization": SECRET}, timeout_s, client)
        agent = ServiceAgent(ProtocolSession(question(Case("c", "x")), Masks((SECRET, *SECRETS)), "the agent"), made)
        try:
            await agent.start("session-1")
            found = [await agent.send(text) for text in texts]
            if revive:
                await agent.close()
                await agent.reopen("session-1")
            return found
        finally:
            await agent.close()


def reason(url: str, *texts: str, **options: Any) -> str:
    with pytest.raises(AgentFailed) as caught:
        asyncio.run(talked(url, *texts, **options))
    assert SECRET not in caught.value.reason
    return caught.value.reason


def on_send(reply: web.Response, service: AgentService, times: int = 1_000) -> Answering:
    """Answers messages so, a number of times, and everything else well."""

    async def answering(asked: dict[str, Any], request: web.Request) -> web.StreamResponse:
        if asked["type"] != "send" or service.kinds.count("send") > times:
            return await polite(asked, request)
        return web.Response(status=reply.status, body=reply.body, headers=reply.headers)

    return answering


def test_a_conversation(service: AgentService) -> None:
    answers = asyncio.run(talked(service.url, "a", "b"))
    assert [answer.text for answer in answers] == ["you said a", "you said b"]
    assert service.kinds == ["start", "send", "send", "close"]
    assert {one.get("session") for one in service.heard} == {"session-1"}
    assert service.headers[1]["Authorization"] == SECRET


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (web.Response(status=500, text=f"no {SECRET}"), "the agent replied with HTTP 500: no [token]"),
        (web.Response(status=302, headers={"Location": "/elsewhere"}), "the agent replied with HTTP 302"),
        (web.Response(text="<html>Welcome</html>", content_type="text/html"), "did not reply with a JSON object"),
        (web.Response(text='{"type": "error", "error": "no flats"}'), "the agent failed: no flats"),
        (web.Response(body=b"x" * (8 * 2**20 + 1)), "the agent replied with more than 8 MiB"),
    ],
)
def test_what_is_no_answer_is_reported_and_asked_once(service: AgentService, reply: web.Response, wanted: str) -> None:
    service.answering = on_send(reply, service)
    assert wanted in reason(service.url, "a")
    assert service.kinds == ["start", "send", "close"]


@pytest.mark.threat("agent-says-key")
def test_no_secret_comes_back_however_it_is_written_and_no_control_character(service: AgentService) -> None:
    told = ['p"w\\d-0123456789', "hun\x1bter2\x9b", "S3cret Passw0rd", "Bearer%20abcdef0123456789xyz", 74185296]
    call = {"name": "get hunter2", "arguments": {"hunter2": told}, "result": {"said": told}}
    reply = {"type": "answer", "text": "I am abcdef0123456789xyz\x1b[2J", "tools": [call], "model": "hunter2-mini"}
    service.answering = on_send(web.json_response(reply), service)
    (answer,) = asyncio.run(talked(service.url, "a"))
    clean = '["[token]", "[token]", "[token]", "[token]", [token]]'
    assert (answer.text, answer.model_id, answer.tools[0].name) == ("I am [token]", "[token]-mini", "get [token]")
    assert answer.tools[0].arguments == f'{{"[token]": {clean}}}'
    assert answer.tools[0].result == f'{{"said": {clean}}}'


def test_a_message_that_was_not_taken_is_sent_again(service: AgentService) -> None:
    status = 429
    service.answering = on_send(web.Response(status=status, headers={"Retry-After": "0"}), service, times=2)
    (answer,) = asyncio.run(talked(service.url, "a"))
    assert answer.text == "you said a" and service.kinds.count("send") == 3


@pytest.mark.parametrize("header", ["3600", "soon", "nan"])
def test_how_long_a_service_asks_to_wait_is_bounded(service: AgentService, header: str) -> None:
    service.answering = on_send(web.Response(status=429, headers={"Retry-After": header}), service)
    assert "the agent" in reason(service.url, "a", timeout_s=0.5)


@pytest.mark.threat("agent-endless")
def test_a_slow_service_is_given_up(service: AgentService) -> None:
    async def slow(asked: dict[str, Any], request: web.Request) -> web.StreamResponse:
        if asked["type"] == "send":
            await asyncio.sleep(3600)
        return await polite(asked, request)

    service.answering = slow
    assert reason(service.url, "a", timeout_s=0.5) == "the agent did not answer within 0.5 s"


def test_cookies_of_one_conversation_are_not_those_of_another(service: AgentService) -> None:
    async def baking(asked: dict[str, Any], request: web.Request) -> web.StreamResponse:
        reply = await polite(asked, request)
        reply.set_cookie("who", "me")
        return reply

    service.answering = baking
    asyncio.run(talked(service.url.replace("127.0.0.1", "localhost"), "a", "b"))
    assert all("Cookie" not in headers for headers in service.headers)


@pytest.mark.parametrize(("turns", "lost"), [(0, True), (None, False)])
def test_a_context_that_is_lost_is_reported(service: AgentService, turns: int | None, lost: bool) -> None:
    async def forgetful(asked: dict[str, Any], request: web.Request) -> web.StreamResponse:
        if asked["type"] == "reopen":
            return web.json_response({"type": "ok"} if turns is None else {"type": "ok", "turns": turns})
        return await polite(asked, request)

    service.answering = forgetful
    if lost:
        said = reason(service.url, "a", revive=True)
        assert said == "the agent lost the context: 1 messages were sent, and it knows 0"
    else:
        asyncio.run(talked(service.url, "a", revive=True))
        assert service.kinds == ["start", "send", "close", "reopen", "close"]
