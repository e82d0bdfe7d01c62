"""Converts promptfoo tests to cases: one for each combination of listed variables."""

import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gate.cases.case import SlowTemplate
from gate.cases.promptfoo_assertions import from_text, model_of, scorers_of
from gate.cases.promptfoo_context import FILE, Context, items, parsed, value_at, values
from gate.cases.tables import Record, Table
from gate.cases.turns import OWN, with_kept
from gate.config.documents import Document, Problems, one_problem, quoted
from gate.config.values import dimension_complaint, value_complaint
from gate.templates.nunjucks import NoValue, render, to_jinja
from gate.templates.rendering import compile_template
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue

COMBINATIONS = 1_000
"""Cases that one test may stand for."""
_OPTIONS_KEPT = frozenset({"disableVarExpansion", "disableDefaultAsserts", "provider"})
_PLAIN = 1e21
"""JavaScript writes whole numbers from here on with an exponent."""
_TRANSFORMS = frozenset({"transform", "postprocess"})


@dataclass(frozen=True, slots=True)
class Default:
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


NOTHING = Default()


def default_of(node: Document | None, context: Context) -> Default:
    """Read `defaultTest`."""
    if node is None or not isinstance(node.data, dict):
        return NOTHING
    entries = node.entries()
    _add_unsupported_losses(entries, context, "defaultTest")
    options = entries.get("options")
    scorers = scorers_of(entries.get("assert"), context, "defaultTest")
    grader = values(options).get("provider") if options is not None else None
    if grader is not None and options is not None:
        _add_grader_loss(grader, context, options.line)
        _grade(scorers, grader)
    return Default(
        vars=_vars(entries.get("vars"), context, "defaultTest"),
        scorers=scorers,
        metadata=values(entries["metadata"]) if "metadata" in entries else {},
        threshold=entries["threshold"].data if "threshold" in entries else None,
        grader=grader,
    )


def cases_of(
    node: Document,
    number: int,
    context: Context,
    default: Default = NOTHING,
    more: Mapping[str, Document] | None = None,
) -> list[dict[str, JsonValue]]:
    """The cases of one test.

    Args:
        more: variables of a scenario; they override defaults, and the test overrides them.
    """
    place = f"test {number}"
    if not isinstance(node.data, dict):
        context.losses.add(node.line, f"{place} is not a mapping and is left out", "write vars: …")
        return []
    entries = node.entries()
    _add_unsupported_losses(entries, context, place)
    options = values(entries["options"]) if "options" in entries else {}
    scorers = scorers_of(entries.get("assert"), context, place)
    if options.get("provider") is not None and scorers:
        _add_grader_loss(options["provider"], context, entries["options"].line)
    _grade(scorers, options.get("provider", default.grader))
    shared = _shared(entries, context, place, default)
    if scorers:
        alone = options.get("disableDefaultAsserts") is True or not default.scorers
        shared["scorers" if alone else "extra_scorers"] = scorers
    if options.get("disableDefaultAsserts") is True and default.scorers and not scorers:
        context.losses.add(node.line, f"{place} sets the default assertions aside and has no others, so they stay")
    own = _vars(entries.get("vars"), context, place)
    given = _read_vars(more or {}, context, place)
    variables = {**default.vars, **given, **own}
    expanded = options.get("disableVarExpansion") is not True
    rows = list(_combined(variables, expanded, node.line, context, place))
    names = [f"test-{number}"] if len(rows) == 1 else [f"test-{number}-{at}" for at in range(1, len(rows) + 1)]
    cases = [_case(name, row, shared, node.line, context) for name, row in zip(names, rows, strict=True)]
    for case in cases:
        context.limits.hold(len(_written(case)), node.line)
    kept = values(entries["metadata"]).get(OWN) if "metadata" in entries else None
    return [with_kept(case, kept) for case in cases] if kept is not None else cases


def _add_unsupported_losses(entries: Mapping[str, Document], context: Context, place: str) -> None:
    for key, node in entries.items():
        if key in ("vars", "assert", "description", "threshold", "metadata"):
            continue
        if key == "options":
            left = sorted(values(node).keys() - _OPTIONS_KEPT)
            if left:
                remedy = "the scorers see the answer as it comes" if _TRANSFORMS & {*left} else ""
                context.losses.add(node.line, f"options {', '.join(left)} of {place} are left out", remedy)
            continue
        context.losses.add(node.line, f"{quoted(key)} of {place} is left out")


def _shared(entries: Mapping[str, Document], context: Context, place: str, default: Default) -> dict[str, JsonValue]:
    """The fields that all cases of a test share, except variables and scorers."""
    shared: dict[str, JsonValue] = {}
    description = entries.get("description")
    if description is not None and isinstance(description.data, str) and description.data.strip():
        shared["description"] = description.data
    threshold = entries["threshold"].data if "threshold" in entries else default.threshold
    if threshold is not None:
        if isinstance(threshold, (int, float)) and not isinstance(threshold, bool) and 0 < threshold <= 1:
            shared["threshold"] = threshold
        else:
            line = entries["threshold"].line if "threshold" in entries else 0
            context.losses.add(line, f"threshold {threshold} of {place} is left out: it must be above 0 and at most 1")
    metadata = {**default.metadata, **(values(entries["metadata"]) if "metadata" in entries else {})}
    slices = slices_of(metadata, context, entries["metadata"].line if "metadata" in entries else 0, place)
    if slices:
        shared["slices"] = dict(slices)
    return shared


