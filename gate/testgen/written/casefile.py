"""Generated tests as a case file that people review before it becomes an exam, and further tests into such a file."""

from collections.abc import Collection, Mapping, Sequence

from gate.casefiles.form import LINES_ENDINGS
from gate.casefiles.jsonlines import line_of, lines
from gate.casefiles.places import Draft
from gate.casefiles.yamlout import items
from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import GeneratedTest
from gate.errors import GateError
from gate.inputs.caserows import YAML_ENDINGS
from gate.inputs.limits import YAML_NODES

OBSOLETE = "obsolete"
"""Marks tests of rules that are gone."""


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
    return "\n".join("\n".join(items([row])) + "\n" for row in rows_of(tests))


def cases_jsonl(tests: Sequence[GeneratedTest]) -> str:
    """A case file in JSON Lines."""
    return "".join(line_of(row) for row in rows_of(tests))


def with_more(text: str, tests: Sequence[GeneratedTest], file: str) -> str:
    """A case file with further tests at its end, the rest as it was to the byte; those whose id is there are left out.

    Args:
        text: the file, in JSON Lines, or a list in YAML.
        tests: what to add.
        file: its path, which tells the form by its ending.

    Raises:
        InputErrors: the file cannot be read.
        GateError: it is of another form.
    """
    if _in_lines(file):
        known = {row.get("id") for _, row in lines(text, file) if row is not None}
        new = "".join(line_of(row) for row in rows_of([one for one in tests if one.id not in known]))
        return text + ("\n" if new and text and not text.endswith("\n") else "") + new
    draft, rows = _draft(text, file)
    known = {row["id"] for row in rows if isinstance(row, dict) and "id" in row}
    added: list[JsonValue] = [*rows_of([one for one in tests if one.id not in known])]
    if not added:
        return text
    assert draft.root is not None  # noqa: S101
    for row in added:
        draft.add_item(draft.root, [] if draft.root.flow else ["", *items([row])], row)
    return draft.result([*rows, *added])


def generated(text: str, file: str) -> bool:
    """Does a case file hold tests that a generation made? Others are nobody's business but their author's.

    Args:
        text: the file.
        file: its path, which tells the form by its ending; of a form that no generation writes it holds none.

    Raises:
        InputErrors: the file cannot be read.
        GateError: it holds no list of cases.
    """
    if not file.lower().endswith((*LINES_ENDINGS, *YAML_ENDINGS)):
        return False
    rows: Sequence[JsonValue] = [row for _, row in lines(text, file)] if _in_lines(file) else _draft(text, file)[1]
    return any(isinstance(row, dict) and _rule_of(row) for row in rows)


def with_obsolete(text: str, rules: Collection[str], file: str) -> str:
    """A case file in which the generated tests of these rules are marked `obsolete: true`, the rest as it was.

    Args:
        text: the file, in JSON Lines, or a list in YAML.
        rules: ids of rules that are gone.
        file: its path, which tells the form by its ending.

    Raises:
        InputErrors: the file cannot be read.
        GateError: it is of another form.
    """
    if _in_lines(file):
        found = (line if row is None or not _mark(row, rules) else line_of(row) for line, row in lines(text, file))
        return "".join(found)
    draft, rows = _draft(text, file)
    places = draft.root.items or () if draft.root is not None else ()
    marked = False
    for place, row in zip(places, rows, strict=True):
        if isinstance(row, dict) and _mark(row, rules):
            if OBSOLETE in place.entries:
                draft.replace(place.entries[OBSOLETE], True)
            else:
                draft.add_entry(place, OBSOLETE, True)
            marked = True
    return draft.result(rows) if marked else text


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


def _in_lines(file: str) -> bool:
    if not file.lower().endswith((*LINES_ENDINGS, *YAML_ENDINGS)):
        hint = "name a case file that ends in .jsonl or .yaml"
        raise GateError(f"{file} is no case file that tests can be added to", hint)
    return file.lower().endswith(LINES_ENDINGS)


def _draft(text: str, file: str) -> tuple[Draft, list[JsonValue]]:
    draft = Draft(text, file)
    if not isinstance(draft.data, list):
        raise GateError(f"{file} holds no list of cases", "begin each case with '- '")
    return draft, draft.data


def _mark(row: dict[str, JsonValue], rules: Collection[str]) -> bool:
    """Mark the case, if it was made for one of the rules and is not marked."""
    if _rule_of(row) not in rules or row.get(OBSOLETE) is True:
        return False
    row[OBSOLETE] = True
    return True


def _rule_of(row: Mapping[str, JsonValue]) -> str:
    """The rule that a generation made a case for; empty for a case of another origin, whatever its slices say."""
    slices, name = row.get("slices"), row.get("id")
    if not isinstance(slices, dict) or not isinstance(name, str):
        return ""
    rule, kind = slices.get("rule"), slices.get("kind")
    made = isinstance(rule, str) and kind in ("rule", "inverse") and name.startswith(f"{rule}-{kind}-")
    return rule if made and isinstance(rule, str) else ""
