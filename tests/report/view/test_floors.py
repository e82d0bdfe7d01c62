"""A baseline that scores 0 cannot fall: every report says so, since a PASS says nothing there."""

import pytest

from gate.record.comparison import Comparison, ScorerChange, State, Verdict
from gate.record.findings.finding import plain
from gate.record.findings.unfinished import BudgetReached
from gate.record.run import CaseRecord, RunRecord
from gate.report.markdown import report as markdown
from gate.report.page import document
from gate.report.view.advice import next_steps
from gate.report.view.exam import floor_findings
from tests.golden.builders import case, comparison, output, run, scorer, suite
from tests.golden.regenerate import text_of
from tests.golden.runs import runs

_STILL = (0.0, None, None)


def _run(
    rows: list[Comparison], cases: list[CaseRecord] | None = None, *scorers: ScorerChange, **other: object
) -> RunRecord:
    one = suite(rows[0], rows[1:], cases or [], scorers=list(scorers))
    verdict = Verdict.SHIP if rows[0].state is State.IMPROVEMENT else Verdict.PASS
    return run(verdict, [one], **other)


def _still(name: str, n: int, baseline: float = 0.0) -> Comparison:
    return comparison(name, State.NOISE, n, baseline, _STILL, mde=None)


def _told(run: RunRecord) -> list[str]:
    return [plain(one) for one in floor_findings(run)]


def test_every_report_says_that_nothing_could_have_got_worse() -> None:
    found = _run([_still("overall", 20), _still("lang=de", 12)])
    assert _told(found) == [
        "The baseline already scores 0.000 in all 20 cases of overall, so the score cannot drop here and shows "
        "nothing; read some answers: the model may ignore the prompt, or the scorer or the cases may be wrong."
    ]
    for report in (markdown.render_report(found).replace("`", ""), document.render_page(found), text_of(found)):
        text = " ".join(report.replace("<code>", "").replace("</code>", "").split())
        assert "The baseline already scores 0.000 in all 20 cases of overall" in text
    assert plain(next_steps(found)[0]).startswith("Before you rely on this, read some answers: the score could not")


def test_nearly_all_is_counted_from_the_cases() -> None:
    right, wrong = [output(0, "a", 1.0)], [output(0, "b", 0.0)]
    cases = [case(f"c{i}", {"lang": "de"}, "q", None, (right if i == 0 else wrong, wrong)) for i in range(20)]
    rows = [comparison("overall", State.NOISE, 20, 0.05, (-0.05, -0.2, 0.1))]
    assert "in all but 1 of the 20 cases of overall, so the score can hardly drop" in _told(_run(rows, cases))[0]
    assert _told(_run(rows, cases[1:])) == []


@pytest.mark.parametrize("state", [State.IMPROVEMENT, State.NOISE])
def test_a_rise_from_nothing_is_no_complaint_and_neither_is_half_a_run(state: State) -> None:
    rows = [comparison("overall", state, 20, 0.0, (0.5, 0.3, 0.7))]
    made = _run(rows)
    assert bool(_told(made)) is (state is State.NOISE)
    ended = BudgetReached(limit="max_calls", value=5, setting="budget.max_calls")
    half = made.model_copy(update={"findings": [ended], "verdict": Verdict.INCONCLUSIVE})
    assert _told(half) == []


def test_a_scorer_that_never_gave_more_than_0_is_named() -> None:
    told = _told(
        _run(
            [_still("overall", 20, 0.5)], [], scorer("json", 0.5, 20, (0.0, 0.0)), scorer("judge", 0.5, 20, (1.0, 1.0))
        )
    )
    assert told == [
        "Scorer json gave 0 to every answer of both arms (20 cases); read some of them: the model may ignore the "
        "prompt, or the scorer may check the wrong thing."
    ]
    few = _run([_still("overall", 20, 0.5)], [], scorer("json", None, 3, (0.0, 0.0)), scorer("judge", None, 20, (1, 1)))
    assert _told(few) == []


def test_no_other_run_says_so() -> None:
    assert {name for name, one in runs().items() if floor_findings(one)} == set()
