"""What earlier versions wrote, and what their users write, is read by this one; a later version's is refused by name.

See docs/compatibility.md, and tests/support/compatibility.py for how it is recorded.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from gate.cli.app import cli
from gate.domain import judge_calibration
from gate.domain.calibration import CalibrationRecord
from gate.domain.history import RunFilter
from gate.domain.stored_suite import Page
from gate.errors import GateError, InputErrors
from gate.inputs import cases, config
from gate.store.load import load_run
from gate.store.run_folder import sample_row
from gate.store.samples import BadSample, parse_sample
from gate.store.sql import backup, migrating
from gate.store.sql.runs import Runs
from gate.store.sql.suites import Suites
from tests.support import stores
from tests.support.compatibility import FOLDER
from tests.support.public_names import public_names

VERSIONS = sorted(FOLDER.glob("*.*.*"), key=lambda path: [int(number) for number in path.name.split(".")])
RUNS = [
    path for version in VERSIONS for path in sorted(version.rglob("run.json")) + sorted(version.glob("runs/*.json"))
]
of_every_version = pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)


def kept(old: Any, new: Any, where: str = "run") -> None:
    """Everything that the old file says stands in the new one; there may be more."""
    if isinstance(old, dict):
        for key, value in old.items():
            assert key in new, f"{where}.{key} is lost"
            kept(value, new[key], f"{where}.{key}")
    elif isinstance(old, list):
        assert len(old) == len(new), where
        for place, (one, other) in enumerate(zip(old, new, strict=True)):
            kept(one, other, f"{where}[{place}]")
    else:
        assert old == new, where


@pytest.mark.parametrize("path", RUNS, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_a_run_is_read_without_loss_and_rendered(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = json.loads(path.read_text(encoding="utf-8"))
    for form in ("terminal", "md", "html", "json"):
        cli.main(["report", str(path), "--format", form], standalone_mode=False)
        said = capsys.readouterr().out
        assert old["verdict"] in said, form
    kept(old, json.loads(said))


@of_every_version
def test_samples_are_read_without_loss(version: Path) -> None:
    lines = [line for path in version.rglob("*samples.jsonl") for line in path.read_bytes().splitlines()]
    assert len(lines) > 50
    for line in lines:
        kept(json.loads(line), sample_row(parse_sample(line)))


@of_every_version
def test_what_people_write_is_read(version: Path) -> None:
    assert config.load((version / "gate.yaml").read_text(encoding="utf-8"), "gate.yaml").suites
    for name in ("cases.jsonl", "agent.yaml"):
        assert cases.parse((version / name).read_text(encoding="utf-8"), name)


@of_every_version
def test_calibrations_are_read(version: Path) -> None:
    text = (version / "judge-calibration.json").read_text(encoding="utf-8")
    kept(json.loads(text), json.loads(judge_calibration.dump(judge_calibration.load(text))))
    text = (version / "calibration/calibration.json").read_text(encoding="utf-8")
    assert CalibrationRecord.model_validate_json(text).suites


@of_every_version
def test_a_store_is_restored_and_brought_up_to_date(version: Path, tmp_path: Path) -> None:
    with stores.on_sqlite(tmp_path) as database:
        backup.restore(database, version / "store.jsonl.gz")
        assert migrating.current(database) == migrating.newest()
        (row,) = Runs(database).rows(RunFilter(), Page())
        assert Runs(database).record(row.id) == load_run(version / "run")
        sample, *_ = Runs(database).samples(row.id, "support", "c0")
        assert sample.case_id == "c0"
        newest = Suites(database).newest("support")
        assert newest is not None and len(Suites(database).entries(newest)) == 24


def removed(old: Any, new: Any, where: str) -> list[str]:
    """The names that are no longer there, or mean less."""
    if isinstance(old, dict):
        gone = [f"{where}: {key}" for key in old if key not in new]
        return gone + [name for key in old if key in new for name in removed(old[key], new[key], f"{where}: {key}")]
    if isinstance(old, list):
        return [f"{where}: {name}" for name in old if name not in new]
    return [] if old == new else [f"{where}: {old!r} is {new!r} now"]


@of_every_version
def test_no_public_name_is_taken_away(version: Path) -> None:
    """A major version may, once they are deprecated; it then records names anew. See docs/compatibility.md."""
    recorded, now = json.loads((version / "names.json").read_text(encoding="utf-8")), public_names()
    # What must be written may become less, what is always there may become more.
    recorded["gate.yaml"].pop("required")
    assert removed(recorded, now, version.name) == []


@of_every_version
def test_no_key_of_the_configuration_becomes_a_duty(version: Path) -> None:
    recorded, now = json.loads((version / "names.json").read_text(encoding="utf-8")), public_names()
    known = set(recorded["gate.yaml"]["keys"])
    assert {key for key in now["gate.yaml"]["required"] if key in known} <= set(recorded["gate.yaml"]["required"])


def test_the_comparison_of_names_finds_what_is_gone() -> None:
    now = public_names()
    now["action inputs"].pop("fail-on")
    now["action inputs"]["concurrency"] = "8"
    now["commands"]["diff"].remove("--base")
    now["run.json"]["required"].remove("verdict")
    assert removed(public_names(), now, "now") == [
        "now: action inputs: fail-on",
        "now: action inputs: concurrency: '64' is '8' now",
        "now: commands: diff: --base",
        "now: run.json: required: verdict",
    ]


def _changed(path: Path, folder: Path, **values: object) -> Path:
    file = folder / "run.json"
    file.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **values}), encoding="utf-8")
    return file


def test_a_newer_run_is_refused_with_a_clear_word(tmp_path: Path) -> None:
    with pytest.raises(GateError, match="has schema prompt-gate/run/2, newer than this version reads") as refused:
        load_run(_changed(RUNS[0], tmp_path, schema="prompt-gate/run/2"))
    assert refused.value.hint == "update Prompt Gate"


@pytest.mark.parametrize(("wrote", "newer"), [("9.0.0", True), ("0.1.0", False), ("junk", False), (9, False)])
def test_a_field_of_a_newer_minor_version_is_refused_with_who_wrote_it(
    tmp_path: Path, wrote: object, newer: bool
) -> None:
    with pytest.raises(GateError, match="is not a whole run") as refused:
        load_run(_changed(RUNS[0], tmp_path, tool_version=wrote, novelty=1))
    assert ("update Prompt Gate: version 9.0.0 wrote it" in refused.value.hint) is newer


def test_newer_samples_are_refused_with_a_clear_word() -> None:
    with pytest.raises(BadSample, match="has schema prompt-gate/sample/2, newer than this version reads"):
        parse_sample(b'{"schema": "prompt-gate/sample/2", "case": {}}')


def test_a_newer_configuration_is_refused_with_a_clear_word() -> None:
    with pytest.raises(InputErrors) as refused:
        config.load("version: 2\nnew_things: {}\n", "gate.yaml")
    assert str(refused.value.problems[0]) == (
        "gate.yaml:1: version 2 is not supported; this gate reads version 1 (update Prompt Gate)"
    )


@of_every_version
def test_some_run_has_every_field_of_its_time(version: Path) -> None:
    """What no recorded run has, a later version could break unseen."""
    names = json.loads((version / "names.json").read_text(encoding="utf-8"))["run.json"]["keys"]
    told = {key for path in RUNS if path.is_relative_to(version) for key in json.loads(path.read_text())}
    assert told == {name for name in names if "." not in name}
