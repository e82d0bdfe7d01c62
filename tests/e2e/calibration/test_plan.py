"""`gate plan` as a process: no call, no key, and what it says is what a run then does."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import gate, git, write_jsonl
from tests.support.example import FILES
from tests.support.model_server import Behaviour, ModelServer


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    return tmp_path


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Behaviour(latency_s=0.05)) as running:
        yield running


def planned(repo: Path, *more: str, env: dict[str, str] | None = None) -> Any:
    outcome = gate("plan", "--json", *more, cwd=repo)
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def sold(repo: Path, server: ModelServer, extra: str = "", samples: int = 2) -> None:
    """One suite by a model with a price, at a server of ours."""
    (repo / "gate.yaml").write_text(
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\n"
        f"{extra}suites:\n  - name: support\n    prompt: prompts/support.md\n    samples: {samples}\n"
        "    cases: evals/support.jsonl\n    model: own:gpt-4o-mini\n"
        "    scorers: [contains]\n    slices: [tier]\n"
    )


def test_every_suite_is_planned_against_itself(repo: Path) -> None:
    found = planned(repo)
    assert found["schema"] == "prompt-gate/plan/1"
    assert [suite["name"] for suite in found["suites"]] == ["support", "faq"]
    assert found["spending"]["calls"] == 2 * 2 * (40 + 12)
    assert found["spending"]["cost"] == {"why": "n/a"}
    assert [row["slice"] for row in found["suites"][0]["slices"]] == [
        "support/overall",
        "support/tier=free",
        "support/tier=gold",
    ]
    assert not (repo / ".gate").exists()


def test_a_change_is_planned_as_the_run_would_be_made(repo: Path) -> None:
    assert planned(repo, "--base", "main")["spending"]["calls"] == 0
    (repo / "prompts/faq.md").write_text("Answer well. quality=1.0\n")
    found = planned(repo, "--base", "main")
    assert [suite["name"] for suite in found["suites"]] == ["faq"]
    made = gate("diff", "--base", "main", "--json", "--no-early-stop", cwd=repo).record
    assert found["spending"]["calls"] == made.calls.made
    assert found["tested"] == made.method.slices_tested


TOOLS = """
tools:
  - {name: look, description: Looks., answers: [{result: word1}]}
