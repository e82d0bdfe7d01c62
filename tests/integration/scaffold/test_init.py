"""`gate init` in repositories as people have them."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from gate.casefiles.jsonlines import line_of
from gate.cli.init_run import InitOptions, execute
from gate.errors import GateError, InputErrors
from gate.flows.scaffold.proposing import Tools
from gate.formats.bundle import Bundle, BundleSuite, Loss
from gate.inputs.nodes import plain
from gate.inputs.problems import Problems
from gate.inputs.yamltext import parse_yaml
from tests.support.command import environment, gate, git
from tests.support.repository import make, write

PROMPT = {"prompts/support.md": "You help the customers of a shop.\nAnswer in at most two sentences.\n"}
WRITTEN = [
    "gate.yaml",
    "evals/support/cases.yaml",
    "evals/judge.md.j2",
    ".github/workflows/prompt-gate.yml",
    "evals/schemas/gate.schema.json",
    "evals/schemas/cases.schema.json",
]


def files(root: Path) -> dict[str, bytes]:
    found = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.relative_to(root).parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def yaml(path: Path) -> object:
    problems = Problems(path.name)
    root = parse_yaml(path.read_text(encoding="utf-8"), problems)
    problems.check()
    assert root is not None
    return plain(root)


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
    write(root, {"prompts/support.md": text.replace("two sentences", "nine sentences")})
    compared = gate("diff", "--base", "main", "--json", cwd=root)
    assert not any("no scorer reads" in note for note in compared.record.notes)


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
    assert "?" not in answered(root, [])
    assert files(root) == before


def test_cases_that_are_there_are_kept_and_used(tmp_path: Path) -> None:
    row = line_of({"id": "1", "input": "x", "expected": "y"})
    own = {**PROMPT, "evals/support/cases.yaml": "- {id: a, input: b}\n", "data/other.jsonl": row}
    root = make(tmp_path / "shop", own)
    assert gate("init", "--quiet", "--no-schema", "--no-workflow", cwd=root).code == 0
    assert (root / "evals/support/cases.yaml").read_text(encoding="utf-8") == "- {id: a, input: b}\n"
    (root / "gate.yaml").unlink()
    done = gate("init", "--quiet", "--no-schema", "--no-workflow", "--cases", "data/other.jsonl", cwd=root)
    assert done.code == 0, done.err
    assert "cases: data/other.jsonl" in (root / "gate.yaml").read_text(encoding="utf-8")


def test_a_table_beside_a_prompt_is_its_exam_where_it_asks_something(tmp_path: Path) -> None:
    rows = "\n".join(f"Question {number}?;yes" for number in range(12))
    tables = {"evals/support.csv": f"Question;Expected answer\n{rows}\n", "data/support.csv": "Ticket;State\n1;open\n"}
    root = make(tmp_path / "shop", {**PROMPT, **tables})
    done = gate("init", "--model", "fake:echo", cwd=root)
    assert done.code == 0, done.err
    assert "valid: 1 suite, 12 cases" in done.out
    (suite,) = yaml(root / "gate.yaml")["suites"]  # type: ignore[index, call-overload]
    assert suite["cases"] == "evals/support.csv"


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    root = make(tmp_path / "shop", PROMPT)
    done = gate("init", "--dry-run", cwd=root)
    assert [line.removeprefix("would write ") for line in done.out.splitlines() if "would" in line] == WRITTEN
    assert files(root).keys() == PROMPT.keys()


def test_without_a_commit_without_git_and_in_a_subfolder(tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    write(fresh, PROMPT)
    done = gate("init", cwd=fresh)
    assert done.code == 0, done.err
    assert "  git init -b main\n" in done.out
    assert gate("validate", "--quiet", cwd=fresh).code == 0
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--prompt", "prompts/none.md"], "there is no such file"),
        (["--prompt", "../x.md"], "lies outside"),
        (["--prompt", "python:bot.prompts:build"], "is a function"),
        (["--cases", "none.jsonl"], "there is no file none.jsonl"),
        (["--cases", "prompts/support.md"], "is no case file"),
        (["--model", "gpt-5"], "names no provider"),
        (["--action", "nothing"], "names no action"),
        (["--config", "../gate.yaml"], "leaves the repository"),
        (["--from", "none.yaml"], "there is no file none.yaml"),
        (["--from", "a", "--prompt", "b"], "both say"),
    ],
)
def test_a_mistake_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    root = make(tmp_path / "shop", PROMPT)
    monkeypatch.chdir(root)
    with pytest.raises(GateError, match=said):
        execute(options(*arguments))
    assert files(root).keys() == PROMPT.keys()


def test_nothing_is_left_where_one_file_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make(tmp_path / "shop", {**PROMPT, ".github": "a file, and no folder"})
    monkeypatch.chdir(root)
    before = files(root)
    with pytest.raises(GateError, match="cannot write"):
        execute(options())
    assert files(root) == before
    assert not (root / "evals").exists()


def test_a_link_that_leads_out_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    root = make(tmp_path / "shop", PROMPT)
    (root / "evals").symlink_to(outside)
    monkeypatch.chdir(root)
    with pytest.raises(GateError, match="symbolic link"):
        execute(options())
    assert not list(outside.iterdir())
    assert not (root / "gate.yaml").exists()


def test_a_configuration_elsewhere_is_named_in_the_workflow(tmp_path: Path) -> None:
    root = make(tmp_path / "shop", PROMPT)
    for extra in ([], ["--model", "openai:gpt-5-mini"], ["--model", "fake:echo"]):
        done = gate("init", "--config", "bot/gate.yaml", *extra, cwd=root)
        assert "gate diff --base main --config bot/gate.yaml" in done.out
        text = (root / WRITTEN[3]).read_text(encoding="utf-8")
        assert "INPUT_CONFIG: bot/gate.yaml" in text or "with: {config: bot/gate.yaml}" in text
        assert isinstance(yaml(root / WRITTEN[3]), dict)
        first = (root / "bot/gate.yaml").read_text(encoding="utf-8").partition("\n")[0]
        assert first == "# yaml-language-server: $schema=../evals/schemas/gate.schema.json"
        git(root, "clean", "--force", "-d", "--quiet")


def test_three_hundred_prompts_are_one_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make(tmp_path / "shop", {f"prompts/p{number}.md": f"You are {number}.\n" for number in range(300)})
    monkeypatch.chdir(root)
    execute(options("--quiet"))
    (suite,) = yaml(root / "gate.yaml")["suites"]  # type: ignore[index, call-overload]
    assert suite["prompt"] == "prompts/*.md"


def test_a_prompt_that_no_made_up_case_fits_is_left_out_and_told(tmp_path: Path) -> None:
    root = make(tmp_path / "shop", {**PROMPT, "prompts/odd.j2": "{{ 1 // (text | length - text | length) }}"})
    done = gate("init", cwd=root)
    assert done.code == 0, done.err
    assert "left out: prompts/odd.j2: line 1: " in done.out
    assert gate("validate", "--quiet", cwd=root).code == 0
    named = gate("init", "--config", "x.yaml", "--prompt", "prompts/odd.j2", cwd=root)
    assert named.code == 2
    assert "error: prompts/odd.j2:1: " in named.err
    assert not (root / "x.yaml").exists()


def test_prompts_in_code_are_told(tmp_path: Path) -> None:
    code = 'SYSTEM_PROMPT = "You are a helpful assistant, and answer every question."\n'
    root = make(tmp_path / "shop", {**PROMPT, "src/app.py": code})
    done = gate("init", "--find-in-code", "--dry-run", cwd=root)
    assert done.code == 0
    assert "in code: src/app.py:1: SYSTEM_PROMPT" in done.out


def test_a_bundle_of_another_tool_comes_along_and_its_losses_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = make(tmp_path / "shop", {"other.config": "x", **PROMPT})
    monkeypatch.chdir(root)
    cases = tuple({"id": str(number), "input": "x", "expected": "y", "slices": {"lang": "en"}} for number in range(12))
    suite = BundleSuite("Brought", "prompts/brought.md", cases, ("contains",), "fake:echo", {}, ("lang",))
    loss = Loss("other.config:3", "the assertion 'rouge-n' of <img src=x> is not brought along", "use @similarity")

    def read(text: str, file: str, *_: object) -> Bundle:
        return Bundle("other", {"prompts/brought.md": "You help.\n"}, (suite,), (loss,))

    execute(options("--from", "other.config"), Tools(lambda path: path == "other.config", read))
    told = capsys.readouterr().out
    assert "other.config (other): 1 suite, 12 cases, 1 loss" in told
    assert "other.config: 1 thing lost, or put differently:\n  other.config:3: the assertion 'rouge-n'" in told
    kept = (root / "evals/not-brought-along.md").read_text(encoding="utf-8")
    assert "- `other.config:3`: the assertion 'rouge-n' of \\<img src=x\\> is" in kept
    assert "@similarity" not in kept
    assert (root / "prompts/brought.md").read_text(encoding="utf-8") == "You help.\n"
    checked = gate("validate", "--json", cwd=root)
    (looked,) = json.loads(checked.out)["suites"]
    assert (looked["name"], looked["count"], looked["model"]) == ("Brought", 12, "fake:echo")


def test_a_bundle_that_comes_a_second_time_leaves_its_prompts_where_they_are(tmp_path: Path) -> None:
    bundle = "prompts: ['Say {{ x }}.']\nproviders: [fake:echo]\ntests: [{vars: {x: hi}}]\n"
    root = make(tmp_path / "x", {"promptfooconfig.yaml": bundle})
    words = ("init", "--from", "promptfooconfig.yaml", "--model", "fake:echo")
    assert gate(*words, cwd=root).code == 0
    before = files(root)
    (root / "gate.yaml").unlink()
    again = gate(*words, cwd=root)
    assert again.code == 0 and "kept prompts/prompt.j2" in again.out
    assert files(root) == before


def test_a_bundle_without_cases_gets_starter_cases_and_keeps_its_scorers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make(tmp_path / "shop", {"other.config": "x"})
    monkeypatch.chdir(root)
    suite = BundleSuite("Brought", "prompts/brought.j2", (), ({"contains": "x"},), "fake:echo")
    bundle = Bundle("other", {"prompts/brought.j2": "Summarise {{ text }}.\n"}, (suite,), ())
    execute(options("--from", "other.config"), Tools(lambda path: True, lambda *_: bundle))
    (looked,) = json.loads(gate("validate", "--json", cwd=root).out)["suites"]
    assert (looked["count"], looked["scorers"], looked["model"]) == (20, ["contains"], "fake:echo")
    assert gate("init", "--quiet", cwd=root).out == ""


def test_models_of_another_tool_and_of_the_gate_do_not_share_parameters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = {"prompts/b.md": "You help.\n---\nYou do not help.\n"}
    root = make(tmp_path / "shop", {**PROMPT, **copied, "promptfooconfig.yaml": "x"})
    monkeypatch.chdir(root)
    case = {"id": "1", "input": "x"}
    suite = BundleSuite("a", "prompts/a.md", (case,), ({"contains": "x"},), "openai:gpt-5-mini", {"seed": 1})
    bundle = Bundle("promptfoo", {"prompts/a.md": "You help.\n"}, (suite,), ())
    tools = Tools(lambda path: path == "promptfooconfig.yaml", lambda *_: bundle)
    execute(options("--quiet"), tools)
    config = yaml(root / "gate.yaml")
    assert "params" not in config["defaults"]  # type: ignore[index, call-overload]
    brought, own = config["suites"]  # type: ignore[index, call-overload]
    assert (brought["model"], brought["params"]) == ("openai:gpt-5-mini", {"seed": 1})
    assert own["params"]["chat_template"] == "passthrough"
    git(root, "clean", "--force", "-d", "--quiet")
    execute(options("--from", "promptfooconfig.yaml", "--quiet"), tools)
    alone = yaml(root / "gate.yaml")
    assert alone["defaults"] == {"model": "openai:gpt-5-mini", "samples": 3}  # type: ignore[index, call-overload]
    git(root, "clean", "--force", "-d", "--quiet")
    execute(options("--from", "promptfooconfig.yaml", "--quiet", "--model", "fake:echo"), tools)
    (named,) = yaml(root / "gate.yaml")["suites"]  # type: ignore[index, call-overload]
    assert "model" not in named


def test_a_prompt_file_of_another_tool_keeps_its_test_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "messages: [{role: user, content: '{{input}}'}]\ntestData: [{input: a, expected: b}]\n"
    root = make(tmp_path / "shop", {"x.prompt.yml": text})
    monkeypatch.chdir(root)
    suite = BundleSuite(
        "x", "x.prompt.yml", ({"id": "test-1", "input": "a", "expected": "b"},), ("exact",), "fake:echo"
    )
    tools = Tools(lambda path: path.endswith(".prompt.yml"), lambda *_: Bundle("github", {}, (suite,), ()))
    execute(options("--quiet"), tools)
    (made,) = yaml(root / "gate.yaml")["suites"]  # type: ignore[index, call-overload]
    assert (made["cases"], made["scorers"]) == ("x.prompt.yml", ["exact"])
    assert not (root / "evals/x").exists()


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
    command = [sys.executable, "-m", "gate", "init"]
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


def options(*arguments: str) -> InitOptions:
    """As click makes them of a command line."""
    from gate.cli.init import init

    context = init.make_context("init", ["--yes", *arguments])
    return InitOptions(**context.params)


def test_mistakes_of_what_would_be_written_are_found_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make(tmp_path / "shop", PROMPT)
    monkeypatch.chdir(root)
    suite = BundleSuite("a", "prompts/none.md", ({"id": "1", "input": "x"},), ("contains",))
    tools = Tools(lambda path: False, lambda *_: Bundle("other", {}, (suite,), ()))
    with pytest.raises(InputErrors) as caught:
        execute(options("--from", "prompts/support.md"), tools)
    assert {problem.file for problem in caught.value.problems} == {"prompts/none.md"}
    assert files(root).keys() == PROMPT.keys()


def test_where_every_prompt_is_left_out_there_is_nothing_to_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "---\nsample: ${file:no.json}\n---\nsystem:\n{% for one in pages %}{{ one.id }}{% endfor %}\n{{ question }}\n"
    )
    monkeypatch.chdir(make(tmp_path / "shop", {"chat.prompty": text}))
    with pytest.raises(GateError, match="there is no prompt here that could be gated"):
        execute(options("--from", "chat.prompty"))
