"""Tests of promptfoo as cases: one for each combination of listed variables."""

import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gate.cases.case import SlowTemplate
from gate.cases.promptfoo_assertions import Mapped, assertion_in_cell, scorers_of
from gate.cases.promptfoo_files import FILE, PromptfooFile, document_at, items, parse_data
from gate.cases.promptfoo_providers import model_of
from gate.cases.tables import Record, Table
from gate.cases.turns import OWN, with_kept
from gate.config.documents import Document, Problems, one_problem, quoted
from gate.config.values import dimension_complaint, value_complaint
from gate.templates.nunjucks import NoValue, render, to_jinja
from gate.templates.rendering import compile_template
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue, as_mapping

COMBINATIONS = 1_000
"""Cases that one test may stand for."""
_KEYS = ("vars", "assert", "description", "threshold", "metadata")
_OPTIONS = frozenset({"disableVarExpansion", "disableDefaultAsserts", "provider"})
_TRANSFORMS = frozenset({"transform", "postprocess"})
_EXPONENT = 1e21
"""JavaScript writes whole numbers from here on with an exponent."""


@dataclass(frozen=True, slots=True)
class DefaultTest:
    """Defaults of every test.

    Args:
        scorers: for the suite; a test may disable them.
        metadata, threshold, grader: for tests without their own.
    """

    vars: Mapping[str, Document] = field(default_factory=dict)
    scorers: Sequence[JsonValue] = ()
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    threshold: JsonValue = None
    grader: JsonValue = None


NO_DEFAULTS = DefaultTest()


def read_default_test(node: Document | None, file: PromptfooFile) -> DefaultTest:
    """Read `defaultTest`."""
    if node is None or not isinstance(node.data, dict):
        return NO_DEFAULTS
    entries = node.entries()
    _add_unsupported_losses(entries, file, "defaultTest")
    scorers = scorers_of(entries.get("assert"), file, "defaultTest")
    grader = _data(entries, "options").get("provider")
    _set_graders(scorers, grader, entries, file)
    return DefaultTest(
        _read_vars(entries.get("vars"), file, "defaultTest"),
        scorers,
        _data(entries, "metadata"),
        entries["threshold"].data if "threshold" in entries else None,
        grader,
    )


def cases_of_test(
    node: Document,
    number: int,
    file: PromptfooFile,
    default: DefaultTest = NO_DEFAULTS,
    scenario: Mapping[str, Document] | None = None,
) -> list[Mapped]:
    """The cases of one test.

    Args:
        scenario: variables of a scenario; they override defaults, and the test overrides them.
    """
    place = f"test {number}"
    if not isinstance(node.data, dict):
        file.losses.add(node.line, f"{place} is not a mapping and is left out", "write vars: …")
        return []
    entries = node.entries()
    _add_unsupported_losses(entries, file, place)
    options = _data(entries, "options")
    scorers = _own_scorers(entries, file, place, default)
    common = {**_common_fields(entries, file, place, default), **scorers}
    variables = {
        **default.vars,
        **_with_files(scenario or {}, file, place),
        **_read_vars(entries.get("vars"), file, place),
    }
    expand = options.get("disableVarExpansion") is not True
    rows = list(_combinations(variables, node.line, file, place, expand=expand))
    names = [f"test-{number}"] if len(rows) == 1 else [f"test-{number}-{at}" for at in range(1, len(rows) + 1)]
    cases = [_case(name, row, common, node.line, file) for name, row in zip(names, rows, strict=True)]
    for case in cases:
        file.budget.take_case_chars(len(_json(case)), node.line)
    kept = _data(entries, "metadata").get(OWN)
    return [with_kept(case, kept) for case in cases] if kept is not None else cases


def _data(entries: Mapping[str, Document], key: str) -> dict[str, JsonValue]:
    """A mapping of a test; empty if it has none."""
    return as_mapping(entries[key].data) if key in entries else {}


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _add_unsupported_losses(entries: Mapping[str, Document], file: PromptfooFile, place: str) -> None:
    if left_out := sorted(_data(entries, "options").keys() - _OPTIONS):
        remedy = "the scorers see the answer as it comes" if _TRANSFORMS & {*left_out} else ""
        file.losses.add(entries["options"].line, f"options {', '.join(left_out)} of {place} are left out", remedy)
    for key, node in entries.items():
        if key not in (*_KEYS, "options"):
            file.losses.add(node.line, f"{quoted(key)} of {place} is left out")


def _own_scorers(entries: Mapping[str, Document], file: PromptfooFile, place: str, default: DefaultTest) -> Mapped:
    """The scorers of a test, beside or instead of those of the suite."""
    scorers = scorers_of(entries.get("assert"), file, place)
    options = _data(entries, "options")
    own = options.get("provider")
    _set_graders(scorers, own if own is not None else default.grader, entries if scorers else {}, file)
    alone = options.get("disableDefaultAsserts") is True
    if scorers:
        return {"scorers" if alone or not default.scorers else "extra_scorers": scorers}
    if alone and default.scorers:
        message = f"{place} sets the default assertions aside and has no others, so they stay"
        file.losses.add(entries["options"].line, message)
    return {}


