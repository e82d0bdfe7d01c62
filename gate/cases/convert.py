"""Converts cases from and to any format, and lists what is lost."""

import json
import posixpath
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gate.cases import tables
from gate.cases.case import Entry
from gate.cases.deepeval import deepeval_case
from gate.cases.files import written
from gate.cases.losses import Loss, Losses
from gate.cases.promptfoo_test_files import cases_in_file, write_tests
from gate.cases.prompty import sample_of
from gate.cases.pydantic_evals import dataset_cases
from gate.cases.ragas import ragas_case, samples_in
from gate.cases.reading import JSON_ENDING, PROMPTFOO_KEYS, YAML_ENDINGS, case_of, documents, is_table, read
from gate.cases.rows import READERS, Row, RowPlace, difference, metadata_of, openai_item, openai_sample
from gate.cases.shapes import DEEPEVAL, PYDANTIC_EVALS, RAGAS, is_dataset, library_of
from gate.cases.tables import columns_of, read_table
from gate.cases.turns import OWN, PLAIN
from gate.config.documents import BadJson, Problems, one_problem, parse_json, quoted
from gate.config.yaml_editing import dumped
from gate.errors import GateError, InputErrors, Problem
from gate.limits import CASES, CASES_CHARS
from gate.prompts.reading import is_prompt_yml
from gate.prompts.version import is_prompty
from gate.values import FreeNames, JsonValue

WRAPPERS = ("examples", "instances", "request_states", "samples", "rows", "data", "items", "events", "tests", "records")
"""Keys under which an export may have its list."""


@dataclass(frozen=True, slots=True)
class FoundRows:
    """Rows of a file with their lines.

    Args:
        headings: only for a table.
    """

    rows: Sequence[tuple[int, Row]]
    headings: tuple[str, ...] = ()


def read_rows(text: str, file: str) -> FoundRows:
    """Read the rows of a file."""
    if len(text) > CASES_CHARS:
        raise one_problem(file, 0, f"is longer than {CASES_CHARS:,} characters", "split it into several files")
    found = _table(text, file) if is_table(file) else FoundRows(list(_objects(text, file)))
    if not found.rows:
        raise one_problem(file, 0, "has no rows")
    return found


def _table(text: str, file: str) -> FoundRows:
    problems = Problems(file)
    table = read_table(text, file)
    if table is None:
        return FoundRows(())
    found: list[tuple[int, Row]] = []
    for record in table.records(problems):
        _check_count(len(found), record.line, file)
        found.append((record.line, {key: value_of(cell) for key, cell in record.cells.items()}))
    problems.check()
    return FoundRows(found, table.headings)


def _objects(text: str, file: str) -> Iterable[tuple[int, Row]]:
    count = 0
    problems: list[Problem] = []
    for document in documents(text, file, problems):
        for line, value in _unwrapped(document.data, document.line_of()):
            _check_count(count, line, file)
            count += 1
            yield line, value
    if problems:
        raise InputErrors(problems)


def _unwrapped(value: JsonValue, line: int) -> Iterable[tuple[int, Row]]:
    assert isinstance(value, dict)  # noqa: S101
    if (samples := samples_in(value)) is not None:
        return [(line, sample) for sample in samples]
    wrapper = next((key for key in WRAPPERS if isinstance(value.get(key), list)), None)
    inner = value.get(wrapper) if wrapper is not None else None
    if not isinstance(inner, list) or not all(isinstance(item, dict) for item in inner) or "input" in value:
        return [(line, value)]
    return [(line, _instance(item)) for item in inner if isinstance(item, dict)]


def _instance(item: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The instance inside a request state of HELM, or the row that Hugging Face's dataset server sends."""
    inner = item.get("row" if "row_idx" in item else "instance")
    return inner if isinstance(inner, dict) else item


def _check_count(count: int, line: int, file: str) -> None:
    if count >= CASES:
        raise one_problem(file, line, f"more than {CASES:,} rows", "split the file")


def value_of(cell: str) -> JsonValue:
    """The value of a cell: parsed if it is a JSON list, mapping or string; else the text."""
    if cell[:1] in ("[", "{", '"'):
        try:
            return parse_json(cell)
        except BadJson:
            return cell
    return cell


def write_rows(rows: Sequence[Row], file: str) -> str:
    """The text of a file with the rows, in the format of its ending."""
    plain: list[JsonValue] = [dict(row) for row in rows]
    if file.lower().endswith(JSON_ENDING):
        return json.dumps(plain, ensure_ascii=False, indent=2) + "\n"
    if file.lower().endswith(YAML_ENDINGS):
        return dumped(plain)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in plain)


