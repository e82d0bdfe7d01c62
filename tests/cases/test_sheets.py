"""Tables of cases: those of spreadsheets are read, and others give an error with a line."""

import csv
import io
import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cases.convert import import_cases
from gate.cases.reading import parse
from gate.cases.tables import columns_of, guarded, read_table, row_of, unguarded
from gate.config.documents import Problems
from gate.errors import InputErrors

CELL = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ['"', "a\r\nb", "\r", ";", "=1+1", "'=1", "''-", "-5", "+3,5", "@x", "\tx", " x "]
)


def test_a_table_as_spreadsheets_save_it() -> None:
    text = (
        "Question;Expected answer;slice:tier;Slice:lang;Tone;Threshold;Obsolete;;\r\n"
        '"Where is\r\nmy ""order""?";tracking;free;de;kind;0,8;no;;\r\n'
        ";;;;;;;;\r\n\r\n"
        "How much?;3,50; pro ;;;;yes;;\r\n"
    )
    first, second = parse("\ufeff" + text, "evals/sheet.csv")
    assert (first.id, first.input, first.where) == ("row-1", 'Where is\r\nmy "order"?', "evals/sheet.csv:2")
    assert (first.expected, first.threshold, first.vars) == ("tracking", 0.8, {"Tone": "kind"})
    assert first.slices == {"tier": "free", "lang": "de"}
    assert (second.id, second.expected, second.slices, second.obsolete) == ("row-2", "3,50", {"tier": "pro"}, True)
    assert second.where == "evals/sheet.csv:6"


def test_the_headings_decide_the_separator() -> None:
    for text, file in [
        ("id,input\n1,a;b\n", "c.csv"),
        ("id;input\n1;a;\n", "c.csv"),
        ("id\tinput\n1\ta,b\n", "c.tsv"),
        ("sep=|\nid|input\n1|a,b;c\n", "c.csv"),
        ('"sep=;"\r\nid;input\r\n1;a,b\r\n', "c.csv"),
        ("sep=;;\r\nid;input\r\n1;a,b\r\n", "c.csv"),
        ('"id, or so",input\n1,2\n', "c.csv"),
    ]:
        assert len(parse(text, file)) == 1


def test_numbers_as_spreadsheets_show_them() -> None:
    rows = "id;input;threshold\n1;a;70%\n2;b;62,5 %\n3;c;0,7\n4;d;1\n"
    assert [case.threshold for case in parse(rows, "c.csv")] == [0.7, 0.625, 0.7, 1]


def test_what_headings_mean() -> None:
    headings = ["ID", "Input", "question", "vars.question", "output", "Slice:Tier", "expected:json", "user input"]
    found = columns_of(headings)
    assert [column.meaning for column in found] == [
        "id", "input", "vars.question", "vars.question", "vars.output", "slices.Tier", "expected", "vars.user input",
    ]  # fmt: skip


@pytest.mark.threat("file-formula")
@given(rows=st.lists(st.lists(CELL, min_size=2, max_size=2), max_size=4), separator=st.sampled_from([",", ";", "\t"]))
def test_every_cell_comes_back_and_none_is_a_formula(rows: list[list[str]], separator: str) -> None:
    text = row_of(["a", "b"], separator) + "".join(row_of([guarded(cell) for cell in row], separator) for row in rows)
    table = read_table(text, "c.csv")
    assert table is not None
    found = [record.cells for record in table.records(Problems("c.csv"))]
    expected = [{name: cell for name, cell in zip("ab", row, strict=True) if cell} for row in rows]
    assert found == [row for row in expected if row]
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
        for cell in row:
            number = cell.lstrip("+-").replace(",", "").replace(".", "").rstrip("%").isdigit()
            assert number or not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert all(unguarded(guarded(cell)) == cell for row in rows for cell in row)
    assert [guarded(f"{sign}1+1")[0] for sign in "=+-@\uff1d\uff0b\uff0d\uff20"] == ["'"] * 8


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("id,id\n1,2\n", 1, "columns 1 and 2 have the same heading 'id'"),
        ("id,input,,x\n1,a,b,c\n", 2, "column 3 has no heading, but contains 'b'"),
        ("id,input\n1,a,b\n", 2, "the row has 3 cells, and the headings are 2"),
        ('id,input\n1,ok\n2,"never closed\n3,x\n', 3, "opens quotes that are never closed"),
        ('id,input\n1,"' + "x,\n" * 200_000, 2, "longer than 131,072 characters"),
        (",".join(f"c{at}" for at in range(10_000)) + "\n", 1, "has 10,000 columns; the limit is 500"),
        ("id,input,threshold\n1,a,high\n", 2, "column 'threshold' must be a number, not 'high'"),
        (
            "My cases,,\n,,\nid,input,expected\n1,a,b\n",
            3,
            "line 1 was read as the headings",
        ),
        ("id,input,obsolete\n1,a,perhaps\n", 2, "column 'obsolete' must be yes or no"),
        ("id,input,scorers\n1,a,[contains\n", 2, "column 'scorers': invalid JSON"),
        ("input,vars.a,a\nx,b,c\n", 1, "both mean vars.a"),
        ("id,input\n1,a\n1,b\n", 3, "the id '1' is already used on line 2"),
    ],
)
def test_unreadable_lines_are_reported(text: str, line: int, said: str) -> None:
    with pytest.raises(InputErrors) as error:
        parse(text, "c.csv")
    problem = error.value.problems[0]
    assert said in str(problem)
    assert problem.line == line