def _set_graders(
    scorers: Sequence[JsonValue], provider: JsonValue, entries: Mapping[str, Document], file: PromptfooFile
) -> None:
    """Set the judge model of assertions that name none; a loss if `options` name another."""
    model = model_of(provider)
    if model is None and _data(entries, "options").get("provider") is not None:
        file.losses.add(entries["options"].line, "the grader is not a model of the gate", "name a model of the judge")
    for scorer in scorers if model is not None else ():
        if judge := as_mapping(as_mapping(scorer).get("judge")):
            judge.setdefault("model", model)


def _common_fields(entries: Mapping[str, Document], file: PromptfooFile, place: str, default: DefaultTest) -> Mapped:
    """Description, threshold and slices, which all cases of a test share."""
    common: Mapped = {}
    description = entries.get("description")
    if description is not None and isinstance(description.data, str) and description.data.strip():
        common["description"] = description.data
    threshold = entries["threshold"].data if "threshold" in entries else default.threshold
    if isinstance(threshold, (int, float)) and not isinstance(threshold, bool) and 0 < threshold <= 1:
        common["threshold"] = threshold
    elif threshold is not None:
        line = entries["threshold"].line if "threshold" in entries else 0
        file.losses.add(line, f"threshold {threshold} of {place} is left out: it must be above 0 and at most 1")
    metadata = {**default.metadata, **_data(entries, "metadata")}
    slices = _slices(metadata, file, entries["metadata"].line if "metadata" in entries else 0, place)
    return {**common, **({"slices": slices} if slices else {})}


def _slices(metadata: Mapping[str, JsonValue], file: PromptfooFile, line: int, place: str) -> Mapped:
    """Short values of metadata as slices, and each item of a list as `name:item`; the rest become losses."""
    slices: Mapped = {}
    for key, value in metadata.items():
        text = value if isinstance(value, str) else json.dumps(value) if isinstance(value, (bool, int, float)) else ""
        if key == OWN:
            continue
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            for item in value:
                if dimension_complaint(f"{key}:{item}"):
                    message = f"{quoted(str(item))} in the metadata {quoted(key)} of {place} cannot name a slice"
                    file.losses.add(line, message)
                else:
                    slices[f"{key}:{item}"] = "yes"
        elif not text or dimension_complaint(key) or value_complaint(text):
            file.losses.add(line, f"metadata {quoted(key)} of {place} is not a short text and is left out")
        else:
            slices[key] = text
    return slices


def _read_vars(node: Document | None, file: PromptfooFile, place: str) -> dict[str, Document]:
    if node is None or node.data is None:
        return {}
    if isinstance(node.data, str) and node.data.startswith(FILE):
        node = file.load(node.data, node.line, f"vars of {place}") or document_at({}, node.line)
    if not isinstance(node.data, dict):
        file.losses.add(node.line, f"vars of {place} are not a mapping and are left out")
        return {}
    return _with_files(node.entries(), file, place)


def _with_files(entries: Mapping[str, Document], file: PromptfooFile, place: str) -> dict[str, Document]:
    """Variables, with files replaced by their content."""
    variables: dict[str, Document] = {}
    for name, node in entries.items():
        if not any(_is_file(item.data) for item in items(node)):
            variables[name] = node
            continue
        texts = [_value(item, file, f"the variable {name} of {place}") for item in items(node)]
        values: list[JsonValue] = [text for text in texts if text is not None]
        if values:
            variables[name] = document_at(values if isinstance(node.data, list) else values[0], node.line)
    return variables


def _is_file(value: JsonValue) -> bool:
    return isinstance(value, str) and value.startswith(FILE)


def _value(node: Document, file: PromptfooFile, what: str) -> JsonValue:
    """A value, or the text of its file, YAML as JSON; None and a loss if it is not available."""
    if not isinstance(node.data, str) or not _is_file(node.data):
        return node.data
    text = file.text(node.data, node.line, what)
    if text is None:
        return None
    data = parse_data(text, node.data) if node.data.lower().endswith((".yaml", ".yml")) else None
    return text.strip() if data is None else _json(data.data)


def _combinations(
    variables: Mapping[str, Document], line: int, file: PromptfooFile, place: str, *, expand: bool
) -> Iterator[Mapped]:
    """The variables of each case: promptfoo runs every combination of lists whose first item is a text."""
    values = {name: node.data for name, node in variables.items()}
    lists = {
        name: value for name, value in values.items() if expand and isinstance(value, list) and _begins_with_text(value)
    }
    count = math.prod(map(len, lists.values()))
    if count > COMBINATIONS:
        message = f"{place} stands for {count:,} combinations, of which the first {COMBINATIONS:,} are converted"
        file.losses.add(line, message, "write fewer values")
    for chosen in itertools.islice(itertools.product(*lists.values()), COMBINATIONS):
        row = {name: _as_inserted(value) for name, value in {**values, **dict(zip(lists, chosen, strict=True))}.items()}
        yield {name: _rendered(name, row, variables[name].line, file, place) for name in row}