def nested(row: Row, spread: Sequence[str]) -> dict[str, JsonValue]:
    """Combine columns `input_…` of a table row to a mapping `inputs`; `spread` lists the mappings."""
    found: dict[str, JsonValue] = {}
    for key, value in row.items():
        mapping = next((one for one in spread if key.startswith(_column(one))), None)
        if mapping is None:
            found[key] = value
            continue
        inner = found.setdefault(mapping, {})
        if isinstance(inner, dict):
            inner[key.removeprefix(_column(mapping))] = value
    return found


def _column(mapping: str) -> str:
    return f"{mapping.removesuffix('s')}_"


GATE, CSV, PROMPTFOO, PROMPT_YML, PROMPTY = "gate", "csv", "promptfoo", "prompt-yml", "prompty"
OPENAI_EVALS, OPENAI_ITEMS, LANGSMITH = "openai-evals", "openai-items", "langsmith"
EXPORTS = (GATE, CSV, PROMPTFOO, OPENAI_EVALS, OPENAI_ITEMS, PROMPT_YML)
"""Formats that can be written, too."""
FORMATS = tuple(dict.fromkeys((*EXPORTS, *READERS, PROMPTY, DEEPEVAL, RAGAS, PYDANTIC_EVALS)))
_READERS = {**READERS, DEEPEVAL: deepeval_case, RAGAS: ragas_case}
_LOOKED_AT = 100
_CONFIGS = (".yaml", ".yml", ".json")
_PROMPTFOO = tuple(f".promptfoo{ending}" for ending in _CONFIGS)
_ASKS = frozenset({"input", "messages", "conversation", "rounds", "prompt", "vars"})
_BRAINTRUST = frozenset({"_xact_id", "root_span_id", "span_id", "dataset_id", "project_id", "tags"})


def by_name(file: str) -> str:
    """The format by the file name; empty if it depends on the rows."""
    if is_prompt_yml(file):
        return PROMPT_YML
    return PROMPTFOO if is_promptfoo(file) else PROMPTY if is_prompty(file) else ""


def is_promptfoo(file: str) -> bool:
    """Is this a file name of a promptfoo configuration?"""
    name = posixpath.basename(file).lower()
    return (name.startswith("promptfooconfig") and name.endswith(_CONFIGS)) or name.endswith(_PROMPTFOO)


def detected(found: FoundRows, file: str) -> str:
    """Detect the format by the rows."""
    keys = [frozenset(row) for _, row in found.rows[:_LOOKED_AT]]
    if found.headings:
        return _of_table(found.headings, keys)
    libraries = {library_of(row) for _, row in found.rows[:_LOOKED_AT]}
    if len(libraries) == 1 and "" not in libraries:
        return libraries.pop()
    name = _of_rows(found, keys)
    if not name:
        raise unknown(file)
    return name


def _of_rows(found: FoundRows, keys: Sequence[frozenset[str]]) -> str:
    first = found.rows[0][1]
    if all("inputs" in one for one in keys):
        return "langsmith"
    if all(one <= {"item", "sample"} and "item" in one for one in keys):
        return "openai-items"
    if all("references" in one and "input" in one for one in keys) and isinstance(first.get("input"), dict):
        return "helm"
    if all("id" not in one and one <= PROMPTFOO_KEYS and one & {"vars", "assert"} for one in keys):
        return PROMPTFOO
    if any(one & _BRAINTRUST for one in keys) or _is_braintrust(found):
        return "braintrust"
    if all("input" in one and "target" in one for one in keys):
        return "inspect"
    if all("id" not in one and "input" in one for one in keys) and any(
        "ideal" in one or isinstance(row.get("input"), list) for one, (_, row) in zip(keys, found.rows, strict=False)
    ):
        return "openai-evals"
    # The reader of the gate's own format reports every error.
    return GATE if all(one & {"id", "name"} and one & _ASKS for one in keys) else ""


def _is_braintrust(found: FoundRows) -> bool:
    """Rows with `metadata` or a question in a mapping; no other format has these together with `expected`."""
    rows = [row for _, row in found.rows[:_LOOKED_AT]]
    plain = all("input" in row and row.keys() <= {"id", "input", "expected", "metadata"} for row in rows)
    return plain and any("metadata" in row or isinstance(row["input"], dict) for row in rows)


