"""Files of labelled answers: rows like cases, every mistake reported at once."""

from gate.domain.case import Case
from gate.domain.jsonvalue import digest
from gate.domain.labels import Labelled, Labels, LabelScale
from gate.inputs.caserows import Row, rows
from gate.inputs.cases import read_question, read_slices, read_vars, short_label
from gate.inputs.fields import Fields
from gate.inputs.limits import CASES_CHARS, LABELS, PEOPLE, PROMPT_CHARS
from gate.inputs.nodes import Node, described, plain
from gate.inputs.problems import Problems, one_problem, quoted

KEYS = ("id", "input", "messages", "output", "label", "labels", "expected", "criteria", "slices", "cluster", "vars")
EXAMPLE = '{"id": "1", "input": "…", "output": "…", "label": "pass"}'
WORDS = {"pass": 1.0, "fail": 0.0}

_MEANT = {
    "answer": "output",
    "response": "output",
    "completion": "output",
    "question": "input",
    "prompt": "input",
    "score": "label",
    "grade": "label",
    "verdict": "label",
    "human": "label",
    "reference": "expected",
    "name": "id",
    "group": "cluster",
}
_OF_TWO = (
    *("outputs", "output_a", "output_b", "a", "b"),
    *("chosen", "rejected", "preference", "preferred", "winner", "better"),
)
"""What rows hold that say which of two answers is better."""
_HOW = 'write "pass" or "fail", true or false, or a number'


def parse(text: str, file: str, scale: LabelScale | None = None) -> Labels:
    """The labelled answers, in the order of the file.

    Args:
        text: JSON Lines, or a list in JSON; blank lines, Windows line ends and a byte order mark are let pass.
        file: path for messages; an ending in `.json` says that it is a list.
        scale: on which numbers were given; None for 0 to 1.

    Raises:
        InputErrors: every mistake, the first 20 spelled out.
    """
    if len(text) > CASES_CHARS:
        raise one_problem(file, 0, f"is longer than {CASES_CHARS:,} characters", "calibrate with a sample of it")
    reader = _Reader(Problems(file), scale or LabelScale())
    for row in rows(text.removeprefix("\ufeff"), file, reader.problems):
        if len(reader.lines) >= LABELS:
            reader.problems.add(row.line, f"more than {LABELS:,} answers", "calibrate with a sample of them")
            break
        reader.read(row)
    return reader.labels(text)


class _Reader:
    """Reads row after row, and knows what only all rows together show."""

    def __init__(self, problems: Problems, scale: LabelScale) -> None:
        self.problems, self.scale = problems, scale
        self.rows: list[Labelled] = []
        self.lines: dict[str, int] = {}
        self._first: dict[str, int] = {}

    def read(self, row: Row) -> None:
        """One row; what is wrong with it is noted."""
        found = None if row.node is None else self._row(row.node, row.line)
        key = found.case.id if found else f"\0{row.line}"
        if key in self.lines:
            hint = "give each answer its own id, or leave the ids out"
            self.problems.add(row.line, f"the id {quoted(key)} is already used on line {self.lines[key]}", hint)
        self.lines[key] = row.line
        if found:
            self.rows.append(found)

    def labels(self, text: str) -> Labels:
        """All of them.

        Raises:
            InputErrors: every mistake.
        """
        words, numbers = self._first.get("words"), self._first.get("numbers")
        if words and numbers:
            message = f"has a number for a label, and line {words} has pass or fail"
            self.problems.add(numbers, message, "label all answers in one way")
        if not self.lines and not self.problems.count:
            self.problems.add(0, "holds no labelled answers", f"write one JSON object per line: {EXAMPLE}")
        self.problems.check()
        graded = any(label not in (0.0, 1.0) for row in self.rows for label in row.given)
        return Labels(self.problems.file, digest(text), tuple(self.rows), graded, self.scale)

    def _row(self, node: Node, number: int) -> Labelled | None:
        problems = self.problems
        fields = Fields(node, "", problems)
        if not fields.has("output") and any(map(fields.has, _OF_TWO)):
            if "pairs" not in self._first:
                message = "compares two answers, and a label here is about one: a judge of pairs is not calibrated"
                problems.add(number, message, 'give each answer a row of its own, with "output" and "label"')
            self._first.setdefault("pairs", number)
            return None
        fields.only(KEYS, meant=_MEANT)
        text, messages = read_question(fields)
        case = Case(
            id=short_label(fields.get("id"), "id", problems) or f"line {number}",
            input=text,
            messages=messages,
            expected=plain(fields.entries["expected"]) if fields.has("expected") else None,
            slices=read_slices(fields),
            cluster=short_label(fields.get("cluster"), "cluster", problems),
            criteria=fields.text("criteria", most=PROMPT_CHARS) if fields.has("criteria") else None,
            vars=read_vars(fields),
            where=f"{problems.file}:{number}",
        )
        return Labelled(case, self._output(fields), self._labels(fields))

    def _output(self, fields: Fields) -> str:
        """The answer; an empty one is an answer, too."""
        if not fields.require("output", '"output": "It is on its way."'):
            return ""
        value = fields.entries["output"].value
        if isinstance(value, str):
            return value
        self.problems.add(fields.line_of("output"), f"output must be text, not {described(value)}")
        return ""

    def _labels(self, fields: Fields) -> tuple[float | None, ...]:
        if fields.has("label") == fields.has("labels"):
            both = fields.has("label")
            message = "a row has either 'label' or 'labels', not both" if both else "'label' is missing"
            self.problems.add(fields.line, message, _HOW)
            return ()
        if fields.has("label"):
            return (self._label(fields.entries["label"], "label"),)
        value = fields.entries["labels"].value
        if not isinstance(value, tuple) or not value:
            message = "labels is an empty list" if value == () else f"labels must be a list, not {described(value)}"
            self.problems.add(fields.line, message, "one for each person")
            return ()
        if len(value) > PEOPLE:
            self.problems.add(fields.line, f"labels of more than {PEOPLE} people")
            return ()
        found = tuple(None if one.value is None else self._label(one, "labels") for one in value)
        if all(one.value is None for one in value):
            self.problems.add(fields.line, "labels holds no label", _HOW)
        return found

    def _label(self, node: Node, name: str) -> float | None:
        value = node.value
        if isinstance(value, bool) or (isinstance(value, str) and value.strip().lower() in WORDS):
            self._first.setdefault("words", node.line)
            return float(value) if isinstance(value, bool) else WORDS[str(value).strip().lower()]
        if isinstance(value, (int, float)):
            self._first.setdefault("numbers", node.line)
            if self.scale.holds(value):
                return self.scale.share(value)
            low, high = f"{self.scale.low:g}", f"{self.scale.high:g}"
            hint = "say which scale the labels have: --label-scale 1 5"
            self.problems.add(node.line, f"{name} must lie between {low} and {high}, not {described(value)}", hint)
            return None
        self.problems.add(node.line, f"{name} must be pass or fail or a number, not {described(value)}", _HOW)
        return None
