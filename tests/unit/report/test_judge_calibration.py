"""The sheet of a judge's calibration: everything a sceptic asks for, and nothing of a stranger's text at work."""

import io
import re

from rich.console import Console

from gate.domain.absence import Unscored
from gate.domain.judge_calibration import JudgeCalibrationRecord
from gate.report import sheet_markdown, sheet_terminal
from gate.report.judge_calibration import sheet
from gate.report.judge_numbers import whole
from tests.support.labelled import calibration, judged, labels


def on_paper(found: JudgeCalibrationRecord) -> str:
    console = Console(file=io.StringIO(), width=100)
    sheet_terminal.render(sheet(found), console)
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
    assert re.fullmatch(first, sheet(typical()).headline)


def test_a_sceptic_finds_every_figure() -> None:
    text = on_paper(typical())
    for part in (
        "Agreement: 119 answers, 120 independent questions, up to 2 labels each",
        "Cohen's kappa 0.6",
        "Gwet's AC1 0.6",
        "balanced accuracy 8",
        "agreement of one that passes all 6",
        "people among themselves 80 %",
        "people pass",
        "people fail",
        "answers whose verdict changes 13 % [8, 20] in 5 judgements",
        "spread within an answer",
        "threshold in use, 0.70",
        "best threshold, ",
        "on answers that did not choose it",
        "Judgements without a score",
        "5 the judge refused",
        "1 of 120 answers have no score",
        "Where judge and people are furthest apart",
        "“answer 8” – the judge: “reason 8”",
        "2026-11-22",
    ):
        assert part in text, (part, text)


def test_hostile_answers_do_nothing_in_markdown() -> None:
    found = typical()
    row = found.disagreements[0]
    evil = "<img src=x onerror=alert(1)> @team | `x` ](http://e.example) \x1b[31m\n# Heading"
    hostile = found.model_copy(
        update={"disagreements": [row.model_copy(update={"id": evil, "output": evil, "reason": evil, "where": evil})]}
    )
    text = sheet_markdown.render(sheet(hostile))
    assert re.search(r"(?<!\\)<", text) is None
    assert "@team" not in text
    assert "\n# Heading" not in text
    assert "http://" not in text
    assert "\x1b" not in text
    console = Console(file=io.StringIO(), width=100, force_terminal=True, color_system=None)
    sheet_terminal.render(sheet(hostile), console)
    assert isinstance(console.file, io.StringIO)
    assert "\x1b[31m" not in console.file.getvalue()


def test_a_judge_without_a_score_has_no_tables_of_figures() -> None:
    found = calibration(labels([[1.0], [0.0]]), judged(2, 1, lambda a, i: Unscored("no key")))
    text = on_paper(found)
    assert text.startswith("judge (fake:judge) gave no answer a score")
    assert "2 no key" in text
    assert "kappa" not in text


def test_an_unfinished_calibration_says_so_first() -> None:
    found = calibration(labels([[1.0]]), judged(1, 1, lambda a, i: 1.0), unfinished="budget.max_calls is 1")
    assert sheet(found).remarks[0].text.startswith("not finished: budget.max_calls is 1.")


def test_only_all_is_all_and_only_none_is_none() -> None:
    assert [whole(one) for one in (0.0, 0.001, 0.499, 0.999, 1.0)] == ["0 %", "1 %", "50 %", "99 %", "100 %"]
