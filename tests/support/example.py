"""A repository with two suites, whose prompts say how good a made-up model answers."""

import json

CONFIG = """\
version: 1
defaults: {model: "fake:oracle", samples: 2}
suites:
  - name: support
    prompt: prompts/support.md
    cases: evals/support.jsonl
    slices: [tier]
    scorers: [contains]
  - name: faq
    prompt: prompts/faq.md
    cases: evals/faq.jsonl
    scorers: [exact]
"""
GOOD = "Help the customer. quality=1.0\n"
BROKEN = "Help. quality=1.0 quality[gold]=0.1\n"
REWORDED = "You help customers. quality=1.0\n"
PROMPT = "prompts/support.md"


def case(number: int, tier: str) -> dict[str, object]:
    """One case of a tier, which asks for a word of its own."""
    text = f"slice={tier} answer=word{number}"
    return {"id": f"c{number}", "input": text, "expected": f"word{number}", "slices": {"tier": tier}}


def cases(count: int) -> str:
    """JSON Lines; half of the cases are `tier=gold`."""
    rows = (case(number, "gold" if number % 2 else "free") for number in range(count))
    return "".join(json.dumps(row) + "\n" for row in rows)


FILES = {
    "gate.yaml": CONFIG,
    PROMPT: GOOD,
    "prompts/faq.md": "Answer. quality=1.0\n",
    "evals/support.jsonl": cases(40),
    "evals/faq.jsonl": cases(12),
    "README.md": "# Support bot\n",
}

SMALL = {**FILES, "evals/support.jsonl": cases(20)}
"""The same with half of the cases: as many as it takes to see that a tier is broken."""
