"""A model as judge, a jury of several, and a judge that compares the answers of both arms."""

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gate.calls.interface import Calls, Request, together
from gate.config.models import ModelRef, Params
from gate.config.rubrics import Rubric
from gate.config.scorer import ScorerSpec
from gate.record.transcript import Cost, Failed, Part, Reply, Score, Unscored, added
from gate.scoring.interface import SHOWN_FIRST, SHOWN_SECOND, Member, ModelScorer, Subject
from gate.scoring.judge_prompt import (
    AnswerPair,
    Background,
    fence_of,
    fences_of,
    is_shown,
    judge_messages,
    pair_messages,
    sees_tools,
    shown_besides,
    tools_of,
)
from gate.scoring.judge_reply import PAIR_SCHEMA, MalformedVerdict, VerdictForm, read_preference
from gate.scoring.verdict import Verdict, echo_complaint, is_wordless


@dataclass(slots=True)
class JudgeOpinion:
    """A judge's verdict, or why there is none, and the effort: `reused` counts replies that were known."""

    verdict: Verdict | Unscored = field(default=Unscored("not judged"))
    calls: int = 0
    retries: int = 0
    reused: int = 0
    cost: Cost | None = None

    def note(self, reply: Reply | Failed) -> None:
        """Count the effort of a reply."""
        if isinstance(reply, Failed):
            self.retries += max(0, reply.attempts - 1)
        elif reply.origin.reused:
            self.reused += 1
        else:
            self.calls += 1
            self.retries += reply.attempts - 1
            self.cost = added(self.cost, reply.cost)

    def score(self, spec: ScorerSpec, value: float | Unscored, reason: str, parts: tuple[Part, ...]) -> Score:
        """A scorer's score with this effort."""
        return Score(
            spec.name,
            value,
            reason,
            spec.weight,
            spec.required,
            calls=self.calls,
            retries=self.retries,
            reused=self.reused,
            cost=self.cost,
            parts=parts,
        )


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """One question to a judge: its request, or the one after a reply that is not a verdict, made from its fault; how
    the reply is read; and what `echo_complaint` and `is_wordless` look for in it."""

    request: Callable[[str], Request]
    read: Callable[[Reply], Verdict]
    judged: tuple[str, ...]
    shown: tuple[str, ...]
    fences: tuple[str, ...]

    def verdict(self, reply: Reply | Failed) -> Verdict | Unscored:
        """The verdict in a reply; raises `MalformedVerdict`."""
        if isinstance(reply, Failed):
            return Unscored(f"the judge gave no answer: {reply.reason}")
        verdict = self.read(reply)
        if is_wordless(verdict, self.fences):
            raise MalformedVerdict("a reason in the judge's reply holds no word of its own")
        return echo_complaint(verdict, self.judged, self.shown) or verdict


async def ask_judge(calls: Calls, question: JudgeQuestion) -> JudgeOpinion:
    """Call the judge, and if necessary once more.

    A cached reply that is not a verdict stays cached, so only the second, corrected request is sent again.
    """
    opinion = JudgeOpinion()
    request, fresh = question.request(""), False
    for attempt in range(3):
        reply = await calls.call(request, fresh=fresh)
        opinion.note(reply)
        try:
            opinion.verdict = question.verdict(reply)
            break
        except MalformedVerdict as problem:
            opinion.verdict = Unscored(problem.reason)
            if attempt == 0:
                request = question.request(problem.reason)
            elif not (isinstance(reply, Reply) and reply.origin.reused):
                break
            fresh = attempt == 1
    return opinion


@dataclass(slots=True)
class Judge:
    """One judge of one suite, with the same model for both arms."""

    spec: ScorerSpec
    model: ModelRef
    params: Params
    calls: Calls
    _form: VerdictForm = field(init=False)

    def __post_init__(self) -> None:
        self._form = VerdictForm.of(self.spec)

    @property
    def members(self) -> tuple[Member, ...]:
        """Only the judge."""
        return ((self.model, self.params),)

    async def score(self, subject: Subject, index: int) -> Score:
        """Get an opinion on one answer; see `gate.scoring.interface.ModelScorer`."""
        if why := _tools_unknown(self.spec, subject):
            return JudgeOpinion().score(self.spec, why, "", ())
        opinion = await ask_judge(self.calls, self._question(subject, index))
        verdict = opinion.verdict
        if isinstance(verdict, Unscored):
            return opinion.score(self.spec, verdict, "", ())
        return opinion.score(self.spec, verdict.value, verdict.reason, verdict.parts)

    def _question(self, subject: Subject, index: int) -> JudgeQuestion:
        case, text = subject.case, subject.text
        tools = tools_of(subject.transcript) if sees_tools(self.spec) else ""
        background = Background(case.messages if subject.transcript is not None else (), tools)
        about = json.dumps([self.spec.name, case.id])

        def request(problem: str) -> Request:
            asked = judge_messages(self.spec, case, text, problem, background)
            return Request(asked, self.model, self.params, index, self._form.schema, about=about)

        judged = tuple(filter(None, (text, case.question if is_shown(self.spec, "sees_input") else "", tools)))
        fence = fence_of(text, background)
        return JudgeQuestion(request, self._form.read, judged or ("",), shown_besides(self.spec, case), (fence,))


def _tools_unknown(spec: ScorerSpec, *subjects: Subject) -> Unscored | None:
    """Why a judge that goes by calls of tools cannot judge; None where it can."""
    told = (one.transcript is not None and all(turn.tools_told for turn in one.transcript.turns) for one in subjects)
    return None if not sees_tools(spec) or all(told) else Unscored("the agent does not report its calls of tools")


