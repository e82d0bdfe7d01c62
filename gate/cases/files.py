"""Writes and edits case files of every format.

An edit keeps unchanged lines of JSON Lines; comments, order and quotes of YAML (ruamel.yaml's round trip); and the
columns of a table. JSON is indented by two spaces, and lines end with a line feed.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ruamel.yaml.error import YAMLError

from gate.cases.case import Entry
from gate.cases.reading import JSON_ENDING, YAML_ENDINGS, FileCase, as_case, as_test_data, canonical, is_table, read
from gate.cases.tables import (
    DATA,
    FIELDS,
    FLAGS,
    JSON,
    NUMBERS,
    SLICE,
    VARS,
    Column,
    columns_of,
    guarded,
    is_promptfoo,
    read_table,
    row_of,
)
from gate.config.documents import quoted, read_yaml
from gate.config.yaml_editing import YamlFile, append, dumped, remove, styled, update
from gate.errors import GateError, InputErrors
from gate.prompts.reading import TEST_DATA, is_prompt_yml
from gate.values import JsonValue, as_mapping

_ELSEWHERE = "write the cases to a .jsonl file"
_ORDER = (
    "id", "input", "messages", "expected", "slice", "slices", "vars", "description", "cluster", "criteria",
    "threshold", "scorers", "extra_scorers", "obsolete",
)  # fmt: skip
_KEYED = {"slices": SLICE, "vars": VARS}


def new_table(rows: Sequence[Entry], file: str) -> str:
    """A table with the columns that the cases need."""
    return _written(rows, _columns(rows, file), "\t" if file.lower().endswith(".tsv") else ",")


def changed_table(text: str, file: str, rows: Sequence[Entry]) -> str:
    """A table with new cases; its columns stay if they can store the cases."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    table = read_table(text.removeprefix("\ufeff"), file)
    if table is None or is_promptfoo(table.headings):
        raise GateError(f"{file} is a table of another tool, which cannot be edited in place", _ELSEWHERE)
    columns = columns_of(table.headings)
    if not all(_can_store(columns, row) for row in rows):
        columns = _columns(rows, file)
    end = "\r\n" if "\r\n" in text else "\n"
    return mark + _written(rows, columns, table.separator, end)


def _written(rows: Sequence[Entry], columns: Sequence[Column], separator: str, end: str = "\n") -> str:
    lines = [[column.heading for column in columns], *([_cell(row, column) for column in columns] for row in rows)]
    return "".join(row_of(cells, separator).removesuffix("\n") + end for cells in lines)


def _columns(rows: Sequence[Entry], file: str) -> tuple[Column, ...]:
    """The columns that cases need."""
    for row in rows:
        if other := [field for field in row if field not in FIELDS]:
            # A case of an agent may have a name instead of an id; name another field of it.
            named, what = row.get("id", row.get("name", "")), next((one for one in other if one != "name"), "name")
            raise GateError(f"the case {named} has {what}, which a table cannot store", _ELSEWHERE)
    columns = tuple(column for field in _ORDER for column in _columns_of_field(field, rows))
    if lost := next((row for row in rows if not _can_store(columns, row)), None):
        raise GateError(f"the case {quoted(str(lost.get('id', '')))} does not fit the columns of {file}", _ELSEWHERE)
    return columns


def _columns_of_field(field: str, rows: Sequence[Entry]) -> list[Column]:
    given = [row[field] for row in rows if field in row]
    if not given:
        return []
    if field in _KEYED and all(isinstance(value, dict) and value for value in given):
        keys = list(dict.fromkeys(key for value in given if isinstance(value, dict) for key in value))
        columns = [_keyed(field, key, given) for key in keys]
        if columns_of([column.heading for column in columns]) == tuple(columns):
            return columns
    if field in (*DATA, *NUMBERS, *FLAGS) or all(isinstance(value, str) and value for value in given):
        return [Column(field, field, data=field in DATA)]
    return [Column(field + JSON, field, data=True)]


def _keyed(field: str, key: str, given: Sequence[JsonValue]) -> Column:
    values = [value[key] for value in given if isinstance(value, dict) and key in value]
    plain = all(isinstance(value, str) and value for value in values)
    return Column(_KEYED[field] + key + ("" if plain else JSON), field, key, not plain)


def _can_store(columns: Sequence[Column], row: Entry) -> bool:
    """Can the columns store the whole case, so that it is read back unchanged?"""
    whole = {column.field: column for column in columns if not column.key}
    keyed = {(column.field, column.key): column for column in columns if column.key}
    for field, value in row.items():
        if field in whole:
            if not _fits(value, whole[field]):
                return False
        elif not isinstance(value, dict) or not value:
            return False
        elif not all((field, key) in keyed and _fits(inner, keyed[field, key]) for key, inner in value.items()):
            return False
    return True


