"""What a comparison of two versions would take: nothing is asked, nothing is spent."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gate.calls.estimate import CHARS_PER_TOKEN
from gate.domain.promptspec import Specification
from gate.domain.usage import Usage
from gate.testgen.effort import ASSUMED_RULES, EffortSettings
from gate.testgen.forecast import JUDGED, GenerationForecast, Staffing, StageForecast
from gate.testgen.inverse_rules import RULES_PER_REQUEST
from gate.testgen.specdiff.diff import identical
from gate.testgen.specdiff.place import sides
from gate.testgen.subject import PromptSubject

_FRAME_TOKENS = 500
"""Of the words around what a stage shows."""
_WRITTEN: Mapping[str, int] = {"intent": 60, "inputs": 250, "rules": 900, "inverse": 300, "comparison": 200}
_OF_A_TEST = 180
_OF_AN_ANSWER = 300
_OF_A_VERDICT = 80


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be compared.

    Args:
        base, head: both versions.
        given: the specification of the old one; None where it is extracted.
        settings: how much work goes into tests.
        tried: the tests are answered by both versions.
        made: tests are made, for both or for the files.
    """

    base: PromptSubject
    head: PromptSubject
    given: Specification | None
    settings: EffortSettings
    tried: bool = False
    made: bool = False


def foreseen(change: Change, staff: Staffing) -> GenerationForecast:
    """Foresee a comparison; each sentence that is new counts as one rule, which nobody knows beforehand.

    Args:
        change: what is to be compared.
        staff: who would be asked, and what that costs; `tested` answers for both versions.
    """
    if identical(change.base, change.head):
        return GenerationForecast((), 0, False, 0)
    _, right = sides(change.base, change.head)
    rules = len(right.differing)
    tests = 2 * rules * change.settings.tests_per_rule if change.made else 0
    reading = math.ceil(len(change.head.text) / CHARS_PER_TOKEN) + _FRAME_TOKENS
    stages = []
    for stage, calls, written in (*_read(change, rules), *(_made(change, rules, tests) if tests else ())):
        members = staff.tested if stage == "outputs" else (staff.judge if _judged(stage) else staff.generator,)
        for member in members:
            cost = staff.price(*member, Usage(reading * calls, 0, 0, written * calls))
            stages.append(StageForecast(stage, calls, (reading + written) * calls, member[0], cost))
    return GenerationForecast(tuple(stages), rules, rules > 0, tests)


def _judged(stage: str) -> bool:
    return stage in (*JUDGED, "comparison", "compliance")


def _read(change: Change, rules: int) -> Iterator[tuple[str, int, int]]:
    """Both versions are read, the new one where it says something new, and compared in one request."""
    old = change.given is None
    calls = {
        "intent": int(old),
        "inputs": int(old) + bool(rules),
        "rules": int(old) + bool(rules),
        "inverse": math.ceil(ASSUMED_RULES / RULES_PER_REQUEST) if old else 0,
        "comparison": int(bool(rules)),
    }
    yield from ((stage, count, _WRITTEN[stage]) for stage, count in calls.items() if count)


def _made(change: Change, rules: int, tests: int) -> Iterator[tuple[str, int, int]]:
    """Tests for what is new, and their answers."""
    yield "inverse", math.ceil(rules / RULES_PER_REQUEST), _WRITTEN["inverse"]
    for stage, calls in change.settings.calls_for_tests(rules).items():
        if calls and stage != "expected":
            yield stage, calls, math.ceil(_OF_A_TEST * tests / calls)
    if change.tried:
        yield "outputs", 2 * tests * change.settings.turns, _OF_AN_ANSWER
        yield "compliance", 2 * tests, _OF_A_VERDICT
