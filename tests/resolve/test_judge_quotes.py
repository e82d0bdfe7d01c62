"""What a run says about its judges: about this very judge, and from the exam's side alone."""

from dataclasses import replace

import pytest

from gate.config.scorer import ScorerSpec
from gate.limits import CALIBRATION_CHARS
from gate.record.calibration import dump_calibration
from gate.record.transcript import Unscored
from gate.report.view.scorers import agreement_with_people
from gate.resolve.judges import quotes
from tests.resolve.files import Files
from tests.support.labelled import JUDGE, calibration, judged, labels

PATH = "evals/judge-calibration.json"
NAMED = replace(JUDGE, options={**JUDGE.options, "calibration": PATH})
TEXT = dump_calibration(
    calibration(labels([[1.0]] * 60 + [[0.0]] * 60), judged(120, 1, lambda a, i: float(a < 60) if a % 10 else 0.0))
)


def said(spec: ScorerSpec, text: str | None) -> str:
    (found,) = quotes([spec], Files({} if text is None else {PATH: text}, "main"))
    return agreement_with_people(found)


def test_a_calibrated_judge_is_quoted() -> None:
    assert said(NAMED, TEXT) == "agrees with people on 95 % [90, 98] of the answers (n = 120, 2026-11-22)"


@pytest.mark.parametrize(
    "changed",
    [
        {"criteria": "Is right!"},
        {"model": "fake:echo"},
        {"params": {"temperature": 1.0}},
        {"instructions": "Judge {{ answer }}"},
        {"dimensions": [{"name": "brevity", "weight": 1}]},
        {"models": ["fake:judge", "fake:echo"]},
    ],
)
def test_whatever_changes_a_judgement_makes_another_judge(changed: dict[str, object]) -> None:
    other = replace(NAMED, options={**NAMED.options, **changed})
    assert said(other, TEXT).startswith("not calibrated: its model, criteria or prompt have changed")


def test_a_judge_without_a_calibration() -> None:
    assert said(JUDGE, TEXT) == "not calibrated: its agreement with people was not measured"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, f"there is no {PATH} in the working tree"),
        ("[]", "it is no calibration of schema"),
        (TEXT.replace('"lower"', '"lowest"', 1), "it is no calibration of schema"),
        (" " * (CALIBRATION_CHARS + 1), "is longer than"),
    ],
)
def test_a_calibration_that_cannot_be_read_is_reported_and_ends_nothing(text: str | None, message: str) -> None:
    found = said(NAMED, text)
    assert found.startswith("not calibrated: ")
    assert message in found


def test_agreement_on_a_few_of_the_answers_is_not_quoted() -> None:
    silent = judged(40, 1, lambda a, i: float(a < 20) if a % 10 == 0 else Unscored("it said nothing"))
    text = dump_calibration(calibration(labels([[1.0]] * 20 + [[0.0]] * 20), silent))
    assert "36 of its 40 answers have no score" in said(NAMED, text)
