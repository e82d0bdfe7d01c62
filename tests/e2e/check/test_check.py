"""`gate check` as a user runs it: real files, real HTTP on loopback, exit codes and reports."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.support import forked
from tests.support.command import Outcome, environment, gate, git, write_jsonl
from tests.support.model_server import Behaviour, ModelServer, Raw

ROWS = [
    {"id": f"{state}-{number}", "input": f"answer=word{number} slice={state}", "expected": f"word{number}",
     "slices": {"state": state}}
    for number, state in enumerate(["welcome", "safety"] * 5)
]  # fmt: skip


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def write(root: Path, server: ModelServer, quality: str = "quality=1.0", suite: str = "", run: str = "") -> None:
    write_jsonl(root / "cases.jsonl", ROWS)
    (root / "prompt.md").write_text(f"Answer. {quality}")
    (root / "gate.yaml").write_text(
        f"version: 1\n{run}suites:\n  - name: bot\n    prompt: prompt.md\n    cases: cases.jsonl\n"
        f"    slices: [state]\n    samples: 1\n    model: own:m\n    scorers: [contains]\n{suite}"
        f"providers: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\n"
    )


def check(root: Path, *options: str, env: dict[str, str] | None = None) -> Outcome:
    return gate("check", "--json", *options, cwd=root, env=env)


def test_every_case_passes(tmp_path: Path, server: ModelServer) -> None:
    write(tmp_path, server)
    outcome = check(tmp_path)
    assert outcome.code == 0, outcome.err
    record = outcome.record
    assert (record.verdict, record.kind, record.suites) == (Verdict.PASS, "check", [])
    assert record.calls.made == len(server.ledger) == 10
    assert {case.check.state for case in record.new[0].cases if case.check} == {"passed"}


def test_one_failing_case_fails_the_check_and_is_shown_first(tmp_path: Path, server: ModelServer) -> None:
    write(tmp_path, server, "quality=1.0 quality[safety]=0.0")
    outcome = gate("check", cwd=tmp_path)
    assert outcome.code == 1
    assert "BLOCK  5 of 10 cases failed: safety-1, safety-3, safety-5 and 2 more" in outcome.out
    assert outcome.out.index("failed    safety-1") < outcome.out.index("and 5 more cases that passed")
    assert 'does not contain "word1"' in outcome.out


def test_a_pass_rate_may_allow_failures(tmp_path: Path, server: ModelServer) -> None:
    write(tmp_path, server, "quality=1.0 quality[safety]=0.0", "    policy: {min_pass_rate: 0.5}\n")
    assert check(tmp_path).code == 0
    outcome = check(tmp_path, "--min-pass-rate", "0.6")
    assert (outcome.code, outcome.record.new[0].overall.wanted) == (1, 0.6)


def test_missing_answers_are_not_samples(tmp_path: Path, server: ModelServer) -> None:
    write(tmp_path, server)
    refused = {"error": {"code": "content_filter", "message": "held back"}}
    server.behaviour = Behaviour(raw=Raw(400, json.dumps(refused).encode()))
    outcome = check(tmp_path)
    assert (outcome.code, outcome.record.verdict) == (3, Verdict.INCONCLUSIVE)
    assert {case.check.state for case in outcome.record.new[0].cases if case.check} == {"unscored"}


def test_the_budget_holds_and_cases_are_completed_in_order(tmp_path: Path, server: ModelServer) -> None:
    write(tmp_path, server, run="budget: {max_calls: 4}\n")
    outcome = check(tmp_path, env={"GATE_CONCURRENCY": "1"})
    record = outcome.record
    assert (outcome.code, record.verdict) == (3, Verdict.INCONCLUSIVE)
    assert len(server.ledger) <= 4
    states = [case.check.state for case in record.new[0].cases if case.check]
    assert states == ["passed"] * 4 + ["unscored"] * 6
    again = check(tmp_path)
    assert (again.code, again.record.calls.cached) == (3, 4)


def test_a_commit_is_checked_out_of_git(tmp_path: Path, server: ModelServer) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    write(tmp_path, server)
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    (tmp_path / "prompt.md").write_text("Answer. quality=0.0")
    assert check(tmp_path).code == 1
    old = check(tmp_path, "--ref", "main")
    assert (old.code, old.record.commit) == (0, git(tmp_path, "rev-parse", "HEAD"))


def test_files_need_no_configuration(tmp_path: Path, server: ModelServer) -> None:
    write_jsonl(tmp_path / "cases.jsonl", ROWS)
    (tmp_path / "p.md").write_text("Answer. quality=1.0")
    files = ("p.md", "--cases", "cases.jsonl", "--model", "openai:m", "--samples", "1")
    env = {"OPENAI_BASE_URL": f"{server.url}/v1"}
    outcome = check(tmp_path, *files, "--scorer", "exact", "--scorer", "contains", env=env)
    assert (outcome.code, outcome.record.new[0].exam.scorers) == (0, ["exact", "contains"])
    judged = check(tmp_path, *files, "--criteria", "Says the word", env=env)
    assert judged.record.new[0].exam.scorers == ["judge"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--suite", "bto"), "did you mean 'bot'?"),
        (("--case", "welcome-00"), "did you mean 'welcome-0'"),
        (("--case", "zzz"), "no case matches 'zzz'"),
        (("--config", "other.yaml"), "there is no other.yaml in the working tree"),
        (("--scorer", "exact"), "--scorer cannot be used without PROMPT and --cases"),
        (("prompt.md",), "--cases is missing"),
        (("prompt.md", "--cases", "cases.jsonl", "--ref", "main"), "--ref cannot be used"),
        (("prompt.md", "--cases", "cases.jsonl"), "no model is set"),
        (("--min-pass-rate", "0"), "0"),
        (("--model", "nonsense"), "nonsense"),
        (("--ref", "main"), "is not inside a git repository"),
    ],
)
def test_usage_errors(tmp_path: Path, server: ModelServer, options: tuple[str, ...], said: str) -> None:
    write(tmp_path, server)
    outcome = gate("check", *options, cwd=tmp_path)
    assert outcome.code == 2
    assert said in outcome.err
    assert "Traceback" not in outcome.err
    assert not server.requests


def test_without_a_key_nothing_is_green(tmp_path: Path, server: ModelServer) -> None:
    write(tmp_path, server)
    text = (tmp_path / "gate.yaml").read_text()
    (tmp_path / "gate.yaml").write_text(text.replace("own:m", "openai:m"))
    outcome = gate("check", cwd=tmp_path)
    assert outcome.code == 3
    assert "OPENAI_API_KEY" in outcome.err


def test_an_interrupted_run_keeps_its_samples(tmp_path: Path, server: ModelServer) -> None:
    write(tmp_path, server)
    server.behaviour = Behaviour(latency_s=0.3)
    for number, code, answers in ((signal.SIGINT, 130, 2), (signal.SIGTERM, 3, 6)):
        process = forked.start(["check"], tmp_path, environment(tmp_path, {"GATE_CONCURRENCY": "2"}))
        while len(server.ledger) < answers:
            time.sleep(0.02)
        process.send_signal(number)
        out = "".join(process.communicate(timeout=60))
        assert process.returncode == code, out
        record = json.loads((tmp_path / ".gate/check/run.json").read_text())
        assert (record["verdict"], record["kind"]) == ("INCONCLUSIVE", "check")
    server.behaviour = Behaviour()
    again = check(tmp_path)
    # Of six answers that left the server, each signal may have cost the two that were on their way.
    assert again.code == 0
    assert again.record.calls.cached >= 6 - 2 * 2