"""


def conversing(repo: Path, server: ModelServer, target: str = "", samples: int = 1, budget: str = "") -> None:
    """One suite of 4 conversations with three rounds, and a candidate prompt that is another."""
    rounds = [{"prompt": f"answer=word{turn}"} for turn in range(3)]
    write_jsonl(repo / "evals/support.jsonl", [{"name": f"c{i}", "rounds": rounds} for i in range(4)])
    (repo / "tools.yaml").write_text(TOOLS)
    (repo / "gate.yaml").write_text(
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\n"
        f"{budget}suites:\n  - name: support\n    prompt: prompts/support.md\n    samples: {samples}\n"
        f"    cases: evals/support.jsonl\n    model: own:gpt-4o-mini\n{target}"
        "    scorers: [{contains: {value: word}}]\n"
    )
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "two")
    (repo / "prompts/support.md").write_text("Help well. quality=1.0\n")


def test_a_conversation_is_planned_round_by_round(repo: Path, server: ModelServer) -> None:
    conversing(repo, server)
    found = planned(repo, "--base", "HEAD")
    made = gate("diff", "--base", "HEAD", "--json", cwd=repo).record
    assert found["spending"]["calls"] == made.calls.made == server.requests == 2 * 4 * 3
    assert not any(outlay["at_least"] for outlay in found["spending"]["outlays"])


def test_an_agent_with_tools_calls_at_least_once_a_round(repo: Path, server: ModelServer) -> None:
    server.behaviour = Behaviour(talk=lambda one: one.used[0].result if one.used else [("look", {})])
    conversing(repo, server, "    target: {tools: {fixtures: tools.yaml}}\n")
    outcome = gate("plan", "--base", "HEAD", cwd=repo)
    assert re.match(r"at least 24 calls, at least \$[\d.]+, at least ", outcome.out)
    assert "≥ 12" in outcome.out
    assert "≥ at least: only a run shows how many calls an agent makes" in " ".join(outcome.out.split())
    made = gate("diff", "--base", "HEAD", "--json", cwd=repo).record
    assert made.calls.made == 2 * 4 * 3 * 2
    measured = gate("plan", "--base", "HEAD", cwd=repo)
    assert re.match(r"at least 24 calls, about \$[\d.]+, about ", measured.out)
    cost = planned(repo, "--base", "HEAD")["spending"]["cost"]["amount"]
    assert cost == pytest.approx(made.spent_usd, rel=0.05)


def test_no_key_is_needed_and_nobody_is_asked(repo: Path, server: ModelServer) -> None:
    sold(repo, server)
    found = planned(repo)
    assert server.requests == 0
    assert found["spending"]["cost"]["amount"] > 0
    config = (repo / "gate.yaml").read_text()
    (repo / "gate.yaml").write_text(config.replace("gpt-4o-mini", "our-own"))
    unknown = planned(repo)
    assert unknown["spending"]["cost"] == {"why": "unknown"}
    assert "our-own" in unknown["spending"]["cost_note"]
    (repo / "gate.yaml").write_text("prices: {our-own: {input: 1, output: 2}}\n" + (repo / "gate.yaml").read_text())
    assert planned(repo)["spending"]["cost"]["amount"] > 0


def test_what_a_run_measured_is_what_the_next_plan_says(repo: Path, server: ModelServer) -> None:
    sold(repo, server, samples=1)
    git(repo, "commit", "--quiet", "--all", "--message", "two")
    (repo / "prompts/support.md").write_text("Help. quality=1.0\n")
    made = gate("diff", "--base", "HEAD", "--json", "--no-early-stop", cwd=repo).record
    found = planned(repo, "--base", "HEAD")
    assert found["spending"]["calls"] == made.calls.made == len(server.ledger)
    assert made.spent_usd is not None
    assert found["spending"]["cost"]["amount"] == pytest.approx(made.spent_usd, rel=0.02)
    for outlay in found["spending"]["outlays"]:
        assert outlay["input_tokens"]["basis"] == outlay["seconds"]["basis"] == "measured"
        assert 0.05 <= outlay["seconds"]["value"] < 5
    told = sum(outlay["input_tokens"]["value"] for outlay in found["spending"]["outlays"])
    assert told == pytest.approx(sum(entry.input_tokens for entry in server.ledger), rel=0.05)


def test_a_budget_that_would_not_suffice_is_told_before_the_first_call(repo: Path, server: ModelServer) -> None:
    sold(repo, server, "budget: {max_calls: 10, max_usd: 0.0001}\n")
    outcome = gate("plan", cwd=repo)
    assert outcome.code == 0
    flat = " ".join(outcome.out.split())
    assert "warning: budget.max_calls is 10, and the run needs 160 calls" in flat
    assert "warning: budget.max_usd is $0.0001" in flat
    config = (repo / "gate.yaml").read_text()
    (repo / "gate.yaml").write_text(config.replace("gpt-4o-mini", "our-own"))
    assert "budget.max_usd does not count every call" in " ".join(gate("plan", "--quiet", cwd=repo).out.split())
    assert server.requests == 0


def test_what_lies_under_the_folder_of_runs_cannot_break_a_plan(repo: Path, tmp_path: Path) -> None:
    for name, text in {"broken": "{", "newer": '{"schema": "prompt-gate/run/9"}', "other": "[]"}.items():
        (repo / ".gate" / name).mkdir(parents=True)
        (repo / ".gate" / name / "run.json").write_text(text)
    (repo / ".gate/link").mkdir()
    os.symlink("/dev/zero", repo / ".gate/link/run.json")
    assert {suite["spread"]["basis"] for suite in planned(repo)["suites"]} == {"assumed"}


def forge(repo: Path, damage: str, value: object) -> None:
    """A run as `gate diff` made it, with one number changed everywhere."""
    path = repo / ".gate/last/run.json"
    data = json.loads(path.read_text())
    for suite in data["suites"]:
        if damage == "scores":
            for one in suite["cases"]:
                one["candidate"] = [value] * len(one["candidate"])
        for axis in ("cost", "latency"):
            for arm in ("baseline", "candidate"):
                if damage == "mean":
                    suite[axis][arm]["mean"] = value
                elif damage == "tokens":
                    kinds = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
                    suite[axis][arm]["usage"] = dict.fromkeys(kinds, value)
    path.write_text(json.dumps(data))


def test_a_run_that_is_forged_or_that_git_tracks_is_not_believed(repo: Path) -> None:
    (repo / "prompts/support.md").write_text("Answer well. quality=1.0\n")
    gate("diff", "--base", "main", cwd=repo)
    assert {suite["spread"]["basis"] for suite in planned(repo, "--suite", "support")["suites"]} == {"measured"}
    made = (repo / ".gate/last/run.json").read_bytes()
    for damage, value in (("scores", 1e308), ("mean", -1), ("tokens", 10**299)):
        forge(repo, damage, value)
        found = planned(repo, "--suite", "support")
        assert {suite["spread"]["basis"] for suite in found["suites"]} == {"assumed"}, damage
        assert sum("Skipped: .gate/last/run.json is not a complete run" in note for note in found["notes"]) == 1
        (repo / ".gate/last/run.json").write_bytes(made)
    git(repo, "add", "--force", ".gate/last/run.json")
    found = planned(repo, "--suite", "support")
    assert {suite["spread"]["basis"] for suite in found["suites"]} == {"assumed"}
    assert any(".gate/last/run.json is tracked by git" in note for note in found["notes"])
