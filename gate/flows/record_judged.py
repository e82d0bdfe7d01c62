"""What models said as judges becomes a part of the record: dimensions, juries, and who was asked in which way."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from gate.config.scorerspec import ScorerSpec
from gate.domain.judge_quote import AskedModel, JudgeQuote
from gate.domain.judged import JuryResult, RubricResult
from gate.domain.model import ModelRef, Params
from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.domain.record_new import NewSuiteRecord
from gate.domain.record_parts import ExamRecord
from gate.domain.suite import Suite
from gate.engine.grid import Grid
from gate.engine.judged import Intervals, jury_results, rubric_results
from gate.engine.samples import SampleTable
from gate.flows.resolved import Resolved

Members = Callable[[ScorerSpec], Sequence[tuple[ModelRef, Params]]]
"""Who judges for a scorer, and with which parameters."""
AnySuite = TypeVar("AnySuite", SuiteRecord, NewSuiteRecord)


def judged(suite: Suite, table: SampleTable, intervals: Intervals) -> tuple[list[RubricResult], list[JuryResult]]:
    """The rubrics and the juries of one suite.

    Args:
        suite: whose exam it is.
        table: samples of the run.
        intervals: their level and seed.
    """
    if not table.parts:
        return [], []
    grid = Grid(suite, table)
    return list(rubric_results(suite, grid, intervals)), list(jury_results(suite, grid, intervals))


def with_asked(run: RunRecord, resolved: Resolved, members: Members) -> RunRecord:
    """The record with the models of its judges, and the temperature that each was asked at.

    Args:
        run: of these suites.
        resolved: what was evaluated.
        members: who judges.
    """
    suites = {suite.name: suite for suite in resolved.suites}
    return run.model_copy(
        update={
            "suites": [_told(one, suites.get(one.name), members) for one in run.suites],
            "new": [_told(one, suites.get(one.name), members) for one in run.new],
        }
    )


def _told(kept: AnySuite, suite: Suite | None, members: Members) -> AnySuite:
    specs = {spec.name: spec for spec in suite.exam.scorers if spec.judged} if suite else {}
    if not specs:
        return kept
    judges = [_judge(one, specs[one.scorer], members) if one.scorer in specs else one for one in kept.exam.judges]
    exam: ExamRecord = kept.exam.model_copy(update={"judges": judges})
    return kept.model_copy(update={"exam": exam})


def _judge(kept: JudgeQuote, spec: ScorerSpec, members: Members) -> JudgeQuote:
    asked = [
        AskedModel(
            model=str(model),
            temperature=params.temperature,
            params={name: value for name, value in params.changed().items() if name != "temperature"},
        )
        for model, params in members(spec)
    ]
    combine = spec.options.get("combine")
    update = {"kind": spec.kind, "combine": combine if isinstance(combine, str) else "", "asked": asked}
    return kept.model_copy(update=update)
