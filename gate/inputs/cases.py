"""Case files, as JSON Lines or as a list in JSON: every mistake reported at once."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from gate.domain.case import Case
from gate.domain.jsonvalue import JsonValue
from gate.domain.prompt import Message
from gate.inputs import agentcases, golden
from gate.inputs.caseforms import case_rows, is_table
from gate.inputs.caserows import LIST_ENDING, Row
from gate.inputs.chat import read_messages
from gate.inputs.fields import Fields
from gate.inputs.limits import CASES, CASES_CHARS, LINE_CHARS, PROMPT_CHARS, SHOWN_PROBLEMS
from gate.inputs.names import dimension_complaint, value_complaint
from gate.inputs.nodes import Node, described, plain
from gate.inputs.problems import Problems, one_problem, quoted
from gate.inputs.promptyml import is_prompt_yml, read_test_data
from gate.inputs.scorers.options import read_threshold
from gate.inputs.scorers.read import read_scorers

KEYS = ("id", "input", "messages", "expected", "description", *golden.OPTIONAL)
SLICE = "slice"
"""The dimension that `slice: X` is short for."""

_MEANT = {
    "question": "input",
    "prompt": "input",
    "query": "input",
    "text": "input",
    "answer": "expected",
    "expected_output": "expected",
    "output": "expected",
    "ideal": "expected",
    "label": "expected",
    "target": "expected",
    "tags": "slices",
    "metadata": "slices",
    "group": "cluster",
    "variables": "vars",
    "name": "id",
}
_LATER = ("turns", "tools", "thresholds")
_RESERVED = ("input", "id", "slices", "expected")


def parse(text: str, file: str) -> tuple[Case, ...]:
    """The cases, in the order of the file.

    Args:
        text: JSON Lines, or one list (or a single case) in JSON; blank lines, Windows line ends and a byte order mark
            are let pass. A case is one of the plain form, a golden transcript, or a test of an agent; of a
            `.prompt.yml` the test data are the cases.
        file: path for messages and for `Case.where`; an ending in `.json` says that it is a list.

    Raises:
        InputErrors: every mistake, the first 20 spelled out.
    """
    if len(text) > CASES_CHARS:
        raise one_problem(file, 0, f"is longer than {CASES_CHARS:,} characters", "split it into several suites")
    problems = Problems(file)
    cases: list[Case] = []
    seen: dict[str, int] = {}
    for line, case in _read_all(text.removeprefix("\ufeff"), file, problems):
        if len(cases) >= CASES:
            problems.add(line, f"more than {CASES:,} cases", "split the file")
            break
        if case.id in seen:
            hint = "give each case its own id"
            problems.add(line, f"the id {quoted(case.id)} is already used on line {seen[case.id]}", hint)
        if case.id:
            seen[case.id] = line
        cases.append(case)
    if not cases and not problems.count:
        problems.add(0, "holds no cases", _example(file))
    problems.check()
    return tuple(cases)


def _example(file: str) -> str:
    """How the first case is written."""
    if is_prompt_yml(file):
        return "write testData: [{input: …, expected: …}]"
    if is_table(file):
        return "write the headings id, input and expected, and a row for each case"
    example = '{"id": "1", "input": "…", "expected": "…"}'
    listed = file.lower().endswith(LIST_ENDING)
    return f"write a list: [{example}]" if listed else f"write one JSON object per line: {example}"


def _read_all(text: str, file: str, problems: Problems) -> Iterator[tuple[int, Case]]:
    """Each case with its line; a reader that has seen enough leaves the rest unread."""
    if is_prompt_yml(file):
        for line, case in read_test_data(text, problems):
            yield line, replace(case, where=f"{file}:{line}")
        return
    for row in case_rows(text, file, problems):
        yield row.line, _case(row, problems)


def _case(row: Row, problems: Problems) -> Case:
    if row.node is None:
        return Case("")
    if row.located is None or problems.count >= SHOWN_PROBLEMS:
        return _read(row.node, row.line, problems)
    trial = Problems(problems.file)
    case = _read(row.node, row.line, trial)
    # Only a mistake is worth a second reading that finds the very line.
    return _read(row.located(), row.line, problems) if trial.count else case


def _read(node: Node, line: int, problems: Problems) -> Case:
    fields = Fields(node, "", problems)
    where = f"{problems.file}:{line}"
    if golden.is_transcript(fields.entries):
        case = golden.read_transcript(fields)
        return replace(_common(fields, case), id=_id(fields), where=where)
    if agentcases.is_agent_case(fields.entries):
        fields.only((*agentcases.KEYS, "id", "expected", *golden.OPTIONAL), later=_LATER)
        case = agentcases.read_agent_case(fields)
        return replace(_common(fields, case), id=_id(fields, "id" if fields.has("id") else "name"), where=where)
    fields.only(KEYS, later=_LATER, meant=_MEANT)
    text, messages = read_question(fields)
    case = Case(
        id=_id(fields),
        input=text,
        messages=messages,
        where=where,
        description=fields.text("description", most=PROMPT_CHARS) if fields.has("description") else "",
    )
    return _common(fields, case)


def _common(fields: Fields, case: Case) -> Case:
    """The case with what every form may have, beside the slices, variables and scorers that its form has given it."""
    problems, expected = fields.problems, fields.get("expected")
    slices, variables = read_slices(fields), read_vars(fields)
    for where, given, own in (("slices", slices, case.slices), ("vars", variables, case.vars)):
        for name in own:
            if name in given:
                line, hint = fields.mapping(where).line_of(name), "keep one of the two"
                problems.add(line, f"{name!r} and '{where}.{name}' are the same", hint)
    more = read_scorers(fields.entries["extra_scorers"], problems) if fields.has("extra_scorers") else ()
    return replace(
        case,
        expected=None if expected is None else plain(expected),
        slices={**slices, **case.slices},
        cluster=short_label(fields.get("cluster"), "cluster", problems),
        scorers=read_scorers(fields.entries["scorers"], problems) if fields.has("scorers") else None,
        extra_scorers=(*case.extra_scorers, *more),
        criteria=fields.text("criteria", most=PROMPT_CHARS) if fields.has("criteria") else case.criteria,
        threshold=read_threshold(fields),
        vars={**variables, **case.vars},
        obsolete=fields.flag("obsolete", False),
    )


def _id(fields: Fields, key: str = "id") -> str:
    fields.require(key, f'"{key}": "refund-1"')
    return short_label(fields.get(key), key, fields.problems) or ""


def read_question(fields: Fields) -> tuple[str, tuple[Message, ...]]:
    """The `input` of a row, or its `messages`, of which the last one is the user's; neither where `vars` are all."""
    if fields.has("messages"):
        if fields.has("input"):
            fields.problems.add(fields.line, "a case has either 'input' or 'messages', not both")
        messages = tuple(message for _, message in read_messages(fields.entries["messages"], fields.problems))
        if messages and messages[-1].role != "user":
            fields.problems.add(fields.line, f"the last message must be the user's, not the {messages[-1].role}'s")
        return "", messages
    if not (fields.mapping("vars").entries and not fields.has("input")):
        fields.require("input", '"input": "Where is my order?"')
    return fields.text("input", most=LINE_CHARS), ()


