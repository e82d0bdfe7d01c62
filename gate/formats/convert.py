"""Cases of any format, and cases in any format, with what was lost on the way."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gate.cases.files import written
from gate.cases.reading import case_of, is_table, read
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.errors import GateError, InputErrors
from gate.formats.bundle import Loss
from gate.formats.containers import Found, cell_of, flat, nested, read_rows, value_of, write_rows
from gate.formats.detect import CSV, GATE, PROMPT_YML, PROMPTFOO, PROMPTY, by_name, detected
from gate.formats.layouts import LAYOUTS, Layout
from gate.formats.losses import Deaf, Losses
from gate.formats.promptfoo_cases import tests_in, to_tests
from gate.formats.prompty_sample import sample_of
from gate.formats.shared import Place, Row, difference, metadata_of
from gate.inputs.kept import OWN, PLAIN
from gate.inputs.problems import quoted
from gate.inputs.sheets.columns import columns_of
from gate.inputs.sheets.table import unguarded

_ENDINGS = {CSV: ".csv", PROMPT_YML: ".prompt.yml"}


@dataclass(frozen=True, slots=True)
class Brought:
    """Cases that were brought along.

    Args:
        format: where they come from.
        cases: each of which the gate's own reader takes.
        losses: what is not as it was.
        columns: of a table, each heading with what it became.
    """

    format: str
    cases: tuple[Entry, ...]
    losses: tuple[Loss, ...]
    columns: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was put together.

    Args:
        text: the file.
        count: cases in it.
        losses: what would not come back from it.
    """

    text: str
    count: int
    losses: tuple[Loss, ...] = ()


def bring(text: str, file: str, format_: str = "", slices: Sequence[str] = ()) -> Brought:
    """The cases of a file of any format.

    Args:
        text: the file.
        file: its path.
        format_: one of `FORMATS`; empty to tell it by name and content.
        slices: variables that are slices.

    Raises:
        InputErrors: it cannot be read.
        GateError: the format cannot be told, or no case is left.
    """
    text, losses = text.removeprefix("\ufeff"), Losses(file)
    name, found = format_ or by_name(file), None
    if name not in (PROMPT_YML, PROMPTY, PROMPTFOO):
        found = read_rows(text, file)
        name = name or detected(found, file)
    elif name == PROMPTFOO and is_table(file):
        found = read_rows(text, file)
    rows = _entries(text, file, name, found, losses)
    good = _sound(_named_apart(rows, losses), losses)
    if not good:
        why = next((f"{one.what}; {one.remedy}" if one.remedy else one.what for one in losses.found), "")
        raise GateError(f"no case of {file} can be brought along", why)
    columns = columns_of(found.headings) if name == CSV and found is not None else ()
    told = tuple((one.heading, _told(one.meaning, slices)) for one in columns)
    return Brought(name, tuple(_sliced(entry, slices) for entry in good), tuple(losses.found), told)


def put(entries: Sequence[Entry], file: str, format_: str = GATE) -> Written:
    """A file of any format that holds the cases.

    Args:
        entries: sound cases, one at least.
        file: its path, whose ending tells the form.
        format_: one of `FORMATS`.

    Raises:
        GateError: such a file cannot hold them, or none of them can be brought along.
    """
    losses = Losses(file)
    if format_ in (GATE, CSV, PROMPT_YML):
        named = by_name(file) or (CSV if is_table(file) else GATE)
        if format_ not in (GATE, named):
            raise GateError(f"{file} is not named like the format {format_}", f"let it end in {_ENDINGS[format_]}")
        return Written(written(entries, file), len(entries))
    if format_ == PROMPTY:
        raise GateError("a .prompty file holds one sample, and cases are not written to it", "take another format")
    if format_ == PROMPTFOO:
        if is_table(file):
            raise GateError("tests of promptfoo are written as YAML or JSON", "let the name end in .yaml")
        rows = to_tests(entries, losses)
    else:
        rows = _rows(entries, format_, file, losses)
    if not rows:
        raise GateError(f"none of the cases can be written as {format_}", losses.found[0].what)
    return Written(write_rows(rows, file), len(rows), tuple(losses.found))


