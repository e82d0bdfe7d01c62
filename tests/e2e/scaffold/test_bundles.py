"""What another tool's file brings along where `gate init` finds one, or is given it."""

import json
from pathlib import Path

import pytest

from gate.cases.losses import Bundle, BundleSuite, Loss
from gate.cli.init import execute
from gate.scaffold.proposal import BundleTools
from tests.e2e.scaffold.shop import PROMPT, options, yaml
from tests.support.command import gate, git
from tests.support.repository import make


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

    execute(options("--from", "other.config"), BundleTools(lambda path: path == "other.config", read))
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


def test_models_of_another_tool_and_of_the_gate_do_not_share_parameters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = {"prompts/b.md": "You help.\n---\nYou do not help.\n"}
    root = make(tmp_path / "shop", {**PROMPT, **copied, "promptfooconfig.yaml": "x"})
    monkeypatch.chdir(root)
    case = {"id": "1", "input": "x"}
    suite = BundleSuite("a", "prompts/a.md", (case,), ({"contains": "x"},), "openai:gpt-5-mini", {"seed": 1})
    bundle = Bundle("promptfoo", {"prompts/a.md": "You help.\n"}, (suite,), ())
    tools = BundleTools(lambda path: path == "promptfooconfig.yaml", lambda *_: bundle)
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
    tools = BundleTools(lambda path: path.endswith(".prompt.yml"), lambda *_: Bundle("github", {}, (suite,), ()))
    execute(options("--quiet"), tools)
    (made,) = yaml(root / "gate.yaml")["suites"]  # type: ignore[index, call-overload]
    assert (made["cases"], made["scorers"]) == ("x.prompt.yml", ["exact"])
    assert not (root / "evals/x").exists()
