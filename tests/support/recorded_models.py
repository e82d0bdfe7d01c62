"""Recorded verdicts on real outputs of four models, as a comparison of two of them over five prompts at once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.promptpex.recorded_verdicts import VERDICTS, Row
from gate.cases.case import Case
from gate.config.models import ModelRef, Params
from gate.config.policy import MethodName, RunPolicy
from gate.config.scorer import ScorerSpec
from gate.engine.decide import Assessment, Assessor
from gate.messages import Message
from gate.prompts.version import Prompt, PromptVersion
from gate.record.comparison import Comparison, State
from gate.record.transcript import ArmName, Reply, Sample, Score, Unpriced, Unscored, Usage
from gate.suite import Arm, Exam, Suite
from gate.values import digest
from tests.support.runs import table_of

JUDGE = "gpt-4o, recorded"
SEED = 20250307
_SCORE = {"ok": 1.0, "err": 0.0}


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """The engine's result for two models."""

    assessment: Assessment

    @property
    def rows(self) -> tuple[Comparison, ...]:
        return tuple(row for _, row in self.assessment.quality.slices)

    @property
    def too_few(self) -> int:
        return sum(row.state is State.TOO_FEW for row in self.rows)

    @property
    def familiar_failures(self) -> int:
        """Slices that the familiar rule would fail, including those with three cases."""
        return sum(row.familiar_fail for row in self.rows)

    @property
    def regressions(self) -> tuple[str, ...]:
        return tuple(row.slice for row in self.rows if row.blocking and row.state is State.REGRESSION)


def compare_models(rows: Sequence[Row], baseline: str, candidate: str, method: MethodName) -> ModelComparison:
    """Assess two models, or one model twice, with one suite for each prompt; slices by kind of test and by rule."""
    suites, samples = [], []
    for prompt in dict.fromkeys(row["prompt"] for row in rows):
        own = [row for row in rows if row["prompt"] == prompt]
        suites.append(_suite(prompt, own, baseline, candidate))
        for row in own:
            samples.append(_sample(row, ArmName.BASELINE, baseline))
            samples.append(_sample(row, ArmName.CANDIDATE, candidate))
    assessor = Assessor(tuple(suites), RunPolicy(method=method), SEED)
    return ModelComparison(assessor.assess(table_of(samples)))


def _suite(prompt: str, rows: list[Row], baseline: str, candidate: str) -> Suite:
    # The answers were recorded with the same prompt: only the model differs.
    version = PromptVersion(f"{prompt}.md", "promptpex", None, Prompt((Message("system", prompt),)))
    arms = [Arm(version, ModelRef("replay", model), Params()) for model in (baseline, candidate)]
    cases = tuple(Case(row["test"], slices=_slices(row), where=VERDICTS.name) for row in rows)
    scorers = (ScorerSpec("judge", JUDGE),)
    exam = Exam("promptpex", digest([row["test"] for row in rows]), cases, scorers, ("kind", "rule"))
    return Suite(prompt, arms[0], arms[1], exam, samples=1)


def _slices(row: Row) -> dict[str, str]:
    return {"kind": row["kind"]} | ({} if row["rule"] is None else {"rule": str(row["rule"])})


def _sample(row: Row, arm: ArmName, model: str) -> Sample:
    """A sample with the recorded verdict as its score and without text."""
    reply = Reply("", model, Usage(), Unpriced("n/a"), latency_s=None)
    sample = Sample(row["prompt"], row["test"], arm, 0, reply)
    verdict = row["verdicts"][model]
    if verdict is None:
        return replace(sample, score=Unscored(f"{JUDGE}: no verdict"))
    return replace(sample, scores=(Score(JUDGE, _SCORE[verdict]),), score=_SCORE[verdict])
