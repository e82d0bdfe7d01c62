"""What `pre-commit` finds in the repository: hooks whose commands are there, for files that they are meant for."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pre_commit.clientlib import load_manifest

from gate.cli.app import cli
from gate.errors import InputErrors
from gate.scaffold.files import CASES_SCHEMA
from tests.support.command import write_jsonl

HOOKS: list[dict[str, Any]] = load_manifest(Path(__file__).parents[2] / ".pre-commit-hooks.yaml")
CASE = {"id": "a", "input": "hi", "expected": "ho", "description": "greets"}


def test_the_hooks() -> None:
    assert [hook["id"] for hook in HOOKS] == ["gate-validate", "gate-cases-lint", "gate-diff"]
    assert {hook["language"] for hook in HOOKS} == {"python"}
    # Money is spent on a push or by hand, never at a commit.
    assert HOOKS[2]["stages"] == ["pre-push", "manual"] and not HOOKS[2]["pass_filenames"]


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_their_commands_take_their_options(hook: dict[str, Any]) -> None:
    program, *words = hook["entry"].split()
    files = ["a", "b"] if hook["pass_filenames"] else []
    done = CliRunner().invoke(cli, [*words, *hook["args"], *files, "--help"])
    assert program == "gate" and done.exit_code == 0


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("evals/support/cases.jsonl", True),
        ("cases.yaml", True),
        ("evals/cases_de.json", True),
        ("evals/support/rubric.yaml", False),
        ("docs/cases.md", False),
        ("evals/support/cases.csv", True),
        (CASES_SCHEMA, False),
    ],
)
def test_which_files_are_linted(path: str, meant: bool) -> None:
    hook = HOOKS[1]
    assert (bool(re.search(hook["files"], path)) and not re.search(hook["exclude"], path)) is meant


@pytest.mark.parametrize("path", ["gate.yaml", "services/billing/prompts/reply.md", "evals/a/cases.yaml"])
def test_what_a_configuration_may_name_is_looked_through(path: str) -> None:
    assert re.search(HOOKS[0]["files"], path)


def test_several_files_are_linted_at_once(tmp_path: Path) -> None:
    good = write_jsonl(tmp_path / "cases.jsonl", [CASE])
    other = write_jsonl(tmp_path / "cases2.jsonl", [CASE])
    done = CliRunner().invoke(cli, ["cases", "lint", str(good), str(other)])
    assert done.exit_code == 0 and done.output.count("1 case, no errors") == 2
    one = write_jsonl(tmp_path / "cases3.jsonl", [{"id": "b"}])
    two = tmp_path / "none.jsonl"
    done = CliRunner().invoke(cli, ["cases", "lint", str(one), str(good), str(two)])
    assert isinstance(done.exception, InputErrors)
    assert [problem.file for problem in done.exception.problems] == [str(one), str(two)]
    assert "1 case, no errors" in done.output
    done = CliRunner().invoke(cli, ["cases", "lint", "--json", str(good), str(other)])
    assert [found["source"] for found in json.loads(done.output)] == [str(good), str(other)]
    done = CliRunner().invoke(cli, ["cases", "lint", "--json", str(good), str(two)])
    assert isinstance(done.exception, InputErrors) and done.output == ""
