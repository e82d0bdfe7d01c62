"""The subject of scoring, and the interface of scorers that call a model or run code."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from gate.cases.case import Case
from gate.config.models import ModelRef, Params
from gate.config.rubrics import Rubric
from gate.config.scorer import ScorerSpec
from gate.record.transcript import Cost, Part, Reply, Score, Transcript, Unscored
from gate.suite import Exam
from gate.values import JsonValue, clipped, listed


@dataclass(frozen=True, slots=True)
class Subject:
    """One answer to score.

    Args:
        text: the model's, untrusted.
        latency_s: seconds; None where time means nothing.
        cost: None where it is unknown.
        transcript: of the conversation that the answer ends; None without one.
    """

    case: Case
    text: str
    latency_s: float | None = None
    cost: Cost | None = None
    transcript: Transcript | None = None

    @property
    def conversed(self) -> bool:
        """Did the agent get more than one message?"""
        return self.transcript is not None and len(self.transcript.turns) > 1

    @classmethod
    def of(cls, case: Case, reply: Reply) -> "Subject":
        """The answer in a reply."""
        return cls(case, reply.text, reply.latency_s, reply.cost, reply.transcript)


SHOWN_FIRST, SHOWN_SECOND = "shown first", "shown second"
"""Names of the parts of a pairwise score: the place in which the answer was shown."""

Member: TypeAlias = tuple[ModelRef, Params]
"""A judging model and its parameters."""


class CodeScorer(Protocol):
    """A scoring function of the repository."""

    async def score(self, subject: Subject, index: int) -> Score:
        """Score one answer; whatever prevents a score is `Unscored`."""
        ...


class ModelScorer(Protocol):
    """A judge, a rubric, or a jury of several."""

    @property
    def members(self) -> Sequence[Member]:
        """The models that are called, each for its own opinion."""
        ...

    async def score(self, subject: Subject, index: int) -> Score:
        """Score one answer; whatever prevents a score is `Unscored`.

        Args:
            index: of the sample, so that equal answers of different samples are judged apart.
        """
        ...


JUDGE_MARK = 0.7
"""Pass mark of a judge without a `threshold`."""

TOLERANCE = 1e-9
"""Relative distance by which a mean of floats may be below a mark and still reach it."""


def meets_threshold(value: float, mark: float) -> bool:
    """Does a score, or a rate, reach a mark? A score of 0 reaches none."""
    return value >= mark * (1.0 - TOLERANCE)


def sample_passes(combined: float, scores: Iterable[Score], case: Case, exam: Exam) -> bool:
    """Whether a sample with these scores passes. Without a threshold for the combined score every scorer's score must
    reach its mark, which the case may set for judges, as a whole or round by round."""
    if (threshold := exam.threshold_of(case)) is not None:
        return meets_threshold(combined, threshold)
    specs = {spec.name: spec for spec in exam.scorers_of(case)}
    return all(_good(score, specs.get(score.scorer), case) for score in scores)


def _good(score: Score, spec: ScorerSpec | None, case: Case) -> bool:
    """Does a scorer's score reach its mark, or each of its rounds the mark of the round?"""
    if isinstance(score.value, Unscored):
        return False
    if spec is None:
        return meets_threshold(score.value, 1.0)
    rounds = {part.name: part.value for part in score.parts if part.kind == "round"}
    if marks := round_marks(spec, case):
        return all(meets_threshold(rounds.get(name, score.value), mark) for name, mark in marks.items())
    return meets_threshold(score.value, mark_in_case(spec, case))


def mark_in_case(spec: ScorerSpec, case: Case) -> float:
    """The mark of one scorer in a case, whose `judge_threshold` goes before the judge's own mark."""
    if not _opines(spec):
        return mark_of_scorer(spec)
    alone = case.rounds[0].threshold if len(case.rounds) == 1 else None
    given = case.judge_threshold if alone is None else alone
    return mark_of_scorer(spec) if given is None else given


def round_marks(spec: ScorerSpec, case: Case) -> Mapping[str, float]:
    """A judge's mark for each round, by the name of that round's part of the score. Empty where no round has a
    threshold: then the combined score of the rounds has one mark."""
    if not _opines(spec) or len(case.rounds) < 2 or all(one.threshold is None for one in case.rounds):
        return {}
    usual = mark_in_case(spec, case)
    marks = (usual if one.threshold is None else one.threshold for one in case.rounds)
    return {f"round {number}": mark for number, mark in enumerate(marks, start=1)}


def _opines(spec: ScorerSpec) -> bool:
    """Is it a judge of single answers, whose marks a case may set?"""
    return spec.judged and not spec.comparative


