"""How much work goes into a generation: four levels, and settings that override them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

Level: TypeAlias = Literal["min", "low", "medium", "high"]
Stage: TypeAlias = Literal[
    "intent",
    "inputs",
    "rules",
    "inverse",
    "grounding",
    "review",
    "tests",
    "expansion",
    "validity",
    "expected",
    "control",
    "compliance",
]

RULES = 200
"""Limit of rules of one prompt."""
ASSUMED_RULES = 8
"""Rules assumed for a prompt that was not read yet; the prompts of arXiv:2503.05070 have 4 to 8."""
PER_REQUEST = 10
"""Control cases per request."""


@dataclass(frozen=True, slots=True)
class EffortSettings:
    """How much a generation does.

    Args:
        tests_per_rule: tests for each rule, and as many for its inverse.
        rules_per_call: rules and inverse rules, mixed, that one request makes tests for.
        max_rules: the first of them in the prompt; the summary names the others.
        validate: let a judge check each test against the input specification.
        tests_per_validation: tests per request of the judge.
        ground: let a judge look for rules whose evidence is not in the prompt word for word.
        review: ask for conflicts, and for output rules among the input rules.
        expansions: times that each test is asked to become richer.
        expected: let a reference model answer each test.
        turns: messages of the user in each test, 1 or more.
        documents: make stand-ins for retrieved context, where the prompt takes any.
        instructions: what the user adds to the prompt of a stage.
    """

    tests_per_rule: int = 3
    rules_per_call: int = 1
    max_rules: int = RULES
    validate: bool = True
    tests_per_validation: int = 5
    ground: bool = True
    review: bool = True
    expansions: int = 0
    expected: bool = False
    turns: int = 1
    documents: bool = False
    instructions: Mapping[Stage, str] = field(default_factory=lambda: MappingProxyType({}))

    def with_settings(self, **settings: Any) -> "EffortSettings":
        """The same with explicit settings; None keeps the level's value."""
        return replace(self, **{name: value for name, value in settings.items() if value is not None})

    def calls_for_tests(self, rules: int) -> Mapping[Stage, int]:
        """Requests of each stage, if all replies are good, each rule has an inverse, and no test is discarded."""
        statements = 2 * rules
        tests = statements * self.tests_per_rule
        return {
            "tests": math.ceil(statements / self.rules_per_call),
            "expansion": tests * self.expansions,
            "validity": math.ceil(tests / self.tests_per_validation) if self.validate else 0,
            "expected": tests * self.turns if self.expected else 0,
        }


LEVELS: Mapping[Level, EffortSettings] = MappingProxyType(
    {
        "min": EffortSettings(
            tests_per_rule=1, rules_per_call=8, max_rules=6, validate=False, ground=False, review=False
        ),
        "low": EffortSettings(tests_per_rule=2, rules_per_call=4, max_rules=12, tests_per_validation=10),
        "medium": EffortSettings(),
        "high": EffortSettings(tests_per_rule=5, tests_per_validation=1, expansions=1),
    }
)


def control_calls(count: int) -> int:
    """Requests for `count` control cases, if all replies are good."""
    return math.ceil(count / PER_REQUEST)
