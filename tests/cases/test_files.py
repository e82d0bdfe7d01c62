"""Case files of every format: nothing is lost, and an edit changes only its case."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.cases.files import changed, written
from gate.cases.reading import canonical, case_of, read
from gate.cases.stored import Entry
from gate.errors import GateError, InputErrors
from tests.support.case_entries import entries

EVALS = Path(__file__).parents[2] / "evals"
FILES = ["c.jsonl", "c.json", "c.yaml", "c.prompt.yml", "c.csv"]
ALL = pytest.mark.parametrize("file", FILES)
FORMS = ("cases.jsonl", "cases.yaml", "cases.json", "golden_transcripts.json", "tests.json")
REAL = sorted(
    {path.name: str(path.relative_to(EVALS)) for path in sorted(EVALS.rglob("*")) if path.name in FORMS}.values()
)
SLOWLY = settings(max_examples=2)


def canonicals(text: str, file: str) -> list[str]:
    return [canonical(case.entry) for case in read(text, file)]


@ALL
@SLOWLY
@given(data=st.data())
def test_what_is_written_is_read_and_every_change_is_made_while_the_rest_stays(file: str, data: st.DataObject) -> None:
    cases, other = data.draw(entries(file)), data.draw(entries(file))
    names = [str(entry["id"]) for entry in cases]
    plain = written(cases, file)
    assert canonicals(plain, file) == [canonical(entry) for entry in cases]
    assert [case.name for case in read(plain, file)] == names
    assert changed(plain, file, {str(entry["id"]): entry for entry in cases}) == plain
    gone = data.draw(st.sets(st.sampled_from(names), max_size=len(names) - 1))
    puts = {str(entry["id"]): entry for entry in other if entry["id"] not in gone}
    # In a table, line ends may be part of a cell.
    end = "\n" if file.endswith("sv") else data.draw(st.sampled_from(["\n", "\r\n"]))
    text = plain.replace("\n", end)
    after = changed(text, file, puts, gone)
    by_name = {case.name: case.entry for case in read(after, file)}
    expected = {name: puts.get(name, entry) for name, entry in zip(names, cases, strict=True) if name not in gone}
    assert {name: canonical(entry) for name, entry in by_name.items()} == {
        name: canonical(entry) for name, entry in {**expected, **puts}.items()
    }
    assert list(by_name) == list({**expected, **puts})
    assert changed(after, file, puts, gone) == after


@pytest.mark.parametrize("file", REAL)
def test_the_example_cases_convert_through_other_formats(file: str) -> None:
    text = (EVALS / file).read_text(encoding="utf-8")
    found = read(text, file)
    same = [canonical(case.entry) for case in found]
    for other in ("c.jsonl", "c.json"):
        assert canonicals(written([case.entry for case in found], other), other) == same
    last = {**found[-1].entry, "description": "New.\nOf two lines."}
    if "transcript" in file:
        last = {**found[-1].entry, "cluster": "new"}
    after = changed(text, file, {found[-1].name: last}, {found[0].name})
    assert [case.name for case in read(after, file)] == [case.name for case in found[1:]]
    untouched = len(set(text.splitlines()) - set(after.splitlines()))
    assert 0 < untouched <= len(written([found[0].entry, found[-1].entry], "c.yaml").splitlines()) * 3


YAML = """\
# The exam.
- id: a  # first
  input: 'Where is it?'   # quoted
  slices:
    tier: free   # why
    lang: de

- id: b
  input: |
    Two
    lines
  expected: yes

