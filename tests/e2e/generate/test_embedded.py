"""The embedded model writes tests, even if they are poor."""

from tests.e2e.generate.desk import Desk, counted
from tests.support.command import gate

SPEC = """\
version: 1
intent: It answers customers.
inputs: [{name: question, description: What a customer asks.}]
rules: [{id: R1, rule: The answer has at most 80 words., inverse: The answer has more than 80 words.}]
"""


def test_a_small_model_writes_tests(desk: Desk) -> None:
    """A reply without any test must not end the command with exit code 3."""
    desk.write("prompts/shop.md", "You answer customers. The answer must have at most 80 words.\n")
    desk.write("evals/shop/spec.yaml", SPEC)
    # Existing stages are not repeated, and both tests are one request, because each takes seconds.
    # With a lower temperature it repeats itself, and with a higher one it writes more.
    arguments = ("--model", "local:gemma3-270m", "--effort", "min", "--set", "temperature=0.5")
    made = gate("generate", "prompts/shop.md", *arguments, cwd=desk.root, timeout_s=400)
    assert made.code == 0, made
    assert "Check them, or use a larger model." in " ".join((made.out + made.err).split())
    cases = desk.cases()
    # It may repeat itself, and duplicates are removed.
    assert cases and set(counted(cases)) <= {("R1", "rule"), ("R1", "inverse")}
    assert all(case.input.strip() for case in cases)
