"""The saved runs that a plan opens, and their order."""

import os
from pathlib import Path

from gate.store.kept_runs import CALIBRATION, LARGEST, KeptRuns
from gate.store.run_folder import dump_run
from tests.golden.runs import runs

RUN = runs()["pass"]


def keep(folder: Path, name: str, day: int, *, text: str | None = None, size: int = 0) -> Path:
    """A record that was last changed on a day; spaces make it larger."""
    path = folder / name / "run.json"
    path.parent.mkdir(parents=True)
    path.write_text((dump_run(RUN) if text is None else text).ljust(size))
    os.utime(path, (day * 86_400, day * 86_400))
    return path


def shelf(folder: Path, tracked: tuple[str, ...] = ()) -> KeptRuns:
    return KeptRuns(folder, lambda path: path.parent.name in tracked)


def names(kept: KeptRuns) -> list[str]:
    return [Path(run.name).name for run in kept.runs()]


def test_calibrations_go_first_and_then_the_newest(tmp_path: Path) -> None:
    for name, day in (("old", 1), ("new", 9), ("noise", 2), ("middle", 5)):
        keep(tmp_path, name, day)
    (tmp_path / "noise" / CALIBRATION).write_text("{}")
    kept = shelf(tmp_path)
    assert names(kept) == ["noise", "new", "middle", "old"]
    assert [run.read() for run in kept.runs()] == [RUN] * 4
    assert kept.notes() == []


def test_twenty_files_are_read_and_links_are_not_followed(tmp_path: Path) -> None:
    for day in range(25):
        keep(tmp_path, f"r{day:02}", day)
    (tmp_path / "link").mkdir()
    (tmp_path / "link/run.json").symlink_to(tmp_path / "r00/run.json")
    assert names(shelf(tmp_path)) == [f"r{day:02}" for day in range(24, 4, -1)]
    (tmp_path / "all").symlink_to(tmp_path)
    assert names(shelf(tmp_path / "all")) == []
    assert names(shelf(tmp_path / "none")) == []


def test_unusable_runs_are_skipped_and_reported(tmp_path: Path) -> None:
    broken = dump_run(RUN).replace('"seed": ', '"seed": -')
    keep(tmp_path, "broken", 4, text=broken)
    keep(tmp_path, "large", 3, size=LARGEST + 1)
    keep(tmp_path, "theirs", 2)
    gone = keep(tmp_path, "gone", 1)
    kept = shelf(tmp_path, tracked=("theirs",))
    found = kept.runs()
    gone.unlink()
    assert [run.read() for run in found] == [None] * 4
    told = list(kept.notes())
    assert "broken/run.json is not a complete run: seed" in told[0]
    assert "large/run.json is larger than 16 MiB" in told[1]
    assert "theirs/run.json is tracked by git" in told[2]
    assert told[3:] == [f"Skipped: 1 more below {tmp_path}."]