# The last.
- {id: c, input: "x"}
"""


def test_a_change_of_a_yaml_file_keeps_comments_and_quotation_marks() -> None:
    a = {"id": "a", "input": "Gone?", "slices": {"tier": "free", "lang": "de"}}
    assert changed(YAML, "c.yaml", {"a": a}) == YAML.replace("'Where is it?'   # quoted", '"Gone?"          # quoted')
    b = {"id": "b", "input": "Two\nnew lines\n", "expected": "yes", "cluster": "z"}
    after = changed(YAML, "c.yaml", {"b": b})
    assert after == YAML.replace("    lines\n  expected: yes\n", "    new lines\n  expected: yes\n").replace(
        "\n# The last.", "  cluster: z\n\n# The last."
    )
    assert changed(YAML, "c.yaml", {}, ["b"]) == YAML[: YAML.index("- id: b")] + YAML[YAML.index("# The last") :]
    assert changed(YAML, "c.yaml", {"new": {"id": "new", "input": "Now"}}) == YAML + "\n- id: new\n  input: Now\n"


def test_unchanged_lines_stay() -> None:
    text = '\ufeff{"id":"a","input":"x"}\r\n\r\n{"id":"b",  "input":"y"}'
    plain = '{"id": "a", "input": "z"}\n\n{"id":"b",  "input":"y"}\n'
    assert changed(text, "c.jsonl", {"a": {"id": "a", "input": "z"}}) == plain
    assert changed(text, "c.jsonl", {}, ["a"]) == '\n{"id":"b",  "input":"y"}\n'
    assert (
        changed(plain, "c.jsonl", {"new": {"id": "new", "input": "now"}}) == plain + '{"id": "new", "input": "now"}\n'
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_and_order_stay_when_indentation_changes(end: str) -> None:
    text = "\ufeff# All.\n-   id: a   # first\n    rounds:\n    - prompt: x\n    # Then:\n    - prompt: y\n"
    after = changed(text.replace("\n", end), "c.yaml", {"new": {"id": "new", "input": "Now"}})
    assert [line.split() for line in after.split("\n")] == [
        line.split() for line in f"{text[1:]}- id: new\n  input: Now\n".split("\n")
    ]


def test_one_case_in_yaml_becomes_a_list() -> None:
    text = "# one\nid: a\ninput: |\n  x\n\n  y\n"
    after = changed(text, "c.yaml", {"new": {"id": "new", "input": "now"}})
    assert after == "# one\n- id: a\n  input: |\n    x\n\n    y\n- id: new\n  input: now\n"


PROMPT = """\
name: Support  # ours
messages:
  - role: user
    content: "{{input}}"
testData:
  - input: one   # first
  - input: 2
    tone: dry
  - {input: three}
"""


def test_test_data_converts_to_plain_cases_and_back() -> None:
    found = read(PROMPT, "p.prompt.yml")
    assert [(case.name, case.line) for case in found] == [("test-1", 6), ("test-2", 7), ("test-3", 9)]
    assert found[1].entry == {"id": "test-2", "input": "2", "vars": {"tone": "dry"}}
    after = changed(PROMPT, "p.prompt.yml", {"test-2": {**found[1].entry, "vars": {"tone": "kind"}}})
    assert after == PROMPT.replace("  - input: 2\n    tone: dry\n", '  - input: "2"\n    tone: kind\n    id: test-2\n')


def test_names_from_positions_stay_when_positions_change() -> None:
    after = changed(PROMPT, "p.prompt.yml", {}, ["test-1"])
    assert [case.name for case in read(after, "p.prompt.yml")] == ["test-2", "test-3"]
    assert after.startswith(PROMPT[: PROMPT.index("  - input: one")])


def test_a_prompt_without_test_data_gets_some() -> None:
    text = PROMPT[: PROMPT.index("testData")]
    new: Entry = {"id": "new", "input": "now"}
    assert changed(text, "p.prompt.yml", {"new": new}) == text + "testData:\n  - id: new\n    input: now\n"


@pytest.mark.parametrize(
    ("text", "file", "puts", "gone", "said"),
    [
        (YAML, "c.yaml", {}, ["a", "b", "c"], "would have no cases left"),
        (PROMPT, "p.prompt.yml", {"n": {"id": "n", "input": "x", "slices": {"a": "b"}}}, [], "n has slices, which the"),
        (
            '{"id": "a", "input": "x"}',
            "c.jsonl",
            {"n": {"id": "n"}},
            [],
            "cannot store this: c.jsonl:2: 'input' is miss",
        ),
    ],
)
def test_impossible_changes_are_reported(
    text: str, file: str, puts: dict[str, Entry], gone: list[str], said: str
) -> None:
    with pytest.raises(GateError, match=said):
        changed(text, file, puts, gone)


def test_a_file_with_errors_is_not_changed() -> None:
    with pytest.raises(InputErrors) as raised:
        changed('{"id": "a"}\n{"id": 3, "inpt": "x"}', "c.jsonl", {})
    assert [problem.line for problem in raised.value.problems] == [1, 2]


def test_values_that_python_takes_for_equal_are_changes() -> None:
    text = json.dumps({"id": "a", "input": "x", "expected": 1}) + "\n"
    assert '"expected": true' in changed(text, "c.jsonl", {"a": {"id": "a", "input": "x", "expected": True}})


@pytest.mark.parametrize(
    "name",
    [
        "faq.csv",
        "support.PROMPT.yml",
    ],
)
def test_a_case_id_may_look_like_a_file_name(name: str) -> None:
    case = case_of({"id": name, "input": "Hello?"})
    assert (case.id, case.where) == (name, f"case {name}:1")
