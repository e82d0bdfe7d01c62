"""Runs that are followed by OpenTelemetry: a real collector on loopback decodes what it is sent."""

import json
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gate.telemetry.export import LONGEST, Session
from tests.support.agent_wire import Calls, Talk
from tests.support.command import Outcome, gate, git, write_jsonl
from tests.support.model_server import Behaviour, ModelServer
from tests.support.otlp import Collector, collector

KEY = "sk-loopback-0123456789"
CASES = 3
JUDGE = """\
version: 1
defaults: {model: "openai:m", samples: 1}
suites:
  - name: support
    prompt: prompt.md
    cases: cases.jsonl
    scorers:
      - contains
      - judge: {model: "anthropic:judge", criteria: "Names the word."}
"""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    rows = [{"id": f"c{n}", "input": f"answer=w{n}", "expected": f"w{n}"} for n in range(CASES)]
    write_jsonl(tmp_path / "cases.jsonl", rows)
    (tmp_path / "gate.yaml").write_text(JUDGE)
    (tmp_path / "prompt.md").write_text("Answer well. quality=1.0")
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    (tmp_path / "prompt.md").write_text("Answer as well. quality=1.0")
    return tmp_path


def look_first(talk: Talk) -> str | Calls:
    return "a house" if talk.used else [("look", {})]


def run(repo: Path, server: ModelServer, env: Mapping[str, str]) -> Outcome:
    keys = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    addresses = {"OPENAI_BASE_URL": f"{server.url}/v1", "ANTHROPIC_BASE_URL": server.url}
    return gate("diff", "--base", "main", "--json", "--refresh", cwd=repo, env={**keys, **addresses, **env})


def sent_to(found: Collector, **more: str) -> dict[str, str]:
    headers = {"OTEL_EXPORTER_OTLP_HEADERS": "x-key=collector-secret"}
    return {"OTEL_EXPORTER_OTLP_ENDPOINT": found.address, **headers, **more}


def test_one_trace_of_run_suite_samples_and_calls(repo: Path) -> None:
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with collector() as found, ModelServer() as server:
        outcome = run(repo, server, sent_to(found, TRACEPARENT=parent, OTEL_SERVICE_NAME="gate-of-ours"))
    assert outcome.code == 0, outcome.err
    assert "OpenTelemetry" not in outcome.err
    names = Counter(span.name for span in found.spans)
    samples = 2 * CASES
    assert names == {
        "prompt_gate.run": 1,
        "prompt_gate.suite": 1,
        "prompt_gate.sample": samples,
        "chat m": samples,
        "chat judge": CASES,  # both arms answer alike, and a judge is asked once about one answer
    }
    assert {span.trace for span in (*found.spans, *found.events)} == {"0af7651916cd43dd8448eb211c80319c"}
    by_id = {span.id: span for span in found.spans}
    above = {"chat ": "prompt_gate.sample", "prompt_gate.sample": "prompt_gate.suite"}
    for start, wanted in (*above.items(), ("prompt_gate.suite", "prompt_gate.run")):
        assert {by_id[span.parent].name for span in found.named(start)} == {wanted}
    (root,) = found.named("prompt_gate.run")
    assert root.parent == "b7ad6b7169203331"
    assert root.attributes["prompt_gate.verdict"] == outcome.record.verdict.value
    assert root.attributes["prompt_gate.calls.made"] == outcome.record.calls.made == samples + CASES
    chat = found.named("chat m")[0]
    wanted_of_chat = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "server.address": "127.0.0.1",
        "server.port": int(server.url.rsplit(":", 1)[1]),
        "prompt_gate.role": "answer",
        "prompt_gate.attempts": 1,
    }
    assert {name: chat.attributes.get(name) for name in wanted_of_chat} == wanted_of_chat
    assert chat.attributes["gen_ai.usage.input_tokens"] > 0
    assert chat.attributes["gen_ai.response.finish_reasons"] == ["stop"]
    assert chat.kind == 3  # a client
    assert found.named("chat judge")[0].attributes["prompt_gate.role"] == "judge"
    assert Counter(event.attributes["gen_ai.evaluation.name"] for event in found.events) == {
        "contains": samples,
        "judge": samples,
    }
    assert {by_id[event.parent].name for event in found.events} == {"chat m"}
    assert {resource["service.name"] for resource in found.resources} == {"gate-of-ours"}
    sent = b"".join(found.raw)
    assert not any(secret in sent for secret in (KEY.encode(), b"collector-secret", b"Answer well", b"answer=w1"))
    assert {headers["x-key"] for headers in found.headers} == {"collector-secret"}


