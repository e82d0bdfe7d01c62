"""Answers labelled by people, for the calibration of judges."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from gate.cases.case import Case
from gate.cases.forms import CaseModel, Label, Line, Text, check_question, check_slices, check_vars
from gate.cases.label_sheets import labelled_rows
from gate.cases.reading import documents, is_table, where_of
from gate.config.documents import Document, described, one_problem, quoted
from gate.config.validation import attempt, file_schema, missing, value_error, value_errors
from gate.errors import InputErrors, Problem
from gate.limits import LABELS, PEOPLE
from gate.prompts.reading import Turn
from gate.values import digest


@dataclass(frozen=True, slots=True)
class LabelScale:
    """The scale of numeric labels, such as 1 to 5 of a rubric, or 0 to 1."""

    low: float = 0.0
    high: float = 1.0

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def share(self, value: float) -> float:
        """Convert a number of the scale to [0, 1]."""
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Labelled:
    """One labelled answer.

    Args:
        case: question, criteria, reference, slices and cluster.
        labels: one per person, in [0, 1]; None for a missing one.
    """

    case: Case
    output: str
    labels: tuple[float | None, ...]

    @property
    def given(self) -> tuple[float, ...]:
        return tuple(one for one in self.labels if one is not None)


@dataclass(frozen=True, slots=True)
class Labels:
    """A file of labelled answers.

    Args:
        rows: in file order, at least one.
        graded: labels are numbers, not pass or fail.
        scale: of the numbers in the file.
    """

    file: str
    digest: str
    rows: tuple[Labelled, ...]
    graded: bool
    scale: LabelScale

    @property
    def people(self) -> int:
        """The largest number of labels of one answer."""
        return max(len(row.given) for row in self.rows)


EXAMPLE = '{"id": "1", "input": "…", "output": "…", "label": "pass"}'
WORDS = {"pass": 1.0, "fail": 0.0}
_HOW = 'write "pass" or "fail", true or false, or a number'
_OF_TWO = frozenset("outputs output_a output_b a b chosen rejected preference preferred winner better".split())
"""What rows hold that say which of two answers is better."""


class LabelRow(CaseModel):
    """One recorded answer, and what people say of it."""

    meant = {
        **dict.fromkeys(("answer", "response", "completion"), "output"),
        **dict.fromkeys(("question", "prompt"), "input"),
        **dict.fromkeys(("score", "grade", "verdict", "human"), "label"),
        **{"reference": "expected", "name": "id", "group": "cluster"},
    }

    id: Label | None = None
    """Unique in the file; a row without one is called after its place."""
    input: Line | None = None
    """What was asked."""
    messages: Annotated[list[Turn], Field(min_length=1)] | None = None
    """A conversation that ends with the user's turn, in place of input."""
    output: Annotated[str, Field(examples=["It is on its way."])]
    """The answer; an empty one is an answer, too."""
    label: str | bool | float | None = None
    """pass or fail, true or false, or a number of the scale."""
    labels: Annotated[list[str | bool | float | None], Field(min_length=1, max_length=PEOPLE)] | None = None
    """One for each person; null for one who gave none."""
    expected: Any = None
    """The reference answer."""
    criteria: Text | None = None
    """Replaces the criteria of the judge."""
    slices: dict[str, Label] | None = None
    """Dimension to value."""
    cluster: Label | None = None
    """Rows with the same value are variants of one source."""
    vars: dict[str, Any] | None = None
    """Further values for a template."""

    _slices = field_validator("slices")(check_slices)
    _vars = field_validator("vars")(check_vars)

    @field_validator("label", "labels")
    @classmethod
    def _words(cls, given: Any) -> Any:
        for one in given if isinstance(given, list) else [given]:
            if isinstance(one, str) and one.strip().lower() not in WORDS:
                raise value_error(f"must be pass or fail or a number, not {described(one)}", _HOW)
        if isinstance(given, list) and all(one is None for one in given):
            raise value_error("has no label", _HOW)
        return given

    @model_validator(mode="after")
    def _check_combination(self) -> "LabelRow":
        check_question(self.input, self.messages, self.vars)
        if self.label is not None and self.labels is not None:
            raise value_errors((("labels",), "and 'label' cannot be combined", "remove one of the two"))
        if self.label is None and self.labels is None:
            raise missing("label", "label: pass")
        return self

    @property
    def given(self) -> Sequence[str | bool | float | None]:
        """The labels as in the file."""
        return [self.label] if self.labels is None else self.labels

    def case(self, where: str, name: str) -> Case:
        """The case of the row."""
        return Case(
            id=self.id if self.id is not None else name,
            input=self.input or "",
            messages=tuple(turn.message for turn in self.messages or ()),
            expected=self.expected,
            slices=self.slices or {},
            cluster=self.cluster,
            criteria=self.criteria,
            vars=self.vars or {},
            where=where,
        )


