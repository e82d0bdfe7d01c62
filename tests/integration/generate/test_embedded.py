"""The embedded model: too small for the work, and no reason to fall over."""

import pytest

from tests.integration.generate.desk import Desk
from tests.support.command import gate

pytest.importorskip("xllamacpp")


SPEC = """\
version: 1
intent: It answers customers.
inputs: [{name: question, description: What a customer asks.}]
rules: [{id: R1, rule: The answer has at most 80 words.}]
"""


def test_a_small_model_ends_in_a_clear_word(desk: Desk) -> None:
    """What is there already is not asked for: each of its requests takes seconds."""
    desk.write("prompts/shop.md", "You answer customers. The answer must have at most 80 words.\n")
    desk.write("evals/shop/spec.yaml", SPEC)
    arguments = ("--effort", "min", "--param", "max_output_tokens=48")
    made = gate("generate", "prompts/shop.md", "--model", "local:gemma3-270m", *arguments, cwd=desk.root, timeout_s=400)
    assert made.code in (0, 3), made
    assert "Traceback" not in made.err
    assert "A small local model gives poor rules" in made.out + made.err
    assert (made.code == 0) == (desk.root / "evals/shop/cases.yaml").exists()
