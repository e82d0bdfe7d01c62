"""Output formats for other programs, all from one run."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree as Xml

import click
import pytest

from gate.cli.options import FORMATS, format_of
from gate.cli.results import report
from tests.support.command import gate
from tests.support.example import BROKEN, PROMPT, SMALL
from tests.support.repository import make, write


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example after a run that blocks."""
    repo = make(tmp_path_factory.mktemp("ran"), SMALL)
    write(repo, {PROMPT: f"\n\n{BROKEN}"})
    assert gate("diff", "--base", "main", "--samples", "1", "--out", "ci/junit.xml", "-q", cwd=repo).code == 1
    return repo


@pytest.fixture
def repo(tmp_path: Path, ran: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(ran, tmp_path / "repo")


def test_every_format_of_one_run(repo: Path) -> None:
    folder = ".gate/last"
    root = Xml.fromstring((repo / "ci/junit.xml").read_bytes())
    assert int(root.get("failures", "0")) > 1
    assert (repo / "ci/junit.xml").read_bytes() == (repo / folder / "junit.xml").read_bytes()

    sarif = json.loads(gate("report", folder, "--format", "sarif", cwd=repo).out)
    found, *more = sarif["runs"][0]["results"]
    assert {one["ruleId"] for one in (found, *more)} == {"slice-regressed"}
    place = found["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == (PROMPT, {"startLine": 1, "endLine": 3})

    assert gate("report", folder, "--out", "rows.jsonl", cwd=repo).code == 0
    rows = [json.loads(line) for line in (repo / "rows.jsonl").read_text().splitlines()]
    assert len(rows) == len((repo / folder / "samples.jsonl").read_text().splitlines())
    assert {row["slice.tier"] for row in rows} == {"gold", "free"}


def test_rows_need_the_samples_and_errors_have_a_place(repo: Path) -> None:
    (repo / "alone.json").write_bytes((repo / ".gate/last/run.json").read_bytes())
    alone = gate("report", "alone.json", "--format", "jsonl", cwd=repo)
    assert (alone.code, alone.out) == (2, "")
    assert "cannot read samples.jsonl" in alone.err
    with (repo / ".gate/last/samples.jsonl").open("a") as file:
        file.write('{"schema": "prompt-gate/sample/1"}\n')
    broken = gate("report", ".gate/last", "--out", "rows.jsonl", cwd=repo)
    assert broken.code == 2
    assert "samples.jsonl:41" in broken.err
    # There is no partly written file and no temporary file.
    assert not list(repo.glob("*rows.jsonl*"))


def test_a_foreign_record_does_not_read_other_files(repo: Path) -> None:
    record = json.loads((repo / ".gate/last/run.json").read_text())
    arm = record["suites"][0]["candidate"]
    arm["path"], arm["ref"], arm["sha"] = "../../etc/passwd", "file", None
    (repo / "forged.json").write_text(json.dumps(record))
    found = gate("report", "forged.json", "--format", "sarif", cwd=repo)
    assert found.code == 0
    place = json.loads(found.out)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["region"]["startLine"] == place["region"]["endLine"] == 1


def test_the_option_lists_every_format() -> None:
    (named,) = [one.type for one in report.params if one.name == "form"]
    assert isinstance(named, click.Choice)
    assert set(named.choices) == {"terminal", *(form.name for form in FORMATS)}


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a/report.md", "md"),
        ("JUNIT.XML", "junit"),
        ("x.jsonl", "jsonl"),
        ("run.json", "json"),
        ("folder", None),
    ],
)
def test_the_file_ending_sets_the_format(name: str, form: str | None) -> None:
    found = format_of(Path(name))
    assert (found and found.name) == form
