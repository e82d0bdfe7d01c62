"""`gate init` writes no parameter that the model does not support."""

from pathlib import Path

import pytest

from tests.support.command import gate
from tests.support.repository import make

PROMPT = """\
model: openai/gpt-4.1-mini
modelParameters: {temperature: 0.2, maxTokens: 50}
messages: [{role: user, content: "Say {{input}}."}]
testData: [{input: a, expected: b}]
evaluators: [{name: same, string: {equals: "{{expected}}"}}]
"""
LOST = "temperature is left out: openai:gpt-5-mini is a reasoning model and does not take temperature"


@pytest.mark.parametrize(("model", "kept"), [("openai:gpt-5-mini", False), ("", True)])
def test_unsupported_parameters_are_losses(tmp_path: Path, model: str, kept: bool) -> None:
    root = make(tmp_path / "shop", {"prompts/x.prompt.yml": PROMPT})
    chosen = ("--model", model) if model else ()
    done = gate("init", "--yes", "--prompt", "prompts/x.prompt.yml", *chosen, cwd=root)
    assert done.code == 0, done.err
    written = (root / "gate.yaml").read_text(encoding="utf-8")
    assert ("temperature: 0.2" in written) is kept
    assert (LOST in done.out) is not kept
    assert "takes no temperature" not in gate("validate", cwd=root).out
