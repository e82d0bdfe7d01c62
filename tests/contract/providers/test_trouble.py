"""Errors, hostile replies and broken connections, through the real SDKs."""

import json
import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from gate.calls.interface import Completion, Misconfigured, Provider, RejectedRequest, Transient
from gate.config.models import Params
from gate.record.transcript import Usage
from tests.contract.providers.subjects import ANTHROPIC_KEY, OPENAI_KEY, Subject
from tests.support.model_server import Behaviour, ModelServer, Raw


def ask(subject: Subject, user: str = "answer=blue number=0") -> Completion:
    return subject.use(lambda provider: provider.complete(subject.request(user)))


def trouble(subject: Subject) -> Transient:
    with pytest.raises(Transient) as caught:
        ask(subject)
    return caught.value


def test_too_many_requests(server: ModelServer, remote: Subject) -> None:
    server.behaviour = Behaviour(faults=("429",), retry_after="1.5")
    error = trouble(remote)
    assert (error.throttled, error.retry_after_s) == (True, 1.5)


@pytest.mark.parametrize("fault", ["500", "529", "drop", "truncated", "not-json"])
def test_worth_another_try_but_sent_only_once(server: ModelServer, remote: Subject, fault: str) -> None:
    server.behaviour = Behaviour(faults=(fault, fault))
    error = trouble(remote)
    assert error.reason
    assert error.throttled is (fault == "529")
    assert error.unheard is (fault in ("truncated", "not-json"))  # accepted, and perhaps charged for
    assert server.requests == 1


def test_no_answer_in_time(server: ModelServer, remote: Subject) -> None:
    server.behaviour = Behaviour(faults=("hang",))
    subject = replace(remote, params=Params(timeout_s=0.2))
    assert "no answer within 0.2 s" in trouble(subject).reason


def test_nobody_listens(remote: Subject) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert re.search(
        "the connection to (127.0.0.1|responses) failed",
        trouble(replace(remote, url=f"http://127.0.0.1:{port}")).reason,
    )


@pytest.fixture
def babbler() -> Iterator[str]:
    """A server that speaks no HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HELLO \x00\xff\r\n\r\n")

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def test_something_that_speaks_no_http(remote: Subject, babbler: str) -> None:
    assert trouble(replace(remote, url=babbler)).reason.isprintable()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"choices": [{"message": {"content": ' + b"9" * 5000 + b"}}]}",
        b'{"choices": [], "content": null}',
    ],
)
def test_a_reply_that_is_invalid(server: ModelServer, remote: Subject, body: bytes) -> None:
    server.behaviour = Behaviour(raw=Raw(body=body, headers={"content-type": "application/json"}))
    assert trouble(remote).reason


def test_an_answer_of_megabytes_is_not_asked_for_again(server: ModelServer, remote: Subject) -> None:
    text = "x" * (2 * 2**20)
    parts = [{"type": "text", "text": text}]
    output = [{"type": "message", "content": parts}]
    reply = {"choices": [{"message": {"content": text}}], "content": parts, "output": output}
    server.behaviour = Behaviour(raw=Raw(body=json.dumps(reply).encode()))
    with pytest.raises(RejectedRequest, match="2,097,152 characters; the limit is 1,048,576"):
        ask(remote)


@pytest.mark.parametrize("status", [200, 502])
def test_a_web_page_instead_of_a_reply(server: ModelServer, remote: Subject, status: int) -> None:
    page = b"<!DOCTYPE html><html><body><h1>Bad gateway</h1></body></html>"
    server.behaviour = Behaviour(raw=Raw(status, page, {"content-type": "text/html"}))
    reason = trouble(remote).reason
    assert "HTML page" in reason
    assert "<" not in reason


def test_lanes_are_of_address_and_key_and_show_neither_key(server: ModelServer, remote: Subject) -> None:
    async def lane(provider: Provider) -> str:
        return provider.lane

    here, there = remote.use(lane), Subject(remote.model, "http://127.0.0.1:9").use(lane)
    assert here == Subject(replace(remote.model, name="another"), remote.url).use(lane)
    assert here != there
    assert OPENAI_KEY not in here
    assert ANTHROPIC_KEY not in here


def test_a_reply_with_hostile_fields(server: ModelServer, remote: Subject) -> None:
    reply = {
        "model": "evil\x1b[2Jmodel\n" + "x" * 5000,
        "choices": [{"message": {"content": "half \ud83d a pair"}, "finish_reason": ["stop"]}],
        "content": [{"type": "text", "text": "half \ud83d a pair"}],
        "output": [7, {"type": "message", "content": [{"type": "output_text", "text": "half \ud83d a pair"}]}],
        "status": 7,
        "incomplete_details": [],
        "stop_reason": {"a": 1},
        "usage": {"prompt_tokens": -5, "completion_tokens": "many", "input_tokens": 1e99, "output_tokens": True},
    }
    server.behaviour = Behaviour(raw=Raw(body=json.dumps(reply).encode()))
    completion = ask(remote)
    assert completion.text == "half \ufffd a pair"
    assert completion.usage == Usage()
    assert completion.stop_reason == ""
    assert len(completion.model_id) == 200
    assert completion.model_id.isprintable()


@pytest.mark.parametrize("status", [400, 401, 500])
def test_a_key_that_the_server_quotes_stays_hidden(server: ModelServer, remote: Subject, status: int) -> None:
    said = f"Wrong key {OPENAI_KEY} {ANTHROPIC_KEY}\n::set-output name=x::y\x1b[31m"
    error = {"error": {"message": said, "code": OPENAI_KEY, "type": ANTHROPIC_KEY, "param": OPENAI_KEY}}
    server.behaviour = Behaviour(raw=Raw(status, json.dumps(error).encode()))
    with pytest.raises((Transient, RejectedRequest, Misconfigured)) as caught:
        ask(remote)
    shown = f"{caught.value} {caught.value!r} {vars(caught.value)} {caught.value.__cause__}"
    assert "Wrong key" in shown
    assert "0123456789" not in shown
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (401, {"message": "bad key"}, Misconfigured),
        (429, {"message": "pay", "code": "insufficient_quota"}, Misconfigured),
        (400, {"message": "no", "code": "unsupported_parameter", "param": "max_tokens"}, Misconfigured),
        (400, {"message": "prompt is too long"}, RejectedRequest),
    ],
)
def test_errors_are_sorted(
    server: ModelServer, remote: Subject, status: int, error: dict[str, str], kind: type[Exception]
) -> None:
    server.behaviour = Behaviour(raw=Raw(status, json.dumps({"error": error}).encode()))
    with pytest.raises(kind, match=error["message"]):
        ask(remote)


def test_latency_is_of_the_request_alone(server: ModelServer, remote: Subject) -> None:
    server.behaviour = Behaviour(latency_s=0.05)
    latency = ask(remote).latency_s
    assert latency is not None
    assert latency >= 0.05


def test_a_redirect_is_not_followed(server: ModelServer, remote: Subject) -> None:
    server.behaviour = Behaviour(raw=Raw(status=307, headers={"location": f"{server.url}/v1/elsewhere"}))
    with pytest.raises((Transient, RejectedRequest, Misconfigured)):
        ask(remote)
    assert server.requests == 1
