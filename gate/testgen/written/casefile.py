"""Generated tests as a case file that people review before it becomes an exam, and further tests into such a file."""

from collections.abc import Collection, Mapping, Sequence

from gate.cases.files import changed, line_of
from gate.cases.reading import LINES_ENDINGS, YAML_ENDINGS, documents
from gate.cases.yaml import dumped, rewritten
from gate.config.documents import read_yaml
from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import GeneratedTest
from gate.errors import GateError, InputErrors, Problem
from gate.inputs.limits import YAML_NODES
from gate.inputs.promptyml import TEST_DATA

OBSOLETE = "obsolete"
"""Marks tests of rules that are gone."""
_RESERVED = frozenset({"id", "input", "expected"})


def rows_of(tests: Sequence[GeneratedTest]) -> list[dict[str, JsonValue]]:
    """The tests as cases of the gate.

    Args:
        tests: each with an input, turns or variables.
    """
    return [_row(test) for test in tests]


def fits_yaml(tests: Sequence[GeneratedTest]) -> bool:
    """Are they few enough for one YAML file of the gate?"""
    return 1 + sum(_values(row) for row in rows_of(tests)) <= YAML_NODES


def cases_yaml(tests: Sequence[GeneratedTest]) -> str:
    """A case file in YAML, one paragraph for each test; `fits_yaml` says whether the gate will read it."""
    return "\n".join(dumped([row]) for row in rows_of(tests))


def cases_jsonl(tests: Sequence[GeneratedTest]) -> str:
    """A case file in JSON Lines."""
    return "".join(line_of(row) for row in rows_of(tests))


def with_more(text: str, tests: Sequence[GeneratedTest], file: str) -> str:
    """A case file with further tests at its end; those whose id is there are left out.

    Args:
        text: the file, in JSON Lines, or a list in YAML.
        tests: what to add.
        file: its path, which tells the form by its ending.

    Raises:
        InputErrors: the file cannot be read.
        GateError: it is of another form, or written in a way that cannot be changed safely.
    """
    known = {row.get("id") for row in _rows(text, file)}
    new = {test.id: row for test, row in zip(tests, rows_of(tests), strict=True) if test.id not in known}
    return changed(text, file, new) if new else text


def generated(text: str, file: str) -> bool:
    """Does a case file hold tests that a generation made? Others are nobody's business but their author's.

    Args:
        text: the file.
        file: its path, which tells the form by its ending; of a form that no generation writes it holds none.

    Raises:
        InputErrors: the file cannot be read.
        GateError: it holds no list of cases.
    """
    return file.lower().endswith((*LINES_ENDINGS, *YAML_ENDINGS)) and any(map(_rule_of, _rows(text, file)))


def with_obsolete(text: str, rules: Collection[str], file: str) -> str:
    """A case file in which the generated tests of these rules are marked `obsolete: true`.

    Args:
        text: the file, in JSON Lines, or a list in YAML.
        rules: ids of rules that are gone.
        file: its path, which tells the form by its ending.

    Raises:
        InputErrors: the file cannot be read.
        GateError: it is of another form, or written in a way that cannot be changed safely.
    """
    gone = [row for row in _rows(text, file) if _rule_of(row) in rules and row.get(OBSOLETE) is not True]
    return changed(text, file, {str(row["id"]): {**row, OBSOLETE: True} for row in gone}) if gone else text


def with_test_data(text: str, tests: Sequence[GeneratedTest], file: str = "the prompt file") -> str:
    """A `.prompt.yml` with tests at the end of its `testData`; all else in it stays.

    A test is told by its `id`: one that is there already is not added again, even if a person has changed it.

    Args:
        text: the file.
        tests: with an input, variables, or both.
        file: for messages.

    Raises:
        InputErrors: the file is no YAML that the gate reads.
        GateError: it cannot be added to, or a test has several turns, which such a file cannot hold.
    """
    hint = "write the tests to a case file instead"
    data = read_yaml(text.removeprefix("\ufeff"), file).data
    if not isinstance(data, dict):
        raise GateError(f"{file} holds no prompt of GitHub Models", hint)
    present = data.get(TEST_DATA)
    if not isinstance(present, list | None):
        raise GateError(f"{TEST_DATA} in {file} is no list", hint)
    present = present or []
    known = {str(row["id"]) for row in present if isinstance(row, dict) and "id" in row}
    rows: list[JsonValue] = [_datum(test, file, hint) for test in tests if test.id not in known]
    return rewritten(text, file, {**data, TEST_DATA: [*present, *rows]}) if rows else text


def _datum(test: GeneratedTest, file: str, hint: str) -> dict[str, JsonValue]:
    if test.turns:
        raise GateError(f"{test.id} has several turns, which {file} cannot hold", hint)
    row: dict[str, JsonValue] = {"id": test.id}
    if test.input:
        row["input"] = test.input
    # A variable of such a name is no answer that the exam expects, nor another test.
    row |= {name: value for name, value in test.vars.items() if name not in _RESERVED}
    if test.expected is not None:
        row["expected"] = test.expected
    return row


def _row(test: GeneratedTest) -> dict[str, JsonValue]:
    row: dict[str, JsonValue] = {"id": test.id}
    if told := _told(test):
        row["description"] = told
    if test.turns:
        row["rounds"] = [{"prompt": turn} for turn in test.turns]
    elif test.input:
        row["input"] = test.input
    if test.vars:
        row["vars"] = dict(test.vars)
    if test.expected is not None:
        row["expected"] = test.expected
    named = {"rule": test.rule, "kind": test.kind, "scenario": test.scenario or ""}
    row["slices"] = {name: value for name, value in named.items() if value}
    return row


def _told(test: GeneratedTest) -> str:
    """For the reviewer: what a good answer does, and why the test is there."""
    parts = (("A good answer", test.behaviour), ("Why", test.reasoning))
    return "\n".join(f"{name}: {text.strip()}" for name, text in parts if text.strip())


def _values(value: JsonValue) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_values, inner))


def _rows(text: str, file: str) -> list[dict[str, JsonValue]]:
    if not file.lower().endswith((*LINES_ENDINGS, *YAML_ENDINGS)):
        hint = "name a case file that ends in .jsonl or .yaml"
        raise GateError(f"{file} is no case file that tests can be added to", hint)
    text, problems = text.removeprefix("\ufeff"), list[Problem]()
    if file.lower().endswith(YAML_ENDINGS) and not isinstance(read_yaml(text, file).data, list | None):
        raise GateError(f"{file} holds no list of cases", "begin each case with '- '")
    found = [one.data for one in documents(text, file, problems) if isinstance(one.data, dict)]
    if problems:
        raise InputErrors(problems)
    return found


def _rule_of(row: Mapping[str, JsonValue]) -> str:
    """The rule that a generation made a case for; empty for a case of another origin, whatever its slices say."""
    slices, name = row.get("slices"), row.get("id")
    if not isinstance(slices, dict) or not isinstance(name, str):
        return ""
    rule, kind = slices.get("rule"), slices.get("kind")
    made = isinstance(rule, str) and kind in ("rule", "inverse") and name.startswith(f"{rule}-{kind}-")
    return rule if made and isinstance(rule, str) else ""
