"""Runs over one suite whose answers models judge: a rubric, a jury, a pairwise judge."""

from collections.abc import Sequence

from gate.record.comparison import (
    ContestedAnswer,
    DimensionResult,
    Estimate,
    JuryMember,
    JuryResult,
    PositionBias,
    RubricResult,
    ScorerChange,
    State,
    Verdict,
)
from gate.record.parts import AskedModel, ExamRecord, JudgeQuote
from gate.record.run import RunRecord
from tests.golden.builders import comparison, run, scorer, suite

_MEMBERS = ("openai:gpt-5", "anthropic:claude-opus-4-5", "openai:mistral-large")


def judged() -> RunRecord:
    """Brevity fell, tone rose more, the jury fell most, and two of its judges see one answer differently."""
    overall = comparison("overall", State.REGRESSION, 60, 0.665, (-0.051, -0.088, -0.014))
    made = suite(
        overall,
        [],
        [],
        exam=_exam(),
        scorers=[
            scorer("voice", 0.5, 60, (0.632, 0.657)),
            scorer("jury", 0.25, 60, (0.867, 0.667)),
            scorer("side by side", 0.25, 58, (0.527, 0.473)),
        ],
        rubrics=[_rubric("voice")],
        juries=[_jury("jury", "c-017")],
        positions=[_position("side by side", 112, (0.4, 0.31, 0.49), (0.48, 0.39, 0.57))],
    )
    return run(Verdict.BLOCK, [made])


def lost_pairs() -> RunRecord:
    """A pairwise judge that prefers the baseline's answer to every single case."""
    overall = comparison("overall", State.REGRESSION, 30, 1.0, (-1.0, -1.0, -0.769))
    digest = "77aa10b4c2de" + "0" * 52
    judge = JudgeQuote(
        scorer="side by side",
        standing="not calibrated",
        kind="pairwise",
        asked=[AskedModel(model="openai:gpt-5", temperature=None)],
    )
    made = suite(
        overall,
        [],
        [],
        exam=ExamRecord(ref="origin/main", digest=digest, cases=30, scorers=["side by side"], judges=[judge]),
        scorers=[scorer("side by side", 1.0, 30, (1.0, 0.0))],
        positions=[_position("side by side", 90, (0.0, 0.0, 0.114), (1.0, 0.886, 1.0))],
    )
    return run(Verdict.BLOCK, [made])


def compared_by(texts: Sequence[str]) -> tuple[list[ScorerChange], list[PositionBias]]:
    """Scorers named by each of these texts, the first of them a pairwise judge."""
    found = [scorer(name, 0.5, 40, (0.9, 0.8 - place / 100), (0.9, 0.8)) for place, name in enumerate(texts)]
    return found, [_position(texts[0], 40, (0.4, 0.3, 0.5), (0.5, 0.4, 0.6))]


def judged_by(texts: Sequence[str]) -> tuple[list[RubricResult], list[JuryResult], list[JudgeQuote]]:
    """A rubric and a jury in which every text from outside is one of these, in turn, and who was asked."""
    one, two, three = (texts[place % len(texts)] for place in range(3))
    judge = JudgeQuote(
        scorer=two,
        standing="unreadable",
        kind="judge",
        combine="mean",
        asked=[AskedModel(model=text, temperature=0.0) for text in (three, one)],
        reason=three,
    )
    return [_rubric(one, two)], [_jury(three, one, two)], [judge]


def _exam() -> ExamRecord:
    jury = [
        AskedModel(model=_MEMBERS[0], temperature=None),
        AskedModel(model=_MEMBERS[1], temperature=None),
        AskedModel(model=_MEMBERS[2], temperature=0.0),
    ]
    judges = [
        JudgeQuote(
            scorer="voice",
            standing="calibrated",
            kind="rubric",
            asked=[AskedModel(model="openai:mistral-large", temperature=0.0)],
            agreement=(0.91, 0.86, 0.95),
            answers=120,
            units=120,
            created="2026-11-02",
        ),
        JudgeQuote(scorer="jury", standing="not calibrated", kind="judge", combine="majority", asked=jury),
    ]
    digest = "77aa10b4c2de" + "0" * 52
    scorers = ["voice", "jury", "side by side"]
    return ExamRecord(ref="origin/main", digest=digest, cases=60, scorers=scorers, judges=judges)


def _position(name: str, pairs: int, won: tuple[float, float, float], lost: tuple[float, float, float]) -> PositionBias:
    """A judge that likes neither place and never turns."""
    return PositionBias(
        scorer=name,
        pairs=pairs,
        first=Estimate(value=0.5, lower=0.42, upper=0.58),
        turned=Estimate(value=0.0, lower=0.0, upper=0.114),
        tied=Estimate(value=0.0, lower=0.0, upper=0.114),
        won=Estimate(value=won[0], lower=won[1], upper=won[2]),
        lost=Estimate(value=lost[0], lower=lost[1], upper=lost[2]),
    )


def _rubric(scorer: str, name: str = "") -> RubricResult:
    rows = [
        (name or "brevity", 0.2, (0.725, 0.6, -0.125, -0.2, -0.05)),
        ("state compliance", 0.2, (0.81, 0.81, 0.0, -0.06, 0.06)),
        ("tone", 0.5, (0.55, 0.65, 0.1, 0.02, 0.18)),
        ("persona", 0.1, (0.5, 0.5, 0.0, None, None)),
    ]
    dimensions = [
        DimensionResult(name=one, weight=weight, n=60, baseline=old, candidate=new, mean=mean, lower=low, upper=high)
        for one, weight, (old, new, mean, low, high) in rows
    ]
    return RubricResult(scorer=scorer, low=1, high=5, threshold=3.5, dimensions=dimensions)


def _jury(scorer: str, case: str, model: str = "") -> JuryResult:
    means = [(0.81, 0.74), (0.77, 0.75), (0.9, 0.61)]
    names = [model] * 3 if model else _MEMBERS
    return JuryResult(
        scorer=scorer,
        mark=0.7,
        answers=120,
        members=[
            JuryMember(model=one, baseline=old, candidate=new) for one, (old, new) in zip(names, means, strict=True)
        ],
        share=Estimate(value=0.82, lower=0.74, upper=0.88),
        kappa=None,
        contested=[ContestedAnswer(case=case, arm="candidate", index=0, opinions=[0.9, 0.85, 0.1])],
    )
