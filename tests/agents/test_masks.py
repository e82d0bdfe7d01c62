"""What is taken out of texts before somebody reads them."""

import base64
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.agents.masks import REASON_CHARS, RESULT_CHARS, Masks, cleaned


@pytest.mark.parametrize(
    ("value", "text", "masked"),
    [
        ("s3cr3t/key+", "?key=s3cr3t%2Fkey%2B&x", "?key=[token]&x"),
        ('s3"cr\\et', '{"key": "s3\\"cr\\\\et"}', '{"key": "[token]"}'),
        ("Bearer abcdefgh", "abcdefgh is not known", "[token] is not known"),
        ("postgresql://me:pass%2Fword@db/x", "no pass/word, no pass%2Fword, me", "no [token], no [token], me"),
        ("https://[no address", "me", "me"),
    ],
)
def test_secrets_in_all_their_forms(value: str, text: str, masked: str) -> None:
    assert Masks((value,)).masked(text) == masked


TOKEN = "tok-5up3r/s3cret?"
PERCENT = "".join(f"%{byte:02X}" for byte in TOKEN.encode())
ESCAPED = "".join(f"\\u{ord(sign):04x}" for sign in TOKEN)


@pytest.mark.threat("tool-token")
@pytest.mark.parametrize(
    "written",
    [TOKEN.encode().hex(), TOKEN.encode().hex().upper(), PERCENT, PERCENT.lower(), ESCAPED, TOKEN[::-1]],
)
def test_the_usual_encodings_of_a_secret_are_known(written: str) -> None:
    assert Masks((TOKEN,)).masked(f"<{written}>") == "<[token]>"


@pytest.mark.parametrize("before", range(7))
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_in_base64_a_secret_is_found_wherever_it_begins(before: int, encode: Callable[[bytes], bytes]) -> None:
    told = Masks((TOKEN,)).masked(encode(b"x" * before + TOKEN.encode() + b"yz").decode())
    assert "[token]" in told
    # What is left of it are the signs that it shares with its neighbours.
    assert len(told) - len("[token]") <= before * 8 // 6 + 6


@pytest.mark.parametrize("text", ["a flat", "7370656369616c"])
def test_what_is_no_secret_stays(text: str) -> None:
    assert Masks((TOKEN, "special-key", "123456")).masked(f"{text}, not 654321") == f"{text}, not 654321"


def test_secrets_are_masked_before_the_text_is_cut() -> None:
    token = "t0ken-" + "x" * 100
    result = Masks((token,)).result("y" * (RESULT_CHARS - 3) + token + "z")
    assert result.startswith("y" * (RESULT_CHARS - 3) + "[to\n[cut: ")
    assert "t0ken" not in result
    reason = Masks((token,)).reason("y" * (REASON_CHARS - 3) + token)
    assert reason == "y" * (REASON_CHARS - 3) + "[t…"


def test_controls_between_the_letters_of_a_secret_do_not_hide_it() -> None:
    assert Masks(("s3cr3t",)).result("s3\x00cr\x1b[1m3t") == "[token]"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x1b\\", "link"),
        ("a\0b\x07c\x7fd\x9be", "abcde"),
        ("half \ud83d of one", "half  of one"),
    ],
)
def test_control_characters_go(text: str, clean: str) -> None:
    assert cleaned(text) == clean


def test_a_reason_is_one_line_without_the_folder_that_is_gone() -> None:
    masks = Masks(("s3cr3t",), "/tmp/files-1")
    assert masks.reason("no\n/tmp/files-1/flats.db\u202e for s3cr3t") == "no flats.db\\u202e for [token]"


@given(st.text(min_size=6, max_size=20).filter(lambda value: len(value.strip()) >= 6), st.text(max_size=20))
def test_no_secret_is_left(value: str, text: str) -> None:
    assert value not in Masks((value,)).masked(f"{text}{value}{text}").replace("[token]", "")
    assert Masks((value,)).reason(text + value).isprintable()
