"""The whole way: a pull request event in; a comment, a summary, outputs and an exit code out."""

import json
import os
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from gate.record.run import RunRecord
from tests.e2e.action.example import BROKEN, CONFIG, PROMPT, REWORDED, SMALL
from tests.support.github_action import ACTION, ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.pull_request import Kind, PullRequest, PullRequestWorld

REPO = "acme/support-bot"


def run(pr: PullRequest, action: str = "synchronize", kind: Kind = "merge", depth: int = 1) -> ActionOutcome:
    checkout = pr.checkout(kind, depth=depth)
    return run_action(checkout, pr.environment(checkout, action=action))


def test_a_block_names_the_slice_everywhere_and_three_pushes_leave_one_comment(
    world: PullRequestWorld, server: GitHubServer
) -> None:
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("merge", depth=1)
    first = run_action(checkout, pr.environment(checkout, action="opened"))
    assert_blocked_everywhere(pr, server, checkout, first)
    pr.push({PROMPT: REWORDED})
    second = run(pr)
    pr.push({PROMPT: SMALL[PROMPT], "README.md": "# Hello\n"})
    third = run(pr)
    assert [first.code, second.code, third.code] == [1, 0, 0]
    assert [one.outputs["verdict"] for one in (first, second, third)] == ["BLOCK", "PASS", "SKIPPED"]
    (comment,) = server.comments(REPO, pr.number)
    assert first.outputs["comment-url"] == second.outputs["comment-url"] != ""
    assert "Prompt Gate: SKIPPED" in comment.body
    assert "BLOCK" not in comment.body
    assert pr.head_sha[:12] in comment.body
    assert len(server.requests("POST", "/issues/7/comments$")) == 1


def assert_blocked_everywhere(pr: PullRequest, server: GitHubServer, checkout: Path, outcome: ActionOutcome) -> None:
    assert "BLOCK: `tier=gold` dropped" in server.comments(REPO, pr.number)[0].body
    assert "BLOCK: `tier=gold` dropped" in outcome.summary
    assert "::error title=Prompt Gate::BLOCK: tier=gold dropped" in outcome.out
    outputs = outcome.outputs
    assert outputs["worst-slice"] == "tier=gold"
    assert float(outputs["worst-slice-upper"]) < 0
    assert outputs["calls"] == "40"
    record = RunRecord.model_validate_json((checkout / outputs["result-json"]).read_bytes())
    assert (record.verdict, record.exit_code, record.commit) == (Verdict.BLOCK, 1, pr.head_sha)
    assert (checkout / outputs["report-path"]).read_text().startswith("<!doctype html>")
    arms = record.suites[0]
    assert (arms.baseline.ref, arms.baseline.sha) == ("origin/main", pr.world.main_sha)
    assert (arms.candidate.ref, arms.candidate.sha) == ("refs/pull/7/merge", pr.merge_sha)
    assert pr.world.git(checkout, "status", "--porcelain") == ""


def test_a_checkout_of_the_head_alone_gives_the_same_verdict(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("head", depth=1)
    outcome = run_action(checkout, pr.environment(checkout, action="opened"))
    assert (outcome.code, outcome.outputs["worst-slice"]) == (1, "tier=gold")
    arms = json.loads((checkout / outcome.outputs["result-json"]).read_text())["suites"][0]
    assert (arms["baseline"]["sha"], arms["candidate"]["sha"]) == (world.main_sha, pr.merge_sha)


def test_what_main_did_meanwhile_is_not_blamed_on_the_change(world: PullRequestWorld) -> None:
    pr = world.open({"prompts/faq.md": "Answer shortly. quality=1.0\n"})
    world.commit_to_main({PROMPT: BROKEN})
    assert pr.event()["pull_request"]["base"]["sha"] != world.main_sha
    outcome = run(pr)
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "PASS")


def test_nothing_touched_is_skipped_without_a_comment(world: PullRequestWorld, server: GitHubServer) -> None:
    outcome = run(world.open({"README.md": "# Hello\n"}), "opened", "none")
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "SKIPPED")
    assert "SKIPPED" in outcome.summary
    assert server.comments(REPO, 7) == []


