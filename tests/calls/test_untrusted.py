"""Text and JSON from outside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.untrusted import Cleaner, MalformedReply, is_html, json_object

KEY = "sk-secret-0123456789abcdef"


def test_a_line_has_no_controls_and_no_secrets() -> None:
    line = Cleaner((KEY,)).line(f"Wrong\r\nkey\x1b[31m {KEY}\u202e, Bearer abc.def \x00end")
    assert line == "Wrong key[31m [key], Bearer [key] end"


def test_a_key_that_is_broken_up_by_controls_is_found() -> None:
    assert KEY not in Cleaner((KEY,)).line(f"{KEY[:9]}\x00\u200b{KEY[9:]}")


def test_a_key_at_the_cut_does_not_leave_its_first_half() -> None:
    assert "0123" not in Cleaner(("opaque-0123456789",)).line("x" * 290 + "opaque-0123456789", limit=300)


def test_keys_of_others_are_hidden_too() -> None:
    assert Cleaner().line("Incorrect API key provided: sk-proj-ab****cd.") == "Incorrect API key provided: [key]"


@given(st.text(st.characters(), max_size=400), st.integers(1, 50))
def test_a_line_is_printable_and_bounded(text: str, limit: int) -> None:
    line = Cleaner((KEY,)).line(text, limit)
    assert len(line) <= limit
    assert "\n" not in line
    line.encode()


@given(st.text(st.characters(), max_size=100))
def test_text_can_always_be_written_to_a_file(text: str) -> None:
    Cleaner().text(text).encode("utf-8")


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b'{"a": ', b"\xff\xfe", b'{"a": ' + b"9" * 5000 + b"}", b"[" * 200_000]
)
def test_anything_but_an_object_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedReply):
        json_object(body)


@given(st.binary(max_size=200))
def test_parsing_bytes_fails_in_one_way_only(body: bytes) -> None:
    try:
        assert isinstance(json_object(body), dict)
    except MalformedReply as error:
        assert str(error)


def test_a_page_is_known_by_its_beginning_however_much_white_space_comes_before() -> None:
    blank = b" \t\r\n" * 500_000
    for page in (b"<html>", b"\xef\xbb\xbf <!DOCTYPE html>", b"<?XML ", b"<!-- x", b"\n<Body>", b"<head>"):
        assert is_html(page)
        assert is_html(blank + page)
    for other in (b"", b"x", b'{"a": "<html>"}', b"<htm", b"<p>"):
        assert not is_html(blank + other)
