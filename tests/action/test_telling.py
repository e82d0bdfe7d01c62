"""What later steps and readers of the log are told of each kind of run."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gate.action.outcome import ActionOutcome, annotations, report_outcome, step_outputs
from gate.action.subject import Subject
from gate.errors import InputErrors, Problem
from gate.github.client import GitHub
from gate.github.events import PullRequest
from gate.report.exports.sarif import annotation_command
from gate.report.view.headline import first_line
from tests.golden.runs import runs
from tests.support.action_job import action_job
from tests.support.github_action import SUMMARY_LIMIT, parse_outputs
from tests.support.github_server import GitHubServer
from tests.support.github_state import WORKFLOW_TOKEN

RUNS = runs()
SILENT: Callable[[str], None] = [].append
HARMLESS = ("PASS", "SHIP", "SKIPPED")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("block", ("BLOCK", "lang=de", "-0.270000", "0.087400", "1080")),
        ("ship", ("SHIP", "overall", "0.191000", "0.087400", "1080")),
        ("pass", ("PASS", "lang=en", "0.055000", "0.087400", "1080")),
        ("hold-suspect", ("HOLD", "lang=de", "0.006000", "0.087400", "1080")),
        ("inconclusive", ("INCONCLUSIVE", "overall", "0.021000", "", "1080")),
        ("several-suites", ("BLOCK", "triage/topic=billing", "-0.111000", "0.087400", "1080")),
        ("too-few", ("HOLD", "lang=en", "", "0.087400", "1080")),
        ("local-model", ("BLOCK", "lang=de", "-0.270000", "", "1080")),
        ("many-slices", ("BLOCK", "topic=tax", "-0.051000", "0.087400", "1080")),
        ("skipped", ("SKIPPED", "", "", "0.000000", "0")),
    ],
)
def test_outputs_of_a_run(name: str, expected: tuple[str, ...]) -> None:
    found = step_outputs(RUNS[name], ".gate/action", "https://github.com/acme/support-bot/pull/7#issuecomment-5")
    assert tuple(found[key] for key in ("verdict", "worst-slice", "worst-slice-upper", "cost-usd", "calls")) == expected
    assert (found["report-path"], found["result-json"]) == (".gate/action/report.html", ".gate/action/run.json")
    assert found["comment-url"] == "https://github.com/acme/support-bot/pull/7#issuecomment-5"
    assert json.loads(found["findings"]) == list(dict.fromkeys(finding.code for finding in RUNS[name].findings))
    assert len(found) == 10


def test_outputs_are_written_as_they_are(tmp_path: Path) -> None:
    for name, run in RUNS.items():
        file = tmp_path / name
        report_outcome(ActionOutcome(run, folder="out"), None, None, action_job(SILENT, output=file))
        read = parse_outputs(file.read_bytes().decode())
        assert read == step_outputs(run, "out", ""), name
        assert read["worst-slice-upper"] == "" or float(read["worst-slice-upper"]) < 1, name
        assert read["worst-slice"].isprintable(), name


def test_the_log_names_what_hinders_a_merge() -> None:
    for name, run in RUNS.items():
        said = list(annotations(ActionOutcome(run)))
        if run.verdict.value in HARMLESS:
            assert said == [], name
            continue
        level = "error" if run.exit_code else "warning"
        assert said == [f"::{level} title=Prompt Gate::{first_line(run).replace('%', '%25')}"], name
        assert len(said[0].splitlines()) == 1, name


def test_a_name_is_escaped_once() -> None:
    run = RUNS["block"]
    first = run.findings[0].model_copy(update={"slice": "type=std::de"})
    outcome = ActionOutcome(run.model_copy(update={"findings": [first, *run.findings[1:]]}))
    assert "type=std::de dropped by" in next(annotations(outcome))


def test_errors_are_shown_next_to_their_lines() -> None:
    problems = [
        Problem("gate.yaml", 7, "unknown key 'promt'", "did you mean 'prompt'?", side="change"),
        Problem("a,b.yaml", 0, "no", side="change"),
    ]
    assert list(annotations(ActionOutcome(RUNS["inconclusive"], InputErrors(problems)))) == [
        "::error file=a%2Cb.yaml,title=Prompt Gate::no",
        "::error file=gate.yaml,line=7,title=Prompt Gate::unknown key 'promt' (did you mean 'prompt'?)",
    ]


@pytest.mark.parametrize("name", ["block", "hostile", "inconclusive", "new-block", "skipped"])
def test_the_summary_is_the_whole_report_with_the_warnings(name: str, tmp_path: Path) -> None:
    said: list[str] = []
    file = tmp_path / "summary"
    job = action_job(said.append, summary=file)
    job.warn("cannot post the comment: GitHub answered 403 <b>@octocat</b>")
    report_outcome(ActionOutcome(RUNS[name]), None, None, job)
    text = file.read_bytes().decode()
    assert len(text.encode()) <= SUMMARY_LIMIT
    assert RUNS[name].verdict.value in text.splitlines()[0]
    assert "cannot post the comment: GitHub answered 403" in text
    assert "<b>@octocat" not in text
    assert said[0] == annotation_command("warning", job.warnings[0])


def test_a_summary_of_a_huge_run_is_one_that_the_runner_takes(tmp_path: Path) -> None:
    suite = RUNS["many-slices"].suites[0]
    cases = [
        case.model_copy(update={"id": f"{n}", "input": "\U0001f600" * 4000}) for n in range(40) for case in suite.cases
    ]
    run = RUNS["many-slices"].model_copy(update={"suites": [suite.model_copy(update={"cases": cases})]})
    file = tmp_path / "summary"
    report_outcome(ActionOutcome(run), None, None, action_job(SILENT, summary=file))
    assert 50_000 < file.stat().st_size <= SUMMARY_LIMIT


@pytest.mark.parametrize("place", ["folder", "missing/file"])
def test_files_that_cannot_be_written_are_a_warning(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    said: list[str] = []
    job = action_job(said.append, summary=tmp_path / place, output=tmp_path / place)
    report_outcome(ActionOutcome(RUNS["pass"]), None, None, job)
    assert len(said) == 2
    assert all(line.startswith("::warning title=Prompt Gate::cannot write ") for line in said)


class Defect(Exception):
    """Nothing that a service does: a mistake of ours."""


class FaultyGitHub(GitHub):
    """Fails in a way that nobody thought of."""

    broken = False

    def __getattribute__(self, name: str) -> object:
        if name == "repository" and type(self).broken:
            raise Defect("::error::of ours")
        return super().__getattribute__(name)


def test_a_defect_on_the_way_to_the_comment_is_reported_with_its_trace_and_the_verdict_stands() -> None:
    said: list[str] = []
    pull = PullRequest(7, "a" * 40, "main", "b" * 40)
    with GitHubServer() as server:  # which knows no such repository, and says so at once
        job = action_job(said.append, github=FaultyGitHub(WORKFLOW_TOKEN, server.url, "acme/support-bot"))
        FaultyGitHub.broken = True
        report_outcome(ActionOutcome(RUNS["block"]), Subject(pull.head_sha, "origin/main", pull=pull), None, job)
    assert job.warnings[-1] == "the comment failed (Defect); the report is in the job summary"
    assert any("FaultyGitHub" in line or "of ours" in line for line in said)
