"""Bytes that are text, and bytes that are not."""

import pytest

from gate.config.documents import decode
from tests.config.texts import errors

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 5\n"


def test_a_long_text_about_pointers_is_none() -> None:
    assert decode(POINTER.ljust(1025), "p").startswith("version https://git-lfs")


def test_utf8_with_and_without_a_mark() -> None:
    assert decode("grüß\n".encode(), "p") == decode("grüß\n".encode("utf-8-sig"), "p") == "grüß\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (POINTER, "p.md:1: is a Git LFS pointer, not the file itself"),
        ("héllo".encode("utf-16"), "p.md: is UTF-16 text (save it as UTF-8)"),
        (b"PK\x03\x04\x14\0", "p.md: is an office file or an archive (save the sheet as CSV in UTF-8)"),
        (b"a\nb\0", "p.md:2: is not a text file (it contains NUL bytes)"),
        (b"a\nb\nc\xff", "p.md:3: is not UTF-8 text (save it as UTF-8)"),
    ],
)
def test_messages(data: bytes, message: str) -> None:
    assert message in errors(lambda: decode(data, "p.md"))


@pytest.mark.parametrize("data", ["Müller\n".encode("cp1252"), "Müller\n".encode("utf-16")])
def test_a_table_in_an_office_encoding_can_be_converted(data: bytes) -> None:
    said = errors(lambda: decode(data, "evals/my cases.csv"))
    assert "(save it as UTF-8, or convert it: gate cases convert 'evals/my cases.csv' 'evals/my cases.jsonl')" in said
