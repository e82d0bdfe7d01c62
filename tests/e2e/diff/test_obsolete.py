"""Cases whose promise is gone: they are not asked, and no pull request can empty its own exam with the mark."""

import json
from pathlib import Path

from tests.support.command import gate
from tests.support.example import BROKEN, FILES, PROMPT, cases
from tests.support.repository import make, write

FILE = "evals/support.jsonl"


def marked(count: int, which: range) -> str:
    rows = [json.loads(line) for line in cases(count).splitlines()]
    return "".join(json.dumps(row | {"obsolete": True} if i in which else row) + "\n" for i, row in enumerate(rows))


def test_obsolete_cases_are_not_asked_and_are_counted(tmp_path: Path) -> None:
    repo = make(tmp_path, {**FILES, FILE: marked(40, range(6))})
    write(repo, {PROMPT: f"{FILES[PROMPT]}Be kind.\n"})
    run = gate("diff", "--base", "main", "--json", cwd=repo).record
    assert run.suites[0].exam.cases == 34
    assert "6 obsolete cases of support were not asked." in run.notes


def test_a_change_that_marks_its_whole_exam_meets_all_of_it(tmp_path: Path) -> None:
    repo = make(tmp_path, FILES)
    write(repo, {PROMPT: BROKEN, FILE: marked(40, range(40))})
    outcome = gate("diff", "--base", "main", "--json", cwd=repo)
    assert (outcome.code, outcome.record.verdict) == (1, "BLOCK")
    assert outcome.record.suites[0].exam.cases == 40
    assert len(outcome.record.suites[0].exam.obsolete) == 40
