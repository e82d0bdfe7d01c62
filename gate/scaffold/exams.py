"""The first cases of a prompt: from the repository, or empty rows to fill in."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from gate.cases.case import Case, Entry
from gate.cases.convert import read_rows
from gate.cases.reading import LINES_ENDINGS, TABLE_ENDINGS
from gate.cases.rows import INPUTS
from gate.cases.shapes import ANSWERS, answers_in
from gate.config.documents import decode, quoted
from gate.config.gatefile import CASE_ENDINGS
from gate.config.values import file_part, pointer_of
from gate.errors import GateError
from gate.prompts.discovery import FoundPrompt, PassedFile
from gate.prompts.reading import is_prompt_yml
from gate.scaffold.names import bare_name
from gate.scaffold.search import RepositoryFiles
from gate.values import JsonValue

ROWS = 3
"""Empty rows of a new case file."""
CASES_OF_ROWS = 100
"""Cases taken from a data file: each costs calls."""
_FILES = 20
"""Data files to open for one prompt."""
_BYTES = 4 * 2**20
_BESIDE = re.compile(r"(?:cases?|tests?|evals?|dataset|examples?|data)", re.IGNORECASE)
_DATA_FOLDERS = frozenset({"evals", "eval", "tests", "data", "datasets", "dataset", "cases"})
_ROW_ENDINGS = (*LINES_ENDINGS, *TABLE_ENDINGS)
_KNOWN = frozenset({"id", "name", "split", *INPUTS, *ANSWERS})
"""Columns that do not count for or against a file."""


@dataclass(frozen=True, slots=True)
class FoundCases:
    """Cases of the repository for one prompt.

    Args:
        path: their file.
        cases: as the gate reads the file; empty if the rows must be converted.
        entries: the converted rows.
        dropped: what of the file is left out, and why; empty for nothing.
    """

    path: str
    cases: tuple[Case, ...] = ()
    entries: tuple[Entry, ...] = ()
    dropped: str = ""


def find_cases(
    prompt: FoundPrompt, tree: RepositoryFiles, name: str
) -> tuple[FoundCases | None, tuple[PassedFile, ...]]:
    """Cases that fit the prompt, from the likeliest file; and the data files, or parts of them, that are left out.

    Args:
        name: of its suite.
    """
    passed: list[PassedFile] = []
    for path, about in _likely(prompt, tree.paths, name):
        found = _cases_in(path, prompt, tree, about=about)
        if isinstance(found, PassedFile):
            passed.append(found)
        elif found is not None:
            return found, (*passed, *([PassedFile(path, found.dropped)] if found.dropped else ()))
    return None, tuple(passed)


def fits(case: Case, prompt: FoundPrompt) -> bool:
    """Has the case all variables of the prompt?"""
    asks = bool(case.input or case.messages or case.rounds or case.user)
    # A prompt without variables is asked nothing by values alone, such as those of any table that lies about.
    return set(prompt.variables) <= set(case.vars) and (asks or not prompt.asks_input)


def _likely(prompt: FoundPrompt, paths: Iterable[str], name: str) -> Iterator[tuple[str, bool]]:
    """Files that may contain cases of a prompt, nearest first, and whether their names match it."""
    own = file_part(prompt.path)
    if is_prompt_yml(own):
        yield own, True
    place = PurePosixPath(own)
    pointer = pointer_of(prompt.path)
    stem = (bare_name(place.name) if pointer is None else pointer.name.rsplit(".", 1)[-1]).lower()
    ranked: list[tuple[bool, int, str]] = []
    for path in paths:
        if path == own or not path.lower().endswith(CASE_ENDINGS) or is_prompt_yml(path):
            continue
        other = PurePosixPath(path)
        word = bare_name(other.name.rsplit(".", 1)[0]).lower()
        near = other.parent in (place.parent, place.parent.parent) or bool(_DATA_FOLDERS & set(other.parts[:-1]))
        about = near and (stem in word or other.parent.name.lower() in (stem, name.lower()))
        rows = path.lower().endswith(_ROW_ENDINGS) and (near or _BESIDE.search(word) is not None)
        if about or rows:
            ranked.append((not about, _distance(place, other), path))
    yield from ((path, not far) for far, _, path in sorted(ranked)[:_FILES])


def _distance(one: PurePosixPath, other: PurePosixPath) -> int:
    shared = 0
    for left, right in zip(one.parts[:-1], other.parts[:-1], strict=False):
        if left != right:
            break
        shared += 1
    return len(one.parts) + len(other.parts) - 2 * shared


def _cases_in(path: str, prompt: FoundPrompt, tree: RepositoryFiles, *, about: bool) -> FoundCases | PassedFile | None:
    try:
        data = tree.read(path)
        if data is None or len(data) > _BYTES:
            return None
        cases = tree.cases(path)
        if cases and all(fits(case, prompt) for case in cases) and _speaks_of(set(cases[0].vars), prompt, about=about):
            return FoundCases(path, cases)
        if not path.lower().endswith(_ROW_ENDINGS):
            return None
        rows = [row for _, row in read_rows(decode(data, path), path).rows]
    except GateError:
        return None
    if not _matches(rows, prompt, about=about):
        return None
    if rivals := _rivals(rows, prompt):
        return PassedFile(path, rivals)
    answers = answers_in({key for row in rows for key in row})
    made = [_entry(row, number, prompt, answers) for number, row in enumerate(rows[:CASES_OF_ROWS], 1)]
    entries = tuple(entry for entry in made if entry is not None)
    if len(entries) * 2 <= len(made):
        return None  # most rows must do, or the file is about something else
    empty = [number for number, entry in enumerate(made, 1) if entry is None]
    dropped = [f"row {empty[0]}{f' and {len(empty) - 1} more' if empty[1:] else ''} without a value"] if empty else []
    dropped += [f"all rows after row {CASES_OF_ROWS}"] if len(rows) > CASES_OF_ROWS else []
    return FoundCases(path, entries=entries, dropped=" and ".join(dropped))


def _matches(rows: Sequence[Mapping[str, JsonValue]], prompt: FoundPrompt, *, about: bool) -> bool:
    """Do the columns, or at least the name, match the prompt?"""
    columns = set(rows[0]) if rows else set()
    if not set(prompt.variables) <= columns or prompt.asks_input and not columns & set(INPUTS):
        return False
    return _speaks_of(columns, prompt, about=about)


def _rivals(rows: Sequence[Mapping[str, JsonValue]], prompt: FoundPrompt) -> str:
    """Why a person has to say which of two columns is the expected answer, or the input; empty if it is clear."""
    columns = dict.fromkeys(key for row in rows for key in row if key not in prompt.variables)
    candidates = {"input": INPUTS, "expected": (*answers_in(columns), "output", "target")}
    for field, names in candidates.items():
        both = [column for column in columns if column in names]
        if field not in columns and len(both) > 1:
            return f"{' and '.join(map(quoted, both))} may both be {field!r}: give the one that counts this name"
    return ""


def _speaks_of(columns: set[str], prompt: FoundPrompt, *, about: bool) -> bool:
    """Do most columns match the prompt, if the name of the file does not?"""
    others = columns - set(prompt.variables) - _KNOWN
    return about or bool(prompt.variables) and len(others) <= len(prompt.variables)


def _entry(row: Mapping[str, JsonValue], number: int, prompt: FoundPrompt, answers: Sequence[str]) -> Entry | None:
    values = {name: "" if (value := row.get(name)) is None else value for name in prompt.variables}
    if values and all(value == "" for value in values.values()):
        return None
    entry: dict[str, JsonValue] = {"id": f"row-{number}"}
    if prompt.asks_input:
        said = _first(row, INPUTS, prompt)
        if not isinstance(said, str) or not said.strip():
            return None
        entry["input"] = said
    if values:
        entry["vars"] = dict(values)
    expected = _first(row, answers, prompt)
    return entry if expected is None or expected == "" else {**entry, "expected": expected}


def _first(row: Mapping[str, JsonValue], names: Iterable[str], prompt: FoundPrompt) -> JsonValue:
    own = partial(frozenset(prompt.variables).__contains__)
    return next((row[name] for name in names if name in row and not own(name)), None)
