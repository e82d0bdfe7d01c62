"""Runs of changes that edit their own exam."""

from gate.record.comparison import State, Verdict
from gate.record.findings.quality import NoPromptChanged
from gate.record.parts import CallsRecord, ExamRecord
from gate.record.run import ExamChangeRecord, ExamTrialRecord, RunRecord, SettingEdit
from tests.golden.builders import comparison, run, suite

_REMOVED = [f"de-{number:03}" for number in range(12)]


def exam_edited() -> RunRecord:
    """A slice fell, and the change loosens the policy, takes cases of that slice away and adds others."""
    overall = comparison("overall", State.REGRESSION, 120, 0.842, (-0.118, -0.191, -0.046))
    slices = [
        comparison("lang=en", State.NOISE, 84, 0.857, (0.010, -0.055, 0.075), cases_needed=3_510),
        comparison("lang=de", State.REGRESSION, 36, 0.806, (-0.417, -0.560, -0.270)),
    ]
    exam = ExamRecord(
        ref="origin/main", digest="77aa10b4c2de" + "0" * 52, cases=120, scorers=["judge"], removed=_REMOVED
    )
    trials = [
        ExamTrialRecord(kind="edited", asked=3, n=3, baseline=0.667, candidate=0.667, mean=0.0),
        _trial("added", (160, 158), (0.902, 0.861), (-0.041, -0.078, -0.004), left_out=9_840),
        _trial("scorers", (120, 120), (0.910, 0.880), (-0.030, -0.070, 0.010)),
    ]
    change = ExamChangeRecord(
        suite="support",
        rules=[
            SettingEdit(kind="policy", name="max_cost_increase", old="0.1", new="2.0"),
            SettingEdit(kind="policy", name="required"),
            SettingEdit(kind="scorers", name="judge"),
        ],
        added=[f"new-{number}" for number in range(10_000)],
        removed=_REMOVED,
        edited=["en-009", "en-010", "en-011"],
        trials=trials,
        calls=CallsRecord(made=1_338, cached=0, retried=0, failed=2),
        spent_usd=0.1312,
    )
    made = suite(overall, slices, [], exam=exam)
    edits = [
        SettingEdit(kind="policy", name="confidence", old="0.95", new="0.999"),
        SettingEdit(kind="budget", name="max_usd", old="not set", new="5.0"),
    ]
    return run(Verdict.BLOCK, [made], exam_changes=[change], run_edits=edits)


def exam_only() -> RunRecord:
    """No prompt changed: two suites have another exam, of one of which nothing can be tried."""
    rescored = _trial("rescored", (120, 120), (0.910, 0.742), (-0.168, -0.221, -0.115))
    lone = ExamTrialRecord(
        kind="added", asked=40, n=0, reason="openai:gpt-5 needs a key, and OPENAI_API_KEY is not set"
    )
    changes = [
        ExamChangeRecord(suite="support", rules=[SettingEdit(kind="scorers", name="judge")], trials=[rescored]),
        ExamChangeRecord(suite="triage", added=[f"new-{number}" for number in range(40)], trials=[lone]),
        ExamChangeRecord(suite="faq", rules=[SettingEdit(kind="suite")]),
    ]
    return run(Verdict.PASS, [], [NoPromptChanged()], exam_changes=changes)


def _trial(
    kind: str, cases: tuple[int, int], means: tuple[float, float], change: tuple[float, float, float], left_out: int = 0
) -> ExamTrialRecord:
    """`cases` are asked and scored; `change` is the mean with its bounds."""
    asked, n = cases
    fields = dict(zip(("mean", "lower", "upper"), change, strict=True)) | {"baseline": means[0], "candidate": means[1]}
    reason = "not every answer could be scored" if n < asked else ""
    plain = {"kind": kind, "asked": asked, "n": n, "left_out": left_out, "reason": reason}
    return ExamTrialRecord.model_validate(plain | fields)
