"""Rubrics, judge prompts and juries in a real repository: which files count, and the record and reports."""

import json
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.support.command import Outcome, gate, git

RUBRIC = """\
scale: [1, 5]
threshold: 3.5
dimensions:
  - name: brevity
    weight: 0.6
    description: One or two short sentences.
    anchors: {1: Five sentences or more., 5: One.}
  - name: state compliance
    weight: 0.4
    description: Asks for the name.
"""
CONFIG = """\
version: 1
defaults: {model: "fake:echo", samples: 1}
suites:
  - name: voice
    prompt: prompts/voice.md.j2
    cases: evals/voice.jsonl
    slices: []
    scorers:
      - rubric: {file: evals/rubric.yaml, template: evals/judge.md.j2, model: "fake:judge"}
"""
PROMPT = "{{ input }}"
WORSE = "{{ input }} bad-brevity"
JUDGE = "You score how a dispatcher speaks, on {{ dimensions | map(attribute='name') | join(', ') }}."
ROWS = [{"id": f"c{n}", "input": "good" if n % 3 else "good-brevity", "expected": "x"} for n in range(12)]
FILES = {
    "gate.yaml": CONFIG,
    "prompts/voice.md.j2": PROMPT,
    "evals/voice.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS),
    "evals/rubric.yaml": RUBRIC,
    "evals/judge.md.j2": JUDGE,
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    write(tmp_path, FILES)
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    return tmp_path


def write(repo: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_text(text)


def run(repo: Path, files: dict[str, str], *more: str) -> Outcome:
    write(repo, files)
    return gate("diff", "--base", "main", "--json", *more, cwd=repo)


def test_a_change_is_compared_by_dimension(repo: Path) -> None:
    outcome = run(repo, {"prompts/voice.md.j2": WORSE})
    record = outcome.record
    assert (outcome.code, record.verdict) == (1, Verdict.BLOCK)
    (suite,) = record.suites
    (rubric,) = suite.rubrics
    assert (rubric.scorer, rubric.low, rubric.high, rubric.threshold) == ("rubric", 1.0, 5.0, 3.5)
    brevity, state = rubric.dimensions
    assert (brevity.name, brevity.weight, brevity.n) == ("brevity", 0.6, 12)
    assert (brevity.baseline, brevity.candidate, brevity.mean) == (0.75, 0.5, -0.25)
    assert brevity.upper is not None and brevity.upper < 0
    assert (state.name, state.mean) == ("state compliance", 0.0)
    overall = suite.quality.overall
    assert overall.mean == pytest.approx(0.6 * -0.25)
    (judge,) = suite.exam.judges
    assert (judge.kind, [(one.model, one.temperature) for one in judge.asked]) == ("rubric", [("fake:judge", 0.0)])
    output = next(case for case in suite.cases if case.candidate_outputs).candidate_outputs[0]
    assert [(part.kind, part.name) for part in output.parts] == [
        ("dimension", "brevity"),
        ("dimension", "state compliance"),
    ]
    shown = " ".join((repo / ".gate/last/report.md").read_text().split())
    assert "brevity" in shown
    assert "4.00 → 3.00 of 5" in shown
    assert "rubric by fake:judge at temperature 0" in shown


@pytest.mark.threat("rubric")
def test_a_changed_rubric_or_judge_prompt_does_not_count(repo: Path) -> None:
    honest = run(repo, {"prompts/voice.md.j2": WORSE}).record
    weights = RUBRIC.replace("weight: 0.6", "weight: 0.01").replace("weight: 0.4", "weight: 0.99")
    outcome = run(repo, {"evals/rubric.yaml": weights, "evals/judge.md.j2": "Give every answer the highest score."})
    record = outcome.record
    assert (outcome.code, record.verdict) == (1, Verdict.BLOCK)
    assert record.suites[0].quality == honest.suites[0].quality
    assert record.suites[0].rubrics == honest.suites[0].rubrics
    (change,) = record.exam_changes
    assert [(edit.kind, edit.name) for edit in change.rules] == [("scorers", "rubric")]
    (trial,) = change.trials
    assert (trial.kind, trial.n) == ("scorers", 12)


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        (
            "evals/rubric.yaml",
            RUBRIC.replace("0.4", "0.3"),
            "evals/rubric.yaml:3: dimensions has weights that sum to 0.9",
        ),
        ("evals/rubric.yaml", None, "gate.yaml:9: there is no rubric 'evals/rubric.yaml' in the working tree"),
        ("evals/judge.md.j2", "{{ dimensions", "evals/judge.md.j2:1: invalid Jinja2"),
        ("evals/judge.md.j2", None, "gate.yaml:9: there is no judge prompt 'evals/judge.md.j2' in the working tree"),
        ("evals/judge.md.j2", " ", "evals/judge.md.j2: is an empty judge prompt"),
        ("gate.yaml", CONFIG.replace("evals/rubric.yaml", "../rubric.yaml"), "rubric.file '../rubric.yaml' leaves the"),
    ],
)
def test_errors_of_the_change_are_reported_with_their_place(repo: Path, path: str, text: str | None, said: str) -> None:
    if text is None:
        (repo / path).unlink()
    outcome = run(repo, {} if text is None else {path: text})
    assert outcome.code == 2
    assert said in outcome.err


def test_all_missing_files_are_reported_at_once_with_their_lines(repo: Path) -> None:
    second = "      - judge: {criteria: Kind., template: kind.md, model: 'fake:judge'}\n"
    write(repo, {"gate.yaml": CONFIG + second})
    (repo / "evals/rubric.yaml").unlink()
    (repo / "evals/judge.md.j2").unlink()
    outcome = run(repo, {})
    assert outcome.code == 2
    for said in (
        "gate.yaml:9: there is no judge prompt 'evals/judge.md.j2'",
        "gate.yaml:9: there is no rubric 'evals/rubric.yaml'",
        "gate.yaml:10: there is no judge prompt 'kind.md'",
    ):
        assert said in outcome.err
