"""The benchmark's server speaks both interfaces, and its ledger counts what it did."""

import json
import urllib.request
from typing import Any

from benchmarks.speed.processes import ledger, serving

SYSTEM, USER = "You know colours. quality=1.0 quality[hard]=0.0", "answer=blue slice={}"


def ask(url: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as reply:
        answer: dict[str, Any] = json.load(reply)
    return answer


def chat(url: str, piece: str, system: str = SYSTEM) -> dict[str, Any]:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": USER.format(piece)}]
    return ask(url, "/v1/chat/completions", {"model": "m", "messages": messages})


def message(url: str, piece: str, system: str = SYSTEM) -> dict[str, Any]:
    block = {"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}
    messages = [{"role": "user", "content": USER.format(piece)}]
    return ask(url, "/v1/messages", {"model": "m", "max_tokens": 9, "system": [block], "messages": messages})


def test_both_interfaces_and_the_ledger_agree_and_the_second_request_reads_the_first_ones_cache() -> None:
    long = "word " * 2000
    with serving() as url:
        assert chat(url, "easy")["choices"][0]["message"]["content"] == "blue"
        assert message(url, "hard")["content"] == [{"type": "text", "text": "wrong"}]
        told = ledger(url)
        chats = [chat(url, "easy", long)["usage"]["prompt_tokens_details"]["cached_tokens"] for _ in range(2)]
        usage = [message(url, "easy", long)["usage"] for _ in range(2)]
    rows = {row["slice"]: (row["answers"], row["right"], row["true_quality"]) for row in told["quality"]}
    assert rows == {"easy": (1, 1, 1.0), "hard": (1, 0, 0.0)}
    assert (told["requests"], told["answered"]) == (2, 2)
    assert chats == [0, 2432]
    assert [row["cache_creation_input_tokens"] for row in usage] == [2500, 0]
    assert [row["cache_read_input_tokens"] for row in usage] == [0, 2500]
