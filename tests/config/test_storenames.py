"""Names of suites in a store."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.values import STORE_PREFIX, StoreName, name_complaint, parse_store_name, store_name_complaint

NAMES = st.text(min_size=1, max_size=40).filter(lambda name: "@" not in name and not name_complaint(name))


@given(NAMES, st.none() | st.integers(1, 999_999_999))
def test_what_is_written_is_read(name: str, version: int | None) -> None:
    written = StoreName(name, version)
    assert parse_store_name(written.text) == written
    assert not store_name_complaint(written.text)


@given(st.text(max_size=60))
def test_any_text_is_a_valid_name_or_has_an_error(text: str) -> None:
    full = STORE_PREFIX + text
    assert (parse_store_name(full) is None) == bool(store_name_complaint(full))


@pytest.mark.parametrize(
    "version",
    [
        "",
        "0",
        "01",
        "٣",
        "1@2",
    ],
)
def test_a_version_is_a_number_from_1(version: str) -> None:
    assert parse_store_name(f"store:support@{version}") is None
    assert "number of a version" in store_name_complaint(f"store:support@{version}")
