"""A run over one suite whose answers a rubric and a jury judge."""

from collections.abc import Sequence

from gate.domain.record import RunRecord
from gate.domain.record_judged import ContestedRecord, DimensionRecord, JuryRecord, MemberRecord, RubricRecord
from gate.domain.record_parts import AskedRecord, EstimateRecord, ExamRecord, JudgeRecord
from gate.domain.verdict import State, Verdict
from tests.golden.builders import comparison, run, suite

_MEMBERS = ("openai:gpt-5", "anthropic:claude-opus-4-5", "openai:mistral-large")


def judged() -> RunRecord:
    """Brevity fell, tone rose, and two judges see one answer differently."""
    overall = comparison("overall", State.REGRESSION, 60, 0.712, (-0.051, -0.088, -0.014))
    return run(
        Verdict.BLOCK,
        [suite(overall, [], [], exam=_exam(), rubrics=[_rubric("voice")], juries=[_jury("jury", "c-017")])],
        ["overall fell by 0.051 over 60 cases; the upper bound is -0.014."],
    )


def judged_by(texts: Sequence[str]) -> tuple[list[RubricRecord], list[JuryRecord], list[JudgeRecord]]:
    """A rubric and a jury in which every text from outside is one of these, in turn, and who was asked."""
    one, two, three = (texts[place % len(texts)] for place in range(3))
    judge = JudgeRecord(
        scorer=two,
        standing="unreadable",
        kind="judge",
        combine="mean",
        asked=[AskedRecord(model=text, temperature=0.0) for text in (three, one)],
        reason=three,
    )
    return [_rubric(one, two)], [_jury(three, one, two)], [judge]


def _exam() -> ExamRecord:
    jury = [
        AskedRecord(model=_MEMBERS[0], temperature=None),
        AskedRecord(model=_MEMBERS[1], temperature=None),
        AskedRecord(model=_MEMBERS[2], temperature=0.0),
    ]
    judges = [
        JudgeRecord(
            scorer="voice",
            standing="calibrated",
            kind="rubric",
            asked=[AskedRecord(model="openai:mistral-large", temperature=0.0)],
            agreement=(0.91, 0.86, 0.95),
            answers=120,
            created="2026-11-02",
        ),
        JudgeRecord(scorer="jury", standing="not calibrated", kind="judge", combine="majority", asked=jury),
    ]
    digest = "77aa10b4c2de" + "0" * 52
    return ExamRecord(ref="origin/main", digest=digest, cases=60, scorers=["voice", "jury"], judges=judges)


def _rubric(scorer: str, name: str = "") -> RubricRecord:
    rows = [
        (name or "brevity", 0.2, (0.725, 0.6, -0.125, -0.2, -0.05)),
        ("state compliance", 0.2, (0.81, 0.81, 0.0, -0.06, 0.06)),
        ("tone", 0.5, (0.55, 0.65, 0.1, 0.02, 0.18)),
        ("persona", 0.1, (0.5, 0.5, 0.0, None, None)),
    ]
    dimensions = [
        DimensionRecord(name=one, weight=weight, n=60, baseline=old, candidate=new, mean=mean, lower=low, upper=high)
        for one, weight, (old, new, mean, low, high) in rows
    ]
    return RubricRecord(scorer=scorer, low=1, high=5, threshold=3.5, dimensions=dimensions)


def _jury(scorer: str, case: str, model: str = "") -> JuryRecord:
    means = [(0.81, 0.74), (0.77, 0.75), (0.9, 0.61)]
    names = [model] * 3 if model else _MEMBERS
    return JuryRecord(
        scorer=scorer,
        mark=0.7,
        answers=120,
        members=[
            MemberRecord(model=one, baseline=old, candidate=new) for one, (old, new) in zip(names, means, strict=True)
        ],
        alpha=EstimateRecord(value=0.62, lower=0.5, upper=0.71),
        marks=None,
        why_not="there is one category only, so agreement beyond chance cannot be told",
        contested=[ContestedRecord(case=case, arm="candidate", index=0, opinions=[0.9, 0.85, 0.1])],
    )
