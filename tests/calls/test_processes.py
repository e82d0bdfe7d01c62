"""Several processes, killed processes, and full disks."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gate.calls.cache import AnswerStore
from tests.calls.asked import address, asked
from tests.support import forked

ROOT = Path(__file__).parents[2]
KEEPER = Path(__file__).with_name("keeper.py")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


def start(path: Path, name: str, count: int, limit: int | None = None) -> forked.Fork:
    arguments = [str(KEEPER), str(path), name, str(count), *([str(limit)] if limit else [])]
    return forked.start(arguments, ROOT, os.environ, module=None)


def talking(path: Path, name: str) -> subprocess.Popen[str]:
    """One that keeps answers without end, whose lines are read while it works."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.calls.keeper", str(path), name, "0"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: forked.Fork) -> list[str]:
    """The lines of one that ends well."""
    with process:
        out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    return out.splitlines()


def expect_found(path: Path, texts: Sequence[str]) -> None:
    with AnswerStore(path, address, "after") as memory:
        found = {text: memory.find(asked(text)) for text in texts}
        assert [text for text, reply in found.items() if reply is None] == []
        assert all(reply.text.startswith(f"to {text} ") for text, reply in found.items() if reply)
        assert memory.warnings == ()


def test_killed_at_any_moment(path: Path) -> None:
    rng = random.Random(5)
    kept: list[str] = []
    for turn in range(2):
        process = talking(path, f"t{turn}-")
        assert process.stdout is not None
        # Read to its end by the same reader: communicate() would begin anywhere after what readline() holds ready.
        lines = [process.stdout.readline()]
        time.sleep(rng.uniform(0.1, 0.3))
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (-signal.SIGKILL, "")
        # The last line may have been cut by the kill.
        kept += [line.strip() for line in lines if line.endswith("\n")]
        expect_found(path, kept)
    assert len(kept) > 10
    assert os.listdir(path.parent) == ["answers.sqlite"]


def test_a_damaged_file_is_set_aside_once_by_processes_that_start_together(path: Path) -> None:
    path.write_bytes(b"not a database" * 1000)
    processes = {f"p{i}-": start(path, f"p{i}-", 10) for i in range(2)}
    for name, process in processes.items():
        assert {f"{name}{i}" for i in range(10)} <= set(ended(process))
    expect_found(path, [f"{name}{i}" for name in processes for i in range(10)])


def test_a_file_that_may_not_grow(path: Path) -> None:
    """Every answer that was said to be kept before the limit is there, and no later one is said to be."""
    lines = ended(start(path, "a", 0, limit=400_000))
    kept = [line for line in lines if line.startswith("a")]
    reasons = [line for line in lines if line.startswith("not kept: ")]
    assert len(kept) > 5
    assert reasons == ["not kept: writing or reading failed (a limit on the size of files, a quota, or a broken disk)"]
    assert lines.index(reasons[0]) == len(kept)
    expect_found(path, kept)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root may mount a small disk; test_a_file_that_may_not_grow stands in")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk(small_disk: Path) -> None:
    path = small_disk / "answers.sqlite"
    lines = ended(start(path, "a", 0))
    kept = [line for line in lines if line.startswith("a")]
    assert len(kept) > 5
    assert lines[len(kept)] == "not kept: the disk is full"
    expect_found(path, kept)
