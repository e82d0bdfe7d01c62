"""Typed cases before the reader of case files: each of its complaints at the field that it is about."""

import json
import re
from collections.abc import Iterator

from gate.casefiles.entry import words_of
from gate.domain.case import Case
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry, Put
from gate.errors import InputErrors, Problem
from gate.inputs.cases import parse
from gate.inputs.names import dimension_complaint
from gate.web.caseform import REST, CaseForm, Mistake, Written, entry_of, keys_of

_FILE = "case.json"
_MISSING = re.compile(r"'(\w+)' is missing(?: in round (\d+))?")
_FIELD_OF_ROUND = {
    **{"prompt": "prompt", "expected_tools": "tools"},
    **{"judge_prompt": "criteria", "judge_threshold": "threshold"},
}


def check(form: CaseForm) -> tuple[Written, tuple[Mistake, ...]]:
    """The case that a form stands for, and what is wrong with it.

    Args:
        form: as typed.
    """
    written = entry_of(form)
    if written.mistakes:
        return written, written.mistakes
    named = keys_of(form)["name"]
    if named not in written.entry:
        # Nothing but its name says what a case is meant to be: without it the reader would guess.
        written = Written({named: "", **written.entry})
    read = read_entry(written.entry)
    if isinstance(read, Case):
        return written, ()
    lines = dict(_fields_by_line(written.entry, form))
    return written, tuple(dict.fromkeys(_mistake(one, lines, form) for one in read))


def read_entry(entry: Entry) -> Case | tuple[Problem, ...]:
    """The case that an entry is, or all that is wrong with it.

    Args:
        entry: as it stands in a case file.
    """
    try:
        return parse(json.dumps([dict(entry)], indent=1), _FILE)[0]
    except InputErrors as error:
        return error.problems


def put(case: Case, entry: Entry, base: int, was: str = "") -> Put:
    """The change that brings a case into a suite.

    Args:
        case: what its reader made of it.
        entry: as it stands in a case file.
        base: the version that was edited; 0 for a new case.
        was: the name that it had until now; empty for a new case.
    """
    return Put(case.id, entry, case.slices, words_of(entry), base, was)


def _mistake(problem: Problem, lines: dict[int, str], form: CaseForm) -> Mistake:
    where = lines.get(problem.line, "")
    if missing := _MISSING.match(problem.message):
        key, number = missing[1], missing[2]
        if number:
            where = f"rounds.{number}.{_FIELD_OF_ROUND.get(key, 'prompt')}"
        else:
            where = next((name for name, known in keys_of(form).items() if known == key), REST)
        return Mistake(where, "is missing", problem.hint)
    if problem.message.startswith("the slice dimension"):
        where = next((f"slices.{at}" for at in _rows(form) if dimension_complaint(form.slices[at - 1][0])), where)
    return Mistake(where, problem.message, problem.hint)


def _fields_by_line(entry: Entry, form: CaseForm) -> Iterator[tuple[int, str]]:
    """The field of the form for each line of the entry as `read_entry` writes it."""
    shown = {key: name for name, key in keys_of(form).items() if getattr(form, name) or name == "name"}
    line = 3
    for key, value in entry.items():
        name, size = shown.get(key, REST), _lines(value)
        yield from ((at, name) for at in range(line, line + size))
        if name == "rounds" and isinstance(value, list):
            yield from _in_rounds(value, line + 1)
        if name == "slices" and isinstance(value, dict):
            yield from ((line + at, f"slices.{row}") for at, row in enumerate(_rows(form), 1))
        line += size


def _rows(form: CaseForm) -> list[int]:
    """The rows of slices in which something was typed."""
    return [row for row, pair in enumerate(form.slices, 1) if any(pair)]


def _in_rounds(rounds: list[JsonValue], line: int) -> Iterator[tuple[int, str]]:
    for number, value in enumerate(rounds, 1):
        yield line, f"rounds.{number}.prompt"
        at = line + 1
        for key, inner in value.items() if isinstance(value, dict) else ():
            size = _lines(inner)
            yield from ((row, f"rounds.{number}.{_FIELD_OF_ROUND[key]}") for row in range(at, at + size))
            at += size
        line += _lines(value)


def _lines(value: JsonValue) -> int:
    return json.dumps(value, indent=1).count("\n") + 1
