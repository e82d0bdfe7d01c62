"""Rows of a case file of any form: the gate's own, a table, or what of another tool can mean just one thing.

What such a file has and the gate has not is a mistake here, since nobody would be told of a loss;
`gate cases convert` brings the rest along and names what is lost.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue
from gate.inputs import openaievals
from gate.inputs.caserows import Row, rows
from gate.inputs.nodes import wrap
from gate.inputs.problems import Problems
from gate.inputs.promptfoo import sheet
from gate.inputs.promptfoo.context import Context
from gate.inputs.promptfoo.tests import cases_of as cases_of_test
from gate.inputs.promptfoo.tests import is_test
from gate.inputs.sheets.columns import cases_of as cases_of_table
from gate.inputs.sheets.table import ENDINGS, read_table

CONVERT = "gate cases convert brings along what it can, and names the rest"


@dataclass(frozen=True, slots=True)
class _Losses:
    """Losses as mistakes."""

    problems: Problems

    def add(self, line: int, message: str, hint: str = "") -> None:
        self.problems.add(line, message, f"{hint}; {CONVERT}" if hint else CONVERT)


def is_table(file: str) -> bool:
    """Is this a table of cases, by its name?"""
    return file.lower().endswith(ENDINGS)


def case_rows(text: str, file: str, problems: Problems) -> Iterator[Row]:
    """The rows of a case file in the gate's own form.

    Args:
        text: the file, without a byte order mark.
        file: its path, whose ending tells the form.
        problems: gets what keeps a row from being read.

    Raises:
        InputErrors: the file cannot be read at all.
    """
    if is_table(file):
        return _table(text, file, problems)
    return _own(rows(text, file, problems), problems)


def _own(found: Iterator[Row], problems: Problems) -> Iterator[Row]:
    context = Context(_Losses(problems))
    for number, row in enumerate(found, start=1):
        entries = row.node.value if row.node is not None else None
        if not isinstance(entries, Mapping):
            yield row
        elif is_test(entries):
            located = row.located() if row.located is not None else row.node
            assert located is not None  # noqa: S101
            yield from _rows(cases_of_test(located, number, context), row.line)
        elif openaievals.is_sample(entries):
            assert row.node is not None  # noqa: S101
            case = openaievals.case_of(row.node, number, _Losses(problems))
            yield from _rows([case] if case is not None else [], row.line)
        else:
            yield row


def _table(text: str, file: str, problems: Problems) -> Iterator[Row]:
    table = read_table(text, file)
    if table is None:
        return
    if sheet.is_sheet(table.headings):
        context = Context(_Losses(problems))
        for number, test in enumerate(sheet.tests_of(table, context, problems), start=1):
            yield from _rows(cases_of_test(test, number, context), test.line)
        return
    for record, case in cases_of_table(table, problems):
        yield Row(record.line, wrap(case, record.line))


def _rows(cases: list[dict[str, JsonValue]], line: int) -> Iterator[Row]:
    for case in cases:
        yield Row(line, wrap(case, line))