def read_slices(fields: Fields) -> dict[str, str]:
    """Dimension to value."""
    problems = fields.problems
    slices: dict[str, str] = {}
    for dimension, node in fields.mapping("slices").entries.items():
        if complaint := dimension_complaint(dimension):
            problems.add(fields.line, f"the slice dimension {quoted(dimension)} {complaint}")
        slices[dimension] = short_label(node, f"slices.{dimension[:60]}", problems) or ""
    if fields.has("slice"):
        if SLICE in slices:
            problems.add(fields.line, "'slice' and 'slices.slice' are the same dimension", "keep one of the two")
        slices[SLICE] = short_label(fields.get("slice"), "slice", problems) or ""
    return slices


def read_vars(fields: Fields) -> Mapping[str, JsonValue]:
    """Further values for a template."""
    entries = fields.mapping("vars").entries
    for name in _RESERVED:
        if name in entries:
            message = f"vars must not hold {name!r}, which has its own meaning"
            fields.problems.add(entries[name].line, message, "rename it")
    return {name: plain(node) for name, node in entries.items()}


def short_label(node: Node | None, name: str, problems: Problems) -> str | None:
    """A short text; numbers and booleans become text."""
    if node is None:
        return None
    value = node.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if not isinstance(value, str):
        problems.add(node.line, f"{name} must be text, not {described(value)}")
        return None
    if complaint := value_complaint(value):
        problems.add(node.line, f"{name} {complaint}")
        return None
    return value
