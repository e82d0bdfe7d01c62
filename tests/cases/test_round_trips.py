"""Cases convert to every format and back unchanged, or the difference is reported."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.cases.convert import export_cases, import_cases
from gate.cases.losses import kinds
from gate.cases.reading import canonical
from tests.support.case_entries import AGENT, LABEL, PLAIN, SAID, VARS, named

FILES = [
    ("gate", "c.jsonl"),
    ("csv", "c.csv"),
    ("promptfoo", "c.yaml"),
    ("promptfoo", "c.jsonl"),
    *((name, f"c.{end}") for name in ("openai-evals", "openai-items") for end in ("jsonl", "json", "yaml")),
]
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["system", "user", "assistant"]), "content": SAID}), max_size=2
).map(lambda turns: [*turns, {"role": "user", "content": "And now?"}])
SCORERS = st.lists(
    st.sampled_from(
        [
            {"contains": {"value": "Paris", "ignore_case": False}},
            {"exact": {"value": "{{ expected }}", "strip": False}, "negate": True},
            {"words": {"max": 5}, "weight": 2},
            {"sentences": {"max": 2}},
            {"judge": {"criteria": "Is kind.", "threshold": 0.8}, "name": "kind"},
        ]
    ),
    min_size=1,
    max_size=3,
    unique_by=str,
)
CASES = st.one_of(
    PLAIN,
    st.fixed_dictionaries({"messages": MESSAGES}, optional={"vars": VARS, "scorers": SCORERS}),
    st.fixed_dictionaries({"vars": VARS}, optional={"extra_scorers": SCORERS, "slices": st.just({"tag:vip": "yes"})}),
)


@pytest.mark.parametrize(("name", "file"), FILES)
@settings(max_examples=2)
@given(cases=named(CASES))
def test_cases_are_read_back_unchanged(name: str, file: str, cases: list[Any]) -> None:
    asking = [case for case in cases if "input" in case or "messages" in case]
    expected = asking if name == "openai-evals" else cases
    if not expected:
        return
    made = export_cases(cases, file, name)
    text, losses = made.text, made.losses
    assert made.count == len(expected)
    left_out = [loss for loss in losses if "left out" in loss.what]
    assert len(left_out) == len(cases) - len(expected)
    told = [loss.what for loss in losses if "does not come back" in loss.what]
    # An empty cell says nothing, so that a variable that is null is lost, and told; so is a question that is null.
    given = [(case.get("vars") or {}).items() for case in expected]
    lost = any(value is None and (file.endswith(".csv") or key == "prompt") for found in given for key, value in found)
    assert not told or lost
    if told:
        return
    found = import_cases(text, file, name)
    assert [canonical(case) for case in found.cases] == [canonical(case) for case in expected]


@settings(max_examples=2)
@given(cases=named(AGENT), name=LABEL)
def test_cases_that_another_tool_cannot_store_are_reported(cases: list[Any], name: str) -> None:
    cases = [*cases, {"id": f"plain {name}".strip(), "input": "Hello?"}]
    for format_, file in FILES[2:]:
        made = export_cases(cases, file, format_)
        text, losses = made.text, made.losses
        assert len(losses) >= len(cases) - 1
        assert kinds(losses)[0].what.endswith("is a conversation with an agent; it is left out")
        assert len(import_cases(text, file, format_).cases) == 1


def test_a_variable_named_like_a_key_of_another_tool_stays() -> None:
    case = {"id": "a", "input": "Hello?", "vars": {"tags": [], "plan": "basic"}}
    for format_, file in FILES[2:]:
        made = export_cases([case], file, format_)
        assert not made.losses
        assert [canonical(found) for found in import_cases(made.text, file, format_).cases] == [canonical(case)]