def _of_table(headings: Sequence[str], keys: Sequence[Collection[str]]) -> str:
    known = set(headings)
    if tables.is_promptfoo(headings):
        return PROMPTFOO
    if library := library_of(dict.fromkeys(headings)):
        return library
    if (
        known >= {"inputs", "outputs"}
        or any(one.startswith("input_") for one in known)
        and any(one.startswith("output_") for one in known)
    ):
        return "langsmith"
    if "references" in known or ("input.text" in known):
        return "helm"
    if known & _BRAINTRUST or ("input" in known and "expected" in known and "metadata" in known):
        return "braintrust"
    if known >= {"input", "target"}:
        return "inspect"
    return CSV


def unknown(file: str) -> GateError:
    """The error for a file whose format cannot be detected."""
    return GateError(f"cannot tell the format of {file}", f"give it with --from: {', '.join(FORMATS)}")


_ENDINGS = {CSV: ".csv", PROMPT_YML: ".prompt.yml"}


@dataclass(frozen=True, slots=True)
class ImportedCases:
    """Cases converted from another format.

    Args:
        cases: all valid.
        columns: for a table, each heading with its meaning.
    """

    format: str
    cases: tuple[Entry, ...]
    losses: tuple[Loss, ...]
    columns: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ExportedCases:
    """A case file in another format.

    Args:
        losses: what the file cannot store.
    """

    text: str
    count: int
    losses: tuple[Loss, ...] = ()


def import_cases(text: str, file: str, format_: str = "", slices: Sequence[str] = ()) -> ImportedCases:
    """Import the cases of a file in any format.

    Args:
        format_: one of `FORMATS`; empty to detect it by name and content.
        slices: variables that become slices.

    Raises:
        GateError: the format cannot be detected, or no case can be imported.
    """
    text, losses = text.removeprefix("\ufeff"), Losses(file)
    name, found = format_ or by_name(file), None
    if name not in (PROMPT_YML, PROMPTY, PROMPTFOO):
        found = read_rows(text, file)
        name = name or detected(found, file)
    elif name == PROMPTFOO and is_table(file):
        found = read_rows(text, file)
    rows = _entries(text, file, name, found, losses)
    good = valid_cases(_with_unique_ids(rows, losses), losses)
    if not good:
        why = next((f"{one.what}; {one.remedy}" if one.remedy else one.what for one in losses.found), "")
        raise GateError(f"no case of {file} can be converted", why)
    columns = columns_of(found.headings) if name == CSV and found is not None else ()
    meanings = tuple((one.heading, _column_meaning(one.meaning, slices)) for one in columns)
    return ImportedCases(name, tuple(_sliced(entry, slices) for entry in good), tuple(losses.found), meanings)


def export_cases(entries: Sequence[Entry], file: str, format_: str = GATE) -> ExportedCases:
    """Export cases to the text of a file in any format.

    Args:
        entries: valid cases, at least one.
    """
    losses = Losses(file)
    if format_ in (GATE, CSV, PROMPT_YML):
        named = by_name(file) or (CSV if is_table(file) else GATE)
        if format_ not in (GATE, named):
            raise GateError(
                f"the ending of {file} does not fit the format {format_}", f"use the ending {_ENDINGS[format_]}"
            )
        return ExportedCases(written(entries, file), len(entries))
    if format_ not in EXPORTS:
        raise GateError(f"cases cannot be written as {format_}", f"use another format: {', '.join(EXPORTS)}")
    if is_table(file):
        raise GateError(f"{format_} cannot be written as a table", "use the ending .jsonl, .json or .yaml")
    rows = write_tests(entries, losses) if format_ == PROMPTFOO else _openai_rows(entries, format_, losses)
    if not rows:
        raise GateError(f"none of the cases can be written as {format_}", losses.found[0].what)
    return ExportedCases(write_rows(rows, file), len(rows), tuple(losses.found))


