"""Reads case files: the gate's three forms, tables, and similar formats of other tools.

Unsupported parts of another tool's file are errors here. `gate cases convert` converts the rest and lists the losses.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.cases.case import Case, Entry, all_texts, place_of
from gate.cases.forms import form_of
from gate.cases.shapes import is_ragas, library_of
from gate.config.documents import (
    Document,
    Problems,
    described,
    dotted,
    one_problem,
    printable,
    quoted,
    read_json,
    read_jsonl,
    read_yaml,
)
from gate.config.validation import attempt
from gate.errors import GateError, InputErrors, Problem
from gate.limits import CASES, CASES_CHARS, JSON_CHARS
from gate.prompts.images import ImageFiles
from gate.prompts.reading import TEST_DATA, is_prompt_yml
from gate.prompts.version import Library
from gate.values import JsonValue

if TYPE_CHECKING:
    from gate.cases.losses import Losses
    from gate.cases.promptfoo_files import PromptfooFile
    from gate.cases.stored import CaseWrite

LINES_ENDINGS = (".jsonl", ".ndjson")
"""Endings of JSON Lines; a file of any other name is read as such, too."""
JSON_ENDING = ".json"
YAML_ENDINGS = (".yaml", ".yml")
TABLE_ENDINGS = (".csv", ".tsv")
PROMPTFOO_KEYS = frozenset(
    "vars assert description threshold metadata options provider providers prompts providerOutput "
    "assertScoringFunction repeat type".split()
)
"""Of one test of promptfoo."""
CONVERT = "gate cases convert converts what it can and lists the rest"

NOT_FILLED_IN = "has only empty rows"
"""The error for a case file of `gate init` that is not filled in yet; `gate validate` does not report it."""
_FILL_IN = "write real inputs of your users into them, or draft cases: gate generate PROMPT --model MODEL"

_DATA_KEYS = ("id", "input", "expected")
"""Of test data of a `.prompt.yml`; every other key is a variable."""


@dataclass(frozen=True, slots=True)
class FileCase:
    """One case of a file.

    Args:
        entry: as in the file; for a table, or test data of a prompt, the equivalent plain case.
        line: 1-based line where it begins; 0 in a JSON file.
    """

    name: str
    entry: Entry
    line: int
    case: Case


def is_table(file: str) -> bool:
    """Is this the name of a table?"""
    return file.lower().endswith(TABLE_ENDINGS)


def parse(text: str, file: str) -> tuple[Case, ...]:
    """Read the cases of a file.

    Args:
        file: its ending decides the format: `.json`, YAML, a table, `.prompt.yml`, else JSON Lines.
    """
    return tuple(one.case for one in read(text, file))


def read(text: str, file: str) -> tuple[FileCase, ...]:
    """As `parse`, each case with its entry in the file."""
    problems: list[Problem] = []
    found: list[FileCase] = []
    places: dict[str, str] = {}
    empty: list[int] = []
    for document in entries(text, file, problems):
        if len(found) >= CASES:
            problems.append(document.problem((), f"more than {CASES:,} cases", "split the file"))
            break
        if is_form(document.data):
            empty.append(document.line_of())
        case = _case(document, problems)
        if case is None:
            continue
        if case.id in places:
            said = f"the id {quoted(case.id)} is already used {places[case.id]}"
            problems.append(document.problem((), said, "give each case its own id"))
        places[case.id] = f"on line {document.line_of()}" if document.line_of() else f"in {document.name_of(())}"
        found.append(FileCase(case.id, document.data, document.line_of(), case))  # pyrefly: ignore[bad-argument-type]
    if empty and not found and len(problems) == len(empty):
        raise one_problem(file, empty[0], NOT_FILLED_IN, _FILL_IN)
    if problems:
        raise InputErrors(problems)
    if not found:
        raise one_problem(file, 0, "has no cases", _example(file))
    return tuple(found)


def is_form(entry: object) -> bool:
    """Is it an empty row of `gate init`: the question and all variables have no value?"""
    if not isinstance(entry, dict) or not entry.keys() <= {"id", "input", "vars", "expected"}:
        return False
    given = entry.get("vars")
    values = list(given.values()) if isinstance(given, dict) else []
    values += [entry["input"]] if "input" in entry else []
    return bool(values) and all(one is None for one in values)


def entries(text: str, file: str, problems: list[Problem]) -> Iterator[Document]:
    """The entries of a case file, converted to the gate's forms."""
    text = text.removeprefix("\ufeff")
    if is_prompt_yml(file):
        yield from _test_data(text, file, problems)
    elif is_table(file):
        yield from _table(text, file, problems)
    else:
        yield from _in_gate_form(documents(text, file, problems), problems)


