"""Answers in a real file: kept, found, aged, pruned, and left in order."""

import asyncio
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gate.calls.answer_file import CacheOptions
from gate.calls.cache import AnswerStore
from gate.calls.interface import Memory
from gate.record.transcript import Origin
from tests.calls.asked import DAY, NOW, Wall, answer, asked, store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "answers.sqlite"


def put(memory: Memory, *texts: str) -> None:
    async def InputErrors() -> None:
        await asyncio.gather(*(memory.keep(asked(text), answer(f"to {text}")) for text in texts))

    asyncio.run(InputErrors())


def filled(path: Path, *texts: str, clock: Wall | None = None, options: CacheOptions | None = None) -> None:
    with store(path, "earlier", options, clock) as first:
        put(first, *texts)


def texts_in(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        replies = connection.execute("SELECT reply FROM answers").fetchall()
    return {json.loads(reply)["text"].split("to ")[-1] for (reply,) in replies}


def test_found_in_the_next_sitting(path: Path) -> None:
    filled(path, "a", clock=Wall(NOW - DAY))
    with store(path, "next") as memory:
        assert memory.find(asked("a")) == answer("to a", Origin("earlier", NOW - DAY, reused=True))
        assert memory.warnings == ()


def test_what_is_left_is_one_closed_file(path: Path) -> None:
    with store(path) as memory:
        put(memory, "a")
        assert sorted(os.listdir(path.parent)) == ["answers.sqlite", "answers.sqlite-shm", "answers.sqlite-wal"]
        memory.close()
        memory.close()
    assert os.listdir(path.parent) == ["answers.sqlite"]
    assert texts_in(path) == {"a"}


def test_closing_waits_for_what_is_queued(path: Path) -> None:
    async def hurried() -> None:
        memory = store(path)
        keeps = [asyncio.create_task(memory.keep(asked(str(i)), answer(f"to {i}"))) for i in range(300)]
        await asyncio.sleep(0)
        memory.close()
        await asyncio.gather(*keeps)

    asyncio.run(hurried())
    assert texts_in(path) == {str(i) for i in range(300)}


def test_an_answer_taken_elsewhere_keeps_its_origin(path: Path) -> None:
    with store(path, "one") as memory:
        asyncio.run(memory.keep(asked("a"), answer("hi", Origin("batch", NOW - DAY))))
        found = memory.find(asked("a"))
    assert found is not None
    assert found.origin == Origin("batch", NOW - DAY, reused=True)


@pytest.mark.parametrize(
    ("age", "known"),
    [(7 * DAY - 1, True), (7 * DAY + 1, False), (-299.0, True), (-301.0, False), (20 * 365 * DAY, False)],
)
def test_too_old_or_from_the_future(path: Path, age: float, known: bool) -> None:
    filled(path, "a", clock=Wall(NOW - age))
    with store(path, "next") as memory:
        assert (memory.find(asked("a")) is not None) == known
        if not known:
            put(memory, "a")
            assert memory.find(asked("a")) is not None
    assert texts_in(path) == {"a"}


def test_not_before(path: Path) -> None:
    """What `--refresh` asks again, and what a second try at it does not."""
    filled(path, "a", "b", clock=Wall(NOW - 60))
    options = CacheOptions(not_before=NOW - 30)
    with store(path, "refresh", options, Wall(NOW - 20)) as first:
        assert first.find(asked("a")) is None
        put(first, "a")
    with store(path, "again", options) as second:
        assert second.find(asked("a")) is not None
        assert second.find(asked("b")) is None


def test_earlier_finds_the_same(path: Path) -> None:
    filled(path, "a")
    with store(path, "next") as memory:
        assert memory.earlier(asked("a")) == memory.find(asked("a"))
        assert memory.earlier(asked("b")) is None


def test_the_secret_is_reported_once_and_is_nowhere_in_the_file(path: Path) -> None:
    secret = b"made from sk-very-secret"
    filled(path, "a", "b", "c", options=CacheOptions(secret=secret))
    assert b"sk-very-secret" not in path.read_bytes()
    assert "secret" not in repr(CacheOptions(secret=secret)).replace("secret=", "")
    with store(path, "next", CacheOptions(secret=b"other keys")) as memory:
        assert [memory.find(asked(text)) for text in "abcd"] == [None] * 4
        (warning,) = memory.warnings
        assert warning.startswith("3 answers were not used")
        put(memory, "a")
        assert memory.find(asked("a")) is not None


def test_bit_rot_in_a_reply_is_not_believed(path: Path) -> None:
    filled(path, "a")
    content = path.read_bytes()
    assert content.count(b"to a") == 1
    path.write_bytes(content.replace(b"to a", b"to b"))
    with store(path, "next") as memory:
        assert memory.find(asked("a")) is None
        assert memory.warnings[0].startswith("1 answer was not used")


BIG = "x" * 20_000
BOUND = CacheOptions(max_bytes=400_000)


def grow(memory: AnswerStore, names: range) -> None:
    async def one_by_one() -> None:
        for i in names:
            await memory.keep(asked(str(i)), answer(f"{BIG}to {i}"))

    asyncio.run(one_by_one())


def test_what_was_not_used_for_longest_is_deleted_and_the_file_shrinks(path: Path) -> None:
    with store(path, "a", clock=Wall(NOW - 3000)) as first:
        grow(first, range(30))
    with store(path, "b", clock=Wall(NOW - 2000)) as second:
        assert all(second.find(asked(str(i))) for i in range(5))
        assert all(second.earlier(asked(str(i))) for i in range(5, 10))
    assert path.stat().st_size > 600_000
    with store(path, "c", BOUND) as third:
        assert third.find(asked("12")) is not None
    left = {int(text) for text in texts_in(path)}
    assert {0, 1, 2, 3, 4, 12} <= left
    assert not left & {5, 6, 7, 8, 9}
    assert 200_000 < path.stat().st_size <= 360_000


def test_what_this_sitting_took_or_used_stays_even_over_the_bound(path: Path) -> None:
    with store(path, "a", clock=Wall(NOW - 3000)) as first:
        grow(first, range(10))
    clock = Wall()
    with store(path, "b", BOUND, clock) as second:
        assert second.find(asked("3")) is not None
        grow(second, range(100, 140))
        assert second.warnings == ()
    assert texts_in(path) == {"3", *(str(i) for i in range(100, 140))}
