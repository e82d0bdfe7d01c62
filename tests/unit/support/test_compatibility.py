"""What is recorded for later versions is rewritten only where it changed."""

import json
from pathlib import Path

from tests.support.compatibility import replace

RUN = {"schema": "prompt-gate/run/1", "created": "2026-11-01", "suites": [{"n": 3, "p": 0.5}, {"n": 4, "p": 0.25}]}
LATER = {"schema": "prompt-gate/run/1", "created": "2026-12-24", "suites": [{"n": 9, "p": 1}]}


def write(folder: Path, **files: object) -> Path:
    for name, value in files.items():
        path = folder / name.replace("__", "/").replace("_json", ".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
    return folder


def test_a_run_that_differs_in_its_times_alone_is_left_as_it_is(tmp_path: Path) -> None:
    kept = write(tmp_path / "kept", run__run_json=RUN, names_json=["a"])
    assert replace(kept, write(tmp_path / "made", run__run_json=LATER, names_json=["a"])) == []
    assert json.loads((kept / "run/run.json").read_text(encoding="utf-8")) == RUN


def test_a_new_field_another_schema_and_another_word_are_recorded(tmp_path: Path) -> None:
    for number, changed in enumerate(({**LATER, "waived": None}, {**LATER, "schema": "prompt-gate/run/2"})):
        kept = write(tmp_path / f"kept{number}", run__run_json=RUN)
        assert replace(kept, write(tmp_path / f"made{number}", run__run_json=changed)) == ["run/run.json"]
        assert json.loads((kept / "run/run.json").read_text(encoding="utf-8")) == changed
    kept = write(tmp_path / "kept", runs__block_json={"said": "old"})
    assert replace(kept, write(tmp_path / "made", runs__block_json={"said": "new"})) == ["runs/block.json"]


def test_what_is_no_longer_recorded_goes_and_what_is_written_by_hand_stays(tmp_path: Path) -> None:
    kept = write(tmp_path / "kept", runs__gone_json={}, agent_yaml={})
    assert replace(kept, write(tmp_path / "made", runs__block_json={})) == ["runs/block.json", "runs/gone.json"]
    assert sorted(path.name for path in kept.rglob("*") if path.is_file()) == ["agent_yaml", "block.json"]
