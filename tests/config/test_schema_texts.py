"""What `gate schema` says of each key, in words for people who write and read the files."""

import json
import re
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from gate.cli.app import cli
from gate.cli.setup import SCHEMAS


def schema(name: str) -> object:
    found = CliRunner().invoke(cli, ["schema", name])
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def descriptions(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("description"), str):
            yield value["description"]
        for inner in value.values():
            yield from descriptions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from descriptions(inner)


def names(value: object) -> Iterator[str]:
    """All keys, and the words that are values of keys."""
    if isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from names(inner)
    elif isinstance(value, str) and re.fullmatch(r"\w+", value):
        yield value


@pytest.fixture(scope="module")
def keys() -> frozenset[str]:
    """Everything that a file can hold."""
    return frozenset(name for schema_name in SCHEMAS for name in names(schema(schema_name)))


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_description_names_no_name_of_the_code(name: str, keys: frozenset[str]) -> None:
    for said in descriptions(schema(name)):
        # A text inside of a file of the user, and a function of another tool, are names of code, too.
        told = re.sub(r"::\w+|\bget_assert\(", "", said)
        assert not set(re.findall(r"[A-Za-z]\w*_\w+", told)) - keys, said
        assert not re.search(r"\bgate\.(?!yaml|lock)\w+\.\w+|\bArgs:|\b(None(?! of)|True|False)\b", told), said
