"""Answers become samples: alone where no scorer compares, two by two where one does."""

import asyncio

from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.engine.run import CUT_SHORT, NO_RIVAL, Marking
from gate.engine.schedule import Job
from gate.record.sample import ArmName, Reply, Sample
from gate.record.transcript import Failed, Unscored
from gate.scoring.interface import CodeScorer
from gate.scoring.judge import PairwiseJudge
from gate.scoring.panel import Panel
from gate.suite import Exam, Suite
from tests.support.fakes import ScriptedCalls, reply
from tests.support.runs import suite

STYLE = ScorerSpec("pairwise", "style", {"criteria": "Briefer is better."})
CONTAINS = ScorerSpec("contains", "contains", {"value": "euro"})
BETTER = {ArmName.BASELINE: "first", ArmName.CANDIDATE: "second"}
"""The judge's two replies, the baseline shown first and then the candidate, that prefer one arm."""


class Marked:
    """A marking with a judge that prefers one arm, and what it gave out."""

    def __init__(self, *scorers: ScorerSpec, prefers: ArmName = ArmName.CANDIDATE) -> None:
        words = ["second", "first"] if prefers is ArmName.CANDIDATE else ["first", "second"]
        self.calls = ScriptedCalls([reply(f'{{"reason": "It is so.", "better": "{word}"}}') for word in words * 9])
        self.suite: Suite = suite([{}] * 2, samples=1)
        exam = self.suite.exam
        self.exam = type(exam)(exam.ref, exam.digest, exam.cases, scorers)
        self.unscored = 0
        panel = Panel(self.exam, self._no_judge, self._pairwise, self._no_code)
        self.marking = Marking(lambda _: panel, self._count)

    def _no_judge(self, spec: ScorerSpec) -> PairwiseJudge:
        raise AssertionError(spec)

    def _no_code(self, spec: ScorerSpec, exam: Exam) -> CodeScorer:
        raise AssertionError(spec)

    def _pairwise(self, spec: ScorerSpec) -> PairwiseJudge:
        return PairwiseJudge(spec, ModelRef("fake", "judge"), Params(), self.calls)

    def _count(self) -> None:
        self.unscored += 1

    def take(self, arm: ArmName, answer: Reply | Failed, case: int = 0, one: Suite | None = None) -> tuple[Sample, ...]:
        job = Job(one or self.suite, self.suite.exam.cases[case], arm, 0)
        return asyncio.run(self.marking.samples(job, 0, answer))


def test_without_a_scorer_that_compares_each_answer_is_a_sample() -> None:
    marked = Marked(CONTAINS)
    (sample,) = marked.take(ArmName.CANDIDATE, reply("12 euro"))
    assert (sample.score, len(sample.scores), list(marked.marking.rest())) == (1.0, 1, [])


def test_a_pair_is_given_out_when_both_arms_have_answered() -> None:
    for first, second in ((ArmName.BASELINE, ArmName.CANDIDATE), (ArmName.CANDIDATE, ArmName.BASELINE)):
        marked = Marked(CONTAINS, STYLE)
        answers = {ArmName.BASELINE: reply("It is 12 euro."), ArmName.CANDIDATE: reply("12.")}
        assert marked.take(first, answers[first]) == ()
        found = {sample.arm: sample for sample in marked.take(second, answers[second])}
        scores = {arm: [score.value for score in sample.scores] for arm, sample in found.items()}
        assert scores == {ArmName.BASELINE: [1.0, 0.0], ArmName.CANDIDATE: [0.0, 1.0]}
        assert {sample.score for sample in found.values()} == {0.5}


def test_cases_do_not_wait_for_each_other() -> None:
    marked = Marked(STYLE)
    assert marked.take(ArmName.BASELINE, reply("a"), case=0) == ()
    assert marked.take(ArmName.CANDIDATE, reply("b"), case=1) == ()
    assert {sample.case_id for sample in marked.take(ArmName.CANDIDATE, reply("c"), case=0)} == {"c000"}


def test_an_answer_whose_rival_failed_has_no_score_and_costs_no_judgement() -> None:
    marked = Marked(STYLE)
    assert marked.take(ArmName.BASELINE, Failed("503", 2)) == ()
    baseline, candidate = marked.take(ArmName.CANDIDATE, reply("b"))
    assert (baseline.score, candidate.score) == (Unscored("503"), Unscored(NO_RIVAL))
    assert (marked.calls.requests, marked.unscored) == ([], 1)


def test_what_waits_in_the_end_is_given_out_without_a_score_and_once() -> None:
    marked = Marked(STYLE)
    marked.take(ArmName.BASELINE, reply("a"))
    (sample,) = marked.marking.rest()
    assert (sample.score, sample.arm) == (Unscored(CUT_SHORT), ArmName.BASELINE)
    assert list(marked.marking.rest()) == []


def test_a_judge_without_a_verdict_leaves_both_without_a_score() -> None:
    marked = Marked(STYLE)
    marked.calls.script = [Failed("429", 6)] * 2
    marked.take(ArmName.BASELINE, reply("a"))
    for sample in marked.take(ArmName.CANDIDATE, reply("b")):
        assert isinstance(sample.score, Unscored)
    assert marked.unscored == 1
