"""`gate init --generate`: a model drafts the cases, and the suite uses them."""

import json
from pathlib import Path

from tests.e2e.generate.desk import PROMPT, Desk
from tests.support.command import git
from tests.support.model_server import Behaviour, ModelServer
from tests.support.prompt_reader import reader


def test_cases_are_drafted_after_the_cost_is_shown(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    with ModelServer(Behaviour(judgement=reader)) as server:
        desk = Desk(tmp_path, server)
        desk.write("prompts/shop.md", PROMPT)
        desk.write("bot.py", f'ROUTER_PROMPT = """{PROMPT}Route it."""\n')
        assert "can draft cases" not in desk.gate("init", "--no-workflow", "--dry-run").out
        done = desk.gate("init", "--generate", "--no-workflow")
        assert done.code == 0, done.err
    assert "openai:gpt-5-mini can draft cases for 2 prompts: about " in done.out and "$" in done.out
    config = (tmp_path / "gate.yaml").read_text(encoding="utf-8")
    assert "cases: evals/shop/cases.yaml" in config and "cases: evals/router_prompt/cases.yaml" in config
    assert "slices: [" in config
    assert "words: {max: 80}" in config
    assert "- judge:" in config
    assert (tmp_path / "evals/shop/spec.yaml").is_file()
    looked = json.loads(desk.gate("validate", "--json").out)
    assert looked["waiting"] == []
    assert all(one["count"] > 2 for one in looked["suites"])


def test_failed_drafting_leaves_rows_to_fill_in(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    with ModelServer(Behaviour(judgement=lambda system, user: "nothing")) as server:
        desk = Desk(tmp_path, server)
        desk.write("prompts/shop.md", PROMPT)
        done = desk.gate("init", "--generate")
    assert done.code == 0, done.err
    assert "no cases were drafted" in done.out
    assert "Write cases in evals/shop/cases.yaml" in done.out