def slices_of(metadata: Mapping[str, JsonValue], context: Context, line: int, place: str) -> dict[str, JsonValue]:
    """Short values of metadata as slices; the rest become losses."""
    slices: dict[str, JsonValue] = {}
    for key, value in metadata.items():
        if key == OWN:
            continue
        found = value if isinstance(value, str) else "true" if value is True else "false" if value is False else ""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            found = str(value)
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            for item in value:
                name = f"{key}:{item}"
                if dimension_complaint(name):
                    said = f"{quoted(str(item))} in the metadata {quoted(key)} of {place} cannot name a slice"
                    context.losses.add(line, said)
                else:
                    slices[name] = "yes"
            continue
        if not found or dimension_complaint(key) or value_complaint(found):
            context.losses.add(line, f"metadata {quoted(key)} of {place} is not a short text and is left out")
            continue
        slices[key] = found
    return slices


def _vars(node: Document | None, context: Context, place: str) -> dict[str, Document]:
    if node is None or node.data is None:
        return {}
    if isinstance(node.data, str) and node.data.startswith(FILE):
        text = context.text(node.data, node.line, f"vars of {place}")
        loaded = parsed(text, node.data) if text is not None else None
        node = loaded if loaded is not None else value_at({}, node.line)
    if not isinstance(node.data, dict):
        context.losses.add(node.line, f"vars of {place} are not a mapping and are left out")
        return {}
    return _read_vars(node.entries(), context, place)


def _read_vars(entries: Mapping[str, Document], context: Context, place: str) -> dict[str, Document]:
    """Variables, with files replaced by their content."""
    found: dict[str, Document] = {}
    for name, value in entries.items():
        if any(map(_in_file, items(value))):
            what = f"the variable {name} of {place}"
            read = [one for item in items(value) if (one := _read(item, context, what)) is not None]
            if read:
                several = [one.data for one in read]
                found[name] = value_at(several if isinstance(value.data, list) else several[0], value.line)
            continue
        found[name] = value
    return found


def _in_file(node: Document) -> bool:
    return isinstance(node.data, str) and node.data.startswith(FILE)


def _read(node: Document, context: Context, what: str) -> Document | None:
    """A value, or the content of its file; None and a loss if it is not available."""
    if not isinstance(node.data, str) or not _in_file(node):
        return node
    text = context.text(node.data, node.line, what)
    if text is None:
        return None
    found = parsed(text, node.data) if node.data.lower().endswith((".yaml", ".yml")) else None
    return value_at(text.strip() if found is None else _written(found.data), node.line)


def _combined(
    variables: Mapping[str, Document], expanded: bool, line: int, context: Context, place: str
) -> Iterator[dict[str, JsonValue]]:
    """The variables of each case: promptfoo runs every combination of lists of texts."""
    rows = {name: node.data for name, node in variables.items()}
    lists = {name: value for name, value in rows.items() if expanded and _expands(value)}
    count = math.prod(len(value) for value in lists.values() if isinstance(value, list))
    if count > COMBINATIONS:
        message = f"{place} stands for {count:,} combinations, of which the first {COMBINATIONS:,} are converted"
        context.losses.add(line, message, "write fewer values")
    choices = [[(name, item) for item in value] for name, value in lists.items() if isinstance(value, list)]
    lines = {name: node.line for name, node in variables.items()}
    for chosen in itertools.islice(itertools.product(*choices), COMBINATIONS):
        row = {name: _as_inserted(value) for name, value in {**rows, **dict(chosen)}.items()}
        yield {name: _filled(name, row, lines[name], context, place) for name in row}


def _as_inserted(value: JsonValue, whole: bool = True) -> JsonValue:
    """A variable as promptfoo inserts it into a prompt: without the last line break, and 1.0 as 1."""
    if isinstance(value, str):
        return value.removesuffix("\n") if whole else value
    if isinstance(value, list):
        return [_as_inserted(item, False) for item in value]
    if isinstance(value, dict):
        return {key: _as_inserted(item, False) for key, item in value.items()}
    return int(value) if isinstance(value, float) and float.is_integer(value) and abs(value) < _PLAIN else value


