"""A pull request that brings a prompt: comment, outputs, exit code."""

from pathlib import Path
from typing import Any

from tests.e2e.action.example import CONFIG, GOOD, SMALL, cases
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequest, PullRequestWorld

REPO = "acme/support-bot"
SUITE = "  - {name: new, prompt: prompts/new.md, cases: evals/support.jsonl, slices: [tier], scorers: [contains]"
CONFIG_WITH = CONFIG + SUITE + ", policy: {min_pass_rate: 0.8}}\n"


def run(pr: PullRequest, **options: Any) -> ActionOutcome:
    checkout = pr.checkout("merge", depth=2)
    return run_action(checkout, pr.environment(checkout, **options))


def test_a_new_prompt_blocks_until_it_is_good_enough(tmp_path: Path, server: GitHubServer) -> None:
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "evals/support.jsonl": cases(40)})
    pr = world.open({"gate.yaml": CONFIG_WITH, "prompts/new.md": "New. quality=1.0 quality[gold]=0.2\n"})
    outcome = run(pr)
    assert (outcome.code, outcome.outputs["verdict"], outcome.outputs["calls"]) == (1, "BLOCK", "40")
    assert outcome.outputs["worst-slice"] == outcome.outputs["worst-slice-upper"] == ""
    (comment,) = server.comments(REPO, 7)
    assert "BLOCK: `new/tier=gold`: " in comment.body
    assert "of the answers passed, at least 80\N{NO-BREAK SPACE}% needed" in comment.body
    assert "### New prompt `prompts/new.md`" in comment.body
    assert "**Cases that fail**" in comment.body
    assert "To merge anyway, set the label" in comment.body
    assert "### New prompt" in outcome.summary
    pr.push({"prompts/new.md": "New. quality=1.0\n"})
    mended = run(pr)
    assert (mended.code, mended.outputs["verdict"]) == (0, "PASS")
    (comment,) = server.comments(REPO, 7)
    assert "PASS: `new`: 100\N{NO-BREAK SPACE}%" in comment.body


PATTERN = """\
version: 1
defaults: {model: "fake:oracle", samples: 1}
suites:
  - name: bot
    prompt: "prompts/*.md"
    cases: evals/support.jsonl
    slices: [tier]
    scorers: [contains]
    policy: {min_pass_rate: 0.9}
"""
OWN = (
    "  - {name: mine, prompt: prompts/new.md, cases: evals/faq.jsonl, scorers: [contains], "
    "policy: {min_pass_rate: 0.01}}\n"
)


def test_a_new_file_sits_the_exam_of_the_bases_pattern_whatever_the_change_does_to_it(
    tmp_path: Path, server: GitHubServer
) -> None:
    config = PATTERN.replace("prompts/*", "prompts/s*") + OWN
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": PATTERN, "prompts/faq.md": GOOD})
    outcome = run(world.open({"gate.yaml": config, "prompts/new.md": "New. quality=0.1\n"}))
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    body = server.comments(REPO, 7)[0].body
    assert "at least 90\N{NO-BREAK SPACE}% needed" in body
    assert "the cases and scorers of" in body and "at origin/main" in body


def test_two_exams_of_the_base_are_sat_both(tmp_path: Path, server: GitHubServer) -> None:
    entry = PATTERN[PATTERN.index("  - name") :]
    lax = entry.replace("name: bot", "name: lax").replace("0.9", "0.2")
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": PATTERN + lax})
    only_lax = PATTERN[: PATTERN.index("  - name")] + lax
    outcome = run(world.open({"gate.yaml": only_lax, "prompts/new.md": "New. quality=0.6\n"}))
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    assert "at least 90\N{NO-BREAK SPACE}% needed" in server.comments(REPO, 7)[0].body
