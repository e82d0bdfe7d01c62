"""A prompt with its specification, and what a judge says, for tests of comparisons."""

import json
from collections.abc import Mapping, Sequence

from gate.calls.interface import Calls
from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.config.specification import CompiledRule, OutputRule, Specification
from gate.record.transcript import Failed, Reply
from gate.testgen.questions import Asker
from gate.testgen.specdiff.diff import PromptVersion
from tests.support.fakes import ScriptedCalls, reply

PROMPT = """# Support

You answer customers of a shop.

## Answers

Answer in at most 80 words. Write in the language of the customer.
Begin with the order number, and end with a question.

Never:

- promise a refund
- name a competitor

If the order is unknown, answer exactly "NA".
"""

SENTENCES = {
    "R1": "Answer in at most 80 words.",
    "R2": "Write in the language of the customer.",
    "R3": "Begin with the order number",
    "R4": "end with a question",
    "R5": "promise a refund",
    "R6": "name a competitor",
    "R7": 'If the order is unknown, answer exactly "NA".',
}
TEXTS = {
    "R1": "The answer has at most 80 words.",
    "R2": "The answer is in the language of the customer.",
    "R3": "The answer begins with the order number.",
    "R4": "The answer ends with a question.",
    "R5": "The answer promises no refund.",
    "R6": "The answer names no competitor.",
    "R7": 'If the order is unknown, the answer is exactly "NA".',
}


def rule(name: str, text: str, evidence: str = "") -> OutputRule:
    return OutputRule(name, text, evidence)


def rules() -> tuple[OutputRule, ...]:
    return tuple(rule(name, TEXTS[name], SENTENCES[name]) for name in TEXTS)


def spec(*found: OutputRule, prompt: str = "", intent: str = "Answer customers.") -> Specification:
    return Specification(prompt, intent, rules=found or rules())


def version(text: str = PROMPT, *found: OutputRule) -> PromptVersion:
    return PromptVersion(spec(*found), text)


def asker(calls: Calls) -> Asker:
    return Asker(calls, ModelRef("fake", "judge"), Params())


def judge(*answers: Sequence[Mapping[str, str]] | str | Failed) -> tuple[Asker, ScriptedCalls]:
    """A judge that gives these answers in turn: pairs, a text as it stands, or none."""
    calls = ScriptedCalls([_reply(answer) for answer in answers])
    return asker(calls), calls


def told(base: str, head: str, relation: str, reason: str = "since it is so") -> dict[str, str]:
    return {"reason": reason, "base": base, "head": head, "relation": relation}


def words(name: str, most: int) -> CompiledRule:
    return CompiledRule(name, (ScorerSpec("words", name, {"max": most}),), f"at most {most} words")


def contains(name: str, text: str) -> CompiledRule:
    return CompiledRule(name, (ScorerSpec("contains", name, {"value": text}),), text)


def _reply(answer: Sequence[Mapping[str, str]] | str | Failed) -> Reply | Failed:
    if isinstance(answer, Failed):
        return answer
    return reply(answer if isinstance(answer, str) else json.dumps({"pairs": [*answer]}))
