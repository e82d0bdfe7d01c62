"""What a jury's members think is on the scale of the rubric that they judge by."""

import io

from rich.console import Console

from gate.report.terminal.report import render_report
from gate.report.view.scorers import jury_facts
from tests.golden.judged_runs import judged


def told(low: float, high: float) -> dict[str, str]:
    """The facts of a jury whose rubric has this scale, by what they are about."""
    run = judged()
    (suite,) = run.suites
    (rubric,), (jury,) = suite.rubrics, suite.juries
    rubric = rubric.model_copy(update={"scorer": jury.scorer, "low": low, "high": high})
    jury = jury.model_copy(update={"mark": 0.625, "marks": jury.alpha})
    made = suite.model_copy(update={"rubrics": [rubric], "juries": [jury]})
    facts = jury_facts(run.model_copy(update={"suites": [made]}))
    return {fact.label.rpartition(", ")[2]: str(fact.text[0]) for fact in facts}


def test_marks_means_and_opinions_are_on_the_rubrics_scale() -> None:
    found = told(1.0, 5.0)
    assert "pass or fail at 3.5 of 5, " in found["agreement"]
    assert found["mean opinions"].count(" of 5") == 6
    assert " of 5 / " in found["to look at"]


def test_without_a_scale_they_are_shares_of_one() -> None:
    found = told(0.0, 1.0)
    assert "pass or fail at 0.625, " in found["agreement"]
    assert " of " not in found["mean opinions"] + found["to look at"]


def test_the_terminal_says_of_each_judge_how_far_it_agrees_with_people() -> None:
    out = io.StringIO()
    render_report(judged(), Console(file=out, width=400, _environ={}))
    lines = out.getvalue().splitlines()
    (voice,) = (line for line in lines if "agrees with people on" in line)
    assert voice.strip().startswith(
        "voice: rubric by openai:mistral-large at temperature 0; agrees with people on 91 %"
    )
    (jury,) = (line for line in lines if "not calibrated" in line)
    assert jury.strip().startswith("jury: judge by a jury, ")
