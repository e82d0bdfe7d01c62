"""Test data of a `.prompt.yml` as cases of the plain form, and back; every key of no other meaning is a variable."""

from collections.abc import Mapping

from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.errors import GateError

_OWN = ("id", "input", "expected")
_VARS = "vars"


def as_case(row: Mapping[str, JsonValue], name: str) -> dict[str, JsonValue]:
    """The case that an entry of the test data stands for.

    Args:
        row: which the reader of such files found nothing wrong with.
        name: what the gate calls it, for one without an `id`.
    """
    entry: dict[str, JsonValue] = {"id": name, **{key: row[key] for key in _OWN if key in row}}
    if "input" in row:
        entry["input"] = str(row["input"])
    variables = {key: value for key, value in row.items() if key not in _OWN}
    return {**entry, _VARS: variables} if variables else entry


def as_test_data(entry: Entry, file: str) -> dict[str, JsonValue]:
    """The entry of the test data that stands for a case.

    Raises:
        GateError: it has what test data cannot hold.
    """
    if others := sorted(entry.keys() - {*_OWN, _VARS}):
        raise GateError(
            f"the case {entry.get('id', '')} has {', '.join(others)}, which the test data in {file} cannot hold",
            "write the cases to a .jsonl or .yaml file",
        )
    variables = entry.get(_VARS)
    return {**{key: value for key, value in entry.items() if key in _OWN}, **_mapping(variables)}


def _mapping(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}
