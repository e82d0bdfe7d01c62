"""A model as scorer: reads the answer inside a fence that the answer cannot forge, and gives a reason and a score."""

import json
from dataclasses import dataclass, field, replace

from gate.calls.port import Calls
from gate.config.scorerspec import ScorerSpec
from gate.domain.absence import Unscored
from gate.domain.model import ModelRef, Params
from gate.domain.sample import Score
from gate.providers.base import Request
from gate.scoring.asking import Inquiry, Opinion, ask
from gate.scoring.echo import repeated
from gate.scoring.forms import Form, form_of
from gate.scoring.messages import besides, fence_of, messages, shown
from gate.scoring.port import Member
from gate.scoring.subject import Subject
from gate.scoring.verdict import Verdict


@dataclass(slots=True)
class Judge:
    """One judge of one suite.

    Args:
        spec: a scorer of kind `judge` or `rubric`.
        model: who judges; the same model for both arms.
        params: parameters of the judge's calls.
        calls: sends requests.
    """

    spec: ScorerSpec
    model: ModelRef
    params: Params
    calls: Calls
    _form: Form = field(init=False)

    def __post_init__(self) -> None:
        self._form = form_of(self.spec)

    @property
    def members(self) -> tuple[Member, ...]:
        """The judge alone."""
        return ((self.model, self.params),)

    async def score(self, subject: Subject, index: int) -> Score:
        """Ask for an opinion on one answer; see `gate.scoring.port.ModelScorer`."""
        opinion = await self.opinion(subject, index)
        blank = Score(self.spec.name, Unscored("not judged"), "", self.spec.weight, self.spec.required)
        paid = replace(blank, calls=opinion.calls, retries=opinion.retries, cost=opinion.cost, reused=opinion.reused)
        verdict = opinion.verdict
        if isinstance(verdict, Unscored):
            return replace(paid, value=verdict)
        return replace(paid, value=verdict.value, reason=verdict.reason, parts=verdict.parts)

    async def opinion(self, subject: Subject, index: int) -> Opinion:
        """The opinion itself, with what it took.

        Args:
            subject: the answer.
            index: sample index.
        """
        case, text = subject.case, subject.text
        led = case.messages if subject.transcript is not None else ()
        about = json.dumps([self.spec.name, case.id])

        def request(problem: str = "") -> Request:
            asked = messages(self.spec, case, text, problem, led)
            return Request(asked, self.model, self.params, index, self._form.schema, about=about)

        def repeats(verdict: Verdict) -> Unscored | None:
            judged = (text, case.question) if shown(self.spec, "sees_input") else (text,)
            return repeated(verdict, judged, besides(self.spec, case))

        return await ask(self.calls, Inquiry(request(), request, self._form.read, repeats, (fence_of(text, led),)))
