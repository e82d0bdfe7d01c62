"""One row of an eval set, and how an answer to it is scored."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gate.config.policy import OVERALL
from gate.config.scorer import ScorerSpec
from gate.messages import Message
from gate.values import JsonValue

Entry: TypeAlias = Mapping[str, JsonValue]
"""A case of any form, as it stands in a case file; the store keeps all of it."""


@dataclass(frozen=True, slots=True)
class Round:
    """One step of a conversation that the case leads.

    Args:
        criteria: of the judges for this round, before those of the suite; None as the case says.
        threshold: least score of each judge in this round; None as the case says.
    """

    said: str
    criteria: str | None = None
    threshold: float | None = None
    scorers: tuple[ScorerSpec, ...] = ()


@dataclass(frozen=True, slots=True)
class Persona:
    """A person, played by a model, who talks to the agent in place of the case.

    Args:
        goal: the conversation ends when it is reached.
        max_turns: messages to the agent, 1 or more.
    """

    persona: str
    goal: str
    max_turns: int = 6


@dataclass(frozen=True, slots=True)
class Case:
    """One question of the eval set.

    Args:
        id: unique within the eval set.
        input: the user's text; empty when `messages` are given, or `vars` are all that a template needs.
        messages: a conversation so far, the last turn being the user's.
        expected: the reference answer, never shown to a prompt.
        cluster: cases that are variants of one source carry the same cluster.
        scorers: in place of the suite's, when not None.
        extra_scorers: beside the suite's scorers, or beside `scorers`.
        criteria: before the criteria of the suite's judges, when not None.
        threshold: least score of a sample that passes; None as the exam says.
        where: `file:line`, or `file:cases[3]` in a JSON file.
        rounds: a conversation that goes on after the agent's answers; empty for one question.
        revival: after the first round the session is closed and opened again.
        facts: what the person knows, to answer the agent's questions.
        user: talks to the agent; None where the case itself does.
        obsolete: what it asks for is no longer promised, so it is not part of an exam.
    """

    id: str
    input: str = ""
    messages: tuple[Message, ...] = ()
    expected: JsonValue = None
    slices: Mapping[str, str] = field(default_factory=dict)
    cluster: str | None = None
    scorers: tuple[ScorerSpec, ...] | None = None
    extra_scorers: tuple[ScorerSpec, ...] = ()
    criteria: str | None = None
    threshold: float | None = None
    judge_threshold: float | None = None
    vars: Mapping[str, JsonValue] = field(default_factory=dict)
    where: str = ""
    rounds: tuple[Round, ...] = ()
    revival: bool = False
    facts: str = ""
    user: Persona | None = None
    description: str = ""
    obsolete: bool = False

    @property
    def round_scorers(self) -> tuple[ScorerSpec, ...]:
        """The scorers of its rounds, the first of each name."""
        found: dict[str, ScorerSpec] = {}
        for spec in (spec for one in self.rounds for spec in one.scorers):
            found.setdefault(spec.name, spec)
        return tuple(found.values())

    @property
    def steps(self) -> tuple[Round, ...]:
        """Its rounds; a case without them has one, in which its question is asked."""
        asked = self.messages[-1].content if self.messages else self.input
        return self.rounds or (Round(asked, self.criteria, self.threshold),)

    @property
    def turns(self) -> int:
        """Messages that are sent for one sample, at least: one for each round."""
        return max(1, len(self.rounds))

    @property
    def only_vars(self) -> bool:
        """Nobody says anything: variables, put into a template, are the whole question."""
        return bool(self.vars) and not (self.input or self.messages or self.rounds or self.user)

    @property
    def question(self) -> str:
        """The text that a reader, and a judge, see as the question."""
        if self.rounds:
            return "\n".join(f"user: {one.said}" for one in self.rounds)
        if self.only_vars:
            told = {
                name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                for name, value in self.vars.items()
            }
            return "\n".join(f"{name}: {value}" for name, value in told.items())
        if not self.messages:
            return self.input
        return "\n".join(f"{message.role}: {message.content}" for message in self.messages)


def place_of(where: str) -> tuple[str, int]:
    """File and line of `Case.where`; line 0 for a JSON file, whose cases have a position in its list."""
    file, _, place = where.rpartition(":")
    return file or where or "cases", int(place) if place.isdigit() else 0


def shows_turns(question: str) -> bool:
    """Does a question, as readers see it, begin like a conversation?"""
    return question.startswith(("user: ", "assistant: ", "system: "))


LENGTH = "length"
"""The automatic dimension."""


def length_edges(cases: Sequence[Case]) -> tuple[int, int]:
    """The terciles of the questions' lengths, in characters: the longest `short` and the longest `medium`.

    Args:
        cases: the base exam; (0, 0) when it is empty.
    """
    lengths = sorted(len(case.question) for case in cases)
    if not lengths:
        return 0, 0
    third, two_thirds = -(-len(lengths) // 3), -(-2 * len(lengths) // 3)
    return lengths[third - 1], lengths[two_thirds - 1]


def with_length(cases: Sequence[Case], edges: tuple[int, int]) -> tuple[Case, ...]:
    """The cases, each with `length` short, medium or long; a case that brings its own keeps it.

    Args:
        cases: also those that the edges were not taken from.
    """
    return tuple(
        case if LENGTH in case.slices else replace(case, slices={**case.slices, LENGTH: _band(case, edges)})
        for case in cases
    )


def _band(case: Case, edges: tuple[int, int]) -> str:
    length = len(case.question)
    if length <= edges[0]:
        return "short"
    return "medium" if length <= edges[1] else "long"


def members(cases: Sequence[Case], dimensions: Sequence[str]) -> dict[str, list[int]]:
    """Indices into `cases` per slice: `overall` first, then `dimension=value`.

    Args:
        cases: with `length` already added.
        dimensions: in this order; their values are sorted.
    """
    found = {OVERALL: list(range(len(cases)))}
    for dimension in dimensions:
        values: dict[str, list[int]] = {}
        for index, case in enumerate(cases):
            if dimension in case.slices:
                values.setdefault(case.slices[dimension], []).append(index)
        found.update({f"{dimension}={value}": values[value] for value in sorted(values)})
    return found