COMBINERS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    # More than half of the judges give at least this, and it is the highest such score: so it reaches a threshold
    # exactly where a majority of the judges does.
    "majority": statistics.median_low,
}


def opinion_combiner(spec: ScorerSpec) -> Callable[[Sequence[float]], float]:
    """The function that combines a jury's opinions."""
    return COMBINERS[str(spec.options.get("combine", "median"))]


@dataclass(frozen=True, slots=True)
class Jury:
    """Several judges of one scorer, in the order of `models`."""

    spec: ScorerSpec
    judges: tuple[ModelScorer, ...]

    @property
    def members(self) -> tuple[Member, ...]:
        """All judges."""
        return tuple(member for judge in self.judges for member in judge.members)

    async def score(self, subject: Subject, index: int) -> Score:
        """Call all of them at once; see `gate.scoring.interface.ModelScorer`.

        Returns:
            A score with a part for each judge, and combined parts for a rubric's dimensions. `Unscored` where one judge
            has no opinion: without it the others would be another jury.
        """
        scores = await together(judge.score(subject, index) for judge in self.judges)
        effort = JudgeOpinion()
        for score in scores:
            effort.calls += score.calls
            effort.retries += score.retries
            effort.reused += score.reused
            effort.cost = added(effort.cost, score.cost)
        names = [str(judge.members[0][0]) for judge in self.judges]
        values: list[float] = []
        for name, score in zip(names, scores, strict=True):
            if isinstance(score.value, Unscored):
                return effort.score(self.spec, Unscored(f"{name}: {score.value.reason}"), "", ())
            values.append(score.value)
        combine = opinion_combiner(self.spec)
        judges = tuple(Part("judge", name, value) for name, value in zip(names, values, strict=True))
        reason = " | ".join(
            f"{name} {self._graded(value)}: {score.reason}"
            for name, value, score in zip(names, values, scores, strict=True)
        )
        return effort.score(self.spec, combine(values), reason, (*_dimensions(scores, combine), *judges))

    def _graded(self, value: float) -> str:
        """An opinion for readers: on the scale of the rubric, where there is one."""
        if self.spec.kind != "rubric":
            return f"{value:.2f}"
        rubric = Rubric.of(self.spec.options)
        return f"{rubric.score(value):.2f} of {rubric.high:g}"


def _dimensions(scores: Sequence[Score], combine: Callable[[Sequence[float]], float]) -> list[Part]:
    """Each dimension of a rubric, over all judges."""
    per_judge = [[part for part in score.parts if part.kind == "dimension"] for score in scores]
    return [replace(parts[0], value=combine([part.value for part in parts])) for parts in zip(*per_judge, strict=True)]


@dataclass(frozen=True, slots=True)
class PairwiseJudge:
    """One pairwise judge of one suite.

    Each pair is shown in both orders, so that a judge's preference for one position has no effect: the candidate's
    score is the mean of the two, 1 for a win, 0.5 for a tie, 0 for a loss, and the baseline's is 1 minus that.
    Their difference is in [-1, 1]. (On the bias, and on swapping the places: L. Zheng et al., "Judging LLM-as-a-Judge
    with MT-Bench and Chatbot Arena", 2023, section 3.4.)
    """

    spec: ScorerSpec
    model: ModelRef
    params: Params
    calls: Calls

    async def compare(self, baseline: Subject, candidate: Subject, index: int) -> tuple[Score, Score]:
        """Compare two answers to one case; equal ones are a tie, without a call."""
        if why := _tools_unknown(self.spec, baseline, candidate):
            unknown = Score(self.spec.name, why, "", self.spec.weight)
            return unknown, unknown
        pair = AnswerPair.of(baseline, candidate, tools=sees_tools(self.spec))
        if pair.texts[0] == pair.texts[1]:
            reason = f"both {'conversations' if pair.turn else 'answers'} are the same"
            same = Score(self.spec.name, 0.5, reason, self.spec.weight)
            return same, same
        # The two judgements are paid for once: each score has the cost of the one that showed its answer first.
        one, other = await together(
            ask_judge(self.calls, self._question(order, index)) for order in (pair, pair.swapped)
        )
        spec = replace(self.spec, required=False)
        for verdict in (one.verdict, other.verdict):
            if isinstance(verdict, Unscored):
                return one.score(spec, verdict, "", ()), other.score(spec, verdict, "", ())
        first, second = (verdict for verdict in (one.verdict, other.verdict) if isinstance(verdict, Verdict))

        def score(own: JudgeOpinion, shown_first: Verdict, shown_second: Verdict) -> Score:
            worth = (shown_first.value, 1.0 - shown_second.value)
            parts = tuple(Part("order", *part) for part in zip((SHOWN_FIRST, SHOWN_SECOND), worth, strict=True))
            return own.score(spec, sum(worth) / 2, f"with this answer shown first: {shown_first.reason}", parts)

        return score(one, first, second), score(other, second, first)

    def _question(self, pair: AnswerPair, index: int) -> JudgeQuestion:
        """Gets the value of the answer shown first."""
        case, texts = pair.case, pair.texts
        about = json.dumps([self.spec.name, case.id])

        def request(problem: str) -> Request:
            asked = pair_messages(self.spec, pair, problem)
            return Request(asked, self.model, self.params, index, PAIR_SCHEMA, about=about)

        judged = (*texts, case.question) if is_shown(self.spec, "sees_input") else texts
        return JudgeQuestion(request, read_preference, judged, shown_besides(self.spec, case), fences_of(texts))
