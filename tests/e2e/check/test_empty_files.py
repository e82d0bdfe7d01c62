"""A case file without a byte is an error that says so, in every format and command."""

from pathlib import Path

import pytest

from tests.support.command import gate
from tests.support.repository import make

START = 'version: 1\ndefaults: {model: "fake:oracle"}\nsuites:\n'


@pytest.mark.parametrize("file", ["c.jsonl", "c.json", "c.yaml", "c.csv"])
@pytest.mark.parametrize("command", [["check"], ["validate"], ["diff", "--base", "main"]])
def test_an_empty_file_of_cases_is_an_error(tmp_path: Path, file: str, command: list[str]) -> None:
    suite = f"  - {{name: s, prompt: p.md, cases: {file}, scorers: [contains]}}\n"
    repo = make(tmp_path / "repo", {"gate.yaml": START + suite, "p.md": "Answer.", file: ""})
    outcome = gate(*command, cwd=repo)
    assert outcome.code == 2, outcome.out
    assert file in outcome.err and "bug" not in outcome.err, outcome.err