def test_content_is_reported_to_those_who_ask_for_it(repo: Path) -> None:
    leaked = "sk-" + "a1" * 20
    with collector() as found, ModelServer(Behaviour(answer=lambda system, user: f"w1 {leaked}")) as server:
        content = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true", "OTEL_LOGS_EXPORTER": "none"}
        run(repo, server, sent_to(found, **content))
    chat = next(
        one for one in found.named("chat m") if "Answer as well" in one.attributes["gen_ai.system_instructions"]
    )
    (asked,) = json.loads(chat.attributes["gen_ai.input.messages"])
    assert asked["role"] == "user"
    assert asked["parts"][0]["content"].startswith("answer=w")
    (said,) = json.loads(chat.attributes["gen_ai.output.messages"])
    assert said["parts"] == [{"type": "text", "content": "w1 ⟨API key⟩"}]
    # Without an address for logs, events lie on their spans.
    assert not found.events
    assert {span.events for span in found.named("prompt_gate.sample")} == {("gen_ai.evaluation.result",) * 2}
    assert leaked.encode() not in b"".join(found.raw)


def test_an_agents_tools_belong_to_its_sample(repo: Path) -> None:
    tools = "tools:\n  - name: look\n    description: Looks.\n    answers:\n      - result: a house\n"
    (repo / "tools.yaml").write_text(tools)
    target = "target: {tools: {fixtures: tools.yaml}}"
    suite = f"{{name: s, prompt: prompt.md, cases: talks.jsonl, model: 'openai:m', scorers: [contains], {target}}}"
    (repo / "gate.yaml").write_text(f"version: 1\ndefaults: {{samples: 1}}\nsuites: [{suite}]\n")
    write_jsonl(repo / "talks.jsonl", [{"id": "t", "input": "Where?", "expected": "house"}])
    git(repo, "stash", "--quiet", "--", "prompt.md")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "two")
    git(repo, "stash", "pop", "--quiet")
    with collector() as found, ModelServer(Behaviour(talk=look_first)) as server:
        outcome = run(repo, server, sent_to(found))
    assert outcome.code in (0, 1), outcome.err
    by_id = {span.id: span for span in found.spans}
    used = found.named("execute_tool look")
    assert [by_id[span.parent].name for span in used] == ["prompt_gate.sample"] * 2
    assert all(span.attributes["gen_ai.tool.name"] == "look" for span in used)
    assert len(found.named("chat m")) == 4
    newest = {one.parent: one.id for one in sorted(found.named("chat"), key=lambda one: one.ended)}
    # What is evaluated is the last answer.
    assert {event.parent for event in found.events} == set(newest.values())


@pytest.mark.threat("trace-redirect")
def test_an_answer_without_end_is_left_and_a_redirect_is_no_success() -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(307 if self.path == "/away" else 200)
            self.send_header("Location", "/v1/traces")
            self.end_headers()
            asked.append(self.path)
            with suppress(OSError):
                while self.path == "/endless":
                    self.wfile.write(b"x" * 2**16)

        def log_message(self, format: str, *arguments: object) -> None:
            return

    asked: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    with Session() as session:
        assert len(session.post(f"{address}/endless", data=b"").content) <= LONGEST
        away = session.post(f"{address}/away", data=b"", allow_redirects=True)
    assert (away.status_code, away.reason, asked) == (421, "redirect 307", ["/endless", "/away"])
    server.shutdown()
    server.server_close()


def test_a_collector_that_refuses_costs_one_warning(repo: Path) -> None:
    with collector(status=400) as found, ModelServer() as server:
        broken = run(repo, server, sent_to(found))
    assert broken.err.count("OpenTelemetry") == 1
    assert "warning: OpenTelemetry: spans were lost: the collector answers HTTP 400" in broken.err
    assert broken.code == 0
