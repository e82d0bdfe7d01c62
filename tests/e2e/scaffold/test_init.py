"""`gate init` in repositories as people have them."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from gate.cases.files import line_of
from tests.e2e.scaffold.shop import PROMPT, WRITTEN, files, yaml
from tests.support import forked
from tests.support.command import environment, gate, git
from tests.support.repository import make, write

ROOT = Path(__file__).parents[3]


def test_a_new_user_gets_a_gate_that_is_valid_and_runs(tmp_path: Path) -> None:
    root = make(tmp_path / "shop", PROMPT)
    done = gate("init", "--model", "fake:echo", cwd=root)
    assert done.code == 0, done.err
    assert [line.removeprefix("wrote ") for line in done.out.splitlines() if line.startswith("wrote ")] == WRITTEN
    assert "gate diff --base main" in done.out
    checked = gate("validate", cwd=root)
    assert checked.code == 0, checked.err
    assert "1 suite, 1 prompt, 20 cases, 4 scorers; no mistakes" in checked.out
    assert "all cases are starter cases" in checked.out
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "gate")
    write(root, {"prompts/support.md": "You help nobody.\n"})
    compared = gate("diff", "--base", "main", "--json", cwd=root)
    assert compared.code == 0, compared.err
    assert compared.record.suites[0].quality.overall.n == 20


def test_what_no_scorer_reads_is_said_at_once_and_when_it_changes(tmp_path: Path) -> None:
    text = "Answer in at most two sentences.\nDo not use emojis.\nEnd with a question.\nAlways be polite.\n"
    root = make(tmp_path / "shop", {"prompts/support.md": text})
    told = "prompts/support.md: no scorer reads 1 of its 4 orders"
    begun = gate("init", "--model", "fake:echo", cwd=root)
    assert f"note: {told}" in begun.out, begun.err
    assert "“Always be polite.”" in begun.out
    names = gate("validate", cwd=root).out
    assert "sentences, no emoji, a question at the end" in names
    assert told in names
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "gate")
    write(root, {"prompts/support.md": text.replace("Always be polite", "Be rude to everybody")})
    compared = gate("diff", "--base", "main", "--json", cwd=root)
    assert compared.record.verdict == "PASS"
    assert [note for note in compared.record.notes if "no scorer reads 2 orders that changed" in note], compared.err


def test_what_is_written_satisfies_the_schemas_that_it_names(tmp_path: Path) -> None:
    root = make(tmp_path / "shop", PROMPT)
    assert gate("init", "--quiet", cwd=root, env={"OPENAI_API_KEY": "k"}).out.splitlines() == WRITTEN
    for name in ("gate.yaml", "evals/support/cases.yaml"):
        first = (root / name).read_text(encoding="utf-8").partition("\n")[0]
        schema = (root / name).parent / first.removeprefix("# yaml-language-server: $schema=")
        Draft202012Validator(json.loads(schema.read_text(encoding="utf-8"))).validate(yaml(root / name))
    config = (root / "gate.yaml").read_text(encoding="utf-8")
    assert 'model: "openai:gpt-5-mini"' in config
    assert "template: evals/judge.md.j2" in config
    assert "OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}" in (root / WRITTEN[3]).read_text(encoding="utf-8")


def test_a_second_time_changes_nothing_and_names_what_it_keeps(tmp_path: Path) -> None:
    root = make(tmp_path / "shop", PROMPT)
    gate("init", "--quiet", cwd=root)
    write(root, {"prompts/other.md": "You are another prompt.\n"})
    before = files(root)
    again = gate("init", cwd=root)
    assert again.code == 0, again.err
    assert files(root) == before
    assert "kept gate.yaml: it is there already" in again.out
    assert "no suite examines prompts/other.md" in again.out
    assert "nothing to write" in again.out


def test_cases_that_are_there_are_kept_and_used(tmp_path: Path) -> None:
    row = line_of({"id": "1", "input": "x", "expected": "y"})
    own = {**PROMPT, "evals/support/cases.yaml": "- {id: a, input: b}\n", "data/other.jsonl": row}
    root = make(tmp_path / "shop", own)
    assert gate("init", "--quiet", "--no-workflow", cwd=root).code == 0
    assert (root / "evals/support/cases.yaml").read_text(encoding="utf-8") == "- {id: a, input: b}\n"
    (root / "gate.yaml").unlink()
    done = gate("init", "--quiet", "--no-workflow", "--cases", "data/other.jsonl", cwd=root)
    assert done.code == 0, done.err
    assert "cases: data/other.jsonl" in (root / "gate.yaml").read_text(encoding="utf-8")


def test_without_a_commit_without_git_and_in_a_subfolder(tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    write(fresh, PROMPT)
    done = gate("init", cwd=fresh)
    assert done.code == 0, done.err
    assert "  git init -b main\n" in done.out
    unborn = tmp_path / "unborn"
    write(unborn, {**PROMPT, ".gitignore": "prompts/secret.md\n", "prompts/secret.md": "x", "src/a.py": ""})
    git(unborn, "init", "--quiet", "--initial-branch", "trunk")
    done = gate("init", "--prompt", "../prompts/support.md", cwd=unborn / "src")
    assert done.code == 0, done.err
    assert "gate diff --base trunk" in done.out
    assert (unborn / "gate.yaml").is_file()
    assert gate("validate", "--quiet", cwd=unborn / "src").code == 0


@pytest.mark.parametrize(
    ("branch", "said"),
    [("x;touch${IFS}y", "'x;touch${IFS}y'"), ("x\u2028-1", "HEAD")],
)
def test_a_branch_of_any_name_is_one_word_of_a_command(tmp_path: Path, branch: str, said: str) -> None:
    write(tmp_path, PROMPT)
    git(tmp_path, "init", "--quiet", "--initial-branch", branch)
    done = gate("init", cwd=tmp_path)
    assert done.code == 0, done.err
    assert f"  gate diff --base {said}\n" in done.out
    assert f"`gate diff --base {said}`" in (tmp_path / "gate.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("prompts/$(touch x).md", "'prompts/$(touch x).md'"),
        ("prompts/a; touch x;.md", "'prompts/a; touch x;.md'"),
        ("--config=x-prompt.md", "./--config=x-prompt.md"),
    ],
)
def test_a_prompt_of_any_name_is_one_word_of_a_command(tmp_path: Path, prompt: str, said: str) -> None:
    case = '{"id": "a", "input": "What do you sell?", "vars": {"a": "b"}}\n'
    root = make(tmp_path, {prompt: f"{PROMPT['prompts/support.md']}", "evals/cases.jsonl": case})
    done = gate("init", "--cases", "evals/cases.jsonl", cwd=root)
    assert done.code == 0, done.err
    assert f"  edit {said}\n" in done.out
    assert f"gate generate {said} --model" in done.out


def test_on_a_terminal_it_asks_and_a_no_writes_nothing(tmp_path: Path) -> None:
    root = make(tmp_path / "shop", PROMPT)
    told = answered(root, ["echo\n", "fake:echo\n", "n\n", "y\n"])
    assert "names no provider" in told and "error:" not in told
    assert "Which model answers" in told
    assert "Write the GitHub workflow?" in told
    assert 'model: "fake:echo"' in (root / "gate.yaml").read_text(encoding="utf-8")
    assert not (root / ".github").exists()
    before = files(root)
    (root / "gate.yaml").unlink()
    answered(root, ["\n", "\n", "n\n"])
    assert not (root / "gate.yaml").exists()
    assert files(root).keys() == before.keys() - {"gate.yaml"}


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
