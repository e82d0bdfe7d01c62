"""Case files written, and changed so that all the rest of them stays byte for byte."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from gate.casefiles.form import Form, form_of
from gate.casefiles.jsonlines import line_of, lines
from gate.casefiles.jsonlist import changed_list
from gate.casefiles.places import Draft, Place
from gate.casefiles.reading import FileCase, canonical, read
from gate.casefiles.table import changed_table, rewritten, table_of
from gate.casefiles.testdata import as_case, as_test_data
from gate.casefiles.yamllist import add, as_list, put_in, put_whole, take_out
from gate.casefiles.yamlout import indented, items
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.errors import GateError, InputErrors
from gate.inputs.promptyml import TEST_DATA

_ELSEWHERE = "write the cases to a .jsonl file"


def written(entries: Sequence[Entry], file: str) -> str:
    """A new case file.

    Args:
        entries: one at least.
        file: its path, which tells the form by its ending.

    Raises:
        GateError: such a file cannot hold them.
    """
    if not entries:
        raise GateError(f"there are no cases to write to {file}")
    rows = [dict(entry) for entry in entries]
    match form_of(file):
        case Form.LINES:
            text = "".join(map(line_of, rows))
        case Form.LIST:
            text = json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
        case Form.YAML:
            text = "\n".join("\n".join(items([row])) + "\n" for row in rows)
        case Form.TEST_DATA:
            data = items([as_test_data(row, file) for row in rows])
            text = "\n".join([f"{TEST_DATA}:", *indented(data)]) + "\n"
        case Form.TABLE:
            text = table_of(rows, file)
    return _checked(text, file, rows)


def changed(text: str, file: str, puts: Mapping[str, Entry], gone: Collection[str] = ()) -> str:
    """The file with some cases changed, added at its end, or removed; the rest stays as it is, to the byte.

    Args:
        text: the file; one without any case yet may be added to.
        file: its path, which tells the form by its ending.
        puts: by name, what the case is from now on; a name that is not there adds a case.
        gone: names of cases to remove; those that are not there already are let pass.

    Raises:
        InputErrors: the file is no case file.
        GateError: it cannot hold this, no case is left, or it is written in a way that cannot be changed safely.
    """
    known = () if holds_nothing(text, file) else read(text, file)
    work = _work(known, puts, frozenset(gone))
    if not (work.puts or work.gone or work.more):
        return text
    if not work.expected:
        raise GateError(f"{file} would have no case left", "remove the file, and the suite that names it")
    if len(work.gone) == len(known) and form_of(file) not in (Form.TEST_DATA, Form.TABLE):
        # Of what was there nothing stays.
        return written(work.more, file)
    return _checked(_CHANGES[form_of(file)](text, file, work), file, work.expected)


def holds_nothing(text: str, file: str) -> bool:
    """Is it a case file that has no case yet?"""
    if form_of(file) is Form.TEST_DATA:
        data = Draft(text, file).data
        return isinstance(data, dict) and not data.get(TEST_DATA)
    return "".join(text.removeprefix("\ufeff").split()) in ("", "[]")


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be done to the cases that a file has; what is done already is none of it.

    Args:
        known: what it has.
        puts: by position, what is to stand there.
        gone: positions of what goes.
        more: what the file does not have.
        expected: all that it is to hold.
    """

    known: Sequence[FileCase]
    puts: Mapping[int, Entry]
    gone: frozenset[int]
    more: Sequence[Entry]
    expected: Sequence[Entry]


def _work(known: Sequence[FileCase], wanted: Mapping[str, Entry], leaving: Collection[str]) -> _Work:
    gone = frozenset(at for at, case in enumerate(known) if case.name in leaving)
    puts = {
        at: wanted[case.name]
        for at, case in enumerate(known)
        if case.name in wanted and at not in gone and canonical(case.entry) != canonical(wanted[case.name])
    }
    names = {case.name for case in known}
    more = [entry for name, entry in wanted.items() if name not in names]
    stay = [puts.get(at, case.entry) for at, case in enumerate(known) if at not in gone]
    return _Work(known, puts, gone, more, [*stay, *more])


