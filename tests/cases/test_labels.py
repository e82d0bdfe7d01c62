"""Files of labelled answers: valid lines, and every error message."""

import csv
import io
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate import limits
from gate.cases import labels
from gate.cases.labels import Labels, LabelScale
from gate.errors import InputErrors
from gate.messages import Message
from tests.config.texts import errors


def read(*rows: object, scale: LabelScale | None = None) -> Labels:
    return labels.parse("\n".join(json.dumps(row) for row in rows), "l.jsonl", scale)


def wrong(*rows: object, scale: LabelScale | None = None) -> list[str]:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    return errors(lambda: labels.parse("\n".join(lines), "l.jsonl", scale)).splitlines()


def row(**changes: object) -> dict[str, object]:
    return {"input": "Where?", "output": "Here.", "label": "pass"} | changes


KEYS = sorted(labels.LabelRow.model_fields)


def test_a_whole_row() -> None:
    line = row(
        id="a",
        expected={"x": 1},
        criteria="Is kind.",
        slices={"tier": "pro"},
        cluster=3,
        vars={"name": "Ada"},
    )
    (found,) = read(line).rows
    case = found.case
    assert (case.id, case.input, case.expected, case.criteria) == ("a", "Where?", {"x": 1}, "Is kind.")
    assert (case.slices, case.cluster, case.vars) == ({"tier": "pro"}, "3", {"name": "Ada"})
    assert (found.output, found.labels, case.where) == ("Here.", (1.0,), "l.jsonl:1")


def test_a_conversation() -> None:
    line = {"messages": [{"role": "user", "content": "Hi"}], "output": "", "label": False}
    (found,) = read(line).rows
    assert (found.case.messages, found.output, found.labels) == ((Message("user", "Hi"),), "", (0.0,))


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("pass", 1.0),
        ("FAIL", 0.0),
        (True, 1.0),
        (0.25, 0.25),
    ],
)
def test_labels(label: object, value: float) -> None:
    found = read(row(label=label))
    assert found.rows[0].labels == (value,)
    assert found.graded == (value == 0.25)


def test_all_errors_at_once() -> None:
    found = wrong(
        row(label="maybe"),
        row(label=7),
        {"input": "a", "label": "pass"},
        {"input": "a", "output": "b"},
        {"input": "a", "output": "b", "label": "pass", "labels": ["pass"]},
        {"input": "a", "output": 3, "labels": []},
        {"input": "a", "output": "b", "labels": [None]},
        row(answer="x"),
        "{",
        "[]",
        row(id="x"),
        row(id="x"),
    )
    text = "\n".join(found)
    for line, message in [
        (1, "label must be pass or fail or a number, not 'maybe'"),
        (2, "label must lie between 0 and 1, not 7"),
        (3, "'output' is missing"),
        (4, "'label' is missing"),
        (5, "labels and 'label' cannot be combined"),
        (6, "output must be text, not 3"),
        (6, "labels is empty"),
        (7, "labels has no label"),
        (8, "unknown key 'answer'"),
        (9, "invalid JSON"),
        (10, "must be a mapping, not an empty list"),
        (12, "the id 'x' is already used on line 11"),
    ]:
        assert any(f"l.jsonl:{line}:" in one and message in one for one in found), (message, text)
    assert "--label-scale 1 5" in text


def test_preferences_are_rejected_with_one_error() -> None:
    pairs: list[dict[str, object]] = [
        {"input": "q", "outputs": ["x", "y"], "label": "first"},
        {"input": "q", "output_a": "x", "output_b": "y", "preference": "tie"},
        {"input": "q", "chosen": "x", "rejected": "y"},
    ]
    first, second = wrong(*pairs, row(label="tie"))
    assert first.startswith("l.jsonl:1: has labels for pairs of answers")
    assert "give each answer a row of its own" in first
    assert second.startswith("l.jsonl:4: label must be pass or fail or a number, not 'tie'")


def test_words_and_numbers_do_not_mix() -> None:
    (found,) = wrong(row(), row(label=0.5))
    assert "l.jsonl:2: has a number for a label, and l.jsonl:1 has pass or fail" in found


def test_sizes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    many = {"input": "a", "output": "b", "labels": ["pass"] * (limits.PEOPLE + 1)}
    assert "labels has more than 50 entries" in wrong(many)[0]
    monkeypatch.setattr(labels, "LABELS", 2)
    assert any("l.jsonl:3: more than 2 answers" in one for one in wrong(row(), row(), row()))


def sheet(text: str, scale: LabelScale | None = None, file: str = "l.csv") -> Labels:
    return labels.parse(text, file, scale)


