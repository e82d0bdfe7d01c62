"""`gate init --from` a configuration of promptfoo: what cannot come along is named, and stops nothing."""

import json
from pathlib import Path

import pytest

from gate.cli.init_run import execute
from tests.integration.scaffold.test_init import options
from tests.support.command import git
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
    assert "note: the judges of prompt name no model that the gate can ask" in told
    assert "judges itself, local:gemma3-270m; name a better one: gate init --judge MODEL" in told
    kept = (root / "evals/prompt/cases.jsonl").read_text(encoding="utf-8")
    assert "{{ city }}" in kept and "env.WANTED" not in kept
    assert "env.OTHER" not in (root / "gate.yaml").read_text(encoding="utf-8")
    git(root, "clean", "--force", "-d", "--quiet")
    execute(options("--from", "promptfooconfig.yaml", "--judge", "openai:gpt-5"))
    assert "judges itself" not in capsys.readouterr().out


def _asserts(kinds: list[str], values: list[str]) -> list[dict[str, str]]:
    return [{"type": kind, "value": value} for kind, value in zip(kinds, values, strict=True)]
