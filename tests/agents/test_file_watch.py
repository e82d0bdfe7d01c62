"""Files of a commit that programs run in: what is written over them is noticed, whatever is put back afterwards."""

import os
from pathlib import Path

import pytest

from gate.agents.code_folder import FileWatch


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    (folder / "lib").mkdir(parents=True)
    for name in ("agent.py", "lib/words.py", "data.json"):
        (folder / name).write_text("1\n")
    (folder / "link").symlink_to("data.json")
    return folder


def rewrite(path: Path) -> None:
    """Write something else of the same length, and put it all back, with its times."""
    was, told = path.read_bytes(), path.stat()
    path.write_bytes(b"2\n")
    path.write_bytes(was)
    os.utime(path, ns=(told.st_atime_ns, told.st_mtime_ns))


def swap(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.rename(path)


def elsewhere(folder: Path, away: Path) -> None:
    folder.rename(away)
    folder.symlink_to(away)


TAMPERING = {
    "agent.py": lambda root: rewrite(root / "agent.py"),
    "data.json": lambda root: swap(root / "data.json"),
    "lib": lambda root: elsewhere(root / "lib", root.parent / "lib"),
    "link": lambda root: ((root / "link").unlink(), (root / "link").symlink_to("agent.py")),
    "json.py": lambda root: (root / "json.py").write_text(""),
    "lib/package.json": lambda root: (root / "lib/package.json").write_text('{"main": "notes.txt"}'),
    "lib/words.PYC": lambda root: (root / "lib/words.PYC").write_text(""),
    "requests": lambda root: (root / "requests").symlink_to("/tmp"),
    "node_modules/x/index.js": lambda root: (
        (root / "node_modules/x").mkdir(parents=True),
        (root / "node_modules/x/index.js").touch(),
    ),
}


@pytest.mark.threat("agent-files")
@pytest.mark.parametrize("path", TAMPERING)
def test_what_a_program_could_be_changed_by_is_noticed(root: Path, path: str) -> None:
    watch = FileWatch.of(root, "main")
    TAMPERING[path](root)
    assert watch.changed() == f"files of main changed while it ran: '{path}'"


def test_a_folder_that_is_gone_is_noticed(root: Path) -> None:
    watch = FileWatch.of(root, "main")
    root.rename(root.with_name("away"))
    assert "'agent.py'" in watch.changed()


def test_what_an_agent_keeps_next_to_its_files_is_its_own(root: Path) -> None:
    watch = FileWatch.of(root, "main")
    assert watch.changed() == ""
    (root / "sessions").mkdir()
    (root / "sessions" / "s-1.json").write_text("{}")
    (root / "bookings.db").write_text("x")
    (root / "lib" / "log.txt").write_text("x")
    (root / "agent.py").read_text()
    assert watch.changed() == ""
