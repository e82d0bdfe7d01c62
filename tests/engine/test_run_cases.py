"""Cases of a finished run, by name and as entries of an eval set."""

import pytest

from gate.cases.stored import Entry
from gate.engine.run_cases import found_case, named_case
from gate.errors import GateError
from gate.record.run import RunRecord
from tests.support.run_records import finished
from tests.support.runs import suite


def run(*names: str) -> RunRecord:
    """Each suite has the cases c000 to c011."""
    return finished([suite([{"g": "a"}] * 12, name=name) for name in names], lambda case, arm, index: 1.0)


@pytest.mark.parametrize("name", ["c003", "support/c003"])
def test_an_id_names_a_case(name: str) -> None:
    assert named_case(run("support"), name).full == "support/c003"


def test_a_beginning_names_a_case_where_no_other_has_it() -> None:
    assert named_case(run("support"), "c011").record.id == "c011"
    assert named_case(run("a", "b"), "b/c010").full == "b/c010"
    with pytest.raises(GateError, match="2 cases of the run begin with 'c01'") as caught:
        named_case(run("support"), "c01")
    assert caught.value.hint == "name one: 'c010', 'c011'"


def test_a_suite_decides_between_equals() -> None:
    both = run("support", "faq")
    with pytest.raises(GateError, match="several suites of the run have a case 'c001'") as caught:
        named_case(both, "c001")
    assert "suites: support, faq" in caught.value.hint
    assert named_case(both, "c001", "faq").suite == "faq"
    with pytest.raises(GateError, match="the run has no suite 'fac'") as caught:
        named_case(both, "c001", "fac")
    assert caught.value.hint == "did you mean 'faq'?"


def test_a_wrong_id_gives_the_nearest() -> None:
    with pytest.raises(GateError, match="no case 'x003'") as caught:
        named_case(run("support"), "x003")
    assert "'c003'" in caught.value.hint
    with pytest.raises(GateError, match="no case 'C003'") as caught:
        named_case(run("support"), "C003")
    assert caught.value.hint.startswith("did you mean 'c003'")
    with pytest.raises(GateError, match="no case of the run dropped"):
        named_case(run("support"), "")


@pytest.fixture(scope="module")
def run_with_case() -> RunRecord:
    suites = [suite([{"tier": "free"}] * 8, name=name) for name in ("support", "sales")]
    return finished(suites, lambda case, arm, index: float(case.id == "c001"))


def nowhere(where: str, name: str) -> Entry | None:
    return None


def changed(run_with_case: RunRecord, **values: object) -> RunRecord:
    """With other values in the first case."""
    first = run_with_case.suites[0]
    cases = [first.cases[0].model_copy(update=values), *first.cases[1:]]
    return run_with_case.model_copy(
        update={"suites": [first.model_copy(update={"cases": cases}), *run_with_case.suites[1:]]}
    )


def test_the_whole_case_comes_from_where_it_was_asked_from(run_with_case: RunRecord) -> None:
    asked: list[tuple[str, str]] = []

    def lookup(where: str, name: str) -> Entry | None:
        asked.append((where, name))
        return {"id": name, "input": "x", "cluster": "kept"}

    assert found_case(run_with_case, "sales/c001", lookup) == {"id": "c001", "input": "x", "cluster": "kept"}
    assert asked == [("cases.jsonl", "c001")]


def test_or_from_the_run_without_what_the_gate_adds(run_with_case: RunRecord) -> None:
    told = changed(run_with_case, input="question 0", expected="yes", slices={"tier": "free", "length": "short"})
    assert found_case(told, "support/c000", nowhere) == {
        "id": "c000",
        "input": "question 0",
        "expected": "yes",
        "slices": {"tier": "free"},
    }


@pytest.mark.parametrize("held", [None, "aaaa… (9000 characters)"])
def test_half_a_question_is_none(run_with_case: RunRecord, held: str | None) -> None:
    told = changed(run_with_case, input=held)
    with pytest.raises(GateError, match="does not hold the whole input of support/c000"):
        found_case(told, "support/c000", nowhere)
    assert found_case(told, "support/c000", nowhere, said=True)["id"] == "c000"


def test_a_conversation_that_was_kept_as_one_text_is_none(run_with_case: RunRecord) -> None:
    with pytest.raises(GateError, match="not turn by turn"):
        found_case(changed(run_with_case, input="user: a\nassistant: b\nuser: c"), "support/c000", nowhere)


def test_which_case_is_meant_must_be_clear(run_with_case: RunRecord) -> None:
    with pytest.raises(GateError, match="several suites of the run have a case 'c000'"):
        found_case(run_with_case, "c000", nowhere)
    with pytest.raises(GateError, match="the run has no case 'c999'"):
        found_case(run_with_case, "c999", nowhere)
