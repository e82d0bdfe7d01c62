"""Several scorers on one suite with `gate diff`: the record and the reports name those that changed."""

import json
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.support.command import gate, git

CONFIG = """\
version: 1
defaults: {model: "fake:echo", samples: 2}
suites:
  - name: voice
    prompt: prompts/voice.md.j2
    cases: evals/voice.jsonl
    slices: []
    scorers:
      - contains: {value: "good", required: true}
      - words: {max: 4, weight: 2}
      - rubric: {dimensions: [{name: brevity, description: Short.}], model: "fake:judge"}
"""
ROWS = [{"id": f"c{n:02}", "input": "good day", "expected": "x"} for n in range(20)]
# One more scorer on a single case, which therefore has other weights than the rest.
OWN = [{**row, "extra_scorers": ["refusal"]} if n == 0 else row for n, row in enumerate(ROWS)]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    write(tmp_path, "{{ input }}", ROWS)
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    return tmp_path


def write(repo: Path, prompt: str, rows: list[dict[str, object]]) -> None:
    (repo / "prompts").mkdir(exist_ok=True)
    (repo / "evals").mkdir(exist_ok=True)
    (repo / "gate.yaml").write_text(CONFIG)
    (repo / "prompts/voice.md.j2").write_text(prompt)
    (repo / "evals/voice.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_the_report_names_the_scorer_that_changed(repo: Path) -> None:
    write(repo, "{{ input }} and so on and on", ROWS)
    outcome = gate("diff", "--base", "main", "--json", cwd=repo)
    assert (outcome.code, outcome.record.verdict) == (1, Verdict.BLOCK)
    (suite,) = outcome.record.suites
    assert [(row.name, row.weight, row.n, row.baseline, row.candidate, row.mean) for row in suite.scorers] == [
        ("contains", 0.25, 20, 1.0, 1.0, 0.0),
        ("words", 0.5, 20, 1.0, 0.0, -1.0),
        ("rubric", 0.25, 20, 0.75, 0.75, 0.0),
    ]
    assert (suite.scorers[0].baseline_passed, suite.scorers[0].candidate_passed) == (1.0, 1.0)
    assert suite.quality.overall.mean == -0.5
    # All cases dropped equally, but other cases may still differ.
    assert suite.quality.overall.upper is not None and -0.5 < suite.quality.overall.upper < 0.0
    page = (repo / ".gate/last/report.md").read_text()
    assert "<summary>By scorer: words −1.000, contains 0.000, rubric 0.000</summary>" in page
    shown = gate("report", ".gate/last/run.json", cwd=repo).out
    assert "By scorer: words −1.000, contains 0.000, rubric 0.000" in shown
