"""`gate init --from` a configuration of promptfoo: what cannot come along is named, and stops nothing."""

import json
from pathlib import Path

import pytest

from gate.cli.init import execute
from tests.e2e.scaffold.shop import options
from tests.support.command import gate, git
from tests.support.model_server import ModelServer
from tests.support.privileged import keys
from tests.support.repository import make


def test_what_no_test_gives_is_a_loss_and_a_judge_of_nobody_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asserts = ["contains", "contains", "llm-rubric"]
    values = ["{{ env.WANTED }}", "{{ city }}", "is polite"]
    tests = [{"vars": {"city": city}, "assert": _asserts(asserts, values)} for city in ("Rome", "Oslo")]
    default = {"assert": _asserts(["icontains", "starts-with"], ["{{ env.OTHER }}", "{{ city }}"])}
    config = {"prompts": ["Say {{ city }}."], "providers": ["mistral:large"], "tests": tests, "defaultTest": default}
    root = make(tmp_path / "shop", {"promptfooconfig.yaml": json.dumps(config)})
    monkeypatch.chdir(root)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    execute(options("--from", "promptfooconfig.yaml"))
    told = capsys.readouterr().out
    assert "the assertion 'contains' of test-1 is not brought along: '{{ env.WANTED }}' cannot be filled in" in told
    assert "of defaultTest is not brought along: '{{ env.OTHER }}' cannot be filled in" in told
    assert "note: 2 judges left out" in told
    assert "name one with a key: gate init --judge MODEL" in told
    kept = (root / "evals/prompt/cases.jsonl").read_text(encoding="utf-8")
    assert "{{ city }}" in kept and "env.WANTED" not in kept
    assert "env.OTHER" not in (root / "gate.yaml").read_text(encoding="utf-8")
    git(root, "clean", "--force", "-d", "--quiet")
    execute(options("--from", "promptfooconfig.yaml", "--judge", "openai:gpt-5"))
    assert "left out: the local" not in capsys.readouterr().out


def _asserts(kinds: list[str], values: list[str]) -> list[dict[str, str]]:
    return [{"type": kind, "value": value} for kind, value in zip(kinds, values, strict=True)]


JUDGED = """prompts: ['Write a tweet about {{ topic }}.']
providers: [openai:gpt-4o-mini]
tests:
  - vars: {topic: bananas}
    assert: [{type: icontains, value: banana}, {type: llm-rubric, value: is funny}]
  - vars: {topic: toast}
    assert: [{type: llm-rubric, value: is funny, provider: openai:gpt-4o}]
"""


def test_the_route_without_a_key_runs_without_one(tmp_path: Path) -> None:
    root = make(tmp_path / "x", {"promptfooconfig.yaml": JUDGED})
    first = gate("init", "--from", "promptfooconfig.yaml", cwd=root)
    assert first.code == 0, first.err
    assert "OPENAI_API_KEY" in (root / ".github/workflows/prompt-gate.yml").read_text(encoding="utf-8")
    assert '"judge": {"model": "openai:gpt-5"' in (root / "evals/prompt/cases.jsonl").read_text(encoding="utf-8")
    removed, again = first.out.partition("Without a key")[2].splitlines()[1:3]
    assert removed == "  rm gate.yaml evals/prompt/cases.jsonl .github/workflows/prompt-gate.yml"
    assert again == "  gate init --from promptfooconfig.yaml --model local:gemma3-270m"
    for path in removed.split()[1:]:
        (root / path).unlink()
    second = gate(*again.split()[1:], cwd=root)
    assert second.code == 0, second.err
    assert "note: 2 judges left out" in second.out
    assert "judge" not in (root / "evals/prompt/cases.jsonl").read_text(encoding="utf-8")
    workflow = (root / ".github/workflows/prompt-gate.yml").read_text(encoding="utf-8")
    assert [
        line for line in workflow.splitlines() if "OPENAI_API_KEY" in line and not line.strip().startswith("#")
    ] == []
    assert gate("validate", "--quiet", cwd=root).code == 0


def test_a_change_of_the_file_that_the_application_reads_is_gated(tmp_path: Path, models: ModelServer) -> None:
    config = (
        "prompts: [file://prompts/tweet.txt]\nproviders: [openai:gpt-4o-mini]\n"
        "tests:\n  - {vars: {topic: bananas}, assert: [{type: icontains, value: banana}]}\n"
    )
    root = make(tmp_path / "x", {"promptfooconfig.yaml": config, "prompts/tweet.txt": "Write about {{ topic }}.\n"})
    first = gate("init", "--from", "promptfooconfig.yaml", cwd=root)
    assert first.code == 0, first.err
    assert "lost" not in first.out and not list(root.glob("prompts/*.j2"))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Gate the prompts")
    (root / "prompts/tweet.txt").write_text("Write at length about {{ topic }}.\n", encoding="utf-8")
    done = gate("diff", "--base", "HEAD", "--json", cwd=root, env=keys(models))
    assert done.record.verdict != "SKIPPED", done.err
    asked = " ".join(str(one) for one in models.bodies)
    assert "Write about bananas." in asked and "Write at length about bananas." in asked
