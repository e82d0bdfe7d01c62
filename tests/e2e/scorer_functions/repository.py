"""A repository whose answers are scored by a function of its own."""

import json

CONFIG = """\
version: 1
defaults: {model: "openai:gpt-4o-mini", samples: 1}
suites:
  - name: support
    prompt: prompts/support.md
    cases: evals/support.jsonl
    slices: [tier]
    scorers: [{python: checks.words:right}]
"""
MODULE = "checks/words.py"
GOOD = """\
import os
from checks.marks import FULL

def right(answer, case):
    found = case.expected in answer
    return {"score": FULL if found else 0, "reason": f"{case.id} in {case.slices.tier}, {os.getpid()}"}
"""
LENIENT = "def right(answer, case):\n    return True\n"
WORSE = {"prompts/support.md": "Be brief. quality=0.1\n"}


def rows(count: int) -> str:
    return "".join(
        json.dumps(
            {
                "id": f"c{number}",
                "input": f"answer=word{number}",
                "expected": f"word{number}",
                "slices": {"tier": "free" if number % 2 else "paid"},
            }
        )
        + "\n"
        for number in range(count)
    )


FILES = {
    "gate.yaml": CONFIG,
    MODULE: GOOD,
    "checks/__init__.py": "",
    "checks/marks.py": "FULL = 1.0\n",
    "prompts/support.md": "Help. quality=1.0\n",
    "evals/support.jsonl": rows(12),
    "README.md": "# Support\n",
}
