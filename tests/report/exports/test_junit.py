"""JUnit XML of every kind of run: valid, and red exactly where the gate is."""

from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.record.parts import OutputRecord, ReasonRecord
from gate.record.run import RunRecord
from gate.report.exports import junit
from tests.golden.hostile import hostile
from tests.golden.runs import runs

RUNS = runs()

XSD = Path(__file__).parents[2] / "data/formats/junit-10.xsd"


@cache
def schema() -> Any:
    import xmlschema

    return xmlschema.XMLSchema(str(XSD))


def read(text: str) -> Xml.Element:
    # From bytes, as readers do: the declaration counts.
    return Xml.fromstring(text.encode())


def outcomes(text: str) -> dict[str, str]:
    """What became of each test, by class and name."""
    found = {}
    for case in read(text).iter("testcase"):
        said = [child.tag for child in case if child.tag != "system-out"]
        found[f"{case.get('classname')}: {case.get('name')}"] = said[0] if said else "passed"
    return found


def test_every_kind_of_run_satisfies_the_schema_counts_right_and_is_red_where_the_gate_is() -> None:
    for name, run in RUNS.items():
        text = junit.render(run)
        schema().validate(text)
        root = read(text)
        for group in (root, *root.iter("testsuite")):
            for counted, tag in (("failures", "failure"), ("errors", "error")):
                assert group.get(counted) == str(len(list(group.iter(tag)))), name
            assert group.get("tests") == str(len(list(group.iter("testcase")))), name
        stopped = bool(run.exit_code)
        assert bool(int(root.get("failures", "0")) + int(root.get("errors", "0"))) == stopped, name
        assert (outcomes(text)["Prompt Gate: verdict"] in ("failure", "error")) == stopped, name


def test_a_block_names_the_slices_and_the_cases_that_carry_it() -> None:
    text = junit.render(RUNS["block"])
    found = outcomes(text)
    assert found["support slices: lang=de"] == "failure"
    assert found["support slices: lang=en"] == "passed"
    assert found["support slices: tier=free"] == "passed"
    assert found["support cases: de-017"] == "failure"
    assert found["support cases: en-009"] == "passed"
    case = next(one for one in read(text).iter("testcase") if one.get("name") == "de-017")
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("message") == "score 1.000 → 0.000"
    assert "The question is German, the answer English." in (failure.text or "")


def test_a_sum_that_was_rounded_is_no_fall() -> None:
    (suite,) = RUNS["block"].suites
    cases = [case.model_copy(update={"delta": -5e-17}) if case.id == "de-017" else case for case in suite.cases]
    run = RUNS["block"].model_copy(update={"suites": [suite.model_copy(update={"cases": cases})]})
    assert outcomes(junit.render(run))["support cases: de-017"] == "passed"


def test_a_check_tells_each_case() -> None:
    found = outcomes(junit.render(RUNS["check-block"]))
    assert found["calls cases: welcome_strict"] == "failure"
    assert found["calls cases: welcome_terse"] == "passed"
    assert found["calls cases: safety_gas_smell"] == "skipped"
    assert "error" in outcomes(junit.render(RUNS["check-missing"])).values()


def with_text(run: RunRecord, text: str) -> RunRecord:
    """The text as an answer, an id and a reason."""
    suite = run.suites[0]
    said = OutputRecord(index=0, text=text, failure=None, score=0.0, reasons=[ReasonRecord(scorer="", text=text)])
    cases = [case.model_copy(update={"id": text, "candidate_outputs": [said]}) for case in suite.cases[1:2]]
    return run.model_copy(update={"suites": [suite.model_copy(update={"cases": cases})], "reasons": [text]})


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_no_text_breaks_the_file(text: str) -> None:
    root = read(junit.render(with_text(RUNS["block"], text)))
    assert len(list(root.iter("testcase"))) == 10


def test_keys_are_masked_and_long_answers_cut() -> None:
    key = "sk-" + "a1" * 20
    text = junit.render(with_text(RUNS["block"], f"{key} {'x' * 50_000}"))
    assert key not in text
    assert len(text) < 20_000


@pytest.mark.threat("exports")
def test_attacks_stay_text() -> None:
    schema().validate(junit.render(hostile()))
