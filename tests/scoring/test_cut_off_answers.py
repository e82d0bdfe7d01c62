"""An answer that was cut off before any text came has no score, whatever a scorer would make of an empty text."""

import asyncio

import pytest

from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.engine.run import NO_RIVAL, SampleScoring
from gate.engine.schedule import Job
from gate.record.transcript import CUT_OFF, ArmName, Reply, Sample, Unscored
from gate.scoring.interface import CodeScorer, ModelScorer
from gate.scoring.judge import Judge, PairwiseJudge
from gate.scoring.panel import Panel
from gate.suite import Exam
from tests.support.fakes import ScriptedCalls, reply
from tests.support.runs import suite

WHY = Unscored("the reply was cut off before any text came: raise max_output_tokens")
BRIEF = ScorerSpec("words", "brief", {"max": 5})
TONE = ScorerSpec("judge", "tone", {"criteria": "Is friendly."})
STYLE = ScorerSpec("pairwise", "style", {"criteria": "Briefer is better."})


class Marked:
    """A marking whose judges like everything."""

    def __init__(self, *scorers: ScorerSpec) -> None:
        said = '{"reason": "It is so.", "score": 1.0, "better": "first"}'
        self.calls = ScriptedCalls([reply(said)] * 4)
        self.suite = suite([{}], samples=1)
        exam = self.suite.exam
        panel = Panel(Exam(exam.ref, exam.digest, exam.cases, scorers), self._judge, self._pairwise, self._no_code)
        self.marking = SampleScoring(lambda _: panel, lambda: None)

    def _judge(self, spec: ScorerSpec) -> ModelScorer:
        return Judge(spec, ModelRef("fake", "judge"), Params(), self.calls)

    def _pairwise(self, spec: ScorerSpec) -> PairwiseJudge:
        return PairwiseJudge(spec, ModelRef("fake", "judge"), Params(), self.calls)

    def _no_code(self, spec: ScorerSpec, exam: Exam) -> CodeScorer:
        raise AssertionError(spec)

    def take(self, arm: ArmName, answer: Reply) -> tuple[Sample, ...]:
        return asyncio.run(self.marking.samples(Job(self.suite, self.suite.exam.cases[0], arm, 0), 0, answer))


@pytest.mark.parametrize("stop_reason", CUT_OFF)
def test_it_has_no_score_and_is_shown_to_no_judge(stop_reason: str) -> None:
    marked = Marked(BRIEF, TONE)
    (sample,) = marked.take(ArmName.CANDIDATE, reply("", stop_reason=stop_reason))
    assert (sample.score, sample.scores, marked.calls.requests) == (WHY, (), [])


@pytest.mark.parametrize(("text", "stop_reason"), [("Hello", "length"), ("", "stop")])
def test_one_with_some_text_and_one_that_ended_empty_are_scored(text: str, stop_reason: str) -> None:
    marked = Marked(BRIEF, TONE)
    (sample,) = marked.take(ArmName.CANDIDATE, reply(text, stop_reason=stop_reason))
    assert (sample.score, len(marked.calls.requests)) == (1.0, 1)


def test_its_rival_is_compared_with_nothing() -> None:
    marked = Marked(STYLE)
    assert marked.take(ArmName.BASELINE, reply("", stop_reason="length")) == ()
    baseline, candidate = marked.take(ArmName.CANDIDATE, reply("Hello."))
    assert (baseline.score, candidate.score, marked.calls.requests) == (WHY, Unscored(NO_RIVAL), [])
