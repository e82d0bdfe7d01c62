"""Plans and calibrations as text."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from gate.calibration.noise import calibrate
from gate.config.models import ModelRef, Params
from gate.config.policy import Budget, SuitePolicy
from gate.config.scorer import ScorerSpec
from gate.engine.forecast import FallToShow, PlanInputs, plan
from gate.record.calibration import CalibrationRecord
from gate.record.transcript import Cost, Dollars, Unpriced, Usage
from gate.report.markdown import report as sheet_markdown
from gate.report.sheet import CodeBlock, Remark, Sheet, SheetRow, SheetTable, text_columns
from gate.report.sheets import plan as calibration
from gate.report.sheets import plan as plan_report
from gate.report.terminal import sheet as sheet_terminal
from tests.calibration.test_calibrate import FEW, Counted, coins
from tests.support.rendering import commands
from tests.support.run_records import finished, itself, resolved
from tests.support.runs import suite

ROWS = [{"tier": "gold" if i % 3 else "free", "lang": "pt" if i < 4 else "en"} for i in range(60)]
HOSTILE = "tier\x1b[31m @everyone | <img src=x> ::error::"


def planned(cost: Cost, budget: Budget | None = None) -> Sheet:
    exam = suite(ROWS, policy=SuitePolicy(required=("lang=pt",), advisory=("tier=free",)))
    judge = ScorerSpec("judge", "judge", {"criteria": "Kind.", "model": "openai:judge"})
    whole = replace(exam, exam=replace(exam.exam, scorers=(judge,)))

    def price(_: ModelRef, __: Params, ___: Usage) -> Cost:
        return cost

    found = plan(resolved([whole], budget=budget), PlanInputs((), price, 8), FallToShow(0.1, 0.8))
    return plan_report.plan_sheet(found)


def printed(sheet: Sheet, width: int = 80, *, brief: bool = False) -> str:
    out = io.StringIO()
    sheet_terminal.render_sheet(sheet, Console(file=out, width=width, _environ={}), brief=brief)
    return out.getvalue()


def test_a_plan_says_what_it_costs_in_its_first_line() -> None:
    text = printed(planned(Dollars(0.001)), 120)
    assert text.startswith("240 calls, about $0.24, about 1 min with 8 calls in flight\n")
    assert printed(planned(Unpriced("n/a")), 120).startswith("240 calls, no cost, about 1 min")
    assert "cost unknown (the price of fake:m, openai:judge" in printed(planned(Unpriced("unknown")), 200)


def test_what_is_wrong_comes_before_the_tables_and_stays_when_brief() -> None:
    text = printed(planned(Dollars(0.001), Budget(max_calls=10)), 200, brief=True)
    assert text.count("\n") == 3
    assert "error: budget.max_calls is 10" in text
    assert "error: support: the required slice lang=pt has 4 independent cases" in text


@pytest.fixture(scope="module")
def calibrated() -> CalibrationRecord:
    return calibrate(finished([itself(suite(ROWS, samples=2))], coins()), Counted(), FEW)


def test_lines_fit(calibrated: CalibrationRecord) -> None:
    for sheet in (planned(Dollars(0.001)), calibration.calibration_sheet(calibrated)):
        for width in (76, 80, 140):
            assert max(len(line.rstrip()) for line in printed(sheet, width).splitlines()) <= width


def test_a_calibration_says_both_rates_in_its_first_line(calibrated: CalibrationRecord) -> None:
    text = printed(calibration.calibration_sheet(calibrated), 140)
    assert re.match(
        r"Without any change, \d\.\d % \(± \d\.\d\) of runs are blocked by the joint test, \d+\.\d % \(± ", text
    )
    assert "noise within a case, sigma  0.4" in text
    assert "samples: 5" in text


def test_names_from_outside_cannot_do_anything() -> None:
    sheet = Sheet(
        HOSTILE,
        (Remark(HOSTILE),),
        (SheetTable(HOSTILE, text_columns(HOSTILE, "x"), (SheetRow((HOSTILE, "y")),), (HOSTILE,)),),
    )
    shown = printed(sheet, 200)
    assert "\x1b" not in shown
    assert commands(shown) == []
    text = sheet_markdown.render_sheet(sheet)
    assert "<img" not in text.replace("\\<", "")
    assert "@everyone" not in text
    row = next(line for line in text.splitlines() if line.startswith("|") and line.endswith("y |"))
    assert row.count("|") == 3


def test_a_block_is_copied_as_it_stands() -> None:
    text = "criteria: |-\n  - " + "long " * 40 + "\n"
    sheet = Sheet("head", (), (), (), (CodeBlock("Copy this", text, "yaml"),))
    assert f"\n\nCopy this\n{text}" in printed(sheet, 40)
    assert f"### Copy this\n\n```yaml\n{text}```\n" in sheet_markdown.render_sheet(sheet)
    assert "Copy this" not in printed(sheet, brief=True)


def test_a_block_cannot_be_closed_from_inside() -> None:
    text = sheet_markdown.render_sheet(Sheet("head", (), (), (), (CodeBlock(HOSTILE, f"```\n{HOSTILE}\n<!-- x -->"),)))
    assert "\n````text\n" in text
    assert "\x1b" not in text
    assert "\x1b" not in printed(Sheet("head", (), (), (), (CodeBlock(HOSTILE, HOSTILE),)))
