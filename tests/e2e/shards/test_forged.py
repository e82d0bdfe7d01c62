"""Edited samples of a shard: a line that no run can write is refused with its line number."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate.record.comparison import Verdict
from tests.e2e.diff.test_rubrics import FILES, WORSE
from tests.e2e.shards.conftest import make, write
from tests.e2e.shards.runs import merge, shards

Row = dict[str, Any]
SAMPLES = "shards/1/samples.jsonl"
MADE = "is not made of 'brevity', 'state compliance'"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two shards of a suite that a rubric and a pairwise judge score."""
    root = tmp_path_factory.mktemp("shards")
    config = FILES["gate.yaml"] + '      - pairwise: {criteria: Is kind., model: "fake:judge"}\n'
    make(root, {**FILES, "gate.yaml": config})
    write(root, {"prompts/voice.md.j2": WORSE})
    shards(root, 2)
    return root


@pytest.fixture
def repo(whole: Path, tmp_path: Path) -> Path:
    """A copy to edit."""
    return Path(shutil.copytree(whole, tmp_path / "repo", symlinks=True))


def forged(repo: Path, edit: Callable[[Row], object]) -> str:
    """The error about the third sample after an edit."""
    rows = [json.loads(line) for line in (repo / SAMPLES).read_text().splitlines()]
    edit(rows[2])
    (repo / SAMPLES).write_text("".join(json.dumps(row) + "\n" for row in rows))
    outcome = merge(repo)
    assert outcome.code == 2, outcome.err
    assert not (repo / "merged").exists()
    assert f"{SAMPLES}:3: " in outcome.err
    assert len(outcome.err) < 1000
    return outcome.err


def parts(row: Row, scorer: int = 0) -> list[Row]:
    found: list[Row] = row["scores"][scorer]["parts"]
    return found


def dimension(name: str) -> Row:
    return {"kind": "dimension", "name": name, "value": 1.0, "weight": 1.0}


def test_unedited_samples_are_merged(repo: Path) -> None:
    assert merge(repo, "--json").record.verdict is Verdict.BLOCK


@pytest.mark.threat("merge-forged")
@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda row: row["scores"][0].pop("parts"), MADE),
        (lambda row: parts(row).extend(dimension(f"d{n}") for n in range(20_000)), MADE),
        (lambda row: parts(row)[0].update(name="\x1b[31m" * 10_000), MADE),
        (lambda row: parts(row)[0].update(value=0.1), "its score by 'rubric' is not what its parts make"),
        (lambda row: parts(row)[0].update(value=float("nan")), "is not JSON"),
        (lambda row: row["scores"][0].update(calls=10**9), "less than or equal to 65535"),
        (lambda row: row["scores"][0].update(scorer="judge"), "is not one by the scorer 'rubric'"),
        (lambda row: row["scores"].pop(), "it has a score, but was not compared"),
        (lambda row: row["scores"].extend(row["scores"]), "it has 4 scores, and 2 scorers are configured"),
        (lambda row: row.update(score=0.123), "its score is not what its scores make"),
    ],
)
def test_forged_samples_are_refused_with_their_line(repo: Path, edit: Callable[[Row], object], said: str) -> None:
    assert said in forged(repo, edit)


def test_scores_without_an_answer(repo: Path) -> None:
    def failed(row: Row) -> None:
        row["reply"] = {"reason": "?", "attempts": 1}

    assert "it has scores, but no answer" in forged(repo, failed)
