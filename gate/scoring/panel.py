"""All scorers of a suite, applied to one answer, to the rounds of a conversation, or to a pair of answers."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from importlib import import_module
from math import fsum
from statistics import fmean
from types import ModuleType
from typing import TYPE_CHECKING

from gate.calls.interface import together
from gate.cases.case import Case, Round, fill
from gate.config.documents import printable
from gate.config.scorer import ScorerSpec
from gate.config.targets import RoundRule
from gate.messages import Message
from gate.record.transcript import Part, Score, Transcript, Unscored, added
from gate.scoring.interface import (
    CodeScorer,
    Finding,
    ModelScorer,
    OptionCheck,
    OptionComplaint,
    Options,
    Subject,
    Validator,
)
from gate.suite import Exam
from gate.values import JsonValue, clipped

_EXPECTED = re.compile(r"\{\{\s*expected\s*\}\}")


def fill_options(options: Mapping[str, JsonValue], case: Case) -> Options:
    """The options of a scorer for one case. Raises `InputErrors`.

    Texts, also inside of lists and mappings, may contain `{{ expected }}` and other fields. An option that is only
    `{{ expected }}` takes the expected value as it is, a number as a number; as an item of a list it stands for all
    items of an expected list.
    """
    return {key: _filled(value, case) for key, value in options.items()}


def _filled(value: JsonValue, case: Case) -> JsonValue:
    if isinstance(value, str):
        return _text(value, case)
    if isinstance(value, list):
        items: list[JsonValue] = []
        for item in value:
            filled = _filled(item, case)
            if isinstance(item, str) and filled is not item and isinstance(filled, list):
                items.extend(filled)
            else:
                items.append(filled)
        return items
    if isinstance(value, dict):
        return {key: _filled(inner, case) for key, inner in value.items()}
    return value


def _text(text: str, case: Case) -> JsonValue:
    if "{{" not in text:
        return text
    if case.expected is not None and _EXPECTED.fullmatch(text):
        return case.expected
    return fill(text, case)


_MODULES: Mapping[str, tuple[str, ...]] = {
    "text": ("exact", "contains", "regex", "starts_with", "ends_with"),
    "json_answers": ("json", "json_schema", "json_path"),
    "number": ("number", "latency", "cost"),
    "language": ("words", "sentences", "characters", "forbidden_words", "similarity", "language"),
    "asks": ("asks",),
    "refusal": ("refusal",),
    "paraphrases": ("paraphrases",),
    "tool_calls": ("tools",),
    "databases": ("database",),
}
VALIDATORS: Mapping[str, str] = {kind: module for module, kinds in _MODULES.items() for kind in kinds}
"""The module of each kind; it is imported when the first scorer of the kind is used."""


def _module(kind: str) -> ModuleType:
    return import_module(f"gate.scoring.validators.{VALIDATORS[kind]}")


SHORT_REASON_CHARS = 500
"""Of a validator's reason."""


def validate(spec: ScorerSpec, subject: Subject) -> Score:
    """Score one answer with a validator; the reason names the expectation."""
    options = fill_options(spec.options, subject.case)
    if spec.kind == "database":
        # A database observation is stored under the name of its scorer.
        options = {**options, "scorer": spec.name}
    check: Validator = _module(spec.kind).VALIDATORS[spec.kind]
    return as_score(spec, check(options, subject))


def as_score(spec: ScorerSpec, found: Finding) -> Score:
    value, reason = found
    if spec.negate and not isinstance(value, Unscored):
        value, reason = 1.0 - value, f"negated: {reason}"
    return Score(spec.name, value, _line(reason), spec.weight, spec.required)


def _line(reason: str) -> str:
    """On one line and of limited length: it may quote the answer."""
    return clipped(printable(reason[: SHORT_REASON_CHARS + 1]), SHORT_REASON_CHARS)