def documents(text: str, file: str, problems: list[Problem]) -> Iterator[Document]:
    """The mappings of a JSON Lines, JSON or YAML file, which is a list or a single one."""
    name = file.lower()
    most = JSON_CHARS if name.endswith((JSON_ENDING, *YAML_ENDINGS)) else CASES_CHARS
    if len(text) > most:
        raise one_problem(file, 0, f"is longer than {most:,} characters", "split it, or write JSON Lines (.jsonl)")
    if not text.strip():
        return
    if name.endswith(YAML_ENDINGS):
        whole, hint = read_yaml(text, file), "write a list of cases, each starting with '- '"
        # Messages name the line of a case, so they need no position in the list.
        listed = [replace(one, path=()) for one in whole.parts()]
        listed = listed if isinstance(whole.data, list) else [whole] if whole.data is not None else []
    elif name.endswith(JSON_ENDING):
        whole, hint = _json(text, file), "write one list of JSON objects"
        listed = replace(whole, path=("cases",)).parts() if isinstance(whole.data, list) else [whole]
    else:
        _check_lines(text, file)
        listed, hint = read_jsonl(text, file, problems), "each line must be one JSON object"
    for document in listed:
        if isinstance(document.data, dict):
            yield document
        else:
            place = document.name_of(()) or "a case"
            said = f"{place} must be a mapping, not {described(document.data)}"
            problems.append(document.problem((), said, hint))


def case_of(entry: Entry) -> Case:
    """The case of an entry in any form; raises `InputErrors`."""
    named = entry.get("id", entry.get("name"))
    file = f"case {printable(named)[:60]}" if isinstance(named, str) and named else "the case"
    problems: list[Problem] = []
    found = [_case(one, problems) for one in _in_gate_form(iter([Document(file, dict(entry))]), problems)]
    if problems or not found or found[0] is None:
        raise InputErrors(problems)
    return found[0]


def readable(entry: Entry) -> Case | None:
    """As `case_of`; None if the entry has errors."""
    try:
        return case_of(entry)
    except InputErrors:
        return None


def with_images(cases: Sequence[Case], library: Library) -> tuple[Case, ...]:
    """The cases of a file with the content of the images that it names.

    Raises:
        InputErrors: every image that cannot be read.
    """
    if not any(message.images for case in cases for message in case.messages):
        return tuple(cases)
    images, found, wrong = ImageFiles(library), list[Case](), list[Problem]()
    for case in cases:
        file, line = place_of(case.where)
        problems = Problems(file)
        messages = images.messages(((line, message) for message in case.messages), problems)
        found.append(replace(case, messages=tuple(messages)))
        wrong += problems.found
    if wrong:
        raise InputErrors(wrong)
    return tuple(found)


def check_stored(entry: Entry) -> None:
    """Check that a case can be kept in a store, which has no files. Raises InputErrors."""
    if "image_url" not in canonical(entry):
        return
    case = case_of(entry)
    for image in (image for message in case.messages for image in message.images):
        if image.path:
            hint = "write it as a data URL: data:image/png;base64,…"
            said = f"the image {quoted(image.path)} is a file, which a store does not have"
            raise one_problem(*place_of(case.where), said, hint)


def put_of(entry: Entry, base: int = 0, was: str = "") -> "CaseWrite":
    """A change of a suite that writes the entry.

    Args:
        base: version of the case that was edited; 0 for a new case.
        was: previous name of the case; empty for a new case.
    """
    from gate.cases.stored import CaseWrite

    case = case_of(entry)
    return CaseWrite(case.id, entry, case.slices, words_of(entry), base, was)


def renamed(entry: Entry, name: str) -> dict[str, JsonValue]:
    """The entry with another name.

    Args:
        entry: with an `id`, or else a `name`.
    """
    key = "name" if "id" not in entry and "name" in entry else "id"
    return {**entry, key: name}


