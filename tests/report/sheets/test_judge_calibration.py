"""The sheet of a judge's calibration: everything a sceptic asks for, and nothing of a stranger's text at work."""

import io
import re
from collections.abc import Callable

from rich.console import Console

from gate.config.rubrics import parse_rubric
from gate.config.scorer import ScorerSpec
from gate.record.calibration import JudgeCalibrationRecord
from gate.record.transcript import Unscored
from gate.report.markdown import report as sheet_markdown
from gate.report.sheets.judge_calibration import judge_sheet
from gate.report.terminal import sheet as sheet_terminal
from tests.support.labelled import by_jury, calibration, judged, labels

TEXTS = ("id", "output", "reason", "where", "question", "cluster")
RUBRIC = ScorerSpec("rubric", "style", parse_rubric("dimensions: [{name: a, description: b}]", "r.yaml"))


def on_paper(found: JudgeCalibrationRecord) -> str:
    console = Console(file=io.StringIO(), width=100)
    sheet_terminal.render_sheet(judge_sheet(found), console)
    assert isinstance(console.file, io.StringIO)
    return " ".join(console.file.getvalue().split())


def typical() -> JudgeCalibrationRecord:
    truth = [float(place % 3 > 0) for place in range(120)]

    def says(answer: int, index: int) -> float | Unscored:
        if answer == 7:
            return Unscored("the judge refused")
        return truth[answer] if answer % 8 else (0.6 if index else 0.9)

    rows = [[one, one if place % 5 else 1 - one] for place, one in enumerate(truth)]
    return calibration(labels(rows), judged(120, 5, says), repeats=5)


def test_the_first_line_is_what_later_reports_quote() -> None:
    # The bootstrap's seed is made of the judge's identity, so its bounds move in the last place with every word of it.
    first = r"judge \(fake:judge\) agrees with people on 84 % \[76, 89\] of the answers, kappa 0.66 \[0.5\d, 0.7\d\]"
    assert re.fullmatch(first, judge_sheet(typical()).headline)


def test_a_sceptic_finds_every_figure() -> None:
    text = on_paper(typical())
    for part in (
        "Agreement: 119 answers, 119 independent questions, up to 2 labels each",
        "Cohen's kappa 0.6",
        "a judge that passes every answer 6",
        "agreement among people 80 %",
        "people pass",
        "people fail",
        "answers whose verdict changes 13 % [8, 20] in 5 judgements",
        "spread within an answer",
        "Judgements without a score",
        "5 the judge refused",
        "1 of 120 answers have no score",
        "Where judge and people differ: ",
        "Question “question 8” • a8 (line 9): people pass, the judge 0.66. Answer: “answer 8” Judge: “reason 8”",
        "2026-11-22",
    ):
        assert part in text, (part, text)


def test_hostile_answers_do_nothing_in_markdown() -> None:
    found = typical()
    row = found.disagreements[0]
    evil = "<img src=x onerror=alert(1)> @team | `x` ](http://e.example) \x1b[31m\n# Heading"
    hostile = found.model_copy(update={"disagreements": [row.model_copy(update=dict.fromkeys(TEXTS, evil))]})
    text = sheet_markdown.render_sheet(judge_sheet(hostile))
    assert re.search(r"(?<!\\)<", text) is None
    assert "@team" not in text
    assert "\n# Heading" not in text
    assert "http://" not in text
    assert "\x1b" not in text
    console = Console(file=io.StringIO(), width=100, force_terminal=True, color_system=None)
    sheet_terminal.render_sheet(judge_sheet(hostile), console)
    assert isinstance(console.file, io.StringIO)
    assert "\x1b[31m" not in console.file.getvalue()


def test_a_rubric_speaks_on_its_own_scale() -> None:
    """0.625 is 3.5 of 5, and a distance of 0.1 is 0.4 there; what machines read stays in [0, 1]."""
    truth = [float(place % 2) for place in range(60)]

    def says(answer: int, index: int) -> float:
        return (0.7 if truth[answer] or answer == 58 else 0.1) + 0.2 * (index - 1) * (answer < 30)

    found = calibration(labels([[one] for one in truth]), judged(60, 3, says), spec=RUBRIC, repeats=3)
    text = on_paper(found)
    for part in (
        "How the judge behaves, on its scale of 1 to 5",
        "spread within an answer 0.57, at most 1.60",
        "A score of at least 3.5 of 5 is a pass.",
        "people fail, the judge 3.8 of 5.",
    ):
        assert part in text, (part, text)
    assert "0.62" not in text
    assert found.judge.threshold == 0.625


def test_a_judge_without_a_score_has_no_tables_of_figures() -> None:
    found = calibration(labels([[1.0], [0.0]]), judged(2, 1, lambda a, i: Unscored("no key")))
    text = on_paper(found)
    assert text.startswith("judge (fake:judge) scored no answer")
    assert "2 no key" in text
    assert "kappa" not in text


def test_the_judges_of_a_jury_are_compared_with_each_other() -> None:
    truth = [float(place % 2) for place in range(40)]

    def wrong_at_first(answer: int) -> float:
        return 1.0 - truth[answer] if answer < 10 else truth[answer]

    def below(*judges: Callable[[int], float]) -> str:
        return on_paper(calibration(labels([[one] for one in truth]), by_jury(40, judges)))

    pair = below(lambda a: truth[a], wrong_at_first)
    assert "Two of the judges pass or fail 75 % [60, 86] of the answers alike, kappa 0.50 [" in pair
    three = below(lambda a: truth[a], wrong_at_first, lambda a: truth[a])
    assert "Two of the judges pass or fail 83 % [" in three
    assert three.count("kappa 0.") == 1 + three.count("Cohen's kappa 0.")


def test_an_unfinished_calibration_says_so_first() -> None:
    found = calibration(labels([[1.0]]), judged(1, 1, lambda a, i: 1.0), unfinished="budget.max_calls is 1")
    assert judge_sheet(found).remarks[0].text.startswith("not finished: budget.max_calls is 1.")
