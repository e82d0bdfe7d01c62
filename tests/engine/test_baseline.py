"""The record of a run that takes a branch's answers: it speaks of that branch, and of no change."""

import pytest

from gate.engine.without_evaluation import recorded
from gate.record.comparison import Verdict
from gate.record.parts import CallsRecord
from gate.record.run import RunRecord
from tests.golden.kept_answers import unfinished
from tests.golden.new_prompts import new_block, new_pass
from tests.golden.regenerate import markdown_of, text_of

BUDGET = "the budget of 10 calls is used up; raise budget.max_calls, or ask for less"


def broken(why: str = BUDGET, **other: object) -> RunRecord:
    """A new prompt of which some samples are missing."""
    missing = unfinished().missing
    return new_block().model_copy(update={"unfinished": why, "missing": missing, "notes": []} | other)


def reports(run: RunRecord) -> str:
    again = RunRecord.model_validate_json(run.model_dump_json())
    assert again == run
    return markdown_of(run) + " ".join(text_of(run).split())


def test_what_is_recorded_asks_for_nothing() -> None:
    run = recorded(new_pass(), "origin/main")
    assert (run.verdict, run.exit_code, run.kind) == (Verdict.PASS, 0, "baseline")
    said = reports(run)
    assert "Nothing to do: later runs compare with these answers" in said
    assert "exam" not in said


@pytest.mark.parametrize(("priced", "spent"), [(False, "n/a; took"), (True, "unknown: at least one model")])
def test_what_has_no_price_is_told_as_on_a_pull_request(priced: bool, spent: str) -> None:
    run = new_pass()
    suites = [run.new[0].model_copy(update={"priced": priced, "spent_usd": None})]
    run = run.model_copy(update={"new": suites, "spent_usd": None})
    assert f"**Spent**: {spent}" in markdown_of(run)
    assert f"**Spent**: {spent}" in markdown_of(recorded(run, "origin/main"))


@pytest.mark.parametrize("code", [0, 1, 3])
def test_an_unfinished_one_speaks_of_the_baseline(code: int) -> None:
    run = recorded(broken(exit_code=code), "origin/main")
    assert (run.verdict, run.exit_code, run.kind) == (Verdict.INCONCLUSIVE, 3, "baseline")
    assert run.reasons == [f"the baseline origin/main was not recorded whole: {BUDGET}."]
    said = reports(run)
    assert "INCONCLUSIVE: the baseline origin/main was not recorded whole: the budget of 10 calls is used up" in said
    assert "ew prompt" not in said
    assert "Raise `budget.max_calls`, or run again as it is: only what is missing will be paid for." in said


def test_where_nothing_was_answered_nothing_is_recorded() -> None:
    silent = CallsRecord(made=0, cached=0, retried=0, failed=8)
    missing = unfinished().missing.model_copy(update={"reasons": ["HTTP 503"]})
    run = recorded(broken("", unfinished=None, calls=silent, missing=missing), "origin/main")
    assert (run.verdict, run.exit_code) == (Verdict.INCONCLUSIVE, 3)
    assert run.reasons == ["the baseline origin/main was not recorded whole: nothing was answered: HTTP 503."]
    known = CallsRecord(made=0, cached=8, retried=0, failed=0)
    assert recorded(broken("", unfinished=None, calls=known), "origin/main").verdict is Verdict.PASS
