"""Any file of another tool gives valid cases or an error of the gate."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cases.bundles import read_bundle
from gate.cases.case import SlowTemplate
from gate.cases.convert import FORMATS, import_cases
from gate.cases.losses import Losses
from gate.cases.promptfoo_assertions import TYPES
from gate.cases.promptfoo_files import ImportBudget, PromptfooFile, document_at
from gate.cases.promptfoo_tests import cases_of_test
from gate.cases.reading import case_of, parse
from gate.errors import GateError, InputErrors
from tests.support.case_entries import TEXT, VALUE

WORDS = st.sampled_from(
    [
        "input",
        "messages",
        "role",
        "user",
        "content",
        "{{ a }}",
        "{% x",
        "file://a.yaml",
        "../x",
        "=1",
        "contains:a",
        "0",
    ]
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False, allow_infinity=False) | TEXT | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            TEXT
            | st.sampled_from(["type", "value", "vars", "assert", "id", "role", "content", "text", "output", "tags"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(
    "id input messages expected target choices metadata tags inputs outputs item sample references split ideal vars "
    "assert description threshold options perturbation extra_data slices scorers criteria user_input reference rubrics "
    "retrieved_contexts question answer contexts actual_output expected_output retrieval_context scenario turns "
    "persona expectations expected_tools cases evaluators name".split()
)
ASSERT = st.fixed_dictionaries(
    {"type": st.sampled_from([*TYPES, "assert-set", "not-equals"]) | ANY},
    optional={"value": ANY, "threshold": ANY, "weight": ANY, "metric": ANY, "provider": ANY, "assert": ANY},
)
TEST = st.fixed_dictionaries({}, optional={"vars": ANY, "assert": st.lists(ASSERT, max_size=3) | ANY, "options": ANY,
                                           "metadata": ANY, "threshold": ANY}) | ANY  # fmt: skip
CONFIG = st.fixed_dictionaries(
    {"prompts": st.just(["{{ a }}", "[{\"role\": \"user\", \"content\": \"b\"}]"]) | ANY},
    optional={"tests": st.lists(TEST, max_size=3) | ANY, "providers": ANY, "defaultTest": TEST, "scenarios": ANY},
)  # fmt: skip


@given(rows=st.lists(st.dictionaries(KEYS | TEXT, ANY | VALUE, max_size=6), max_size=3), data=st.data())
def test_rows(rows: list[Any], data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(["a.jsonl", "a.json", "a.yaml"]))
    text = "\n".join(map(json.dumps, rows)) if file == "a.jsonl" else json.dumps(rows)
    try:
        found = import_cases(text, file, data.draw(st.sampled_from(["", *FORMATS])))
    except GateError:
        return
    for entry in found.cases:
        case_of(entry)


@given(
    text=TEXT | st.lists(TEXT | WORDS | st.sampled_from([",", ";", '"', "\n", "\r\n", "id", "__expected"])).map("".join)
)
def test_tables(text: str) -> None:
    for read in (lambda: parse(text, "a.csv"), lambda: import_cases(text, "a.csv")):
        try:
            read()
        except GateError as error:
            assert error.message or isinstance(error, InputErrors)


@given(config=CONFIG, other=TEXT | ANY.map(json.dumps))
def test_configurations(config: Any, other: str) -> None:
    try:
        bundle = read_bundle(json.dumps(config), "a/promptfooconfig.json", lambda path: other)
    except InputErrors:
        return
    for suite in bundle.suites:
        for entry in suite.cases:
            case_of(entry)


@pytest.mark.threat("file-multiplies")
def test_multiplying_references_end() -> None:
    """A short configuration that names a long file, or the same prompt, again and again."""
    rows = "x\n" * 3_000
    asked: list[str] = []

    def other(path: str) -> str | None:
        asked.append(path)
        return rows if path == "tests.csv" else None

    named = {"prompts": ["{{ x }}"], "tests": ["file://tests.csv"] * 50}
    (suite,) = read_bundle(json.dumps(named), "promptfooconfig.json", other).suites
    assert (len(suite.cases), asked.count("tests.csv")) == (10_000, 4)
    often = {"prompts": ["{{ x }}"] * 200, "tests": [{"vars": {"x": "a"}}]}
    many = read_bundle(json.dumps(often), "promptfooconfig.json", lambda path: None)
    assert len(many.suites) == 100
    assert [loss.what for loss in many.losses if "more than 100 prompts" in loss.what]
    large = {"prompts": ["{{ x }}"], "tests": [{"vars": {"x": "file://a.txt"}}] * 20}
    with pytest.raises(InputErrors, match="names more than"):
        read_bundle(json.dumps(large), "promptfooconfig.json", lambda path: "a" * 2**20)


@pytest.mark.threat("endless-work")
def test_variables_that_are_each_quick_enough_end_the_reading_together() -> None:
    work = "{% for i in range(2000) %}{% endfor %}x"
    test = document_at({"vars": {"a": work, "b": [str(number) for number in range(1_000)]}}, 7)
    file = PromptfooFile(Losses(), budget=ImportBudget(seconds=0.05))
    with pytest.raises(SlowTemplate, match=r"tests:7: filling in .* takes more than 20 s"):
        cases_of_test(test, 1, file)
    assert file.at("another.yaml").budget is file.budget


@pytest.mark.threat("aliases")
def test_a_short_text_that_stands_for_long_cases_is_not_multiplied() -> None:
    """Four hundred cases of a megabyte, in the gate's own reader, too."""
    test = {
        "vars": {
            "a": "{% for i in range(90000) %}aaaaaaaaaaaa{% endfor %}",
            "b": [str(number) for number in range(400)],
        }
    }
    for read in (parse, import_cases):
        with pytest.raises(InputErrors, match="tests:1: stand for cases of more than 134,217,728 characters"):
            read(json.dumps(test) + "\n", "tests.jsonl")


