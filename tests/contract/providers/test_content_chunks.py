"""The content of a reply: a text, or parts of which the texts are the answer."""

import json

import pytest

from gate.calls.interface import RejectedRequest
from gate.values import JsonValue
from tests.contract.providers.subjects import MODELS, Subject
from tests.support.model_server import Behaviour, ModelServer, Raw

ASIDE: list[JsonValue] = [
    {"type": "thinking", "thinking": [{"type": "text", "text": "is it red?"}]},
    {"type": "reasoning", "text": "is it red?"},
    {"type": "reference", "reference_ids": [1, 2]},
]


def send(server: ModelServer, content: JsonValue) -> str:
    reply = {"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]}
    server.behaviour = Behaviour(raw=Raw(body=json.dumps(reply).encode()))
    subject = Subject(MODELS["openai"], server.url)
    return subject.use(lambda provider: provider.complete(subject.request())).text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "blue"}], "blue"),
        ([{"type": "text", "text": "bl"}, {"type": "text", "text": "ue"}], "blue"),
        ([{"text": "blue"}], "blue"),
        (["bl", "ue"], "blue"),
        ([{"type": "output_text", "text": "blue"}], "blue"),
        ([{"type": "refusal", "refusal": "I cannot."}], "I cannot."),
        ([*ASIDE, {"type": "text", "text": "blue"}], "blue"),
        ([{"type": "text", "text": "bl"}, *ASIDE, {"type": "text", "text": "ue"}], "blue"),
        (ASIDE, ""),
        ([], ""),
        (None, ""),
    ],
)
def test_chunks_are_one_text(server: ModelServer, content: JsonValue, text: str) -> None:
    assert send(server, content) == text


@pytest.mark.parametrize(
    "content",
    [
        3,
        {},
        {"text": 3},
        [3],
        [None],
        [{"type": "image_url", "image_url": {"url": "x"}}],
        [{"type": "text", "text": []}],
    ],
)
def test_content_that_is_no_text_is_asked_for_once(server: ModelServer, content: JsonValue) -> None:
    with pytest.raises(RejectedRequest, match="content of the reply is not text"):
        send(server, content)
    assert server.requests == 1