AGENT = """\
  - name: agent
    prompt: prompts/agent.md
    cases: evals/faq.jsonl
    target: {tools: {servers: {shop: {url: 'http://127.0.0.1:9/mcp'}}}}
    scorers: [contains, {database: {url: SHOP_DB, conversation: {table: talks, key: id}}}]
"""


def test_a_skipped_run_loads_nothing_that_calls_a_model_or_a_tool(tmp_path: Path, server: GitHubServer) -> None:
    files = SMALL | {"gate.yaml": CONFIG + AGENT, "prompts/agent.md": "Use the tools.\n"}
    pr = PullRequestWorld.make(tmp_path, server, files).open({"README.md": "# Hello\n"})
    checkout = pr.checkout("merge", depth=2)
    spy = tmp_path / "spy"
    spy.mkdir()
    loaded = tmp_path / "loaded.txt"
    (spy / "sitecustomize.py").write_text(
        f"import atexit, sys\natexit.register(lambda: open({str(loaded)!r}, 'w').write(' '.join(sys.modules)))\n"
    )
    outcome = run_action(checkout, pr.environment(checkout) | {"PYTHONPATH": f"{spy}{os.pathsep}{ACTION.parent}"})
    assert outcome.outputs["verdict"] == "SKIPPED", outcome.out
    modules = set(loaded.read_text().split())
    assert "gate.action.entry" in modules
    models, tools = {"openai", "anthropic", "xllamacpp", "aiohttp", "genai_prices"}, {"mcp", "sqlalchemy", "psycopg"}
    assert not modules & (models | tools | {"numpy", "markdown_it", "opentelemetry"})


@pytest.mark.threat("may-first-eval-set")
def test_the_first_pull_request_brings_the_exam_and_says_so(tmp_path: Path, server: GitHubServer) -> None:
    world = PullRequestWorld.make(
        tmp_path, server, {"README.md": "# x\n", PROMPT: SMALL[PROMPT], "prompts/faq.md": "Hi. quality=1.0\n"}
    )
    pr = world.open({path: text for path, text in SMALL.items() if path != PROMPT} | {PROMPT: BROKEN})
    outcome = run(pr, "opened")
    assert outcome.code == 1
    assert "gate.yaml is new" in outcome.out
    assert "`gate.yaml` is new" in server.comments(REPO, 7)[0].body


def test_a_fork_that_was_deleted_is_judged_all_the_same(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    pr.delete_fork()
    outcome = run(pr, "opened")
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    assert server.comments(REPO, 7) == []  # a fork's token may not write
    assert "the report is in the job summary" in outcome.out


def test_a_real_sdk_against_a_server_with_a_ledger(tmp_path: Path, server: GitHubServer) -> None:
    config = CONFIG.replace("fake:oracle", "openai:gpt-4o-mini")
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": config})
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("merge", depth=1)
    with ModelServer() as models:
        keys = {"OPENAI_BASE_URL": f"{models.url}/v1", "OPENAI_API_KEY": "sk-loopback-openai"}
        outcome = run_action(checkout, pr.environment(checkout, action="opened") | keys)
        assert (outcome.code, outcome.outputs["worst-slice"]) == (1, "tier=gold")
        assert outcome.outputs["calls"] == str(len(models.ledger)) == "40"
        everything = [
            entry
            for path in (checkout / ".gate").rglob("*")
            if path.is_file()
            for entry in [path.read_text(errors="replace")]
        ]
    told = "\n".join([outcome.out, outcome.err, outcome.summary, server.comments(REPO, 7)[0].body, *everything])
    assert "sk-loopback" not in told
    assert "workflow-token" not in told


def test_a_merge_commit_of_another_head_is_not_taken(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: REWORDED})
    old = pr.environment(pr.checkout("none"))
    pr.push({PROMPT: BROKEN})
    checkout = pr.checkout("head", depth=0)
    env = pr.environment(checkout) | {"GITHUB_SHA": old["GITHUB_SHA"]}
    outcome = run_action(checkout, env)
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