def _begins_with_text(value: list[JsonValue]) -> bool:
    return bool(value) and isinstance(value[0], str)


def _as_inserted(value: JsonValue, whole: bool = True) -> JsonValue:
    """A variable as promptfoo inserts it into a prompt: without the last line break, and 1.0 as 1."""
    if isinstance(value, str):
        return value.removesuffix("\n") if whole else value
    if isinstance(value, list):
        return [_as_inserted(item, False) for item in value]
    if isinstance(value, dict):
        return {key: _as_inserted(item, False) for key, item in value.items()}
    return int(value) if isinstance(value, float) and float.is_integer(value) and abs(value) < _EXPONENT else value


def _rendered(name: str, row: Mapped, line: int, file: PromptfooFile, place: str) -> JsonValue:
    """A variable, which may be a template of other variables; unknown ones are empty."""
    value = row[name]
    if not isinstance(value, str) or not ("{{" in value or "{%" in value):
        return value
    rendered = value
    try:
        with file.budget.rendering(line) as seconds:
            template = to_jinja(value)
            names = compile_template(template).names
            if "env" not in names:
                rendered = render(template, {**dict.fromkeys(names, NoValue()), **row}, seconds)
    except BadTemplate as error:
        if error.slow:
            problem = f"the variable {name} of {place} takes too long to fill in"
            raise SlowTemplate(one_problem("tests", line, problem, "write its text").problems) from None
    file.budget.take_case_chars(len(rendered), line)
    if "{{" in rendered or "{%" in rendered:
        message = f"the variable {name} of {place} holds a template, which is not filled in"
        file.losses.add(line, message, "write its text")
        return value
    return rendered


def _case(name: str, row: Mapped, common: Mapped, line: int, file: PromptfooFile) -> Mapped:
    case: Mapped = {"id": name}
    variables: Mapped = {key: NoValue() if value is None else value for key, value in row.items()}
    question = variables.pop("input", None)
    if isinstance(question, (list, dict)):
        message = f"the variable 'input' of {name} is no text; it is left out"
        file.losses.add(line, message, "give it another name")
    elif question is not None and str(question).strip():
        case["input"] = question if isinstance(question, str) else _json(question)
    if "expected" in variables:
        case["expected"] = variables.pop("expected")
    for reserved in sorted({"id", "slices"} & variables.keys()):
        message = f"the variable {reserved!r} of {name} is left out: it is a word of the gate's own"
        file.losses.add(line, message, "give the variable another name")
        del variables[reserved]
    if not variables and "input" not in case:
        variables = {"test": name}
    return {**case, **({"vars": variables} if variables else {}), **common}


_EXPECTED = re.compile(r"__expected(\d*)")
_CONFIG = re.compile(r"__config:__expected(\d*):threshold")
_METADATA = "__metadata:"
_METRIC = "__metric"
_COMMA = re.compile(r"(?<!\\),")
_LEFT_OUT = ("__prefix", "__suffix", "__providerOutput")


def tests_of_table(table: Table, file: PromptfooFile, problems: Problems) -> list[Document]:
    """Each row as a test of a configuration."""
    for heading in table.headings:
        if heading in _LEFT_OUT:
            file.losses.add(table.line, f"the column {heading} is left out", "put its text into the prompt")
    return [_test_of_record(record, file) for record in table.records(problems)]


def _test_of_record(record: Record, file: PromptfooFile) -> Document:
    test: Mapped = {}
    variables: Mapped = {}
    metadata: Mapped = {}
    assertions: dict[int, Mapped] = {}
    thresholds: dict[int, float] = {}  # by the number of the assertion; 0 for the whole test
    for heading, cell in record.cells.items():
        if not heading.startswith("__"):
            variables[heading] = cell
        elif match := _EXPECTED.fullmatch(heading):
            assertions[int(match[1] or 1)] = as_mapping(assertion_in_cell(cell, record.line).data)
        elif heading.startswith(_METADATA):
            name = heading.removeprefix(_METADATA)
            parts = [part.replace("\\,", ",").strip() for part in _COMMA.split(cell)]
            metadata[name.removesuffix("[]")] = [*parts] if name.endswith("[]") else cell
        elif heading == "__description":
            test["description"] = cell
        elif (match := _CONFIG.fullmatch(heading)) or heading == "__threshold":
            try:
                thresholds[int(match[1] or 1) if match else 0] = float(cell.strip())
            except ValueError:
                file.losses.add(record.line, f"{heading} is no number; it is left out")
        elif heading not in (*_LEFT_OUT, _METRIC):
            file.losses.add(record.line, f"the column {heading} is not known; it is left out")
    metric = record.cells.get(_METRIC, "").strip()
    for at, row in {0: test, **assertions}.items():
        row |= {"threshold": thresholds[at]} if at in thresholds else {}
        row |= {"metric": metric} if metric and at else {}
    test |= {"vars": variables, "assert": [*assertions.values()], **({"metadata": metadata} if metadata else {})}
    return document_at(test, record.line)
