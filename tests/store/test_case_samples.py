"""The samples of one case among those of all."""

from dataclasses import replace
from pathlib import Path

import pytest

from gate.record.transcript import ArmName, Sample
from gate.store.run_folder import RunFolder, sample_line, samples_beside
from tests.support.runs import suite, take

SUITE = suite([{"g": "a"}] * 3, samples=2)
SAMPLES = take(SUITE, lambda case, arm, index: 1.0)


def written(folder: Path, samples: list[Sample]) -> Path:
    keeper = RunFolder(folder, {})
    for sample in samples:
        keeper.sample(sample)
    keeper.close()
    return folder


def test_both_arms_sample_by_sample(tmp_path: Path) -> None:
    found = samples_beside(written(tmp_path, SAMPLES), "support", "c001")
    assert [(one.index, one.arm) for one in found.samples] == [
        (index, arm) for index in range(2) for arm in (ArmName.BASELINE, ArmName.CANDIDATE)
    ]
    assert {one.case_id for one in found.samples} == {"c001"} and found.trouble == ""
    assert samples_beside(tmp_path / "run.json", "support", "c001") == found
    assert samples_beside(tmp_path, "faq", "c001").samples == ()


def test_an_incomplete_line_of_a_killed_run_is_ignored(tmp_path: Path) -> None:
    file = written(tmp_path, SAMPLES) / "samples.jsonl"
    line = sample_line(SAMPLES[-1])
    file.write_bytes(file.read_bytes() + b'{"case": "c001"}\n' + line[: len(line) // 2])
    found = samples_beside(tmp_path, "support", "c001")
    assert len(found.samples) == 4
    assert "1 of the lines" in found.trouble
    assert samples_beside(tmp_path, "support", "c002").trouble == ""


@pytest.mark.parametrize("name", ["ä", 'say "no"', "a\\b", "a\nb", "\u2028", "\x00"])
def test_a_case_is_found_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    file = tmp_path / "samples.jsonl"
    file.write_bytes(sample_line(replace(SAMPLES[0], case_id=name)))
    assert len(samples_beside(tmp_path, "support", name).samples) == 1
