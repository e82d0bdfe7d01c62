"""Obsolete cases are not run, and a pull request cannot remove cases from its own run by marking them."""

import json
from pathlib import Path

import pytest

from tests.support.command import gate
from tests.support.example import BROKEN, FILES, PROMPT, cases
from tests.support.findings import texts
from tests.support.repository import make, write

FILE = "evals/support.jsonl"


def marked(count: int, which: range) -> str:
    rows = [json.loads(line) for line in cases(count).splitlines()]
    return "".join(json.dumps(row | {"obsolete": True} if i in which else row) + "\n" for i, row in enumerate(rows))


def test_obsolete_cases_are_counted_and_not_run(tmp_path: Path) -> None:
    repo = make(tmp_path, {**FILES, FILE: marked(40, range(6))})
    write(repo, {PROMPT: f"{FILES[PROMPT]}Be kind.\n"})
    run = gate("diff", "--base", "main", "--json", cwd=repo).record
    assert run.suites[0].exam.cases == 34
    assert "6 obsolete cases of support left out." in texts(run)


@pytest.mark.threat("obsolete")
def test_a_change_that_marks_all_cases_obsolete_still_runs_all(tmp_path: Path) -> None:
    repo = make(tmp_path, FILES)
    write(repo, {PROMPT: BROKEN, FILE: marked(40, range(40))})
    outcome = gate("diff", "--base", "main", "--json", cwd=repo)
    assert (outcome.code, outcome.record.verdict) == (1, "BLOCK")
    assert outcome.record.suites[0].exam.cases == 40
    assert len(outcome.record.suites[0].exam.obsolete) == 40