def _entries(text: str, file: str, name: str, found: FoundRows | None, losses: Losses) -> list[tuple[int, Entry]]:
    if name == PROMPTFOO:
        return cases_in_file(text, file, losses)
    if name == PROMPTY:
        return [(0, sample_of(text, file, losses))]
    if name in (GATE, CSV, PROMPT_YML) or found is None:
        return [(case.line, case.entry) for case in read(text, file)]
    if name == PYDANTIC_EVALS:
        return _of_dataset(text, file, losses)
    spread = ("inputs", "outputs") if name == LANGSMITH else ()
    result: list[tuple[int, Entry]] = []
    for number, (line, row) in enumerate(found.rows, start=1):
        whole = nested(row, spread) if found.headings else row
        case = _READERS[name](whole, RowPlace(line, number, losses))
        if case is not None:
            result.append((line, case))
    return result


def _of_dataset(text: str, file: str, losses: Losses) -> list[tuple[int, Entry]]:
    """The cases of a dataset of pydantic-evals."""
    whole = next(iter(documents(text, file, [])), None)
    if whole is None or not isinstance(whole.data, dict) or not is_dataset(whole.data):
        raise one_problem(file, 0, "is not a dataset of pydantic-evals", "it has cases, each with inputs")
    return [*dataset_cases(whole, losses)]


def _with_unique_ids(rows: list[tuple[int, Entry]], losses: Losses) -> list[tuple[int, Entry]]:
    """Number duplicate ids."""
    names = FreeNames(reserved=frozenset(_name_of(entry) for _, entry in rows))
    result: list[tuple[int, Entry]] = []
    for line, entry in rows:
        name = _name_of(entry)
        free = names.take(name)
        if free != name:
            losses.add(line, f"the id {quoted(name)} is used twice; the case is renamed to {quoted(free)}")
            entry = {**entry, "id": free}
        result.append((line, entry))
    return result


def _name_of(entry: Entry) -> str:
    return str(entry.get("id", entry.get("name", "")))


def valid_cases(rows: Iterable[tuple[int, Entry]], losses: Losses) -> list[Entry]:
    """The valid cases; the others become losses."""
    good: list[Entry] = []
    for line, entry in rows:
        try:
            case_of(entry)
        except InputErrors as errors:
            problem = errors.problems[0]
            losses.add(line, f"the case {_name_of(entry)} is left out: {problem.message}", problem.hint)
        else:
            good.append(entry)
    return good


def _column_meaning(meaning: str, slices: Sequence[str]) -> str:
    variable = meaning.removeprefix("vars.")
    return f"slices.{variable}" if meaning != variable and variable in slices else meaning


def _sliced(entry: Entry, names: Sequence[str]) -> Entry:
    variables, slices = entry.get("vars"), entry.get("slices", {})
    if not names or not isinstance(variables, dict) or not isinstance(slices, dict):
        return entry
    moved = {name: str(variables[name]).strip() for name in names if name in variables}
    rest = {key: value for key, value in variables.items() if key not in moved}
    after: dict[str, JsonValue] = {**entry, "vars": rest, "slices": {**slices, **moved}}
    return {key: value for key, value in after.items() if value or key not in ("vars", "slices")}


def _openai_rows(entries: Sequence[Entry], name: str, losses: Losses) -> list[Mapping[str, JsonValue]]:
    """Each case as a sample; what a sample has no key for is in its metadata."""
    rows = list[Mapping[str, JsonValue]]()
    for number, entry in enumerate(entries, start=1):
        label = quoted(_name_of(entry))
        if not entry.keys() <= PLAIN:
            losses.add(0, f"the case {label} is a conversation with an agent; it is left out", "keep it in a file")
            continue
        if name == OPENAI_EVALS and not entry.keys() & {"input", "messages"}:
            losses.add(0, f"the case {label} has variables and no input; it is left out", "write its input")
            continue
        row = _openai_row(entry, name, {})
        row = _openai_row(entry, name, difference(entry, _read_back(row, number)))
        if changed := sorted(difference(entry, _read_back(row, number))):
            said = f"the case {label} changes if it is read back: {', '.join(changed)}"
            losses.add(0, said, "keep it in a .jsonl file")
        rows.append(row)
    return rows


def _openai_row(entry: Entry, name: str, own: Mapping[str, JsonValue]) -> Row:
    """The row of a case; `own` is stored for the gate."""
    metadata = {**metadata_of(entry), **({OWN: dict(own)} if own else {})}
    more: Row = {"metadata": metadata} if metadata else {}
    return {"item": {**openai_item(entry), **more}} if name == OPENAI_ITEMS else {**openai_sample(entry), **more}


def _read_back(row: Row, number: int) -> Entry:
    return READERS[OPENAI_EVALS](row, RowPlace(0, number, Losses())) or {}
