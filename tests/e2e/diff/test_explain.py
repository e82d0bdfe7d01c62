"""`gate explain` on a real run: with samples, with only the record, and the command that repeats the case."""

import json
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from gate.cli.app import cli
from tests.e2e.diff.example import break_gold
from tests.support.command import gate
from tests.support.example import SMALL
from tests.support.findings import texts
from tests.support.repository import make


@pytest.fixture(scope="module")
def regressed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose last run is a regression."""
    repo = make(tmp_path_factory.mktemp("regressed"), SMALL)
    break_gold(repo)
    ended = gate("diff", "--base", "main", cwd=repo)
    assert ended.code == 1
    assert "  gate explain .gate/last c" in ended.out
    return repo


@pytest.fixture
def ran(tmp_path: Path, regressed: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, as the working directory."""
    repo = shutil.copytree(regressed, tmp_path / "repo")
    monkeypatch.chdir(repo)
    return repo


def told(*words: str) -> str:
    done = CliRunner().invoke(cli, ["explain", ".gate/last", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_a_case_is_explained(ran: Path) -> None:
    found = json.loads(told("c1", "--json"))
    assert found["schema"] == "prompt-gate/case/1" and found["suite"] == "support"
    assert [(row["arm"], row["index"]) for row in found["samples"]][:2] == [("baseline", 0), ("candidate", 0)]
    (overall, gold) = found["slices"]
    assert gold["slice"] == "tier=gold" and gold["rank"] == 1 and 0.0 < gold["share"] < 1.0
    assert overall["n"] == 20 and gold["n"] == 10

    text = told("c1")
    assert "[-" in text and "{+" in text and "tier=gold" in text and "- contains 0.000" in text
    marked = told("support/c1", "--md")
    assert "```diff" in marked and "| tier=gold | 10 |" in marked

    # Without a name it is the worst case. For a case with few details in the record, it says where to find more.
    worst = told("--json")
    assert "no case was given" in worst and '"suite": "support"' in worst
    assert "not in the record; see main:evals/support.jsonl:3" in told("c2")

    # Run the printed command.
    ended = gate(*shlex.split(found["again"])[1:], "--json", cwd=ran)
    assert ended.code in (0, 1), ended.err
    (case,) = ended.record.suites[0].cases
    assert case.id == "c1" and case.candidate[0] == found["case"]["candidate"][0]
    assert any("1 of 20 cases selected" in note for note in texts(ended.record))

    alone = gate("explain", "c1", cwd=ran)
    assert alone.code == 2 and "gate explain .gate/last c1" in alone.err

    (ran / ".gate/last/samples.jsonl").unlink()
    assert "run.json has only these, and samples.jsonl is not next to it" in " ".join(told("c1").split())


def test_a_missing_case_is_a_usage_error(ran: Path) -> None:
    ended = gate("diff", "--base", "main", "--case", "c99", cwd=ran)
    assert ended.code == 2 and "no case matches 'c99'" in ended.err
    ended = gate("explain", ".gate/last", "cc1", cwd=ran)
    assert ended.code == 2 and "did you mean" in ended.err
