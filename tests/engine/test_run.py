"""The workers, and how answers become samples."""

import asyncio
from collections.abc import Iterator

import pytest

from gate.calls.interface import Stop
from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.engine.run import CUT_SHORT, FAILURES_IN_A_ROW, NO_RIVAL, Runner, SampleScoring
from gate.engine.schedule import Job, Schedule
from gate.errors import GateError
from gate.record.findings.unfinished import RunInterrupted
from gate.record.transcript import ArmName, Failed, Reply, Sample, Unscored
from gate.scoring.interface import CodeScorer
from gate.scoring.judge import PairwiseJudge
from gate.scoring.panel import Panel
from gate.suite import Exam, Suite
from tests.support.fakes import Memory, ScriptedCalls, reply
from tests.support.runs import reply as any_reply
from tests.support.runs import suite


def jobs(one: Suite) -> Iterator[Job]:
    """Case after case, so that the tests know which comes when."""
    ordered = sorted(Schedule((one,), 0).all_pairs(), key=lambda pair: (pair.index, pair.case.id))
    return (job for pair in ordered for job in pair.jobs())


def sample(job: Job, *, failed: bool = False) -> Sample:
    answer = Failed("connection refused", 6) if failed else any_reply()
    return Sample(job.suite.name, job.case.id, job.arm, job.index, answer, (), Unscored("x") if failed else 1.0)


def test_no_more_than_the_workers_are_busy_at_once() -> None:
    busy = most = 0

    async def take(job: Job) -> tuple[Sample, ...]:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0)
        busy -= 1
        return (sample(job),)

    memory = Memory()
    asyncio.run(Runner(take, memory.sample, Stop(), 4).run(jobs(suite([{}] * 50))))
    assert most == 4
    assert len(memory.samples) == 100


def test_a_service_that_never_answers_is_given_up() -> None:
    async def take(job: Job) -> tuple[Sample, ...]:
        return (sample(job, failed=True),)

    stop, memory = Stop(), Memory()
    asyncio.run(Runner(take, memory.sample, stop, 1).run(jobs(suite([{}] * 500))))
    assert len(memory.samples) == FAILURES_IN_A_ROW
    assert stop.reason is not None
    assert "connection refused" in stop.reason


def test_failures_among_answers_do_not_stop_a_run() -> None:
    turn = iter(range(10_000))

    async def take(job: Job) -> tuple[Sample, ...]:
        return (sample(job, failed=next(turn) > 0),)

    stop, memory = Stop(), Memory()
    asyncio.run(Runner(take, memory.sample, stop, 1).run(jobs(suite([{}] * 50))))
    assert stop.reason is None
    assert len(memory.samples) == 100


def test_drain_finishes_what_is_under_way() -> None:
    stop, memory = Stop(), Memory()

    async def take(job: Job) -> tuple[Sample, ...]:
        await asyncio.sleep(0)
        stop.drain(RunInterrupted(signal=""))
        await asyncio.sleep(0)
        return (sample(job),)

    asyncio.run(Runner(take, memory.sample, stop, 3).run(jobs(suite([{}] * 50))))
    assert len(memory.samples) == 3


def test_now_gives_up_what_is_under_way() -> None:
    stop, memory = Stop(), Memory()

    async def take(job: Job) -> tuple[Sample, ...]:
        await asyncio.sleep(3600)
        return (sample(job),)

    async def main() -> None:
        asyncio.get_running_loop().call_later(0.01, stop.now, RunInterrupted(signal="SIGTERM"))
        await Runner(take, memory.sample, stop, 3).run(jobs(suite([{}] * 50)))

    asyncio.run(main())
    assert (memory.samples, stop.cause) == ([], RunInterrupted(signal="SIGTERM"))


def test_a_mistake_of_the_user_ends_the_run_at_once() -> None:
    async def take(job: Job) -> tuple[Sample, ...]:
        if job.case.id == "c002":
            raise GateError("the key is wrong")
        await asyncio.sleep(0 if job.case.id < "c002" else 3600)
        return (sample(job),)

    with pytest.raises(GateError, match="the key is wrong"):
        asyncio.run(Runner(take, Memory().sample, Stop(), 8).run(jobs(suite([{}] * 50))))


STYLE = ScorerSpec("pairwise", "style", {"criteria": "Briefer is better."})
CONTAINS = ScorerSpec("contains", "contains", {"value": "euro"})


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
        self.marking = SampleScoring(lambda _: panel, self._count)

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
