"""A scripted model for test generation, as a server's `judgement`: every sentence with a demand is a rule.

It answers each stage of test generation in the required form. Its rules are sentences of the prompt, so the effect of a
change of the prompt is known.

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
_COMPONENT = re.compile(r'^Component "([^"]+)"', re.MULTILINE)
_TURNS = re.compile(r"speaks exactly ([0-9]+) times")
_VARIABLES = re.compile(r"^- \"?([A-Za-z_]\w*)\"?$", re.MULTILINE)
_NAMED = re.compile(r"^([A-Z][0-9]+)(?: \(\w+\))?: (.*)$", re.MULTILINE)

Said: TypeAlias = Mapping[str, Any]


def reader(system: str, user: str) -> str:
    """The reply to one request of any stage, or of a judge: what holds the word "wrong" is."""
    stage = stage_of(system)
    if not stage:  # a judge of a suite
        return json.dumps({"reason": "It was looked at.", "score": 0.0 if "wrong" in user else 1.0})
    return json.dumps(STAGES[stage](f"{system}\n\n{user}" if stage in WHOLE else user))


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


def _inputs(asked: str) -> Said:
    rule = {"evidence": "", "rule": "It is a question."}
    names = _VARIABLES.findall(asked.partition("# Prompt\n")[0]) or ["question"]
    return {"components": [{"name": name, "description": "What somebody asks.", "rules": [rule]} for name in names]}


def _rules(user: str) -> Said:
    return {"rules": [{"evidence": one, "rule": one} for one in demands_of(_fenced(user)[0])]}


def _inverse(user: str) -> Said:
    named = _NAMED.findall(_fenced(user)[0])
    return {"inverses": [{"id": name, "inverse": f"It is not so that: {text}"} for name, text in named]}


def _tests(asked: str) -> Said:
    wanted = _STATEMENT.findall(_fenced(asked)[2])
    return {"tests": [_test(asked, name, number) for name, count in wanted for number in range(int(count))]}


def _test(asked: str, statement: str, number: int) -> Said:
    """What is asked about depends on what stands in the fences alone, and not on how the request is worded."""
    prompt, inputs, *rest = _fenced(asked)
    seed = f"{[prompt, *rest]} {statement} {number}"
    said: dict[str, Any] = {"statement": statement, "reasoning": "It is long."}
    said["scenario"] = ("boundary", "typical", "edge")[number % 3]
    if turns := _TURNS.search(asked):
        said["turns"] = [_question(f"{seed} {turn}") for turn in range(int(turns[1]))]
    else:
        names = _COMPONENT.findall(inputs)
        said["components"] = [{"name": name, "text": _question(f"{seed} {name}")} for name in names]
    return {**said, "behaviour": "It keeps the rule."}


def _question(seed: str) -> str:
    drawn = hashlib.sha256(seed.encode()).hexdigest()
    return f"What about {' '.join(drawn[place : place + 4] for place in range(0, 48, 4))}?"


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
    return {
        "inputs": [{"components": [{"name": "input", "text": _question(f"{_fenced(user)} {n}")}]} for n in range(10)]
    }


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
WHOLE = ("inputs", "tests")
"""Stages whose reply depends on what the system message asks for."""
