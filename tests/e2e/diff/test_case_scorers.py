"""A case's own scorers name no files: only what gate.yaml names is compared."""

import json
from pathlib import Path

import pytest

from tests.support.command import gate
from tests.support.repository import make

START = 'version: 1\ndefaults: {model: "fake:oracle", samples: 1}\nsuites:\n'
SUITE = "  - {name: bot, prompt: p.md, cases: c.jsonl, scorers: [contains]}\n"
RUBRIC = "dimensions:\n  - {name: brevity, weight: 1.0, description: Short.}\n"


@pytest.mark.parametrize("key", ["scorers", "extra_scorers"])
@pytest.mark.parametrize("scorer", [{"rubric": {"file": "r.yaml"}}, {"judge": {"template": "j.md"}}])
@pytest.mark.parametrize("command", [["diff", "--base", "main"], ["check"], ["validate"]])
def test_a_file_of_a_cases_own_scorer_is_refused(
    tmp_path: Path, key: str, scorer: dict[str, object], command: list[str]
) -> None:
    case = {"id": "c", "input": "answer=word", "expected": "word", key: [scorer]}
    files = {"gate.yaml": START + SUITE, "p.md": "Answer.", "c.jsonl": json.dumps(case), "r.yaml": RUBRIC, "j.md": "x"}
    outcome = gate(*command, cwd=make(tmp_path / "repo", files))
    said = " ".join((outcome.out + outcome.err).split())
    assert (outcome.code, "which only gate.yaml may do" in said) == (2, True), said