def test_promptfoo_tests_and_openai_evals_are_read_as_cases() -> None:
    asserted = "assert: [{type: contains, value: '{{ name }}'}]"
    (one, two) = parse(f"- vars: {{name: [Bob, Ann]}}\n  {asserted}\n  metadata: {{tier: pro}}\n", "t.yaml")
    assert [(one.id, two.id), one.vars, two.slices] == [("test-1-1", "test-1-2"), {"name": "Bob"}, {"tier": "pro"}]
    (sheet,) = parse("name,__expected,__metadata:tier\nBob,contains:Bob,pro\n", "t.csv")
    assert sheet.scorers is not None and sheet.scorers[0].kind == "contains"
    turns = '[{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}]'
    (sample,) = parse(f'{{"input": {turns}, "ideal": "A"}}\n', "s.jsonl")
    assert (sample.id, len(sample.messages), sample.expected) == ("sample-1", 2, "A")
    (item,) = parse('{"item": {"question": "Q", "ground_truth": "A", "topic": "x"}}\n', "s.jsonl")
    assert (item.input, item.expected, item.vars) == ("Q", "A", {"topic": "x"})


@pytest.mark.parametrize(
    ("text", "file", "line"),
    [
        ("- vars: {a: b}\n  assert:\n    - type: javascript\n      value: x\n", "t.yaml", 3),
        ("name,__expected\nBob,javascript:true\n", "t.csv", 2),
        ('{"input": [{"role": "tool", "content": "x"}], "ideal": "y"}\n', "t.jsonl", 1),
    ],
)
def test_losses_are_errors_in_a_case_file(text: str, file: str, line: int) -> None:
    with pytest.raises(InputErrors) as error:
        parse(text, file)
    assert error.value.problems[0].line == line
    assert "gate cases convert" in error.value.problems[0].hint


ANSWERS = ("answer", "output", "reference", "ground_truth", "Expected Answer", "ideal", "target", "label")
QUESTIONS = ("question", "prompt", "query", "user input", "Frage")


@pytest.mark.parametrize(
    ("field", "pair"),
    [
        *(("expected", pair) for pair in itertools.combinations(ANSWERS, 2)),
        *(("input", pair) for pair in itertools.combinations(QUESTIONS, 2)),
    ],
)
def test_two_columns_for_one_field_are_an_error_that_names_both_and_the_way_to_choose(
    field: str, pair: tuple[str, str]
) -> None:
    rest = {"expected": ("question", "Where?"), "input": ("answer", "There")}[field]
    head, row = (rest[0], *pair), (rest[1], "one", "two")
    with pytest.raises(InputErrors) as caught:
        parse(f"{','.join(head)}\n{','.join(row)}\n", "sheet.csv")
    (problem,) = caught.value.problems
    assert problem.line == 1 and f"the columns '{pair[0]}' and '{pair[1]}' both mean {field}" in problem.message
    assert f"name the one that counts '{field}'" in problem.hint
    chosen = ",".join((rest[0], pair[0], field))
    (case,) = parse(f"{chosen}\n{','.join(row)}\n", "sheet.csv")
    assert {"expected": case.expected, "input": case.input}[field] == "two"
    assert case.vars == {pair[0]: "one"}


def test_a_row_with_two_answers_is_left_out_and_listed() -> None:
    items = [
        {"item": {"question": "Where?", "answer": "a", "reference": "b"}},
        {"item": {"query": "Who?", "ideal": "c"}},
    ]
    made = import_cases("".join(json.dumps(item) + "\n" for item in items), "items.jsonl")
    assert [case["expected"] for case in made.cases] == ["c"]
    assert "several values for expected: reference, answer" in made.losses[0].what
    helm = import_cases(
        '[{"input": {"text": "a"}, "references": null, "answer": "b", "target": "c"}]', "h.json", "helm"
    )
    assert "expected" not in helm.cases[0] and "reference" in helm.losses[0].what


@pytest.mark.parametrize("layout", ["langsmith", "braintrust"])
@pytest.mark.parametrize(
    "inputs",
    [
        {"question": "Where?", "query": "Who?"},
        {"prompt": "Where?", "text": "A text."},
        {"messages": [{"role": "user", "content": "Where?"}], "question": "Who?"},
        {"messages": [{"role": "user", "content": "a"}], "chat_history": [{"role": "user", "content": "b"}]},
    ],
)
def test_a_mapping_with_two_questions_is_left_out_and_listed(layout: str, inputs: dict[str, object]) -> None:
    whole = "inputs" if layout == "langsmith" else "input"
    first, second = inputs
    good = {"id": "good", whole: {"question": "Why?"}}
    made = import_cases("".join(json.dumps(row) + "\n" for row in ({whole: inputs}, good)), "rows.jsonl", layout)
    assert [case["id"] for case in made.cases] == ["good"]
    assert made.losses[0].what == f"row 1 has several values for input: {first}, {second}; it is left out"
    assert made.losses[0].remedy == "name the one that counts 'input'"
    chosen = {"input" if key == second else key: value for key, value in inputs.items()}
    (case,) = import_cases(json.dumps({whole: chosen}) + "\n", "rows.jsonl", layout).cases
    assert first in case["vars"]  # pyrefly: ignore[not-iterable]
    asked = inputs[second]
    assert (case.get("input") == asked) is isinstance(asked, str)