def parse(text: str, file: str, scale: LabelScale | None = None) -> Labels:
    """Read a file of labelled answers: JSON Lines, JSON, YAML or a table.

    Args:
        scale: of numeric labels; None for 0 to 1.
    """
    problems: list[Problem] = []
    found: list[tuple[Document, LabelRow]] = []
    for number, document in enumerate(_documents(text.removeprefix("\ufeff"), file, problems)):
        if number >= LABELS:
            problems.append(document.problem((), f"more than {LABELS:,} answers", "use a sample of them"))
            break
        if (row := _row(document, problems)) is not None:
            found.append((document, row))
    if not found and not problems:
        how = f"write one JSON object per line: {EXAMPLE}"
        how = "write the headings input, output and label, and a row for each answer" if is_table(file) else how
        raise one_problem(file, 0, "has no labelled answers", how)
    rows = _labelled(found, scale or LabelScale(), problems)
    if problems:
        raise InputErrors(problems)
    graded = any(label not in (0.0, 1.0) for row in rows for label in row.given)
    return Labels(file, digest(text), tuple(rows), graded, scale or LabelScale())


def _documents(text: str, file: str, problems: list[Problem]) -> Iterable[Document]:
    if not is_table(file):
        return documents(text, file, problems)
    return labelled_rows(text, file, LabelRow.model_fields, LabelRow.meant, _OF_TWO)


def _row(document: Document, problems: list[Problem]) -> LabelRow | None:
    data = document.data if isinstance(document.data, dict) else {}
    if "output" not in data and _OF_TWO & data.keys():
        said = "has labels for pairs of answers; only labels for single answers can be used"
        if not any(one.message.endswith(said) for one in problems):
            hint = 'give each answer a row of its own, with "output" and "label"'
            problems.append(document.problem((), f"{document.name_of(())} {said}".strip(), hint))
        return None
    row, errors = attempt(LabelRow, document)
    problems += errors
    return row


def _labelled(found: Sequence[tuple[Document, LabelRow]], scale: LabelScale, problems: list[Problem]) -> list[Labelled]:
    """Convert the rows, and check them together."""
    rows: list[Labelled] = []
    places: dict[str, str] = {}
    kinds: dict[bool, Document] = {}
    for document, row in found:
        where = where_of(document)
        place = where.removeprefix(f"{document.file}:")
        place = f"line {place}" if document.line_of() else place
        case = row.case(where, place)
        if case.id in places:
            hint = "give each answer its own id, or leave out the ids"
            said = f"the id {quoted(case.id)} is already used on {places[case.id]}"
            problems.append(document.problem((), said, hint))
        places[case.id] = place
        for label in row.given:
            if label is not None:
                kinds.setdefault(_is_number(label), document)
            if _is_number(label) and not scale.holds(float(label or 0)):
                said = f"the label must lie between {scale.low:g} and {scale.high:g}, not {described(label)}"
                problems.append(document.problem((), said, "give the scale of the labels: --label-scale 1 5"))
        rows.append(Labelled(case, row.output, tuple(_share(label, scale) for label in row.given)))
    if len(kinds) == 2:
        said = f"has a number for a label, and {where_of(kinds[False])} has pass or fail"
        problems.append(kinds[True].problem((), said, "use one kind of label in the file"))
    return rows


def _is_number(label: str | bool | float | None) -> bool:
    return isinstance(label, int | float) and not isinstance(label, bool)


def _share(label: str | bool | float | None, scale: LabelScale) -> float | None:
    if label is None:
        return None
    if isinstance(label, str):
        return WORDS[label.strip().lower()]
    return float(label) if isinstance(label, bool) else scale.share(label)


def labels_schema() -> dict[str, Any]:
    """The JSON Schema of a line of a file of labels."""
    return file_schema(LabelRow, "label")
