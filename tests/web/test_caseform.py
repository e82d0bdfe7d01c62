import json
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cases.reading import documents, readable
from gate.web.case_form import CaseForm, RoundForm, check_form, copy_of_form, entry_of_form, form_of_entry

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
KEYS = (
    *("id", "name", "input", "prompt", "rounds", "expected_tools", "judge_prompt", "judge_threshold", "criteria"),
    *("threshold", "test_agent_revival", "slices", "expected", "description", "conversation", "state", "messages"),
)
ROUND = st.dictionaries(
    st.sampled_from(["prompt", "expected_tools", "judge_prompt", "judge_threshold", "other"]), VALUE, max_size=4
)
ENTRY = st.dictionaries(
    st.sampled_from(KEYS), VALUE | st.lists(ROUND, max_size=2) | st.lists(TEXT, max_size=2), max_size=6
)


def as_sent(text: str) -> str:
    """What a browser makes of the content of a field, and the server of that."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


@given(ENTRY)
def test_a_case_that_goes_through_the_form_stays_what_it_is(entry: dict[str, object]) -> None:
    form = form_of_entry(entry)
    assert as_sent(form.rest) == form.rest
    for text in (form.name, form.description, form.prompt, form.tools, form.criteria, form.expected):
        assert as_sent(text) == text
        assert "\0" not in text
    written, errors = entry_of_form(form)
    assert errors == []
    assert json.dumps(written, sort_keys=True) == json.dumps(entry, sort_keys=True)
    assert [key for key in written] == list(entry)


EVALS = sorted(Path(__file__).parents[2].glob("evals/**/*.json*"))


def test_the_examples_of_the_repository_go_through_the_form() -> None:
    seen = 0
    for path in EVALS:
        for document in islice(documents(path.read_text("utf-8"), path.name, []), 20):
            entry = document.data
            if isinstance(entry, dict) and readable(entry) is not None:
                seen += 1
                assert entry_of_form(form_of_entry(entry))[0] == entry
                _, errors = check_form(form_of_entry(entry))
                assert errors == ()
    assert seen > 20


def test_what_the_form_of_the_field_cannot_show_stays_in_the_rest() -> None:
    form = form_of_entry({"name": "a", "prompt": "x\0", "expected_tools": {"any": ["t"]}, "judge_threshold": "high"})
    assert (form.name, form.prompt, form.tools, form.threshold) == ("a", "", "", "")
    assert "expected_tools" in form.rest
    assert "\\0" in form.rest or "u0000" in form.rest


def test_a_plain_case_that_gets_rounds_is_written_as_a_test_of_an_agent() -> None:
    form = form_of_entry({"id": "a", "input": "Hi", "criteria": "polite", "threshold": 0.5})
    more = CaseForm(
        name=form.name, criteria=form.criteria, threshold=form.threshold, kind=form.kind, keys=form.keys,
        rounds=(RoundForm("Hi"), RoundForm("And then?", "list_orders")), revival=True,
    )  # fmt: skip
    written, errors = check_form(more)
    assert errors == ()
    assert written == {
        **{"id": "a", "criteria": "polite", "threshold": 0.5},
        **{"rounds": [{"prompt": "Hi"}, {"prompt": "And then?", "expected_tools": ["list_orders"]}]},
        "test_agent_revival": True,
    }


@pytest.mark.parametrize(
    ("form", "field", "word"),
    [
        (CaseForm(name="a"), "prompt", "missing"),
        (CaseForm(prompt="x"), "name", "blank"),
        (CaseForm(name="a", prompt="x", threshold="high"), "threshold", "high"),
        (CaseForm(name="a", prompt="x", tools="t\nt"), "tools", "twice"),
        (CaseForm(name="a", prompt="x", revival=True), "revival", "two rounds"),
        (CaseForm(name="a", prompt="x", slices=(("t", "1"), ("t", "2"))), "slices.2", "twice"),
        (CaseForm(name="a", prompt="x", slices=(("t", "1"), ("u=v", "2"))), "slices.2", "dimension"),
        (CaseForm(name="a", prompt="x", slices=(("t", "1"), ("u", ""))), "slices.2", "blank"),
        (CaseForm(name="a", rounds=(RoundForm("x"), RoundForm())), "rounds.2.prompt", "missing"),
        (CaseForm(name="a", rounds=(RoundForm("x"), RoundForm("y", threshold="2"))), "rounds.2.threshold", "2"),
        (CaseForm(name="a", prompt="x", rest="prompt: y"), "prompt", "Other keys"),
        (CaseForm(name="a", prompt="x", rest="wrong: y"), "rest", "wrong"),
        (CaseForm(name="a", prompt="x", rest="- y"), "rest", "keys"),
        (CaseForm(name="a", prompt="x", rest="a: [b"), "rest", "line"),
    ],
)
def test_each_error_is_at_its_field(form: CaseForm, field: str, word: str) -> None:
    _, errors = check_form(form)
    assert [(one.field, word in one.message) for one in errors] == [(field, True)]


@pytest.mark.parametrize("name", ["7", 7])
def test_a_copy_has_no_name_yet(name: object) -> None:
    form = copy_of_form(form_of_entry({"id": name, "input": "x", "cluster": "c"}))
    assert entry_of_form(form)[0] == {"input": "x", "cluster": "c"}
