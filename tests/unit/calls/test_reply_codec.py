"""A reply survives being written down; anything else is refused, not misread."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.reply_codec import Unreadable, decode, encode
from gate.domain.sample import Origin, Reply
from gate.domain.usage import Dollars, Unpriced, Usage
from tests.support.transcripts import CALLS, TRANSCRIPTS
from tests.unit.calls.asked import answer
from tests.unit.stats.layouts import THOROUGH

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=30)
COUNTS = st.integers(0, 2**53)
AMOUNTS = st.floats(0, allow_nan=False, allow_infinity=False)
COSTS = st.builds(Dollars, AMOUNTS) | st.sampled_from([Unpriced("n/a"), Unpriced("unknown")])
FROM = Origin("one", 5.0, reused=True)
REPLIES = st.builds(
    Reply,
    ANY_TEXT,
    ANY_TEXT,
    st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS),
    COSTS,
    st.none() | AMOUNTS,
    COUNTS,
    ANY_TEXT,
    st.just(FROM),
    CALLS,
    st.none() | TRANSCRIPTS,
)


@THOROUGH
@given(REPLIES)
def test_there_and_back(reply: Reply) -> None:
    assert decode(encode(reply), FROM) == reply


@THOROUGH
@given(REPLIES, st.data())
def test_damaged_bytes_are_refused_or_read_as_some_reply(reply: Reply, data: st.DataObject) -> None:
    blob = bytearray(encode(reply))
    at = data.draw(st.integers(0, len(blob) - 1))
    blob[at] ^= data.draw(st.integers(1, 255))
    for damaged in (bytes(blob), bytes(blob[:at]), b""):
        try:
            assert isinstance(decode(damaged, FROM), Reply)
        except Unreadable:
            continue


GOOD: list[Any] = ["m", [1, 2, 3, 4], 0.5, None, 1, "stop"]


@pytest.mark.parametrize(
    ("place", "bad"),
    [
        (0, 7),
        (1, [1, 2, 3]),
        (1, [1, 2, 3, -4]),
        (1, [1, 2, 3, 4.5]),
        (1, [1, 2, 3, True]),
        (1, 8),
        (2, -0.5),
        (2, "free"),
        (2, float("nan")),
        (2, float("inf")),
        (2, 10**400),
        (2, None),
        (3, -1),
        (3, float("inf")),
        (3, "fast"),
        (4, "1"),
        (5, None),
    ],
)
def test_values_that_no_reply_has(place: int, bad: object) -> None:
    assert decode(written(GOOD), FROM).usage == Usage(1, 2, 3, 4)
    with pytest.raises(Unreadable):
        decode(written([*GOOD[:place], bad, *GOOD[place + 1 :]]), FROM)


@pytest.mark.parametrize("head", [b"[" * 100_000, b"1" * 5000, b"{}", b"[]", b"null", b"\xff"])
def test_hostile_heads(head: bytes) -> None:
    with pytest.raises(Unreadable):
        decode(len(head).to_bytes(4, "big") + head, FROM)


def test_ten_megabytes_and_nothing() -> None:
    for text in ("x" * 10_000_000, ""):
        assert decode(encode(answer(text)), FROM).text == text


def written(head: list[Any]) -> bytes:
    blob = json.dumps(head).encode()
    return len(blob).to_bytes(4, "big") + blob + b"text"