def test_a_sheet_gives_the_same_rows_as_json_lines() -> None:
    head = "id,Input,output,label:ann,label:bob,expected:json,slice:tier,vars.name,cluster,criteria\n"
    rows = 'a,Where?,Here.,pass,FAIL,"{""x"": 1}",pro,Ada,3,Is kind.\nb,When?,,,true,,,,,\n'
    lines = [
        row(id="a", label=None, labels=["pass", "FAIL"], expected={"x": 1}, criteria="Is kind.", cluster=3)
        | {"slices": {"tier": "pro"}, "vars": {"name": "Ada"}},
        {"id": "b", "input": "When?", "output": "", "labels": [None, True]},
    ]
    there = read(*lines).rows
    for text, file in (("\ufeff" + head + rows, "l.csv"), ((head + rows).replace(",", "\t"), "l.tsv")):
        found = sheet(text, file=file).rows
        assert [(one.output, one.labels) for one in found] == [(one.output, one.labels) for one in there]
        for one, other in zip(found, there, strict=True):
            assert replace(one.case, where="") == replace(other.case, where="")
        assert found[1].case.where == f"{file}:3"


@pytest.mark.parametrize(
    ("cell", "value"),
    [("pass", 1.0), (" Fail ", 0.0), ("TRUE", 1.0), ("3", 0.5), ('"2,5"', 0.375), ("1.0", 0.0), ("500 %", 1.0)],
)
def test_labels_as_spreadsheets_write_them(cell: str, value: float) -> None:
    found = sheet(f"input,output,label\na,b,{cell}\n", LabelScale(1, 5))
    assert found.rows[0].labels == (value,)


def test_a_conversation_in_a_cell() -> None:
    (found,) = sheet('messages,output,label\n"[{""role"": ""user"", ""content"": ""Hi""}]",b,pass\n').rows
    assert found.case.messages == (Message("user", "Hi"),)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("input,output,label\na,b,maybe\n", "l.csv:2: label must be pass or fail or a number, not 'maybe'", "write"),
        ("input,output,label\na,b,7\n", "l.csv:2: the label must lie between 0 and 1, not 7", "--label-scale 1 5"),
        ("input,output,label\na,b,\n", "l.csv:2: 'label' is missing", "label: pass"),
        ("input,label\na,pass\n", "l.csv:2: 'output' is missing", ""),
        ("input,answer,label\na,b,pass\n", "l.csv:1: unknown column 'answer'", "did you mean 'output'?; or name it"),
        ("input,output,lebel\na,b,pass\n", "l.csv:1: unknown column 'lebel'", "'label'"),
        ("input,output,label,label:ann\na,b,pass,pass\n", "l.csv:1: the columns of several people and 'label'", ""),
        ("input,output,label:ann,label:bob\na,b,,\n", "l.csv:2: labels has no label", ""),
        ("input,Input,output,label\na,c,b,pass\n", "l.csv:1: the columns 'input' and 'Input' both mean input", ""),
        ("input,output,label\na,b,pass\na,b,0.5\n", "l.csv:3: has a number for a label, and l.csv:2 has", ""),
        ("id,input,output,label\nx,a,b,pass\nx,a,b,fail\n", "l.csv:3: the id 'x' is already used on line 2", ""),
        ("input,output_a,output_b,preference\na,b,c,tie\n", "l.csv:2: has labels for pairs of answers", "row of its"),
        ("input,output,label\n", "l.csv: has no labelled answers", "write the headings input, output and label"),
        ("", "l.csv: has no labelled answers", "write the headings"),
        ("input,output,label\na,b,pass,c\n", "l.csv:2: the row has 4 cells, and the headings are 3", "quotes"),
        ("messages,output,label\nHi,b,pass\n", "l.csv:2: column 'messages': ", "its cells are JSON"),
    ],
)
def test_errors_of_a_sheet_name_the_cell_and_the_remedy(text: str, message: str, hint: str) -> None:
    found = errors(lambda: sheet(text))
    assert message in found and hint in found


OUTPUT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="'"), max_size=8)
LABELS = st.sampled_from(["pass", "fail"]) | st.booleans()
NUMBERS = st.floats(0, 1).map(lambda number: round(number, 3))


@given(st.lists(st.tuples(OUTPUT, LABELS), min_size=1) | st.lists(st.tuples(OUTPUT, NUMBERS), min_size=1))
def test_any_sheet_of_answers_is_read_as_json_lines_are(rows: list[tuple[str, object]]) -> None:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([("input", "output", "label"), *(("q", *one) for one in rows)])
    there = read(*({"input": "q", "output": output, "label": label} for output, label in rows))
    assert [(one.output, one.labels) for one in sheet(out.getvalue()).rows] == [
        (one.output, one.labels) for one in there.rows
    ]


HEADINGS = st.lists(st.sampled_from([*KEYS, "label:ann", "slice:a", "vars.b", "input:json"]), unique=True)
SHEETS = st.tuples(HEADINGS, st.lists(st.text(max_size=8), max_size=12)).map(
    lambda lines: "\n".join(map(",".join, lines))
)


@given(st.sampled_from(["l.jsonl", "l.csv"]), st.one_of(st.text(max_size=80), SHEETS, st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
).map(json.dumps)))  # fmt: skip
def test_anything_is_read_or_refused(file: str, text: str) -> None:
    try:
        found = labels.parse(text, file)
    except InputErrors:
        return
    assert all(0.0 <= one <= 1.0 for each in found.rows for one in each.given)
    assert all(each.given for each in found.rows)
