"""`gate init --generate`: a model makes the cases, and the suite is made for them."""

import json
from pathlib import Path

from tests.e2e.generate.desk import PROMPT, Desk
from tests.support.command import git
from tests.support.model_server import Behaviour, ModelServer
from tests.support.prompt_reader import reader


def test_cases_are_made_by_the_model(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    with ModelServer(Behaviour(judgement=reader)) as server:
        desk = Desk(tmp_path, server)
        desk.write("prompts/shop.md", PROMPT)
        done = desk.gate("init", "--generate", "--no-workflow", "--json")
        assert done.code == 0, done.err
    (suite,) = json.loads(done.out)["suites"]
    assert (suite["starter"], suite["cases"]) == (False, "evals/shop/cases.yaml")
    config = (tmp_path / "gate.yaml").read_text(encoding="utf-8")
    assert "cases: evals/shop/cases.yaml" in config
    assert "slices: [rule, kind" in config
    assert "words: {max: 80}" in config
    assert "- judge:" in config
    assert (tmp_path / "evals/shop/spec.yaml").is_file()
    (looked,) = json.loads(desk.gate("validate", "--json").out)["suites"]
    assert looked["count"] > 5