def _checked(text: str, file: str, expected: Sequence[Entry]) -> str:
    """The text, if it is read as it was meant; nothing is guessed."""
    try:
        found = read(text, file)
    except InputErrors as error:
        raise GateError(f"{file} cannot hold this: {error.problems[0]}", _ELSEWHERE) from None
    if form_of(file) is Form.TEST_DATA:
        expected = [as_case(as_test_data(entry, file), str(entry.get("id"))) for entry in expected]
    if [canonical(case.entry) for case in found] != [canonical(entry) for entry in expected]:
        raise GateError(f"{file} is written in a way that cannot be changed safely", _ELSEWHERE)
    return text


def _in_lines(text: str, file: str, work: _Work) -> str:
    result, at = "\ufeff" if text.startswith("\ufeff") else "", -1
    for kept, row in lines(text.removeprefix("\ufeff"), file):
        at += row is not None
        if row is None or (at not in work.puts and at not in work.gone):
            result += kept
        elif at not in work.gone:
            result += line_of(work.puts[at]).removesuffix("\n") + kept[len(kept.rstrip("\r\n")) :]
    end = "\r\n" if "\r\n" in text else "\n"
    more = [line_of(entry).removesuffix("\n") + end for entry in work.more]
    return result + (end if more and not result.endswith(("\n", "\ufeff")) else "") + "".join(more)


def _in_list(text: str, _: str, work: _Work) -> str:
    return changed_list(text, work.puts, work.gone, work.more)


def _in_yaml(text: str, file: str, work: _Work) -> str:
    root = Draft(text, file).root
    if root is not None and root.items is None and work.more:
        text = as_list(text, root.start)
    try:
        return _yaml(text, file, work, put_in)
    except GateError:
        return _yaml(text, file, work, lambda draft, place, _, new: put_whole(draft, place, new))


def _yaml(text: str, file: str, work: _Work, put: Callable[[Draft, Place, Entry, Entry], None]) -> str:
    draft = Draft(text, file)
    root = draft.root
    assert root is not None  # noqa: S101
    rows = draft.data if isinstance(draft.data, list) else [draft.data]
    places = root.items or (root,)
    for at, new in work.puts.items():
        if isinstance(row := rows[at], dict):
            put(draft, places[at], row, new)
    take_out(draft, root, work.gone)
    if work.more:
        add(draft, root, [dict(entry) for entry in work.more])
    wanted: list[JsonValue] = [dict(entry) for entry in work.expected]
    return draft.result(wanted if isinstance(draft.data, list) else wanted[0])


def _in_test_data(text: str, file: str, work: _Work) -> str:
    draft = Draft(text, file)
    data = draft.data
    assert draft.root is not None and isinstance(data, dict)  # noqa: S101
    place, present = draft.root.entries.get(TEST_DATA), data.get(TEST_DATA)
    rows = present if isinstance(present, list) else []
    puts = {at: as_test_data(entry, file) for at, entry in work.puts.items()}
    for at, case in enumerate(work.known):
        row = rows[at]
        if isinstance(row, dict) and "id" not in row and min(work.gone, default=at) < at:
            # It is called after its place, which it will lose.
            puts.setdefault(at, {**row, "id": case.name})
    if place is not None and place.items:
        for at, new in puts.items():
            if at not in work.gone and isinstance(row := rows[at], dict):
                put_in(draft, place.items[at], row, new)
        take_out(draft, place, work.gone)
    more: list[JsonValue] = [as_test_data(entry, file) for entry in work.more]
    if more:
        draft.extend(TEST_DATA, more)
    stay: list[JsonValue] = [puts.get(at, row) for at, row in enumerate(rows) if at not in work.gone]
    return draft.result({**data, TEST_DATA: [*stay, *more]})


def _in_table(text: str, file: str, work: _Work) -> str:
    try:
        after = changed_table(text, file, work.puts, work.gone, work.more)
        return _checked(after, file, work.expected)
    except GateError:
        # It lacks a column, or one is written as text that has to hold more than that.
        return rewritten(text, file, work.expected)


_CHANGES: Mapping[Form, Callable[[str, str, _Work], str]] = {
    Form.LINES: _in_lines,
    Form.LIST: _in_list,
    Form.YAML: _in_yaml,
    Form.TEST_DATA: _in_test_data,
    Form.TABLE: _in_table,
}
