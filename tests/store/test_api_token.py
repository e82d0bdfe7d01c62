"""Secrets of tokens: a typing mistake is known before anything is sent."""

import re
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from gate.record.secrets import masked
from gate.store.access import ApiToken, Scope, is_token, new_secret


def test_secrets_differ_and_say_whose_they_are() -> None:
    found = {new_secret() for _ in range(100)}
    assert len(found) == 100
    assert all(is_token(one) and re.fullmatch(r"pgate_\w{49}", one, re.ASCII) for one in found)


@given(st.integers(0, 54), st.characters(codec="ascii"))
def test_one_wrong_sign_is_noticed(place: int, sign: str) -> None:
    secret = new_secret()
    other = secret[:place] + sign + secret[place + 1 :]
    assert is_token(other) == (other == secret)


@given(st.text(max_size=60))
def test_other_texts_are_none(text: str) -> None:
    assert not is_token(text)


def test_a_report_masks_them() -> None:
    assert masked(f"with {new_secret()}.") == "with ⟨Prompt Gate token⟩."


def test_a_token_is_over_from_its_moment_on() -> None:
    then = datetime(2026, 1, 1, tzinfo=UTC)
    token = ApiToken(1, "ci", "Ann", frozenset(Scope), then, expires=then)
    assert token.over(then)
    assert token.author == "Ann (token ci)"