def mark_of_scorer(spec: ScorerSpec) -> float:
    """The mark of one scorer: its `threshold`, or 1 for a validator without one."""
    if spec.kind == "rubric":
        return Rubric.of(spec.options).mark
    given = spec.options.get("threshold", JUDGE_MARK if spec.judged else 1.0)
    return float(given) if isinstance(given, (int, float)) else 1.0


def combine_scores(scores: Sequence[Score]) -> float | Unscored:
    """The combined score of a sample: `Unscored` where any scorer could not be applied; 0 where a required scorer gave
    0; else the weighted mean in [0, 1]."""
    if not scores:
        return Unscored("no scorer")
    weighted, vetoed = [], False
    for score in scores:
        if isinstance(score.value, Unscored):
            return Unscored(f"{score.scorer}: {score.value.reason}")
        vetoed = vetoed or (score.required and score.value <= 0.0)
        weighted.append(score.weight * score.value)
    return 0.0 if vetoed else fsum(weighted) / fsum(score.weight for score in scores)


def weighted_mean(parts: tuple[Part, ...]) -> float:
    """The weighted mean of parts, in [0, 1]."""
    mean = fsum(part.weight * part.value for part in parts) / fsum(part.weight for part in parts)
    return min(1.0, max(0.0, mean))


if TYPE_CHECKING:
    import regex

Options: TypeAlias = Mapping[str, JsonValue]
"""As `gate.config.scorer_options` reads them, with the fields of the case filled in."""

Finding: TypeAlias = tuple[float | Unscored, str]
"""A score in [0, 1], or why there is none; and a one-line reason, which names the expectation."""

Validator: TypeAlias = Callable[[Options, Subject], Finding]

OptionComplaint: TypeAlias = tuple[str, str]
"""The error, as a sentence about `it`; and what to do."""

OptionCheck: TypeAlias = Callable[[Options], Iterator[OptionComplaint]]

LOOKED_AT = 100_000
"""Characters from the beginning of an answer that are split into words, sentences and numbers."""


# `json.dumps` makes a new encoder for each call with options.
_json = json.JSONEncoder(ensure_ascii=False).encode


def finding(passed: bool, yes: str, no: str) -> Finding:
    """Score 1 or 0, with a reason for each."""
    return (1.0, yes) if passed else (0.0, no)


def as_text(value: JsonValue) -> str:
    """A string unchanged; any other value as JSON."""
    return value if isinstance(value, str) else _json(value)


def texts_of(options: Options, key: str) -> list[str]:
    """The texts of a list; empty without the option."""
    found = options.get(key, [])
    return [as_text(item) for item in found] if isinstance(found, list) else [as_text(found)]


def number_of(options: Options, key: str) -> float | None:
    """A number; None without the option, or where it is no number."""
    found = options.get(key)
    return float(found) if isinstance(found, (int, float)) and not isinstance(found, bool) else None


def quote(value: str) -> str:
    """A text for a reason, shortened."""
    return _json(clipped(value, 80))


def shown_value(value: JsonValue) -> str:
    """A JSON value for a reason, shortened."""
    return clipped(_json(value), 80)


def listed_texts(values: list[str]) -> str:
    """Texts for a reason: the first few, and how many more there are."""
    return listed([quote(value) for value in values])


_BLANKS = re.compile(r"\s{3,}")


def opening_of(text: str) -> str:
    """The beginning of a text, for all further work; long runs of blanks, which could fill it, are shortened."""
    return text if len(text) <= LOOKED_AT else _BLANKS.sub(_shortened, text)[:LOOKED_AT]


def _shortened(blanks: re.Match[str]) -> str:
    return "\n\n" if blanks[0].count("\n") > 1 else "\n" if "\n" in blanks[0] else " "


def normal_form(text: str, form: str = "NFC", *, whole: bool = False) -> str:
    """A Unicode normal form (NFC, NFKC) of the beginning of a text, or of the whole; of a pile of accents on one letter
    the first are kept, which the library would sort in a time that grows with the square of its height."""
    text = text if whole else opening_of(text)
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC" if form == "NFKC" else "NFC", compiled(r"(\p{M}{8})\p{M}+").sub(r"\1", text))


@lru_cache(maxsize=8)
def compiled(pattern: str) -> "regex.Pattern[str]":
    """A pattern of the package `regex`, which is imported only for those who use one."""
    import regex

    return regex.compile(pattern)


def empty_words(key: str) -> OptionCheck:
    """Complains of an empty text in a list of words."""

    def check(options: Options) -> Iterator[OptionComplaint]:
        if not all(text.strip() for text in texts_of(options, key)):
            yield f"a text under its option {key} is empty", "add the field to the case, or remove it from the scorer"

    return check
