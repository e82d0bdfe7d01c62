"""Edits of the eval set do not change the verdict; added and edited cases are tried and reported separately."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gate.numbers import duration
from gate.record.comparison import Verdict
from gate.record.findings.finding import plain
from gate.record.run import ExamTrialRecord, RunRecord
from gate.report.view.calls import spending_text
from tests.support.command import Outcome, gate, git
from tests.support.example import BROKEN, CONFIG, FILES, PROMPT, REWORDED, case, cases
from tests.support.findings import texts

CASES = "evals/support.jsonl"
JUDGED = CONFIG.replace("scorers: [contains]", "scorers: [contains, {judge: {criteria: Kind., model: 'fake:oracle'}}]")


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("committed")
    git(folder, "init", "--quiet", "--initial-branch", "main")
    write(folder, FILES)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "one")
    return folder


@pytest.fixture
def repo(tmp_path: Path, committed: Path) -> Path:
    """A copy of the repository. The seed depends on the base commit, so it is the same in all copies."""
    return shutil.copytree(committed, tmp_path / "repo")


def write(repo: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_text(text)


def run(repo: Path, files: dict[str, str], *more: str) -> Outcome:
    write(repo, files)
    return gate("diff", "--base", "main", "--json", "--refresh", "--samples", "1", *more, cwd=repo)


def rows(*given: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in given)


ONE_DIGIT = "[{regex: {pattern: 'word[0-9]$|^not {{ expected }}'}}]"
"""Right only for the ten cases whose answer has one digit."""


def trials(record: RunRecord) -> dict[str, ExamTrialRecord]:
    (change,) = record.exam_changes
    return {trial.kind: trial for trial in change.trials}


def untouched(record: RunRecord) -> dict[str, Any]:
    """Everything that the verdict depends on."""
    suites = [
        suite.model_dump(exclude={"exam": {"added", "removed", "edited"}, "latency": True}) for suite in record.suites
    ]
    plain = record.model_dump(include={"verdict", "exit_code", "seed", "method", "missing"})
    return {**plain, "suites": [{**suite, "cases": [one["delta"] for one in suite["cases"]]} for suite in suites]}


def test_answers_to_added_cases_are_not_called_samples_of_another_run(repo: Path) -> None:
    run(repo, {PROMPT: REWORDED, CASES: cases(40) + rows({**case(1, "free"), "id": "added"})})
    gate("report", ".gate/last", "--out", "again.html", cwd=repo)
    samples = (repo / ".gate/last/samples.jsonl").read_text()
    assert '"case":"added"' in samples
    for page in (repo / ".gate/last/report.html", repo / "again.html"):
        assert "did not belong to this run" not in page.read_text()


MANY = cases(40) + rows(*({**case(n, "free"), "id": f"new{n}"} for n in range(300)))
ATTACKS = {
    "they move to another slice, with other answers": {
        CASES: cases(40).replace('"gold"', '"free"').replace('"expected": "word', '"expected": "w')
    },
    "all cases are others": {"gate.yaml": CONFIG.replace(CASES, "evals/mine.jsonl"), "evals/mine.jsonl": cases(3)},
    "a policy that sees nothing": {
        "gate.yaml": CONFIG.replace("[contains]", "[contains]\n    policy: {advisory: [tier=gold], margin: 0.99}", 1)
        + "policy: {method: percentile, confidence: 0.999}\nbudget: {max_calls: 1}\n"
    },
}


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory, committed: Path) -> RunRecord:
    folder = shutil.copytree(committed, tmp_path_factory.mktemp("honest") / "repo")
    return run(folder, {PROMPT: BROKEN}).record


@pytest.mark.threat("cases")
@pytest.mark.parametrize("files", ATTACKS.values(), ids=ATTACKS.keys())
def test_no_edit_of_the_eval_set_changes_the_verdict(repo: Path, honest: RunRecord, files: dict[str, str]) -> None:
    moves_nothing(repo, honest, files)


def moves_nothing(repo: Path, honest: RunRecord, files: dict[str, str]) -> RunRecord:
    outcome = run(repo, {PROMPT: BROKEN, **files})
    assert outcome.code == 1, outcome.err
    assert honest.verdict is Verdict.BLOCK
    found, expected = untouched(outcome.record), untouched(honest)
    for record in (found, expected):
        for suite in record["suites"]:
            suite["baseline"].pop("sha")
    assert found == expected
    assert outcome.record.exam_changes or outcome.record.run_edits
    return outcome.record


def test_the_number_of_tried_cases_is_limited(repo: Path, honest: RunRecord) -> None:
    (added,) = trials(moves_nothing(repo, honest, {CASES: MANY})).values()
    assert (added.asked, added.n, added.left_out) == (100, 100, 200)


def test_scorers_without_scores_are_stopped(repo: Path) -> None:
    # This model only answers questions, so it cannot judge.
    never = JUDGED.replace("contains, ", "")
    record = run(repo, {PROMPT: REWORDED, "gate.yaml": never}).record
    found = trials(record)["scorers"]
    assert (record.verdict, found.n) == (Verdict.PASS, 0)
    assert found.reason == "25 answers could not be scored"


def test_new_and_edited_cases_run_in_both_arms(repo: Path) -> None:
    edited = cases(40).replace('"expected": "word0"', '"expected": "other"')
    record = run(repo, {PROMPT: BROKEN, CASES: edited + rows(*(case(n, "gold") for n in range(40, 60)))}).record
    found = trials(record)
    assert (found["edited"].n, found["edited"].baseline, found["edited"].candidate) == (1, 0.0, 0.0)
    added = found["added"]
    assert (added.n, added.baseline) == (20, 1.0)
    assert added.upper is not None and added.upper < 0
    (change,) = record.exam_changes
    assert change.calls.made == 2 * 2 * 21
    assert record.calls.made == record.suites[0].calls.made + change.calls.made


def test_saved_answers_are_scored_again_without_calls(repo: Path) -> None:
    stricter = CONFIG.replace("[contains]", ONE_DIGIT)
    record = run(repo, {PROMPT: BROKEN, "gate.yaml": stricter}, "--no-early-stop").record
    found = trials(record)["scorers"]
    assert (found.n, found.baseline, found.candidate) == (40, 0.25, 0.125 + 0.125 * found_share(record))
    assert record.exam_changes[0].calls.made == 0
    assert record.calls.made == 80


def found_share(record: RunRecord) -> float:
    """The share of right answers to the ten cases with one digit, of which five are gold."""
    gold = [case for case in record.suites[0].cases if case.id in {"c1", "c3", "c5", "c7", "c9"}]
    known = [score for case in gold for score in case.candidate if score is not None]
    return sum(known) / len(known)


def test_a_change_of_only_scorers_calls_one_arm(repo: Path) -> None:
    record = run(repo, {"gate.yaml": CONFIG.replace("[contains]", ONE_DIGIT)}).record
    assert (record.verdict, texts(record)[0]) == (Verdict.PASS, "No prompt changed; cases, scorers or policy did.")
    found = trials(record)["rescored"]
    assert (found.baseline, found.candidate) == (1.0, 0.25)
    assert record.calls.made == 80
    assert (record.spent_usd, record.priced) == (None, False)
    assert plain(spending_text(record)) == f"80 calls, {duration(record.duration_s)}"


@pytest.mark.parametrize(
    "files",
    [
        {CASES: cases(20)},
        {"gate.yaml": CONFIG.replace("slices: [tier]", "slices: []") + "policy: {fail_on: hold}\n"},
    ],
    ids=["removed", "policy and slices"],
)
def test_changes_that_need_no_answers_make_no_calls(repo: Path, files: dict[str, str]) -> None:
    record = run(repo, files).record
    assert (record.verdict, record.calls.made, record.suites) == (Verdict.PASS, 0, [])
    assert record.exam_changes or record.run_edits


def test_a_budget_ends_the_trials_first(repo: Path) -> None:
    write(repo, {"gate.yaml": CONFIG + "budget: {max_calls: 90}\n"})
    git(repo, "commit", "--quiet", "--all", "--message", "a budget")
    more = cases(40) + rows(*(case(n, "gold") for n in range(40, 80)))
    record = run(repo, {PROMPT: REWORDED, CASES: more}, "--no-early-stop").record
    assert (record.verdict, record.missing.samples, record.unfinished) == (Verdict.PASS, 0, None)
    (added,) = trials(record).values()
    assert "the budget of 90 calls" in added.reason
    assert added.n < added.asked


def test_another_judge_prompt_costs_only_judge_calls(repo: Path) -> None:
    judged = CONFIG.replace("[contains]", "[{judge: {criteria: Kind., model: 'fake:judge'}}]")
    write(repo, {"gate.yaml": judged})
    git(repo, "commit", "--quiet", "--all", "--message", "a judge")
    record = run(repo, {PROMPT: REWORDED, "gate.yaml": judged.replace("Kind.", "Short.")}, "--no-early-stop").record
    found = trials(record)["scorers"]
    assert found.n == 40
    assert [(edit.kind, edit.name) for edit in record.exam_changes[0].rules] == [("scorers", "judge")]
    # Both arms give the same answers, and the judge is called once per answer: 40 judgements for 80 answers.
    calls = record.exam_changes[0].calls
    assert (calls.made, calls.cached) == (40, 40)
    assert record.calls.made == 80 + 40 + 40


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ({"model": "replay:/etc/passwd"}, "which the base branch does not have"),
        ({"model": "openai:m"}, "needs a key"),
    ],
)
def test_a_judge_of_the_change_that_may_not_or_cannot_be_called(repo: Path, judge: dict[str, Any], said: str) -> None:
    own = rows({**case(70, "gold"), "scorers": [{"judge": {"criteria": "x", **judge}}]})
    (added,) = trials(run(repo, {PROMPT: REWORDED, CASES: cases(40) + own}).record).values()
    assert added.n == 0
    assert said in added.reason