def option_complaints(kind: str, options: Options) -> Iterator[OptionComplaint]:
    """Why a validator cannot use a case's options, in which the fields of the case are filled in."""
    check: OptionCheck | None = _module(kind).CHECKS.get(kind) if kind in VALIDATORS else None
    return check(options) if check is not None else iter(())


if TYPE_CHECKING:
    from gate.scoring.judge import PairwiseJudge

REASON_CHARS = 4_000
"""Characters of the reason for one of several rounds."""


@dataclass(frozen=True, slots=True)
class ScoredRound:
    """One round, counted from 0, with its last answer to a case whose question is the conversation until then."""

    number: int
    round: Round
    subject: Subject


def scored_rounds(subject: Subject) -> tuple[ScoredRound, ...]:
    """The rounds of a conversation; empty without a conversation."""
    transcript, case = subject.transcript, subject.case
    if transcript is None:
        return ()
    rounds = case.steps
    numbers = sorted({turn.round for turn in transcript.turns})
    return tuple(_scene(subject, transcript, number, rounds[min(number, len(rounds) - 1)]) for number in numbers)


def _scene(subject: Subject, transcript: Transcript, number: int, one: Round) -> ScoredRound:
    turns = transcript.of_round(number)
    case = _asked(subject.case, _until(subject.case, transcript, number), one)
    seconds = [turn.latency_s for turn in turns if turn.latency_s is not None]
    own = Subject(
        case,
        turns[-1].answer,
        fsum(seconds) if len(seconds) == len(turns) else None,
        reduce(added, [turn.cost for turn in turns], None),
        replace(transcript, turns=turns),
    )
    return ScoredRound(number, one, own)


def _asked(case: Case, said: tuple[Message, ...], one: Round) -> Case:
    """The case with the conversation as its question; a single message is asked as without rounds."""
    return replace(
        case,
        input=said[0].content if len(said) == 1 else "",
        messages=said if len(said) > 1 else (),
        criteria=case.criteria if one.criteria is None else one.criteria,
        rounds=(),
    )


def _until(case: Case, transcript: Transcript, number: int) -> tuple[Message, ...]:
    """The conversation before the last answer of a round."""
    turns = [turn for turn in transcript.turns if turn.round <= number]
    said: list[Message] = list(case.messages[:-1])
    for turn in turns[:-1]:
        said += (Message("user", turn.said), Message("assistant", turn.answer))
    return (*said, Message("user", turns[-1].said))


def join_rounds(scores: Sequence[tuple[int, Score]], rule: RoundRule) -> Score:
    """One scorer's score for a conversation, from number and score of each round.

    The score of the only round, or one with a part for each round; `Unscored` where a round has no score. A required
    scorer's is 0 where it is 0 in a round that counts.
    """
    if len(scores) == 1:
        return scores[0][1]
    values = [(number, score.value) for number, score in scores]
    missing = next(((number, value) for number, value in values if isinstance(value, Unscored)), None)
    first = scores[0][1]
    known = [(number, value) for number, value in values if not isinstance(value, Unscored)]
    paid = replace(
        first,
        calls=sum(score.calls for _, score in scores),
        retries=sum(score.retries for _, score in scores),
        reused=sum(score.reused for _, score in scores),
        cost=reduce(added, [score.cost for _, score in scores], None),
        parts=(),
    )
    if missing is not None:
        number, why = missing
        return replace(paid, value=Unscored(f"{round_name(number)}: {why.reason}"), reason="")
    decisive = len(known) - 1 if rule == "last" else min(range(len(known)), key=lambda at: known[at][1])
    number, score = scores[decisive]
    reason = f"{round_name(number)}: {score.reason}" if score.reason else ""
    said = [score.reason for _, score in scores]
    rounds = tuple(
        Part("round", round_name(number), value, reason=clipped(reason, REASON_CHARS))
        for (number, value), reason in zip(known, said, strict=True)
    )
    value = score_of_rounds([value for _, value in known], rule, required=first.required)
    return replace(paid, value=value, reason=reason, parts=(*rounds, *_means([score for _, score in scores])))


