"""Wordings of rules with their expected scorers, and outputs that keep and break them.

`benchmarks/data/NOTICE.md` says who wrote which of them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypedDict

from benchmarks.paths import DATA
from gate.config.scorer import ScorerSpec, parse_scorers
from gate.config.specification import CompiledRule, OutputRule
from gate.testgen.rules.checks import passes
from gate.testgen.rules.compiler import compile_rule
from gate.values import JsonValue

FIRST_AUTHOR = "first_author"
TITLES: Mapping[str, str] = {
    FIRST_AUTHOR: "Wordings of the first author",
    "second_author": "Wordings by a second author",
    "reviewers": "Wordings of two reviewers who looked for faults",
    "prompt_orders": "Orders of prompts",
}
"""Titles of the sets of wordings, by file."""
NONE = "none"
"""The kind of the wordings that must not compile."""


class Expected(TypedDict, total=False):
    """An expected scorer. A scorer that searches for a pattern has only its kind here, and the outputs decide.

    Where none is expected, only the outputs decide.
    """

    kind: str
    options: Mapping[str, JsonValue]


class Wording(TypedDict):
    """One sentence. `expect` is None if it must not compile."""

    kind: str
    text: str
    expect: list[Expected] | None
    keeps: list[str]
    breaks: list[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of compiling a wording.

    Args:
        wording: the wording.
        compiled: its scorers, if it compiled.
        fault: why the scorers are wrong; empty if they are right or there are none.
    """

    wording: Wording
    compiled: CompiledRule | None
    fault: str = ""

    @property
    def right(self) -> bool:
        """Whether it compiled to the right scorers."""
        return self.compiled is not None and not self.fault


@cache
def read_wordings(name: str) -> tuple[Wording, ...]:
    """The wordings of one set, in file order."""
    with (DATA / "rule_wordings" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


def outcome(wording: Wording) -> Outcome:
    """Compile a wording without a model, and compare the scorers with the expected ones."""
    compiled = compile_rule(OutputRule("R1", wording["text"]))
    return Outcome(wording, compiled, "" if compiled is None else _fault(wording, compiled.scorers))


@cache
def outcomes(name: str) -> tuple[Outcome, ...]:
    """Of all wordings of one set."""
    return tuple(map(outcome, read_wordings(name)))


def _whole(kind: str, options: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Options with defaults filled in."""
    return dict(parse_scorers([{kind: {**options}}], "")[0].options)


def _fault(wording: Wording, scorers: tuple[ScorerSpec, ...]) -> str:
    expected = wording["expect"]
    if expected is None:
        return "it must not compile"
    if expected and [spec.kind for spec in scorers] != [one["kind"] for one in expected]:
        return f"its scorers are {', '.join(spec.kind for spec in scorers)}"
    for spec, one in zip(scorers, expected, strict=False):
        if "options" in one and _whole(spec.kind, spec.options) != _whole(one["kind"], one["options"]):
            return f"the options of {spec.kind} are {dict(spec.options)}"
    wrong = [output for output in wording["keeps"] if passes(scorers, output) is not True]
    wrong += [output for output in wording["breaks"] if passes(scorers, output) is not False]
    return f"it misjudges {wrong[0]!r}" if wrong else ""
