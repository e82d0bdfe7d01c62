"""Judges recorded answers, each several times, by the same calls as a run."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field

from gate.calls.stop import Stop
from gate.config.scorerspec import ScorerSpec
from gate.domain.absence import Unscored
from gate.domain.labels import Labelled
from gate.domain.sample import ArmName, Reply, Sample, Score
from gate.domain.usage import Unpriced, Usage
from gate.engine.run import FAILURES_IN_A_ROW, until_done
from gate.flows.collect import Tools
from gate.scoring.subject import Subject
from gate.scoring.validators.registry import validate

RECORDED = "recorded"
SUITE = "judge"

ScoreOf = Callable[[Subject, int], Awaitable[Score]]


@dataclass(slots=True)
class Judged:
    """What was said of one answer.

    Args:
        scores: one for each time that it was judged, by the number of the repeat; fewer where the run ended early.
    """

    scores: dict[int, Score] = field(default_factory=dict)

    @property
    def values(self) -> list[float]:
        """The scores that there are, in the order of the repeats."""
        found = (self.scores[index].value for index in sorted(self.scores))
        return [value for value in found if not isinstance(value, Unscored)]


@dataclass(slots=True)
class Judging:
    """Judges every answer once, then every answer again: a run that ends early has looked at all of them.

    Args:
        spec: the scorer.
        tools: calls, sink, progress.
        stop: ends the run early.
    """

    spec: ScorerSpec
    tools: Tools
    stop: Stop
    found: list[Judged] = field(default_factory=list, init=False)
    _unscored: int = field(default=0, init=False)
    _scored: bool = field(default=False, init=False)

    async def judge(self, rows: Sequence[Labelled], repeats: int) -> list[Judged]:
        """Judge.

        Args:
            rows: the recorded answers.
            repeats: times that each is judged.

        Returns:
            One for each row, in their order.

        Raises:
            GateError: a mistake that no retry mends (wrong key, unknown model).
        """
        self.found = [Judged() for _ in rows]
        score = self._scorer()
        jobs = ((position, index) for index in range(repeats) for position in range(len(rows)))
        self.tools.progress.start(len(rows) * repeats)
        workers = min(self.tools.workers, len(rows) * repeats)
        try:
            await until_done([self._work(jobs, rows, score) for _ in range(workers)], self.stop)
        finally:
            self.tools.progress.finish()
        return self.found

    def _scorer(self) -> ScoreOf:
        if self.spec.judged:
            return self.tools.judge(self.spec).score

        async def by_code(subject: Subject, index: int) -> Score:
            return validate(self.spec, subject)

        return by_code

    async def _work(self, jobs: Iterator[tuple[int, int]], rows: Sequence[Labelled], score: ScoreOf) -> None:
        for position, index in jobs:
            if self.stop.reason is not None:
                return
            row = rows[position]
            found = await score(Subject(row.case, row.output), index)
            self.found[position].scores[index] = found
            self._watch(found)
            self._keep(row, index, found)

    def _watch(self, score: Score) -> None:
        if not isinstance(score.value, Unscored):
            self._scored = True
            return
        if reason := self.tools.exhausted():
            self.stop.drain(reason)
        self._unscored += 1
        if not self._scored and self._unscored >= FAILURES_IN_A_ROW:
            self.stop.drain(f"the first {self._unscored} judgements gave no score; the last one: {score.value.reason}")

    def _keep(self, row: Labelled, index: int, score: Score) -> None:
        reply = Reply(row.output, RECORDED, Usage(), Unpriced("n/a"), latency_s=None)
        sample = Sample(SUITE, row.case.id, ArmName.CANDIDATE, index, reply, (score,), score.value)
        try:
            self.tools.sink.sample(sample)
        except OSError as error:
            self.stop.drain(f"the judgements cannot be written down: {error.strerror}")
        self.tools.progress.advance(sample, self.tools.spent_usd())
