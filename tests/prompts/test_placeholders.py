"""Placeholders: names in braces that are replaced, and all other braces, which are not."""

import pytest

from gate.prompts.version import filled

VALUES = {"today": "2026-11-22", "locale": "en"}


@pytest.mark.threat("case-template")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is {today}. Respond in {locale}.", "It is 2026-11-22. Respond in en."),
        ("{other} { today } {}", "{other} { today } {}"),
        ("{{ today }} {{today}}", "{{ today }} {{today}}"),
        ('{"today": "{today}"}', '{"today": "2026-11-22"}'),
    ],
)
def test_only_known_names_in_single_braces_are_replaced(text: str, found: str) -> None:
    assert filled(text, VALUES) == found


def test_what_is_put_in_is_not_read_again() -> None:
    assert filled("{a}{b}", {"a": "{b}", "b": r"\1{a}"}) == r"{b}\1{a}"
