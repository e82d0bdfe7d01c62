"""What a service says when it refuses: shown in whatever shape it comes, in one line, without keys."""

import json

import pytest

from gate.calls.interface import Misconfigured, RejectedRequest, Transient
from tests.contract.providers.subjects import ANTHROPIC_KEY, OPENAI_KEY, Subject
from tests.support.model_server import Behaviour, ModelServer, Raw

CAUSE = f"the context window of 4096 tokens is exceeded, key {OPENAI_KEY} {ANTHROPIC_KEY}\n::error::x\x1b[31m"
INNER = json.dumps({"error": {"message": CAUSE}})

SHAPES: dict[str, object] = {
    "OpenAI": {"error": {"message": CAUSE, "type": "invalid_request_error", "param": None, "code": None}},
    "Anthropic": {"type": "error", "error": {"type": "invalid_request_error", "message": CAUSE}},
    "Ollama": {"error": CAUSE},
    "FastAPI, a sentence": {"detail": CAUSE},
    "FastAPI, a list": {
        "detail": [{"type": "value_error", "loc": ["body", "messages", 0], "msg": CAUSE, "input": "x"}]
    },
    "Mistral": {"object": "error", "message": {"detail": [{"loc": ["body", "stop"], "msg": CAUSE}]}, "code": None},
    "vLLM": {"object": "error", "message": CAUSE, "type": "BadRequestError", "param": None, "code": 400},
    "Gemini": [{"error": {"code": 400, "message": CAUSE, "status": "INVALID_ARGUMENT"}}],
    "Gemini, with details": [
        {"error": {"code": 400, "details": [{"@type": "x", "fieldViolations": [{"field": "f", "description": CAUSE}]}]}}
    ],
    "Cloudflare": {"success": False, "errors": [{"code": 7009, "message": CAUSE}], "messages": [], "result": None},
    "a list of sentences": {"errors": [CAUSE]},
    "a gateway": {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": INNER}}},
    "a problem document": {"type": "about:blank", "title": "Bad Request", "detail": CAUSE},
    "Spring": {"timestamp": 1, "status": 400, "error": "Bad Request", "message": CAUSE, "path": "/v1"},
    "Apigee": {"fault": {"faultstring": CAUSE, "detail": {"errorcode": "x"}}},
    "an unknown shape": {"oops": {"why": CAUSE}},
    "a JSON text": CAUSE,
}
BODIES = {name: json.dumps(shape).encode() for name, shape in SHAPES.items()} | {
    "plain text": CAUSE.encode(),
    "plain text in another encoding": b"\xff\xfe" + CAUSE.encode("latin-1"),
    "half of an object": b'{"error": {"message": "' + CAUSE.split("\n", maxsplit=1)[0].encode(),
}


def failure(subject: Subject) -> Transient | RejectedRequest | Misconfigured:
    with pytest.raises((Transient, RejectedRequest, Misconfigured)) as caught:
        subject.use(lambda provider: provider.complete(subject.request()))
    return caught.value


@pytest.mark.parametrize("status", [400, 401, 404, 413, 422, 500, 529])
@pytest.mark.parametrize("shape", BODIES)
def test_the_words_of_a_refusal_are_shown(server: ModelServer, remote: Subject, shape: str, status: int) -> None:
    server.behaviour = Behaviour(raw=Raw(status, BODIES[shape]))
    said = str(failure(remote))
    assert f"answered {status}: " in said
    assert "the context window of 4096 tokens is exceeded" in said
    assert said.isprintable()
    assert len(said) < 400
    assert "0123456789" not in said


@pytest.mark.parametrize("body", [b"", b"  ", b"{}", b"[]", b"[{}]"])
def test_a_refusal_without_words_has_its_status(server: ModelServer, remote: Subject, body: bytes) -> None:
    server.behaviour = Behaviour(raw=Raw(400, body))
    assert str(failure(remote)).endswith("answered 400")


@pytest.mark.parametrize(
    "body", [b'{"error":' * 5000 + b"1" + b"}" * 5000, json.dumps([[INNER] * 9] * 9).encode() * 900]
)
def test_a_hostile_refusal_is_read_to_its_bounds(server: ModelServer, remote: Subject, body: bytes) -> None:
    server.behaviour = Behaviour(raw=Raw(400, body))
    assert len(str(failure(remote))) < 400


@pytest.mark.parametrize("token", ["ghp_" + "a1" * 20, "AIza" + "b2" * 20, "hf_" + "c3" * 17])
def test_a_foreign_key_in_a_refusal_is_masked(server: ModelServer, remote: Subject, token: str) -> None:
    server.behaviour = Behaviour(raw=Raw(400, f"the header x-key: {token} is not known".encode()))
    said = str(failure(remote))
    assert "is not known" in said
    assert token not in said


@pytest.mark.parametrize(
    ("code", "kind"), [(400, RejectedRequest), (422, RejectedRequest), (401, Misconfigured), (429, Transient)]
)
def test_an_error_with_a_good_status_is_what_it_says(
    server: ModelServer, remote: Subject, code: int, kind: type[Exception]
) -> None:
    server.behaviour = Behaviour(raw=Raw(200, json.dumps({"error": {"code": code, "message": "no room"}}).encode()))
    error = failure(remote)
    assert isinstance(error, kind)
    assert f"answered {code}: no room" in str(error)
