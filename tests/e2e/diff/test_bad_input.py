"""User errors: one paragraph with file, line and fix, exit code 2, and no partly written files."""

from pathlib import Path

import pytest

from tests.support.command import Outcome, gate, git, write_jsonl

CASES = [{"id": f"c{i}", "input": f"answer=a{i}", "expected": f"a{i}"} for i in range(12)]
CONFIG = """\
version: 1
suites:
  - name: support
    prompt: prompts/support.md
    cases: evals/cases.jsonl
    model: fake:oracle
    scorers: [contains]
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("Be good. quality=1.0")
    (tmp_path / "b.md").write_text("Be very good. quality=1.0")
    write_jsonl(tmp_path / "cases.jsonl", CASES)
    return tmp_path


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    (tmp_path / "gate.yaml").write_text(CONFIG)
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/support.md").write_text("Be good. quality=1.0")
    write_jsonl(tmp_path / "evals/cases.jsonl", CASES)
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    return tmp_path


def diff(root: Path, *more: str, model: str = "fake:oracle", env: dict[str, str] | None = None) -> Outcome:
    named = ("a.md", "b.md", "--cases", "cases.jsonl", "--model", model)
    return gate("diff", *named, *more, cwd=root, env=env)


def assert_refused(outcome: Outcome, root: Path, *parts: str, code: int = 2) -> None:
    assert outcome.code == code, outcome.err
    assert "Traceback" not in outcome.err
    for part in parts:
        assert part in outcome.err
    assert outcome.out == ""
    assert not (root / ".gate").exists()


def test_missing_prompt(files: Path) -> None:
    (files / "b.md").unlink()
    assert_refused(diff(files), files, "b.md", "does not exist")


def test_invalid_json_names_its_line(files: Path) -> None:
    lines = (files / "cases.jsonl").read_text().splitlines()
    (files / "cases.jsonl").write_text("\n".join([*lines, *["", "", "", ""], "{broken"]))
    assert_refused(diff(files), files, "cases.jsonl:17", "JSON")


def test_all_errors_of_all_files_are_reported_at_once(files: Path) -> None:
    (files / "a.md").write_bytes(b"\xff\xfe\x00bad")
    (files / "b.md").unlink()
    write_jsonl(files / "cases.jsonl", [{"id": "x"}, {"input": "y", "idd": 3}])
    assert_refused(diff(files), files, "a.md", "b.md", "cases.jsonl:1", "cases.jsonl:2", "did you mean")


def test_a_base_that_does_not_exist(repo: Path) -> None:
    outcome = gate("diff", "--base", "orgin/main", cwd=repo)
    assert_refused(outcome, repo, "orgin/main", "main", "git fetch")


def test_a_missing_key_exits_with_3(files: Path) -> None:
    assert_refused(diff(files, model="openai:gpt-5-mini"), files, "OPENAI_API_KEY", code=3)
    assert_refused(diff(files, model="anthropic:claude-haiku-4-5"), files, "ANTHROPIC_API_KEY", code=3)


def test_a_parameter_that_the_interface_rejects(repo: Path) -> None:
    config = CONFIG.replace("fake:oracle", "anthropic:claude-haiku-4-5\n    params: {temperature: 0}")
    (repo / "gate.yaml").write_text(config)
    outcome = gate("diff", "--base", "main", cwd=repo, env={"ANTHROPIC_API_KEY": "k"})
    assert_refused(outcome, repo, "temperature", "anthropic")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ((), ("--base", "gate diff OLD NEW")),
        (("a.md", "--cases", "cases.jsonl"), ("two prompt files", "gate diff OLD NEW")),
        (("a.md", "b.md", "--base", "main"), ("OLD NEW cannot be used with --base",)),
        (("--base", "main", "--model", "fake:echo"), ("--model", "gate.yaml")),
        (("a.md", "b.md", "--cases", "cases.jsonl"), ("--model",)),
        (
            ("a.md", "b.md", "--cases", "cases.jsonl", "--model", "gpt-5"),
            ("openai:gpt-5",),
        ),
        (("--samples", "0"), ("--samples",)),
        (("--no-such-option",), ("--no-such-option",)),
    ],
)
def test_usage_errors(files: Path, arguments: tuple[str, ...], parts: tuple[str, ...]) -> None:
    assert_refused(gate("diff", *arguments, cwd=files), files, *parts)


def test_the_same_error_in_many_cases_is_reported_once(files: Path) -> None:
    write_jsonl(files / "cases.jsonl", [{"id": f"c{i}", "input": "x"} for i in range(50)])
    outcome = diff(files)
    assert_refused(outcome, files, "cases.jsonl:1", "expected", "and in 49 other cases")
    assert outcome.err.count("error:") == 1


def test_outside_a_repository(tmp_path: Path) -> None:
    assert_refused(gate("diff", "--base", "main", cwd=tmp_path), tmp_path, "not inside a git repository")


def test_no_configuration(repo: Path) -> None:
    (repo / "gate.yaml").unlink()
    assert_refused(gate("diff", "--base", "main", cwd=repo), repo, "the change deletes gate.yaml, which main has")
    assert_refused(
        gate("diff", "--base", "main", "--config", "x.yaml", cwd=repo), repo, "there is no x.yaml", "gate diff OLD NEW"
    )


def test_configuration_errors_of_both_sides_are_reported_at_once(repo: Path) -> None:
    (repo / "gate.yaml").write_text(CONFIG + "polcy: {}\nbudget: {max_calls: -1}\n")
    assert_refused(gate("diff", "--base", "main", cwd=repo), repo, "gate.yaml:8", "policy", "gate.yaml:9", "max_calls")


def test_a_report_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"schema": "prompt-gate/run/99"}')
    assert_refused(gate("report", "x.json", cwd=tmp_path), tmp_path, "this version reads prompt-gate/run/1")
    (tmp_path / "x.json").write_text("[]")
    assert_refused(gate("report", "x.json", cwd=tmp_path), tmp_path, "not a run")
    assert_refused(gate("report", "y.json", cwd=tmp_path), tmp_path, "y.json")