def _filled(name: str, row: Mapping[str, JsonValue], line: int, context: Context, place: str) -> JsonValue:
    """Render a variable that may be a template of other variables; unknown ones are empty."""
    value = row[name]
    if not isinstance(value, str) or not ("{{" in value or "{%" in value):
        return value
    try:
        with context.limits.filling(line) as seconds:
            text = to_jinja(value)
            names = compile_template(text).names
            given = {**dict.fromkeys(names, NoValue()), **row}
            filled = value if "env" in names else render(text, given, seconds)
    except BadTemplate as error:
        if error.slow:
            said = f"the variable {name} of {place} takes too long to fill in"
            raise SlowTemplate(one_problem("tests", line, said, "write its text").problems) from None
        filled = value
    context.limits.hold(len(filled), line)
    if "{{" in filled or "{%" in filled:
        message = f"the variable {name} of {place} holds a template, which is not filled in"
        context.losses.add(line, message, "write its text")
        return value
    return filled


def _expands(value: JsonValue) -> bool:
    """Is it a list of texts? The first item decides, as in promptfoo."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], str)


def _case(
    name: str, row: Mapping[str, JsonValue], shared: Mapping[str, JsonValue], line: int, context: Context
) -> dict[str, JsonValue]:
    case: dict[str, JsonValue] = {"id": name}
    variables: dict[str, JsonValue] = {key: NoValue() if value is None else value for key, value in row.items()}
    said = variables.pop("input", None)
    if isinstance(said, (list, dict)):
        context.losses.add(line, f"the variable 'input' of {name} is no text; it is left out", "give it another name")
    elif said is not None and str(said).strip():
        case["input"] = said if isinstance(said, str) else _written(said)
    if "expected" in variables:
        case["expected"] = variables.pop("expected")
    for taken in ("id", "slices"):
        if taken in variables:
            message = f"the variable {taken!r} of {name} is left out: it is a word of the gate's own"
            context.losses.add(line, message, "give the variable another name")
            del variables[taken]
    if not variables and "input" not in case:
        variables = {"test": name}
    return {**case, **({"vars": variables} if variables else {}), **shared}


def _written(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _grade(scorers: Sequence[JsonValue], provider: JsonValue) -> None:
    """Set the judge model of assertions that name none."""
    model = model_of(provider)
    for scorer in scorers if model is not None else ():
        judge = scorer.get("judge") if isinstance(scorer, dict) else None
        if isinstance(judge, dict):
            judge.setdefault("model", model)


def _add_grader_loss(provider: JsonValue, context: Context, line: int) -> None:
    if model_of(provider) is None:
        context.losses.add(line, "the grader is not a model of the gate", "name a model of the judge")


_EXPECTED = re.compile(r"__expected(\d*)")
_CONFIG = re.compile(r"__config:__expected(\d*):threshold")
_METADATA = "__metadata:"
_METRIC = "__metric"
_COMMA = re.compile(r"(?<!\\),")
_LEFT_OUT = ("__prefix", "__suffix", "__providerOutput")


def tests_of(table: Table, context: Context, problems: Problems) -> list[Document]:
    """Convert each row to a test as in a configuration."""
    for heading in table.headings:
        if heading in _LEFT_OUT:
            context.losses.add(table.line, f"the column {heading} is left out", "put its text into the prompt")
    return [_test(record, context) for record in table.records(problems)]


def _test(record: Record, context: Context) -> Document:
    test: dict[str, JsonValue] = {}
    variables: dict[str, JsonValue] = {}
    metadata: dict[str, JsonValue] = {}
    asserts: dict[int, dict[str, JsonValue]] = {}
    thresholds: dict[int, float | None] = {}  # by the number of the assertion; 0 for the whole test
    for heading, cell in record.cells.items():
        if not heading.startswith("__"):
            variables[heading] = cell
        elif found := _EXPECTED.fullmatch(heading):
            asserts[int(found[1] or 1)] = values(from_text(cell, record.line))
        elif heading.startswith(_METADATA):
            name = heading.removeprefix(_METADATA)
            metadata[name.removesuffix("[]")] = list(_items(cell)) if name.endswith("[]") else cell
        elif heading == "__description":
            test["description"] = cell
        elif (found := _CONFIG.fullmatch(heading)) or heading == "__threshold":
            thresholds[int(found[1] or 1) if found else 0] = _number(cell, heading, record.line, context)
        elif heading not in (*_LEFT_OUT, _METRIC):
            context.losses.add(record.line, f"the column {heading} is not known; it is left out")
    metric = record.cells.get(_METRIC, "").strip()
    for at, row in {0: test, **asserts}.items():
        row |= {"threshold": thresholds[at]} if thresholds.get(at) is not None else {}
        row |= {"metric": metric} if metric and at else {}
    test |= {"vars": variables, "assert": list(asserts.values())}
    return value_at(test | ({"metadata": metadata} if metadata else {}), record.line)


def _number(cell: str, heading: str, line: int, context: Context) -> float | None:
    """The number in a cell; None and a loss if it is not a number."""
    try:
        return float(cell.strip())
    except ValueError:
        context.losses.add(line, f"{heading} is no number; it is left out")
        return None


def _items(cell: str) -> list[str]:
    return [part.replace("\\,", ",").strip() for part in _COMMA.split(cell)]
