"""A case of a run becomes a case of an eval set."""

import pytest

from gate.cases.stored import Entry
from gate.engine.run_cases import found_case
from gate.errors import GateError
from gate.record.run import RunRecord
from tests.support.finished import finished
from tests.support.runs import suite


@pytest.fixture(scope="module")
def run() -> RunRecord:
    suites = [suite([{"tier": "free"}] * 8, name=name) for name in ("support", "sales")]
    return finished(suites, lambda case, arm, index: float(case.id == "c001"))


def nowhere(where: str, name: str) -> Entry | None:
    return None


def changed(run: RunRecord, **values: object) -> RunRecord:
    """With other values in the first case."""
    first = run.suites[0]
    cases = [first.cases[0].model_copy(update=values), *first.cases[1:]]
    return run.model_copy(update={"suites": [first.model_copy(update={"cases": cases}), *run.suites[1:]]})


def test_the_whole_case_comes_from_where_it_was_asked_from(run: RunRecord) -> None:
    asked: list[tuple[str, str]] = []

    def lookup(where: str, name: str) -> Entry | None:
        asked.append((where, name))
        return {"id": name, "input": "x", "cluster": "kept"}

    assert found_case(run, "sales/c001", lookup) == {"id": "c001", "input": "x", "cluster": "kept"}
    assert asked == [("cases.jsonl", "c001")]


def test_or_from_the_run_without_what_the_gate_adds(run: RunRecord) -> None:
    told = changed(run, input="question 0", expected="yes", slices={"tier": "free", "length": "short"})
    assert found_case(told, "support/c000", nowhere) == {
        "id": "c000",
        "input": "question 0",
        "expected": "yes",
        "slices": {"tier": "free"},
    }


@pytest.mark.parametrize("held", [None, "aaaa… (9000 characters)"])
def test_half_a_question_is_none(run: RunRecord, held: str | None) -> None:
    told = changed(run, input=held)
    with pytest.raises(GateError, match="does not hold the whole input of support/c000"):
        found_case(told, "support/c000", nowhere)
    assert found_case(told, "support/c000", nowhere, said=True)["id"] == "c000"


def test_a_conversation_that_was_kept_as_one_text_is_none(run: RunRecord) -> None:
    with pytest.raises(GateError, match="not turn by turn"):
        found_case(changed(run, input="user: a\nassistant: b\nuser: c"), "support/c000", nowhere)


def test_which_case_is_meant_must_be_clear(run: RunRecord) -> None:
    with pytest.raises(GateError, match="several suites of the run have a case 'c000'"):
        found_case(run, "c000", nowhere)
    with pytest.raises(GateError, match="the run has no case 'c999'"):
        found_case(run, "c999", nowhere)
