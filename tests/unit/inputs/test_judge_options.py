"""What a judge may name beside its criteria."""

import pytest

from gate.inputs.scorers.read import parse_scorers
from tests.unit.inputs.texts import errors


def test_a_judge_names_its_calibration() -> None:
    judge = {"criteria": "Is kind.", "calibration": "./evals/judge-calibration.json"}
    (spec,) = parse_scorers([{"judge": judge}], "gate.yaml")
    assert spec.options["calibration"] == "evals/judge-calibration.json"


@pytest.mark.parametrize("path", ["../x.json", "/x.json"])
def test_a_calibration_lies_in_the_repository(path: str) -> None:
    told = errors(lambda: parse_scorers([{"judge": {"criteria": "Is kind.", "calibration": path}}], "gate.yaml"))
    assert "judge.calibration" in told
    assert "write a path inside the repository" in told
