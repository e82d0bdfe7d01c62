"""A model, as a server's `judgement`, that reads prompts by rule: every sentence that demands something is a rule.

It answers each stage of test generation in the form that is asked for. Its rules are the sentences of the prompt
themselves, so that what a change of a prompt does to them is known beforehand.

    ModelServer(Behaviour(judgement=reader))
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

TEMPLATES = Path(__file__).parents[2] / "gate" / "testgen" / "templates"
DEMANDS = re.compile(r"\b(must|at most|at least|only|never|always|answer in|as json)\b", re.IGNORECASE)
_FENCED = re.compile(r"<<<([0-9a-f]{24})\n(.*?)\n\1>>>", re.DOTALL)
_STATEMENT = re.compile(r"^(S[0-9]+) \(([0-9]+) tests?\): ", re.MULTILINE)
_NAMED = re.compile(r"^([A-Z][0-9]+)(?: \(\w+\))?: (.*)$", re.MULTILINE)

Said: TypeAlias = Mapping[str, Any]


def reader(system: str, user: str) -> str:
    """The reply to one request of any stage, or of a judge: what holds the word "wrong" is."""
    stage = stage_of(system)
    if not stage:  # a judge of a suite
        return json.dumps({"reason": "It was looked at.", "score": 0.0 if "wrong" in user else 1.0})
    return json.dumps(STAGES[stage](user))


def stage_of(system: str) -> str:
    """Whose system prompt it is; empty for that of no stage."""
    return next((name for name in STAGES if system.startswith(_lines(name))), "")


def demands_of(prompt: str) -> list[str]:
    """The sentences of a prompt that demand something."""
    return [one for one in re.split(r"(?<=[.!?])\s+", prompt.strip()) if DEMANDS.search(one)]


@cache
def _lines(stage: str) -> tuple[str, ...]:
    """The lines of its template that may come first, as far as they are always the same."""
    text = (TEMPLATES / f"{stage}_system.md.j2").read_text(encoding="utf-8")
    return tuple(start for line in text.splitlines() if (start := line.partition("{")[0]))


def _fenced(user: str) -> list[str]:
    return [text for _, text in _FENCED.findall(user)]


def _intent(user: str) -> Said:
    return {"intent": "It answers customers."}


def _inputs(user: str) -> Said:
    rule = {"evidence": "", "rule": "It is a question."}
    return {"components": [{"name": "question", "description": "What somebody asks.", "rules": [rule]}]}


def _rules(user: str) -> Said:
    return {"rules": [{"evidence": one, "rule": one} for one in demands_of(_fenced(user)[0])]}


def _inverse(user: str) -> Said:
    named = _NAMED.findall(_fenced(user)[0])
    return {"inverses": [{"id": name, "inverse": f"It is not so that: {text}"} for name, text in named]}


def _tests(user: str) -> Said:
    wanted = _STATEMENT.findall(_fenced(user)[2])
    return {"tests": [_test(user, name, number) for name, count in wanted for number in range(int(count))]}


def _test(user: str, statement: str, number: int) -> Said:
    seed = hashlib.sha256(f"{user} {statement} {number}".encode()).hexdigest()
    words = " ".join(seed[place : place + 4] for place in range(0, 48, 4))
    return {
        "statement": statement,
        "reasoning": "It is long.",
        "scenario": ("boundary", "typical", "edge")[number % 3],
        "components": [{"name": "question", "text": f"What about {words}?"}],
        "behaviour": "It keeps the rule.",
    }


def _expansion(user: str) -> Said:
    words = hashlib.sha256(user.encode()).hexdigest()
    text = " ".join(["What about", *(words[place : place + 4] for place in range(0, 64, 4))])
    parts = [{"name": "question", "text": f"{text}?"}]
    return {"reasoning": "It is longer.", "components": parts, "behaviour": "It keeps the rule."}


def _validity(user: str) -> Said:
    ids = re.findall(r"^(T[0-9]+)$", user, re.MULTILINE)
    return {"verdicts": [{"id": one, "reason": "It is a question.", "valid": True} for one in ids]}


def _review(user: str) -> Said:
    return {"conflicts": [], "leaks": []}


def _grounding(user: str) -> Said:
    return {"reason": "It stands there.", "grounded": True}


def _compliance(user: str) -> Said:
    right = "wrong" not in _fenced(user)[-1]
    return {"reason": "The form was looked at.", "verdict": "compliant" if right else "violation"}


def _specdiff(user: str) -> Said:
    return {"pairs": []}


def _control(user: str) -> Said:
    texts = [" ".join(hashlib.sha256(f"{user} {n}".encode()).hexdigest()[i : i + 4] for i in range(0, 48, 4))
             for n in range(10)]  # fmt: skip
    return {"inputs": [{"components": [{"name": "input", "text": text}]} for text in texts]}


STAGES: Mapping[str, Callable[[str], Said]] = {
    "intent": _intent,
    "inputs": _inputs,
    "rules": _rules,
    "inverse": _inverse,
    "tests": _tests,
    "expansion": _expansion,
    "validity": _validity,
    "review": _review,
    "grounding": _grounding,
    "compliance": _compliance,
    "specdiff": _specdiff,
    "control": _control,
}
