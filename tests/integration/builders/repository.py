"""A repository whose prompt is a function, and the answers of a model that follow from what the prompt says."""

import json
from pathlib import Path

from tests.support.command import git

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
PLAIN = 'def build(session):\n    return "Be kind. quality=1.0"\n'
NORMAL = {"state": "OPEN", "session": {"quality": "1.0", "caller": "Ada"}}


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
    "evals/dispatcher.jsonl": rows(30),
    "README.md": "# Dispatcher\n",
}


def write(repo: Path, files: dict[str, str | None]) -> None:
    """Put files into the working tree; None takes one away."""
    for path, text in files.items():
        if text is None:
            (repo / path).unlink()
            continue
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_text(text)


def commit(repo: Path, files: dict[str, str | None], message: str = "change") -> str:
    write(repo, files)
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(repo, "rev-parse", "HEAD")


def make(folder: Path, files: dict[str, str] | None = None) -> Path:
    """A repository with these files on `main`."""
    git(folder, "init", "--quiet", "--initial-branch", "main")
    commit(folder, {**(files or FILES)}, "one")
    return folder