def _entries(text: str, file: str, name: str, found: Found | None, losses: Losses) -> list[tuple[int, Entry]]:
    if name == PROMPTFOO:
        return tests_in(text, file, losses)
    if name == PROMPTY:
        return [(0, sample_of(text, file, losses))]
    if name in (GATE, CSV, PROMPT_YML) or found is None:
        return [(case.line, case.entry) for case in read(text, file)]
    layout, result = LAYOUTS[name], list[tuple[int, Entry]]()
    for number, (line, row) in enumerate(found.rows, start=1):
        whole = nested(row, layout.spread) if found.headings else row
        case = layout.read(whole, Place(line, number, losses))
        if case is not None:
            result.append((line, case))
    return result


def _named_apart(rows: list[tuple[int, Entry]], losses: Losses) -> list[tuple[int, Entry]]:
    """Ids that are given twice get a number."""
    taken = Counter(str(entry.get("id", entry.get("name", ""))) for _, entry in rows)
    numbers: dict[str, int] = {}
    seen: set[str] = set()
    result: list[tuple[int, Entry]] = []
    for line, entry in rows:
        name = str(entry.get("id", entry.get("name", "")))
        free, number = name, numbers.get(name, 2)
        while free in seen or (free != name and free in taken):
            free, number = f"{name}-{number}", number + 1
        numbers[name] = number
        if free != name:
            losses.add(line, f"the id {quoted(name)} is used before, so the case is called {quoted(free)}")
            entry = {**entry, "id": free}
        seen.add(free)
        result.append((line, entry))
    return result


def _sound(rows: list[tuple[int, Entry]], losses: Losses) -> list[Entry]:
    good: list[Entry] = []
    for line, entry in rows:
        try:
            case_of(entry)
        except InputErrors as errors:
            problem = errors.problems[0]
            losses.add(line, f"the case {entry.get('id')} is left out: {problem.message}", problem.hint)
        else:
            good.append(entry)
    return good


def _told(meaning: str, slices: Sequence[str]) -> str:
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


def _rows(entries: Sequence[Entry], name: str, file: str, losses: Losses) -> list[Mapping[str, JsonValue]]:
    layout, rows = LAYOUTS[name], list[Mapping[str, JsonValue]]()
    table = is_table(file)
    for number, entry in enumerate(entries, start=1):
        label = quoted(str(entry.get("id", entry.get("name", ""))))
        if not entry.keys() <= PLAIN:
            losses.add(0, f"the case {label} is a conversation with an agent, and is left out", "keep it in a file")
            continue
        if layout.asks and not entry.keys() & {"input", "messages"}:
            losses.add(0, f"the case {label} has variables and no input, and is left out", "write its input")
            continue
        row, lost = _row(layout, entry, number, table)
        if lost:
            said = f"the case {label} does not come back as it is: {', '.join(sorted(lost))}"
            losses.add(0, said, "keep it in a .jsonl file")
        if table:
            row, differs = layout.tabular(row)
            _tell_of_cells(row, label, losses)
            for what in differs:
                losses.add(0, f"of the case {label}, {what} by {name}", "write a .jsonl file")
        rows.append(row)
    return rows


def _tell_of_cells(row: Row, label: str, losses: Losses) -> None:
    """Say which cells are written for the gate's own reader."""
    cells = {key: cell_of(value) for key, value in row.items()}
    if any(cell.startswith("'") for cell in cells.values()):
        said = f"cells of the case {label} that begin like a formula have an apostrophe in front"
        losses.add(0, said, "the gate takes it off again, other tools may not")
    if any(isinstance(row[key], str) and cell.startswith('"') and cell != row[key] for key, cell in cells.items()):
        said = f"cells of the case {label} that look like JSON stand in quotes"
        losses.add(0, said, "the gate takes them off again, other tools may not")


def _row(layout: Layout, entry: Entry, number: int, table: bool) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    """The row of a case, and what would come back otherwise all the same."""

    def back(row: Row) -> Entry:
        if table:
            cells = {key: value_of(unguarded(cell_of(value))) for key, value in row.items() if cell_of(value)}
            row = nested(cells, layout.spread)
        return layout.read(row, Place(0, number, Deaf())) or {}

    row = flat(layout.write(entry), layout.spread) if table else layout.write(entry)
    holder = row.get(layout.holder) if layout.holder else None
    inner = holder if isinstance(holder, dict) else row
    metadata = inner.get(layout.metadata)
    own = metadata if isinstance(metadata, dict) else metadata_of(entry)
    inner[layout.metadata] = own
    kept = difference(entry, back(row))
    if own or kept:
        inner[layout.metadata] = {**own, **({OWN: kept} if kept else {})}
    else:
        inner.pop(layout.metadata, None)
    return row, difference(entry, back(row))