def _fits(value: JsonValue, column: Column) -> bool:
    """A cell that is not JSON can store a text that is not empty, or the number or flag of its field."""
    if column.data or column.field in (*NUMBERS, *FLAGS):
        return True
    return isinstance(value, str) and value != ""


def _cell(row: Entry, column: Column) -> str:
    value = row.get(column.field)
    if column.field not in row:
        return ""
    if column.key:
        if not isinstance(value, dict) or column.key not in value:
            return ""
        value = value[column.key]
    if column.data:
        return guarded(json.dumps(value, ensure_ascii=False))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return guarded(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


_CASES_ELSEWHERE = "write the cases to a .jsonl file"
_CONTENT = re.compile(r"^(?!---|[ \t]*(?:#|$))", re.MULTILINE)
"""The first line of a YAML file that is no comment."""


def written(entries: Sequence[Entry], file: str) -> str:
    """The text of a new case file."""
    if not entries:
        raise GateError(f"there are no cases to write to {file}")
    return _checked(_new([dict(entry) for entry in entries], file), file, entries)


def changed(text: str, file: str, puts: Mapping[str, Entry], removed: Collection[str] = ()) -> str:
    """The text of a file after changing, adding (at the end) or removing cases.

    Args:
        text: may have no case yet.
        puts: new version of a case by its name; an unknown name adds a case.
        removed: names of cases to remove; unknown ones are ignored.

    Raises:
        GateError: the file cannot store a case, no case is left, or it has YAML that cannot be edited safely.
    """
    work = _Edits.of(() if holds_nothing(text, file) else read(text, file), puts, frozenset(removed))
    if not (work.puts or work.removed or work.more):
        return text
    if not work.expected:
        raise GateError(f"{file} would have no cases left", "delete the file and its suite instead")
    try:
        after = _changed(text, file, work)
    except (LookupError, TypeError, ValueError, YAMLError):
        # ruamel.yaml reads some YAML differently than the gate: an empty key, for example.
        raise GateError(f"{file} has YAML that cannot be edited safely", _CASES_ELSEWHERE) from None
    return _checked(after, file, work.expected)


def holds_nothing(text: str, file: str) -> bool:
    """Does the case file have no case yet?"""
    if is_prompt_yml(file):
        data = read_yaml(text.removeprefix("\ufeff"), file).data
        return isinstance(data, dict) and not data.get(TEST_DATA)
    return "".join(text.removeprefix("\ufeff").split()) in ("", "[]")


def line_of(row: Mapping[str, JsonValue]) -> str:
    """A line of JSON Lines for a case, with its line break."""
    return json.dumps(row, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class Fitting:
    """A case file that leaves out what it cannot store.

    Args:
        text: empty if it can store none of the cases.
    """

    text: str
    count: int
    left_out: tuple[str, ...] = ()


def fitting(entries: Sequence[Entry], file: str) -> Fitting:
    """A case file with all cases that its format can store."""
    try:
        return Fitting(written(entries, file), len(entries))
    except GateError as error:
        whole = error.message
    good, left_out = list[Entry](), list[str]()
    for entry in entries:
        try:
            written([entry], file)
        except GateError as error:
            name = str(entry.get("id", entry.get("name", "")))
            left_out.append(error.message if name in error.message else f"{name}: {error.message}")
        else:
            good.append(entry)
    try:
        return Fitting(written(good, file) if good and left_out else "", len(good), (*left_out,) or (whole,))
    except GateError as error:
        return Fitting("", 0, (error.message,))


@dataclass(frozen=True, slots=True)
class _Edits:
    """Changes to the cases of a file, without those already made.

    Args:
        puts: new version of a case by its position.
        expected: all cases after the changes.
    """

    known: Sequence[FileCase]
    puts: Mapping[int, Entry]
    removed: frozenset[int]
    more: Sequence[Entry]
    expected: Sequence[Entry]

    @classmethod
    def of(cls, known: Sequence[FileCase], wanted: Mapping[str, Entry], leaving: Collection[str]) -> "_Edits":
        """The changes that a file needs."""
        removed = frozenset(at for at, case in enumerate(known) if case.name in leaving)
        puts = {
            at: wanted[case.name]
            for at, case in enumerate(known)
            if case.name in wanted and at not in removed and canonical(case.entry) != canonical(wanted[case.name])
        }
        names = {case.name for case in known}
        more = [entry for name, entry in wanted.items() if name not in names]
        stay = [puts.get(at, case.entry) for at, case in enumerate(known) if at not in removed]
        return cls(known, puts, removed, more, [*stay, *more])


def _new(rows: list[dict[str, JsonValue]], file: str) -> str:
    if is_prompt_yml(file):
        return dumped({TEST_DATA: [as_test_data(row, file) for row in rows]})
    if is_table(file):
        return new_table(rows, file)
    if file.lower().endswith(YAML_ENDINGS):
        return "\n".join(dumped([row]) for row in rows)
    if file.lower().endswith(JSON_ENDING):
        return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    return "".join(map(line_of, rows))


def _changed(text: str, file: str, work: _Edits) -> str:
    if is_prompt_yml(file):
        return _edit_test_data(text, file, work)
    if not work.known:
        return _new([dict(entry) for entry in work.expected], file)
    if is_table(file):
        return changed_table(text, file, work.expected)
    if file.lower().endswith(YAML_ENDINGS):
        return _edit_yaml(text, file, work)
    if file.lower().endswith(JSON_ENDING):
        return _new([dict(entry) for entry in work.expected], file)
    return _edit_lines(text.removeprefix("\ufeff").replace("\r\n", "\n"), work)


def _checked(text: str, file: str, expected: Sequence[Entry]) -> str:
    """The text, after a check that it is read as `expected`."""
    try:
        found = read(text, file)
    except InputErrors as error:
        raise GateError(f"{file} cannot store this: {error.problems[0]}", _CASES_ELSEWHERE) from None
    if is_prompt_yml(file):
        expected = [as_case(as_test_data(entry, file), str(entry.get("id"))) for entry in expected]
    if [canonical(case.entry) for case in found] != [canonical(entry) for entry in expected]:
        raise GateError(f"{file} has YAML that cannot be edited safely", _CASES_ELSEWHERE)
    return text


def _edit_lines(text: str, work: _Edits) -> str:
    kept: list[str] = []
    at = -1
    for line in text.split("\n"):
        at += bool(line.strip())
        if not line.strip() or (at not in work.puts and at not in work.removed):
            kept.append(line)
        elif at not in work.removed:
            kept.append(line_of(work.puts[at]).removesuffix("\n"))
    result = "\n".join(kept).removesuffix("\n")
    return (result + "\n" if result else "") + "".join(map(line_of, work.more))


def _edit_yaml(text: str, file: str, work: _Edits) -> str:
    whole = read_yaml(text.removeprefix("\ufeff"), file).data
    if not isinstance(whole, list):
        if work.more:
            text = _as_list(text.removeprefix("\ufeff"))
        else:
            source = YamlFile(text)
            update(source.data, as_mapping(whole), work.puts[0])
            return source.text()
    source = YamlFile(text)
    _change_list(source.data, whole if isinstance(whole, list) else [whole], work)
    return source.text()


def _as_list(text: str) -> str:
    """A YAML file with a single case, converted to a list."""
    head = next(found.start() for found in _CONTENT.finditer(text))
    return text[:head] + "- " + "  ".join(text[head:].splitlines(keepends=True))


def _edit_test_data(text: str, file: str, work: _Edits) -> str:
    whole = as_mapping(read_yaml(text.removeprefix("\ufeff"), file).data)
    listed = whole.get(TEST_DATA)
    rows = listed if isinstance(listed, list) else []
    puts: dict[int, Entry] = {at: as_test_data(entry, file) for at, entry in work.puts.items()}
    for at, case in enumerate(work.known):
        row = as_mapping(rows[at])
        if "id" not in row and min(work.removed, default=at) < at:
            # Its name comes from its position, which changes.
            puts.setdefault(at, {**row, "id": case.name})
    source = YamlFile(text)
    more = [as_test_data(entry, file) for entry in work.more]
    if rows:
        _change_list(source.data[TEST_DATA], rows, _Edits(work.known, puts, work.removed, more, ()))
    else:
        source.data[TEST_DATA] = styled([*more], whole=True)
    return source.text()


def _change_list(listed: Any, rows: Sequence[JsonValue], work: _Edits) -> None:
    """Change the items of a list of ruamel.yaml's."""
    for at, entry in work.puts.items():
        update(listed[at], as_mapping(rows[at]), entry)
    for entry in work.more:
        append(listed, dict(entry))
    for at in sorted(work.removed, reverse=True):
        remove(listed, at)
