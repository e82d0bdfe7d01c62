"""`gate init` from the first command to the first comparison."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.e2e.scaffold.shop import CASES, PROMPT, WRITTEN, files, yaml
from tests.support import forked
from tests.support.command import environment, gate, git
from tests.support.repository import make, write

ROOT = Path(__file__).parents[3]
ECHO = ("--model", "fake:echo")


def test_with_cases_next_to_the_prompt_init_gives_a_working_gate(tmp_path: Path) -> None:
    root = make(tmp_path / "shop", {**PROMPT, "evals/support.jsonl": CASES})
    done = gate("init", *ECHO, cwd=root)
    assert done.code == 0, done.err
    assert "prompts/support.md: 12 cases from evals/support.jsonl; compared with the expected answers" in done.out
    assert "Write cases in" not in done.out
    checked = gate("validate", cwd=root)
    assert checked.code == 0, checked.err
    assert (
        "support: prompts/support.md; 12 cases from evals/support.jsonl; scored by contains, sentences" in checked.out
    )
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "gate")
    write(root, {"prompts/support.md": "You help nobody.\n"})
    compared = gate("diff", "--base", "main", "--json", cwd=root)
    assert compared.code == 0, compared.err
    assert compared.record.suites[0].quality.overall.n == 12


def test_without_cases_init_writes_rows_to_fill_in(tmp_path: Path) -> None:
    root = make(tmp_path / "shop", {"prompts/support.md": "You help {{ name }}, a customer.\nBe friendly.\n"})
    done = gate("init", cwd=root)
    assert done.code == 0, done.err
    assert "prompts/support.md: empty case file; scored by a judge" in done.out
    assert "1. Write cases in evals/support/cases.yaml" in done.out and "2. export OPENAI_API_KEY=…" in done.out
    rows = yaml(root / "evals/support/cases.yaml")
    assert rows == [
        {"id": f"case-{number}", "input": None, "vars": {"name": None}, "expected": None} for number in (1, 2, 3)
    ]
    config = (root / "gate.yaml").read_text(encoding="utf-8")
    assert 'model: "openai:gpt-5"' in config and "- Be friendly." in config
    assert "paraphrases" not in config and "refusal" not in config
    checked = gate("validate", cwd=root)
    assert checked.code == 0, checked.err
    assert "Empty case files: evals/support/cases.yaml" in checked.out
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "gate")
    write(root, {"prompts/support.md": "You help {{ name }}.\n"})
    refused = gate("diff", "--base", "main", cwd=root)
    assert refused.code == 2
    assert "evals/support/cases.yaml:5: has only empty rows" in refused.err


def test_what_is_written_satisfies_the_schemas_that_it_names(tmp_path: Path) -> None:
    root = make(tmp_path / "shop", PROMPT)
    done = gate("init", "--quiet", cwd=root, env={"OPENAI_API_KEY": "k"})
    assert done.code == 0, done.err
    assert done.out.splitlines() == WRITTEN
    for name in WRITTEN[:2]:
        first = (root / name).read_text(encoding="utf-8").partition("\n")[0]
        schema = (root / name).parent / first.removeprefix("# yaml-language-server: $schema=")
        Draft202012Validator(json.loads(schema.read_text(encoding="utf-8"))).validate(yaml(root / name))
    assert "OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}" in (root / WRITTEN[2]).read_text(encoding="utf-8")


def test_a_limit_in_dollars_is_written_only_where_the_price_is_known(tmp_path: Path) -> None:
    for name, model, written in (("known", "openai:gpt-5-mini", True), ("unknown", "openai:my-own", False)):
        root = make(tmp_path / name, PROMPT)
        assert gate("init", "--quiet", "--model", model, cwd=root).code == 0
        assert ("max_usd" in (root / "gate.yaml").read_text(encoding="utf-8")) is written


def test_a_second_init_changes_nothing_and_lists_existing_files(tmp_path: Path) -> None:
    root = make(tmp_path / "shop", PROMPT)
    gate("init", "--quiet", cwd=root)
    write(root, {"prompts/other.md": "You are another prompt.\n"})
    before = files(root)
    again = gate("init", cwd=root)
    assert again.code == 0, again.err
    assert files(root) == before
    assert "gate.yaml exists already" in again.out
    assert "It has no suite for prompts/other.md" in again.out


def test_without_a_commit_without_git_and_in_a_subfolder(tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    write(fresh, PROMPT)
    done = gate("init", cwd=fresh)
    assert done.code == 0, done.err
    assert "git init -b main && git add -A" in done.out
    unborn = tmp_path / "unborn"
    write(unborn, {**PROMPT, ".gitignore": "prompts/secret.md\n", "prompts/secret.md": "x", "src/a.py": ""})
    git(unborn, "init", "--quiet", "--initial-branch", "trunk")
    done = gate("init", "--prompt", "../prompts/support.md", cwd=unborn / "src")
    assert done.code == 0, done.err
    assert "gate diff --base trunk" in done.out
    assert (unborn / "gate.yaml").is_file()
    assert gate("validate", "--quiet", cwd=unborn / "src").code == 0


@pytest.mark.threat("file-command")
@pytest.mark.parametrize(
    ("branch", "said"),
    [("x;touch${IFS}y", "'x;touch${IFS}y'"), ("x\u2028-1", "HEAD")],
)
def test_a_branch_name_is_quoted_in_a_command(tmp_path: Path, branch: str, said: str) -> None:
    write(tmp_path, PROMPT)
    git(tmp_path, "init", "--quiet", "--initial-branch", branch)
    done = gate("init", cwd=tmp_path)
    assert done.code == 0, done.err
    assert f"gate diff --base {said}\n" in done.out
    assert f"Compare: gate diff --base {said}\n" in (tmp_path / "gate.yaml").read_text(encoding="utf-8")


@pytest.mark.threat("file-command")
def test_a_prompt_name_is_quoted_in_a_command(tmp_path: Path) -> None:
    root = make(tmp_path, {"prompts/$(touch x).md": "You help.\n"})
    assert gate("init", cwd=root).code == 0
    (form,) = root.glob("evals/*/cases.yaml")
    assert "gate generate 'prompts/$(touch x).md' --model openai:gpt-5-mini\n" in form.read_text(encoding="utf-8")


def test_on_a_terminal_it_lists_prompts_and_asks_for_a_choice(tmp_path: Path) -> None:
    many = {f"prompts/p{number}.md": f"You help with {number}." for number in range(7)}
    root = make(tmp_path / "shop", {**many, "tests/prompts/last.md": "You are tested."})
    told = answered(root, ["9\n", "2,6-7\n"])
    assert "Found 8 prompts in 8 files" in told
    assert " 8  tests/prompts/last.md  (15 characters, in tests)" in told
    assert "type numbers from 1 to 8" in told
    suites = [line for line in (root / "gate.yaml").read_text(encoding="utf-8").splitlines() if "prompt: " in line]
    assert [line.split()[-1] for line in suites] == ["prompts/p1.md", "prompts/p5.md", "prompts/p6.md"]


def answered(root: Path, answers: list[str]) -> str:
    """What the command says on a terminal to somebody who answers so."""
    leader, follower = pty.openpty()
    command = [str(forked.python(root.parent)), str(ROOT / "gate" / "__main__.py"), "init"]
    with subprocess.Popen(
        command, cwd=root, env=environment(root), stdin=follower, stdout=follower, stderr=follower
    ) as process:
        os.close(follower)
        os.write(leader, "".join(answers).encode())
        told = b""
        while True:
            try:
                chunk = os.read(leader, 4096)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            told += chunk
        process.wait(60)
    os.close(leader)
    return told.decode()
