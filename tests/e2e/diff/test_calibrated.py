"""A run quotes the calibration of its judge from the base branch."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.command import gate, git, write_jsonl

PATH = "evals/judge-calibration.json"
CONFIG = f"""\
version: 1
defaults: {{model: "fake:oracle", samples: 1}}
suites:
  - name: support
    prompt: p.md
    cases: c.jsonl
    scorers:
      - judge: {{model: "fake:judge", criteria: Is blue., calibration: {PATH}}}
"""


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calibrated")
    git(folder, "init", "--quiet", "--initial-branch", "main")
    (folder / "gate.yaml").write_text(CONFIG)
    (folder / "p.md").write_text("Help. quality=0.7\n")
    write_jsonl(folder / "c.jsonl", [{"id": str(i), "input": f"answer=w{i}", "expected": f"w{i}"} for i in range(20)])
    rows = [
        {
            "input": f"q{i}",
            "output": "blue" if i % 2 else "red",
            "expected": "blue",
            "label": bool(i % 2) == bool(i % 10),
        }
        for i in range(40)
    ]
    write_jsonl(folder / "evals/labels.jsonl", rows)
    outcome = gate("calibrate", "--judge", "evals/labels.jsonl", "--suite", "support", cwd=folder)
    assert outcome.code == 0, outcome.err
    git(folder, "add", "gate.yaml", "p.md", "c.jsonl", "evals")
    git(folder, "commit", "--quiet", "--message", "one")
    (folder / "p.md").write_text("Help well. quality=0.7\n")
    return folder


@pytest.fixture
def repo(tmp_path: Path, calibrated: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(calibrated, tmp_path / "repo")


def quoted(repo: Path) -> dict[str, object]:
    outcome = gate("diff", "--base", "main", "--json", cwd=repo)
    assert outcome.code in (0, 1), outcome.err
    (judge,) = outcome.record.suites[0].exam.judges
    return judge.model_dump()


def test_the_record_and_the_report_quote_the_calibration_of_the_base(repo: Path) -> None:
    text = json.loads((repo / PATH).read_text())
    text["agreement"]["share"] = {"value": 1.0, "lower": 0.99, "upper": 1.0}
    (repo / PATH).write_text(json.dumps(text))
    judge = quoted(repo)
    assert (judge["standing"], judge["answers"], judge["scorer"]) == ("calibrated", 40, "judge")
    report = (repo / ".gate/last/report.md").read_text()
    assert "agrees with people on " in report
    assert "of the answers (n = 40, " in report
    before = judge["agreement"]
    assert isinstance(before, tuple)
    assert before[0] < 1.0


def test_a_changed_judge_is_not_calibrated(repo: Path) -> None:
    (repo / "gate.yaml").write_text(CONFIG.replace("Is blue.", "Is bluish."))
    git(repo, "commit", "--quiet", "--message", "two", "gate.yaml")
    assert quoted(repo)["standing"] == "another judge"
