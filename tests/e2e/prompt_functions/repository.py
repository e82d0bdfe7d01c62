"""A repository whose prompt is a function, and the answers of a model that follow from what the prompt says."""

import json

CONFIG = """\
version: 1
defaults: {model: "openai:gpt-4o-mini", samples: 1}
suites:
  - name: dispatcher
    prompt: python:bots.persona:build
    cases: evals/dispatcher.jsonl
    slices: [state]
    scorers: [contains]
"""
MODULE = "bots/persona.py"
GOOD = """\
from bots.words import OPENING

def build(session):
    return f"{OPENING} quality={session.quality} caller={session['caller']} state={session.state}"
"""
SAME = """\
import bots.words

def build(session):
    parts = [bots.words.OPENING, f"quality={session['quality']}", f"caller={session.caller}"]
    return " ".join([*parts, f"state={session.state}"])
"""
WORSE = GOOD.replace("quality={session.quality}", "quality=0.1")


def row(number: int, **vars_: object) -> dict[str, object]:
    """One case, which asks for a word of its own."""
    given = {"state": "OPEN" if number % 2 else "SAFE", "session": {"quality": "1.0", "caller": f"caller{number}"}}
    return {
        "id": f"c{number}",
        "input": f"answer=word{number}",
        "expected": f"word{number}",
        "slices": {"state": given["state"]},
        "vars": {**given, **vars_},
    }


def rows(count: int) -> str:
    return "".join(json.dumps(row(number)) + "\n" for number in range(count))


FILES = {
    "gate.yaml": CONFIG,
    MODULE: GOOD,
    "bots/words.py": 'OPENING = "You answer the phone."\n',
    "evals/dispatcher.jsonl": rows(12),
    "README.md": "# Dispatcher\n",
}
