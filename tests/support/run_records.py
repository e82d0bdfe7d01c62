"""Records of finished runs with known scores."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from gate.config.policy import Budget, RunPolicy
from gate.engine.arrays import SampleGrid
from gate.engine.decide import Assessor
from gate.engine.evaluate import RunResult, record
from gate.engine.prompt_cache import compare_caching
from gate.engine.samples import SampleTable
from gate.record.comparison import CacheTerms
from gate.record.run import RunRecord
from gate.record.transcript import ArmName
from gate.resolve.exam import ExamChanges
from gate.resolve.resolved import Resolved
from gate.suite import Suite
from tests.support.runs import ScoreOf, table_of, take

CREATED = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)


def itself(suite: Suite) -> Suite:
    """The same suite with the baseline in both arms."""
    return replace(suite, candidate=suite.arm(ArmName.BASELINE))


def resolved(suites: Sequence[Suite], policy: RunPolicy | None = None, budget: Budget | None = None) -> Resolved:
    """Suites as resolved from files."""
    changes = {suite.name: ExamChanges() for suite in suites}
    return Resolved(tuple(suites), changes, (), (), policy or RunPolicy(), budget or Budget(), None)


def finished(suites: Sequence[Suite], score_of: ScoreOf, created: datetime = CREATED) -> RunRecord:
    """The record of a run of these suites."""
    table = table_of(sample for suite in suites for sample in take(suite, score_of))
    return record_of(suites, table, created)


def dated(run: RunRecord, created: datetime) -> RunRecord:
    """The same run at another time."""
    return run.model_copy(update={"created": created.isoformat(timespec="seconds")})


def record_of(suites: Sequence[Suite], samples: SampleTable, created: datetime = CREATED) -> RunRecord:
    """The record of a run with these samples, without early stopping."""
    assessment = Assessor(tuple(suites), RunPolicy(early_stop=False), 1).assess(samples)
    terms = dict.fromkeys(ArmName, CacheTerms())
    caching = {suite.name: compare_caching(SampleGrid(suite, samples), terms, RunPolicy().alpha) for suite in suites}
    return record(RunResult(resolved(suites), samples, assessment, caching, 1, created, 1.0))
