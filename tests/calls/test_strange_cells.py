"""Cells of a file that hold something else than they should."""

import asyncio
from pathlib import Path

import pytest

from gate.calls.cache.store import CacheOptions
from tests.calls.asked import NOW, answer, asked, store
from tests.calls.test_opening import execute, many
from tests.calls.test_store import filled, put, texts_in


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


def test_the_clock_of_the_file_is_not_that_of_the_machine(path: Path) -> None:
    """A rubbish time in a column of a row is distrusted, not an error."""
    filled(path, "a")
    execute(path, "UPDATE answers SET taken_at = 'never'")
    with store(path, "next") as memory:
        assert memory.find(asked("a")) is None
        asyncio.run(memory.keep(asked("a"), answer("again")))
        assert memory.find(asked("a")) is not None


def test_a_size_that_is_no_number_holds_nothing_up(path: Path) -> None:
    many(path)
    execute(path, "UPDATE answers SET size = 'x'")
    # What was taken since the start of a sitting stays, so this one starts later.
    memory = store(path, "two", CacheOptions(max_bytes=1), lambda: NOW + 60.0)
    put(memory, "new")
    memory.close()
    assert any("could not be pruned" in warning for warning in memory.warnings)
    assert "new" in texts_in(path)
