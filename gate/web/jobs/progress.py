"""Progress of a job: samples by suite and slice, and judge scores of rounds."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from gate.calls.budget import Counters
from gate.cases.case import Case
from gate.config.scorer import ScorerSpec
from gate.engine.run import Tools
from gate.record.transcript import Failed, Sample, Score, Unscored
from gate.report.explain import REASON_CHARS
from gate.report.slices import short_line
from gate.scoring.interface import Member, ModelScorer, Subject
from gate.suite import Suite
from gate.web.jobs.job import Event, JobProgress, RoundOpinion, SuiteProgress

EVERY_S = 0.25
"""Seconds between two events."""
SLICES = 30
"""Limit of slices per suite."""


@dataclass(slots=True)
class _Counted:
    total: int
    done: int = 0


@dataclass(slots=True)
class Counting:
    """See `gate.engine.run.Progress`. Another thread sends the events, so that a run never waits for their reader.

    Args:
        expected: estimated calls; 0 if only samples are counted.
    """

    tell: Callable[[Event], None]
    expected: int = 0
    total: int = 0
    done: int = 0
    failed: int = 0
    usd: float | None = None
    counters: Counters = field(default_factory=Counters)
    doing: str = "reading the files"
    _counted: dict[tuple[str, str], _Counted] = field(default_factory=dict)
    _cases: dict[tuple[str, str], Case] = field(default_factory=dict)
    _over: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def expect(self, suites: Sequence[Suite]) -> None:
        """Set the totals of a whole run."""
        for suite in suites:
            each = len(suite.arms) * suite.samples
            self._counted[suite.name, ""] = _Counted(0)
            for case in suite.exam.cases:
                self._cases[suite.name, case.id] = case
                for name in _slices(case):
                    self._counted.setdefault((suite.name, name), _Counted(0)).total += each

    def start(self, total: int) -> None:
        self.total, self.doing = self.total + total, ""

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        self.done, self.usd = self.done + 1, spent_usd
        self.failed += isinstance(sample.reply, Failed)
        case = self._cases.get((sample.suite, sample.case_id))
        if case is not None:
            for name in _slices(case):
                self._counted[sample.suite, name].done += 1

    def finish(self) -> None:
        self.doing = "computing results"

    def __enter__(self) -> "Counting":
        self._thread = threading.Thread(target=self._telling, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def progress(self) -> JobProgress:
        """The current progress."""
        calls = self.counters
        return JobProgress(
            total=max(self.total, self.done),
            done=self.done,
            failed=self.failed,
            calls=calls.made,
            reused=calls.reused,
            retried=calls.retried,
            expected=self.expected,
            usd=calls.usd if calls.priced and not calls.unknown else self.usd,
            suites=tuple(self._suites()),
            doing=self.doing,
        )

    def _suites(self) -> list[SuiteProgress]:
        counted = list(self._counted.items())
        found = []
        for (suite, name), whole in counted:
            if not name:
                parts = [
                    SuiteProgress(part, one.done, one.total) for (of, part), one in counted if of == suite and part
                ]
                found.append(SuiteProgress(suite, whole.done, whole.total, tuple(parts[:SLICES])))
        return found

    def _telling(self) -> None:
        last: JobProgress | None = None
        while True:
            over = self._over.wait(EVERY_S)
            if (now := self.progress()) != last:
                self.tell(now)
                last = now
            if over:
                return


def _slices(case: Case) -> list[str]:
    """The suite itself, without a name, and the slices of the case."""
    return ["", *(f"{dimension}={value}" for dimension, value in case.slices.items())]


def with_judge_events(tools: Tools, tell: Callable[[Event], None]) -> Tools:
    """The same tools, with judges that also send their results as events."""

    def judge(spec: ScorerSpec) -> ModelScorer:
        return _ReportingJudge(tools.judge(spec), spec.name, tell)

    return replace(tools, judge=judge)


@dataclass(frozen=True, slots=True)
class _ReportingJudge:
    """See `gate.scoring.interface.ModelScorer`; sends each result as an event."""

    judge: ModelScorer
    name: str
    tell: Callable[[Event], None]

    @property
    def members(self) -> Sequence[Member]:
        return self.judge.members

    async def score(self, subject: Subject, index: int) -> Score:
        score = await self.judge.score(subject, index)
        turns = subject.transcript.turns if subject.transcript is not None else ()
        last_round = turns[-1].round + 1 if turns else 1
        value, reason = (None, score.value.reason) if isinstance(score.value, Unscored) else (score.value, score.reason)
        self.tell(RoundOpinion(index + 1, last_round, short_line(self.name), value, short_line(reason, REASON_CHARS)))
        return score
