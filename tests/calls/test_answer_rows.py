"""A row that anybody changed is not believed."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.answer_file import SCHEMA
from gate.calls.cache import _INSERT, CODEC, Row, Sealer, UntrustedRow
from gate.messages import ToolCall
from gate.record.transcript import Origin, Reply, Transcript
from tests.calls.asked import answer
from tests.support.transcripts import CALLS, TEXT, TRANSCRIPTS

KEY = bytes(range(32))


def insert_rows(connection: sqlite3.Connection, rows: list[Row]) -> None:
    connection.executemany(_INSERT, rows)


@pytest.fixture
def table() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for statement in SCHEMA:
        connection.execute(statement)
    yield connection
    connection.close()


@given(st.builds(answer, TEXT), CALLS, st.none() | TRANSCRIPTS)
def test_any_reply_is_found_as_it_was_kept(reply: Reply, calls: tuple[ToolCall, ...], talk: Transcript | None) -> None:
    kept = replace(reply, tool_calls=calls, transcript=talk)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as table:
        for statement in SCHEMA:
            table.execute(statement)
        insert_rows(table, [Sealer(b"").row(KEY, kept, Origin("s", 1.0))])
        known = Sealer(b"").find(table, KEY)
    assert known is not None
    assert known[1] == replace(kept, origin=Origin("s", 1.0, reused=True))


def test_a_newer_answer_takes_the_place(table: sqlite3.Connection) -> None:
    sealer = Sealer(b"")
    insert_rows(
        table, [sealer.row(KEY, answer("old"), Origin("s", 1.0)), sealer.row(KEY, answer("new"), Origin("t", 2.0))]
    )
    known = sealer.find(table, KEY)
    assert known is not None
    assert (known[1].text, known[1].origin.sitting) == ("new", "t")
    assert table.execute("SELECT count(*) FROM answers").fetchone() == (1,)


@pytest.mark.parametrize("secret", [b"", b"other"])
def test_another_secret(table: sqlite3.Connection, secret: bytes) -> None:
    insert_rows(table, [Sealer(secret).row(KEY, answer(), Origin("s", 1.0))])
    with pytest.raises(UntrustedRow):
        Sealer(b"secret").find(table, KEY)


@pytest.mark.parametrize(
    "change",
    [
        "reply = CAST(replace(CAST(reply AS TEXT), 'hi', 'no') AS BLOB)",
        "reply = zeroblob(0)",
        "sitting = x'00'",
        "taken_at = taken_at + 1",
        "taken_at = 'soon'",
        "codec = 1",
        "codec = 'x'",
        "seal = zeroblob(16)",
        "seal = 'é'",
        "key = zeroblob(32)",
    ],
)
@pytest.mark.parametrize("secret", [b"", b"secret"])
def test_a_changed_column(table: sqlite3.Connection, change: str, secret: bytes) -> None:
    insert_rows(table, [Sealer(secret).row(KEY, answer(), Origin("one", 1.0))])
    table.execute(f"UPDATE answers SET {change}")
    with pytest.raises(UntrustedRow):
        Sealer(secret).find(table, bytes(32) if change.startswith("key") else KEY)


def test_a_codec_of_a_later_version_is_unknown_but_not_forged(table: sqlite3.Connection) -> None:
    sealer = Sealer(b"")
    key, _, sitting, at, size, _, blob = sealer.row(KEY, answer(), Origin("s", 1.0))
    insert_rows(table, [(key, CODEC + 1, sitting, at, size, sealer._seal(key, CODEC + 1, sitting, at, blob), blob)])
    assert sealer.find(table, KEY) is None
