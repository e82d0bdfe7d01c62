"""A store's suite in gate.yaml: the parser and the JSON Schema take the same names."""

import pytest

from tests.unit.inputs.schemas import FULL_JSON, SUITE, changed, in_parser, in_schema


@pytest.mark.parametrize(
    ("cases", "good"),
    [
        ("store:support", True),
        ("store:support@12", True),
        ("store:a b", True),
        ("store:", False),
        ("store:@1", False),
        ("store:a/b", False),
        ("store: a", False),
        ("store:a ", False),
        ("store:a@0", False),
        ("store:a@", False),
        ("store:a@1@2", False),
        ("store:a@newest", False),
    ],
)
def test_parser_and_schema_agree(cases: str, good: bool) -> None:
    value = changed(FULL_JSON, SUITE, "cases", cases)
    assert in_parser(value) is good
    assert in_schema(value) is good
