"""Replies that were cut off, refused or empty."""

import pytest

from gate.record.findings.finding import plain
from gate.record.run import RunRecord
from gate.report.view.advice import next_steps
from gate.report.view.calls import ending_advice, ending_facts, ending_findings
from tests.golden import runs

COUNTS = {"replies": 300}


def _with(run: RunRecord, baseline: dict[str, object], candidate: dict[str, object]) -> RunRecord:
    suite = run.suites[0]
    update = {
        "baseline": suite.baseline.model_copy(update=COUNTS | baseline),
        "candidate": suite.candidate.model_copy(update=COUNTS | candidate),
    }
    return run.model_copy(update={"suites": [suite.model_copy(update=update)]})


def test_a_difference_between_the_arms_is_a_finding() -> None:
    run = _with(runs.passed(), {}, {"cut_off": 12})
    assert [plain(text) for text in ending_findings(run)] == [
        "12 of 300 replies of the candidate were cut off at max_output_tokens (512), and none of the baseline's 300."
    ]
    assert plain(next_steps(run)[0]) == (
        "Set a higher max_output_tokens, or limit the answer's length in the prompt: replies were cut off."
    )


def test_replies_that_are_mostly_empty_are_told_though_the_arms_do_not_differ() -> None:
    """A prompt whose answers nobody sees is not shown to be as good as before."""
    run = _with(runs.passed(), {"empty": 300}, {"empty": 300})
    assert (
        plain(ending_findings(run)[0])
        == "300 of 300 replies of the candidate were empty, and 300 of the baseline's 300."
    )


def test_what_both_arms_do_alike_is_advice_and_no_finding() -> None:
    run = _with(runs.block(), {"cut_off": 100}, {"cut_off": 101})
    assert ending_findings(run) == ()
    assert "max_output_tokens" in plain(next_steps(run)[0])


@pytest.mark.parametrize(
    ("arm", "found", "step"),
    [
        (
            {"step_limited": 20, "max_steps": 12},
            "20 of 300 conversations of the candidate were ended at max_steps (12), and none of the baseline's 300.",
            "Raise max_steps, or find out which tools are called repeatedly: conversations ended at this limit.",
        ),
        (
            {"step_limited": 4},
            "4 of 300 conversations of the candidate were ended at the step limit, and none of the baseline's 300.",
            "Raise the step limit of the agent, or find out which tools are called repeatedly: conversations "
            "ended at this limit.",
        ),
    ],
)
def test_an_agent_that_is_ended_at_its_step_limit_is_advised_of_that(
    arm: dict[str, object], found: str, step: str
) -> None:
    run = _with(runs.passed(), {}, arm)
    assert [plain(text) for text in ending_findings(run)] == [found]
    assert plain(next_steps(run)[0]) == step
    assert "max_output_tokens" not in "".join(map(plain, next_steps(run)))


def test_one_reply_in_many_is_a_fact_and_nothing_more() -> None:
    run = _with(runs.passed(), {}, {"empty": 1})
    assert ending_findings(run) == ()
    assert list(ending_advice(run)) == []
    assert [(fact.label, plain(fact.text)) for fact in ending_facts(run)] == [
        ("replies of the candidate", "1 empty; 300 replies in all")
    ]


def test_a_new_prompt_has_nothing_to_differ_from() -> None:
    run = runs.new_pass()
    suite = run.new[0]
    arm = suite.candidate.model_copy(update=COUNTS | {"refused": 30})
    run = run.model_copy(update={"new": [suite.model_copy(update={"candidate": arm})]})
    assert plain(ending_findings(run)[0]).endswith("30 of 300 replies of the candidate were refusals.")