def words_of(entry: Entry) -> str:
    """All texts of a case, for searching."""
    return "\n".join(text for text in all_texts(dict(entry)) if not text.startswith("data:image/"))


def parse_entry(text: str, file: str) -> dict[str, JsonValue]:
    """One case as a mapping in YAML or JSON."""
    text = text.removeprefix("\ufeff")
    found = (read_json if text.lstrip().startswith("{") else read_yaml)(text, file).data
    if not isinstance(found, dict):
        raise GateError(f"{file} has no case", "write one mapping, for example 'id: refund-1' and 'input: …'")
    return found


def canonical(entry: Entry) -> str:
    """Canonical JSON, equal only for equal entries (in Python 1, 1.0 and true are equal)."""
    return json.dumps(dict(entry), sort_keys=True, separators=(",", ":"))


def as_case(row: Mapping[str, JsonValue], name: str) -> dict[str, JsonValue]:
    """The case of a test data entry in a `.prompt.yml`.

    Args:
        row: numbers in the input become text, as in GitHub Models.
        name: used if the entry has no `id`.
    """
    said = row.get("input")
    number = isinstance(said, int | float) and not isinstance(said, bool)
    entry: dict[str, JsonValue] = {"id": name, **{key: value for key, value in row.items() if key in _DATA_KEYS}}
    if number:
        entry["input"] = str(said)
    variables = {key: value for key, value in row.items() if key not in _DATA_KEYS}
    return {**entry, "vars": variables} if variables else entry


def as_test_data(entry: Entry, file: str) -> dict[str, JsonValue]:
    """The reverse of `as_case`."""
    if others := sorted(entry.keys() - {*_DATA_KEYS, "vars"}):
        raise GateError(
            f"the case {entry.get('id', '')} has {', '.join(others)}, which the test data in {file} cannot store",
            "write the cases to a .jsonl or .yaml file",
        )
    variables = entry.get("vars")
    own = {key: value for key, value in entry.items() if key in _DATA_KEYS}
    return {**own, **(variables if isinstance(variables, dict) else {})}


def _case(document: Document, problems: list[Problem]) -> Case | None:
    data = document.data
    assert isinstance(data, dict)  # noqa: S101
    form, wrong = attempt(form_of(data), document)
    problems += wrong
    return None if form is None else form.case(where_of(document))


def where_of(document: Document) -> str:
    """The value of `Case.where` for an entry."""
    return f"{document.file}:{document.line_of() or dotted(document.path) or 1}"


def _json(text: str, file: str) -> Document:
    try:
        return read_json(text, file)
    except InputErrors as error:
        if "Extra data" in error.message and text.lstrip().startswith("{"):
            found = error.problems[0]
            raise one_problem(file, found.line, found.message, "use the ending .jsonl for JSON Lines") from None
        raise


def _check_lines(text: str, file: str) -> None:
    """Raise if the text is JSON over several lines instead of JSON Lines."""
    number, first = next((at, line.strip()) for at, line in enumerate(text.split("\n"), 1) if line.strip())
    if first in ("[", "{"):
        hint = f"write one JSON object per line, without a list around them, or use the ending {JSON_ENDING}"
        raise one_problem(file, number, "is JSON over several lines, not JSON Lines", hint)


def is_promptfoo_test(entry: Mapping[str, object]) -> bool:
    """Is a mapping a test of promptfoo instead of a case of the gate?"""
    if "id" in entry or not ("assert" in entry or "vars" in entry):
        return False
    return "assert" in entry or entry.keys() <= PROMPTFOO_KEYS


def is_openai_sample(entry: Mapping[str, JsonValue]) -> bool:
    """Is a mapping a sample of OpenAI evals instead of a case of the gate?"""
    if entry.keys() in ({"item"}, {"item", "sample"}):
        return isinstance(entry["item"], dict)
    question = entry.get("input")
    chat = (
        isinstance(question, list)
        and bool(question)
        and all(isinstance(one, dict) and "role" in one for one in question)
    )
    return "id" not in entry and "input" in entry and ("ideal" in entry or chat)


