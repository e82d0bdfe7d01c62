"""A model as judge, and a jury of several."""

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gate.calls.interface import Calls, Request, together
from gate.config.models import ModelRef, Params
from gate.config.rubrics import Rubric
from gate.config.scorer import ScorerSpec
from gate.record.sample import Part, Reply, Score
from gate.record.transcript import Failed, Unscored
from gate.record.usage import Cost, added
from gate.scoring.interface import Member, ModelScorer, Subject
from gate.scoring.judge_prompt import fence_of, is_shown, judge_messages, shown_besides
from gate.scoring.judge_reply import Malformed, VerdictForm, verdict_form
from gate.scoring.verdict import Verdict, echo_complaint, is_wordless

WORDLESS = "a reason in the judge's reply holds no word of its own"


@dataclass(frozen=True, slots=True)
class JudgeOpinion:
    """A judge's opinion, and the effort.

    Args:
        verdict: or why there is none.
        calls, retries: requests that were answered, and those that were sent again.
        reused: replies that were known.
        cost: None without calls.
    """

    verdict: Verdict | Unscored
    calls: int = 0
    retries: int = 0
    reused: int = 0
    cost: Cost | None = None


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """One question to a judge.

    Args:
        repair: the request after a reply that is not a verdict, made from its fault.
        read: raises `Malformed` for a reply that is not a verdict.
        repeats: why the verdict does not count, if it repeats what was judged.
        fences: marks around what is judged; repeated they are no reason.
    """

    request: Request
    repair: Callable[[str], Request]
    read: Callable[[Reply], Verdict]
    repeats: Callable[[Verdict], Unscored | None]
    fences: tuple[str, ...]


async def ask_judge(calls: Calls, inquiry: JudgeQuestion) -> JudgeOpinion:
    """Ask, and if necessary once more.

    A reply that is known and is no verdict stays one, so only what was wrong the second time is asked for anew.
    """
    asker = _Asker(calls, inquiry)
    try:
        return asker.opinion(await asker.verdict())
    except Malformed as problem:
        return asker.opinion(Unscored(problem.reason))


@dataclass(slots=True)
class _Asker:
    calls: Calls
    inquiry: JudgeQuestion
    made: int = 0
    again: int = 0
    reused: int = 0
    spent: Cost | None = None

    async def verdict(self) -> Verdict | Unscored:
        """Raises `Malformed` where the repair is not a verdict either."""
        reply = await self._send(self.inquiry.request)
        try:
            return self._read(reply)
        except Malformed as problem:
            repair = self.inquiry.repair(problem.reason)
        reply = await self._send(repair)
        if isinstance(reply, Reply) and reply.origin.reused:
            try:
                return self._read(reply)
            except Malformed:
                reply = await self._send(repair, fresh=True)
        return self._read(reply)

    def opinion(self, verdict: Verdict | Unscored) -> JudgeOpinion:
        return JudgeOpinion(verdict, self.made, self.again, self.reused, self.spent)

    def _read(self, reply: Reply | Failed) -> Verdict | Unscored:
        if isinstance(reply, Failed):
            return Unscored(f"the judge gave no answer: {reply.reason}")
        verdict = self.inquiry.read(reply)
        if is_wordless(verdict, self.inquiry.fences):
            raise Malformed(WORDLESS)
        return self.inquiry.repeats(verdict) or verdict

    async def _send(self, request: Request, *, fresh: bool = False) -> Reply | Failed:
        reply = await self.calls.call(request, fresh=fresh)
        if isinstance(reply, Failed):
            self.again += max(0, reply.attempts - 1)
        elif reply.origin.reused:
            self.reused += 1
        else:
            self.made += 1
            self.again += reply.attempts - 1
            self.spent = added(self.spent, reply.cost)
        return reply


