"""Secrets of tokens: a typing mistake is known before anything is sent."""

from hypothesis import given
from hypothesis import strategies as st

from gate.record.secrets import masked
from gate.store.access import is_token, new_secret


@given(st.integers(0, 54), st.characters(codec="ascii"))
def test_one_wrong_sign_is_noticed(place: int, sign: str) -> None:
    secret = new_secret()
    other = secret[:place] + sign + secret[place + 1 :]
    assert is_token(other) == (other == secret)


def test_a_report_masks_them() -> None:
    assert masked(f"with {new_secret()}.") == "with ⟨Prompt Gate token⟩."