@pytest.mark.threat("file-multiplies")
def test_long_cases_are_not_written_for_each_of_many_prompts() -> None:
    config = {"prompts": [f"{{{{ x }}}} {number}" for number in range(100)], "tests": [{"vars": {"x": "file://a.txt"}}]}
    long = "a" * (2 * 2**20)

    def other(path: str) -> str | None:
        return long if path == "a.txt" else None

    with pytest.raises(InputErrors, match="written for each of its 100 prompts"):
        read_bundle(json.dumps(config), "promptfooconfig.json", other)
    assert len(read_bundle(json.dumps({**config, "prompts": ["{{ x }}"]}), "promptfooconfig.json", other).suites) == 1


def test_a_thousand_cases_of_one_name_are_numbered_in_no_time() -> None:
    text = '{"input": "a", "expected": "b", "metadata": {}, "id": "same"}\n' * 2_000
    found = import_cases(text, "a.jsonl", "braintrust")
    assert found.cases[-1]["id"] == "same-2000"


@pytest.mark.threat("endless-work")
def test_thousands_of_scorers_of_one_name_are_numbered_in_no_time() -> None:
    named = {"type": "contains", "value": "x", "metric": "m"}
    (case,) = import_cases(json.dumps({"vars": {"a": "b"}, "assert": [named] * 2_000}) + "\n", "a.jsonl").cases
    scorers = case["scorers"]
    assert isinstance(scorers, list)
    assert [scorers[place]["name"] for place in (0, 1, -1)] == ["m", "m 2", "m 2000"]


@pytest.mark.threat("file-outside")
def test_no_file_outside_is_read() -> None:
    """Nor one of git, nor a program; what is left out is told."""
    names = ["file:///etc/x", "file://../../x.txt", "file://a/../../../x.txt", "file://../.git/config", "exec:sh -c x"]
    names += ["file://run.py", "file://run.js:main"]
    asked: list[str] = []
    config = {
        "prompts": ["{{ x }}", *names],
        "providers": names,
        "defaultTest": {"assert": [{"type": "equals", "value": name} for name in names]},
        "tests": [{"vars": {"x": "a", **{f"v{place}": name for place, name in enumerate(names)}}}, *names[:4]],
    }
    found = read_bundle(json.dumps(config), "sub/promptfooconfig.json", lambda path: asked.append(path))
    assert asked == ["sub/run.js"]
    assert {name: sum(name in loss.what for loss in found.losses) >= 2 for name in names} == dict.fromkeys(names, True)