@dataclass(slots=True)
class Judge:
    """One judge of one suite.

    Args:
        model: the same for both arms.
    """

    spec: ScorerSpec
    model: ModelRef
    params: Params
    calls: Calls
    _form: VerdictForm = field(init=False)

    def __post_init__(self) -> None:
        self._form = verdict_form(self.spec)

    @property
    def members(self) -> tuple[Member, ...]:
        """The judge alone."""
        return ((self.model, self.params),)

    async def score(self, subject: Subject, index: int) -> Score:
        """Ask for an opinion on one answer; see `gate.scoring.interface.ModelScorer`."""
        opinion = await self.opinion(subject, index)
        blank = Score(self.spec.name, Unscored("not judged"), "", self.spec.weight, self.spec.required)
        paid = replace(blank, calls=opinion.calls, retries=opinion.retries, cost=opinion.cost, reused=opinion.reused)
        verdict = opinion.verdict
        if isinstance(verdict, Unscored):
            return replace(paid, value=verdict)
        return replace(paid, value=verdict.value, reason=verdict.reason, parts=verdict.parts)

    async def opinion(self, subject: Subject, index: int) -> JudgeOpinion:
        """The opinion on one answer, with the effort."""
        case, text = subject.case, subject.text
        led = case.messages if subject.transcript is not None else ()
        about = json.dumps([self.spec.name, case.id])

        def request(problem: str = "") -> Request:
            asked = judge_messages(self.spec, case, text, problem, led)
            return Request(asked, self.model, self.params, index, self._form.schema, about=about)

        def repeats(verdict: Verdict) -> Unscored | None:
            judged = (text, case.question) if is_shown(self.spec, "sees_input") else (text,)
            return echo_complaint(verdict, judged, shown_besides(self.spec, case))

        return await ask_judge(
            self.calls, JudgeQuestion(request(), request, self._form.read, repeats, (fence_of(text, led),))
        )


COMBINERS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    # More than half of the judges give at least this, and it is the highest such score: so it reaches a threshold
    # exactly where a majority of the judges does.
    "majority": statistics.median_low,
}


@dataclass(frozen=True, slots=True)
class Jury:
    """Several judges of one scorer.

    Args:
        judges: in the order of `models`.
    """

    spec: ScorerSpec
    judges: tuple[ModelScorer, ...]

    @property
    def members(self) -> tuple[Member, ...]:
        """All judges."""
        return tuple(member for judge in self.judges for member in judge.members)

    async def score(self, subject: Subject, index: int) -> Score:
        """Ask all of them at once; see `gate.scoring.interface.ModelScorer`.

        Returns:
            A score with a part for each judge, and combined parts for a rubric's dimensions. `Unscored` where one judge
            has no opinion: without it the others would be another jury.
        """
        scores = await together(judge.score(subject, index) for judge in self.judges)
        found = [(str(judge.members[0][0]), score) for judge, score in zip(self.judges, scores, strict=True)]
        cost: Cost | None = None
        for score in scores:
            cost = added(cost, score.cost)
        paid = Score(
            self.spec.name,
            Unscored("not judged"),
            weight=self.spec.weight,
            required=self.spec.required,
            calls=sum(score.calls for score in scores),
            retries=sum(score.retries for score in scores),
            cost=cost,
            reused=sum(score.reused for score in scores),
        )
        values: list[tuple[str, float]] = []
        for name, score in found:
            if isinstance(score.value, Unscored):
                return replace(paid, value=Unscored(f"{name}: {score.value.reason}"))
            values.append((name, score.value))
        combine = opinion_combiner(self.spec)
        judges = tuple(Part("judge", name, value) for name, value in values)
        told = (f"{name} {self._graded(value)}" for name, value in values)
        reason = " | ".join(f"{one}: {score.reason}" for one, score in zip(told, scores, strict=True))
        value = combine([value for _, value in values])
        return replace(paid, value=value, reason=reason, parts=(*_dimensions(scores, combine), *judges))

    def _graded(self, value: float) -> str:
        """An opinion for readers: on the scale of the rubric, where there is one."""
        if self.spec.kind != "rubric":
            return f"{value:.2f}"
        rubric = Rubric.of(self.spec.options)
        return f"{rubric.score(value):.2f} of {rubric.high:g}"


def opinion_combiner(spec: ScorerSpec) -> Callable[[Sequence[float]], float]:
    """The function that combines a jury's opinions."""
    return COMBINERS[str(spec.options.get("combine", "median"))]


def _dimensions(scores: Sequence[Score], combine: Callable[[Sequence[float]], float]) -> list[Part]:
    """Each dimension of a rubric, over all judges."""
    per_judge = [[part for part in score.parts if part.kind == "dimension"] for score in scores]
    return [replace(parts[0], value=combine([part.value for part in parts])) for parts in zip(*per_judge, strict=True)]