def round_name(number: int) -> str:
    """The name of a round, whose number is counted from 0."""
    return f"round {number + 1}"


def single_round_rule(rule: RoundRule) -> RoundRule:
    """The rule for questions about single rounds: each round counts, even under the rule `last`."""
    return "mean" if rule == "last" else rule


def score_of_rounds(values: Sequence[float], rule: RoundRule, *, required: bool) -> float:
    """The combined score of at least one round; a required scorer's 0 in a round that counts makes it 0."""
    if required and (values[-1] if rule == "last" else min(values)) <= 0.0:
        return 0.0
    match rule:
        case "min":
            return min(values)
        case "last":
            return values[-1]
        case _:
            return fmean(values)


def _means(scores: Sequence[Score]) -> tuple[Part, ...]:
    """The parts of a rubric or a jury, each the mean over the rounds that have it."""
    found: dict[tuple[str, str], list[Part]] = {}
    for score in scores:
        for part in score.parts:
            found.setdefault((part.kind, part.name), []).append(part)
    return tuple(replace(parts[0], value=fmean(part.value for part in parts)) for parts in found.values())


@dataclass(frozen=True, slots=True)
class Panel:
    """The scorers of one suite."""

    exam: Exam
    judge: Callable[[ScorerSpec], ModelScorer]
    pairwise: Callable[[ScorerSpec], "PairwiseJudge"]
    code: Callable[[ScorerSpec, Exam], CodeScorer]

    def compares(self, case: Case) -> bool:
        """Does a scorer of this case need the answers of both arms?"""
        return any(spec.comparative for spec in self.exam.scorers_of(case))

    async def scores(self, subject: Subject, index: int) -> tuple[Score, ...]:
        """The scores of scorers of a single answer; slow ones run together."""
        alone = [spec for spec in self.exam.lasting_scorers_of(subject.case) if not spec.comparative]
        rounds = scored_rounds(subject)
        if not rounds:
            return await self._all([(spec, subject) for spec in alone], index)
        asked = [(0, spec, subject) for spec in alone if spec.whole]
        for scene in rounds:
            lasting = (spec for spec in alone if not spec.whole)
            asked += [(scene.number, spec, scene.subject) for spec in (*lasting, *scene.round.scorers)]
        scores = await self._all([(spec, shown) for _, spec, shown in asked], index)
        found: dict[str, list[tuple[int, Score]]] = {spec.name: [] for spec in alone}
        for (number, spec, _), score in zip(asked, scores, strict=True):
            found.setdefault(spec.name, []).append((number, score))
        rule = self.exam.conversing.score
        names = {spec.name for spec in alone}
        return tuple(
            join_rounds(own, rule if name in names else single_round_rule(rule)) for name, own in found.items()
        )

    async def _all(self, wanted: Sequence[tuple[ScorerSpec, Subject]], index: int) -> tuple[Score, ...]:
        """The scores in the order of the specs; slow scorers run at the same time."""
        said = iter(await together(self._asked(spec, shown, index) for spec, shown in wanted if _asks(spec)))
        return tuple(next(said) if _asks(spec) else validate(spec, shown) for spec, shown in wanted)

    async def compared(
        self, baseline: Subject, candidate: Subject, index: int
    ) -> tuple[tuple[Score, ...], tuple[Score, ...]]:
        """The scores of comparing scorers, for each of two answers to the same case."""
        both = [spec for spec in self.exam.scorers_of(baseline.case) if spec.comparative]
        found = await together(self.pairwise(spec).compare(baseline, candidate, index) for spec in both)
        return tuple(one for one, _ in found), tuple(other for _, other in found)

    async def _asked(self, spec: ScorerSpec, subject: Subject, index: int) -> Score:
        scorer = self.code(spec, self.exam) if spec.coded else self.judge(spec)
        return await scorer.score(subject, index)


def _asks(spec: ScorerSpec) -> bool:
    """Is the score given elsewhere: by a model, or a function in another process?"""
    return spec.coded or spec.judged
