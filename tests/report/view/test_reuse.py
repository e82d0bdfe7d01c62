"""What a reader is told about known answers."""

from collections.abc import Sequence

import pytest

from gate.record.parts import ArmReuseRecord, DriftRecord, ReuseRecord
from gate.record.run import RunRecord
from gate.report.view.calls import reuse_drifts, reuse_footnote
from gate.report.view.report import facts, report_view
from tests.golden import runs
from tests.golden.kept_answers import reuse


def _with(*known: ReuseRecord | None) -> RunRecord:
    run = runs.several_suites() if len(known) > 1 else runs.passed()
    suites = [suite.model_copy(update={"reuse": one}) for suite, one in zip(run.suites, known, strict=True)]
    return run.model_copy(update={"suites": suites})


def _texts(found: Sequence[tuple[object, ...]]) -> list[str]:
    return ["".join(str(getattr(part, "text", part)) for part in text) for text in found]


def test_both_arms_and_judges() -> None:
    found = reuse(candidate=ArmReuseRecord(reused=5, fresh=355), drift=None)
    assert reuse_footnote(_with(found)) == (
        "Answers reused: 330 of the baseline's 360 and 5 of the candidate's 360 (the oldest 2 days old); 30 pairs were "
        "called at the same time to compare cost and latency; also 330 judge replies.",
    )


def test_answers_of_another_model_are_told_in_the_first_lines() -> None:
    none = ArmReuseRecord(reused=0, fresh=360)
    changed = DriftRecord(pairs=30, reason="the model behind the name changed: a became b")
    run = _with(reuse(baseline=none, oldest=None, drift=changed, opinions=0))
    said = (
        "The cached answers were not used, because the model behind the name changed: a became b; "
        "the model was called again"
    )
    assert _texts(reuse_drifts(run)) == [f"{said}."]
    assert reuse_footnote(run) == ()
    assert (f"{said}.",) in report_view(run).notes
    assert said in {"".join(map(str, fact.text)) for fact in facts(run) if fact.label == "drift"}


def test_what_was_taken_over_before_the_drift_was_seen_is_not_hidden() -> None:
    one = ArmReuseRecord(reused=1, fresh=359)
    moved = DriftRecord(pairs=30, reason="the scores of the same requests moved by -0.200")
    run = _with(reuse(baseline=one, drift=moved, opinions=0))
    assert _texts(reuse_drifts(run))[0].startswith("Some cached answers were not used")
    assert reuse_footnote(run)[0].startswith("Answers reused: 1 of the baseline's 360")
    assert "no drift" not in reuse_footnote(run)[0]


@pytest.mark.parametrize(
    ("oldest", "told"),
    [
        ("2026-11-20T09:29:30+00:00", "(the oldest less than a minute old)"),
        ("2026-11-20T09:29:00+00:00", "(the oldest 1 minute old)"),
        ("2026-11-20T04:00:00+00:00", "(the oldest 5 hours old)"),
        ("2026-11-19T09:30:00+00:00", "(the oldest 1 day old)"),
        ("2026-11-23T09:30:00+00:00", "(the oldest less than a minute old)"),
    ],
)
def test_ages_are_those_at_the_time_of_the_run(oldest: str, told: str) -> None:
    assert told in reuse_footnote(_with(reuse(oldest=oldest)))[0]
