"""What somebody calls a case of a run."""

import pytest

from gate.engine.run_cases import named_case
from gate.errors import GateError
from gate.record.run import RunRecord
from tests.support.finished import finished
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
    with pytest.raises(GateError, match="no case of the run fell"):
        named_case(run("support"), "")
