"""Files that are damaged, foreign, newer, linked or out of reach."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gate.calls.answer_file import VERSION, UnusableFile
from tests.calls.asked import asked, store
from tests.calls.test_store import filled, put, texts_in


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


def execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def many(path: Path) -> bytes:
    """The bytes of a file with so many answers that its trees have several levels."""
    filled(path, *(f"{i} {'x' * 500}" for i in range(400)))
    return path.read_bytes()


@pytest.mark.parametrize(
    "content",
    [b"not a database", b"SQLite format 3\0" + b"\xff" * 5000],
    ids=["text", "header"],
)
def test_what_is_no_database_is_set_aside(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with store(path) as memory:
        (warning,) = memory.warnings
        assert "answers.sqlite.corrupt" in warning
        put(memory, "a")
        assert memory.find(asked("a")) is not None
    assert path.with_name("answers.sqlite.corrupt").read_bytes() == content


@pytest.mark.parametrize("share", [0.2, 0.99])
def test_a_truncated_file_is_set_aside(path: Path, share: float) -> None:
    content = many(path)
    path.write_bytes(content[: int(share * len(content))])
    with store(path, "next") as memory:
        put(memory, "a")
        assert memory.find(asked("a")) is not None
        assert len(memory.warnings) == 1
    with store(path, "last") as memory:
        assert memory.find(asked("a")) is not None


@pytest.mark.parametrize("log", ["-wal", "-journal"])
def test_rubbish_next_to_the_file(path: Path, log: str) -> None:
    filled(path, "a")
    path.with_name(path.name + log).write_bytes(b"\xd9\xd5\x05\xf9 rubbish" * 1000)
    with store(path, "next") as memory:
        put(memory, "b")
        assert memory.find(asked("b")) is not None


def test_the_newest_damaged_file_stays(path: Path) -> None:
    for i in range(3):
        path.write_bytes(b"not a database %d" % i)
        if i < 2:
            path.with_name("answers.sqlite-wal").write_bytes(b"nor a log %d" % i)
        store(path).close()
    # The log of an earlier one is not taken for that of the newest.
    assert [name for name in os.listdir(path.parent) if "corrupt" in name] == ["answers.sqlite.corrupt"]
    assert path.with_name("answers.sqlite.corrupt").read_bytes() == b"not a database 2"
    assert texts_in(path) == set()


def overwrite(path: Path) -> None:
    """Damage after the first page, of the kind that only shows when a tree is read."""
    with path.open("r+b") as file:
        for page in range(1, path.stat().st_size // 4096):
            file.seek(page * 4096)
            file.write(b"\xff" * 64)


def test_damage_that_comes_later_ends_the_run_and_the_next_one_starts_again(path: Path) -> None:
    many(path)
    with store(path, "next") as memory:
        overwrite(path)
        assert memory.find(asked("0 " + "x" * 500)) is None
        assert any("can no longer be read" in warning for warning in memory.warnings)
    with store(path, "last") as memory:
        assert "answers.sqlite.corrupt" in memory.warnings[0]
        put(memory, "a")
    assert texts_in(path) == {"a"}


def test_a_newer_version_is_left_alone(path: Path) -> None:
    filled(path, "a")
    execute(path, f"PRAGMA user_version={VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(UnusableFile, match="newer version"):
        store(path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["answers.sqlite"]


@pytest.mark.parametrize("application", [0, 252006675])
def test_a_forks_database_is_not_touched(path: Path, application: int) -> None:
    execute(path, f"PRAGMA application_id={application}", "CREATE TABLE songs (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(UnusableFile, match="another program"):
        store(path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["answers.sqlite"]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON answers BEGIN DELETE FROM answers; END",
        "CREATE VIEW v AS SELECT 1",
    ],
)
def test_tables_that_somebody_prepared_are_set_aside(path: Path, statement: str) -> None:
    filled(path, "a")
    execute(path, statement)
    with store(path, "next") as memory:
        assert "answers.sqlite.corrupt" in memory.warnings[0]
        put(memory, "b")
    assert texts_in(path) == {"b"}


@pytest.mark.parametrize("name", ["answers.sqlite", "answers.sqlite-wal"])
@pytest.mark.parametrize("dangling", [False, True])
def test_links_are_refused(path: Path, name: str, dangling: bool) -> None:
    elsewhere = path.parent / "elsewhere"
    if not dangling:
        elsewhere.write_bytes(b"precious")
    path.with_name(name).symlink_to(elsewhere)
    with pytest.raises(UnusableFile, match="not a regular file"):
        store(path)
    assert elsewhere.exists() != dangling
