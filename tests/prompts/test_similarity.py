"""How much of a file is kept, by git's measure; `tests/git/test_renames.py` asks git itself."""

import re

from hypothesis import given
from hypothesis import strategies as st

from gate.prompts.files import SIMILAR, chunks, similar_sizes, similarity

LINES = st.lists(
    st.binary(max_size=200).map(lambda line: line.replace(b"\n", b"").replace(b"\r", b"").rstrip() + b"\n"), max_size=12
)
FILES = LINES.map(b"".join) | st.binary(max_size=300)


@given(FILES)
def test_chunks_are_the_whole_file(data: bytes) -> None:
    unix = re.sub(rb"[ \t\r]+(?=\n|\Z)", b"", data)
    assert chunks(data).total() == len(unix) + (bool(unix) and not unix.endswith(b"\n"))
    assert all(len(piece) <= 64 and b"\n" not in piece[:-1] for piece in chunks(data))


@given(FILES, FILES)
def test_a_share_that_is_the_same_both_ways(one: bytes, other: bytes) -> None:
    found = similarity(chunks(one), chunks(other))
    assert 0 <= found <= 1
    assert found == similarity(chunks(other), chunks(one))


@given(LINES, LINES, st.randoms(use_true_random=False))
def test_what_is_kept_counts_wherever_it_stands(kept: list[bytes], added: list[bytes], random: st.DataObject) -> None:
    mixed = [*kept, *added]
    random.shuffle(mixed)
    old, new = b"".join(kept), b"".join(mixed)
    assert similarity(chunks(old), chunks(new)) == (len(old) / len(new) if new else 0.0)


@given(FILES, st.randoms(use_true_random=False), st.booleans())
def test_nothing_similar_is_outside_of_the_sizes(old: bytes, random: st.DataObject, windows: bool) -> None:  # noqa: FBT001
    old = re.sub(rb"\s+(?=\n|\Z)", b"", old)
    lines = old.splitlines(keepends=True) * 2
    new = b"".join(lines[: random.randrange(len(lines) + 1)])
    new = (new.replace(b"\n", b"\r\n") if windows else new).removesuffix(b"\n")
    before = chunks(old)
    assert similarity(before, chunks(new)) < SIMILAR or len(new) in similar_sizes(before)


@given(FILES)
def test_the_ends_of_lines_make_no_difference(data: bytes) -> None:
    windows = data.replace(b"\r", b"").replace(b"\n", b"\r\n")
    assert chunks(windows) == chunks(data.replace(b"\r", b""))
    open_end = data.rstrip(b"\r\n") + b"."
    assert chunks(open_end + b"\n") == chunks(open_end)