def _in_gate_form(found: Iterator[Document], problems: list[Problem]) -> Iterator[Document]:
    """Entries in the gate's forms; converts tests of promptfoo and samples of OpenAI evals."""
    promptfoo: PromptfooFile | None = None
    for number, document in enumerate(found, start=1):
        data, line = document.data, document.line_of()
        assert isinstance(data, dict)  # noqa: S101
        if is_promptfoo_test(data):
            from gate.cases import losses, promptfoo_files, promptfoo_tests  # imported only for such files

            promptfoo = promptfoo or promptfoo_files.PromptfooFile(losses.Losses(document.file))
            cases, lost = promptfoo_tests.cases_of_test(document, number, promptfoo), promptfoo.losses
        elif is_openai_sample(data):
            from gate.cases import losses, rows

            lost = losses.Losses(document.file)
            case = rows.openai_case(data, rows.RowPlace(line, number, lost))
            cases = [] if case is None else [case]
        elif "id" not in data and (library := library_of(data)):
            raise one_problem(document.file, line, f"is a dataset of {library}, not a case file", CONVERT)
        else:
            yield document
            continue
        _report_losses(lost, problems)
        for case in cases:
            yield replace(document, data=case, line=line, node=None)


def _report_losses(lost: "Losses", problems: list[Problem]) -> None:
    """Report losses of another tool's file as errors."""
    for one in lost.found:
        hint = f"{one.remedy}; {CONVERT}" if one.remedy else CONVERT
        problems.append(Problem(printable(lost.file), one.line, one.what, hint))
    lost.found.clear()


def _table(text: str, file: str, problems: list[Problem]) -> Iterator[Document]:
    if len(text) > CASES_CHARS:
        raise one_problem(file, 0, f"is longer than {CASES_CHARS:,} characters", "split it into several files")
    from gate.cases import tables

    table = tables.read_table(text, file)
    if table is None:
        return
    if is_ragas(table.headings) and {*table.headings} & {"answer", "ground_truth", "reference"} == {"answer"}:
        said = "has the columns of ragas, in which 'answer' is what a model answered"
        raise one_problem(file, table.line, said, f"{CONVERT}; or rename it to expected")
    wrong = Problems(file)
    rows: Iterable[tuple[int, Entry]]
    if tables.is_promptfoo(table.headings):
        from gate.cases import losses, promptfoo_files, promptfoo_tests

        promptfoo = promptfoo_files.PromptfooFile(losses.Losses(file))
        nodes = enumerate(promptfoo_tests.tests_of_table(table, promptfoo, wrong), start=1)
        rows = [
            (node.line, case)
            for number, node in nodes
            for case in promptfoo_tests.cases_of_test(node, number, promptfoo)
        ]
        _report_losses(promptfoo.losses, problems)
    else:
        rows = ((record.line, entry) for record, entry in tables.cases_of(table, wrong))
    for line, entry in rows:
        yield Document(file, dict(entry), line=line)
    wrong.check()


def _test_data(text: str, file: str, problems: list[Problem]) -> Iterator[Document]:
    whole = read_yaml(text, file)
    if not isinstance(whole.data, dict):
        hint = "start with 'messages:', or give the file another name"
        raise one_problem(file, 1, "is not a prompt file of GitHub Models: it must be a mapping", hint)
    listed = whole.data.get(TEST_DATA)
    if listed is None:
        return
    if not isinstance(listed, list):
        said = f"{TEST_DATA} must be a list, not {described(listed)}"
        problems.append(whole.problem((TEST_DATA,), said, "start with '- input: …'"))
        return
    for number, part in enumerate(whole.part(TEST_DATA).parts(), start=1):
        if not isinstance(part.data, dict) or not part.data:
            said = "is empty" if part.data == {} else f"must be a mapping, not {described(part.data)}"
            problems.append(part.problem((), f"{part.name_of(())} {said}", "write input: …"))
            continue
        yield replace(part, data=as_case(part.data, f"test-{number}"), line=part.line_of(), path=(), node=None)


def _example(file: str) -> str:
    """An example of a first case, for hints."""
    if is_prompt_yml(file):
        return "write testData: [{input: …, expected: …}]"
    if is_table(file):
        return "write the headings id, input and expected, and a row for each case"
    if file.lower().endswith(YAML_ENDINGS):
        return "write a list: - {id: 1, input: …, expected: …}"
    example = '{"id": "1", "input": "…", "expected": "…"}'
    listed = file.lower().endswith(JSON_ENDING)
    return f"write a list: [{example}]" if listed else f"write one JSON object per line: {example}"
