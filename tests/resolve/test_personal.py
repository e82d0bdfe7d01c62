"""Addresses, numbers and cards are found wherever they stand, and what is none of them is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.resolve.case_lint import CARD, EMAIL, PHONE, without_cards, without_emails, without_phones

ALL = (without_cards, without_emails, without_phones)
WORDS = st.text(alphabet="abc äß\n", max_size=20)
PARTS = st.text(alphabet="abcxyz019", min_size=1, max_size=12)


def check_digit(digits: str) -> str:
    total = sum(sum(divmod(int(sign) * (2 - at % 2), 10)) for at, sign in enumerate(reversed(digits)))
    return str(-total % 10)


@given(WORDS, PARTS, st.lists(PARTS, min_size=1, max_size=3), WORDS)
def test_an_address_is_gone(before: str, name: str, host: list[str], after: str) -> None:
    address = f"{name}@{'.'.join([*host, 'com'])}"
    found = without_emails(f"{before} <{address}> {after}")
    assert found == f"{before} <{EMAIL}> {after}"


@given(WORDS, st.text(alphabet="0123456789", min_size=12, max_size=18), st.sampled_from(["", " ", "-"]), WORDS)
def test_a_card_is_gone_however_it_is_grouped(before: str, digits: str, between: str, after: str) -> None:
    number = digits + check_digit(digits)
    if len(set(number)) == 1:
        return
    grouped = between.join(number[at : at + 4] for at in range(0, len(number), 4))
    assert without_cards(f"{before} {grouped} {after}") == f"{before} {CARD} {after}"
    wrong = digits + str((int(check_digit(digits)) + 1) % 10)
    assert without_cards(f"{before} {wrong} {after}") == f"{before} {wrong} {after}"


@pytest.mark.parametrize(
    "number",
    [
        *("+49 30 901820", "+1-202-555-0143", "(202) 555-0143", "202-555-0143", "0171 2345678", "+44 (0)20 7946 0958"),
        *("0049 30 90182", "030/901820-0", "+15550123456", "(030) 901820"),
    ],
)
@pytest.mark.parametrize("text", ["Call {}.", "{}", "Tel: {}, today", "({})"])
def test_a_telephone_number_is_gone(number: str, text: str) -> None:
    found = without_phones(text.format(number))
    assert PHONE in found
    assert not any(sign.isdecimal() for sign in found)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "2026-11-23T09:30:00+00:00",
            "0.1234567890",
            "3.14159265358979",
            "1,234,567,890",
            "10.0.0.1:8765",
            "12 345 678",
        ),
        *("sha256:0123456789abcdef0123456789", "order 12345678", "v1.2.3", "on 2026-11-23 09:30", "$ 1,000,000.00"),
        *("1234567890123456", "0.05 and 0.0000001", "@ home", "a @ b", "id 20261123-0001", "x@y", "12 345 678"),
    ],
)
def test_what_is_none_stays(text: str) -> None:
    for clean in ALL:
        assert clean(text) == text


@pytest.mark.parametrize("text", ["a" * 200_000, "a@" * 100_000, "a." * 100_000 + "@", "1 " * 100_000, "+" * 200_000])
def test_no_text_makes_it_slow(text: str) -> None:
    """Without bounds these would take hours."""
    for clean in ALL:
        assert len(clean(text)) > 0
