"""The sheets of `gate plan`, `calibrate`, `backtest` and `generate`, the HTML report and the end of the job summary.

One file each in `sheets/`: sheets as a terminal of 100 columns prints them, pages as their visible text.
"""

import io
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from rich.console import Console

from gate.backtest.report import backtest_sheet
from gate.calibration.noise import calibrate
from gate.cli.output import LogStream
from gate.config.models import ModelRef
from gate.record.backtest import BacktestCommit, BacktestRecord, BacktestSlice, LastingFall
from gate.record.comparison import State, Verdict
from gate.record.transcript import Dollars
from gate.report.markdown.report import report_template
from gate.report.page.document import render_page
from gate.report.sheet import Sheet
from gate.report.sheets.generation import generation_plan_sheet
from gate.report.sheets.judge_calibration import judge_sheet
from gate.report.sheets.plan import calibration_sheet
from gate.report.terminal.sheet import render_sheet
from gate.testgen.forecast import GenerationForecast, StageForecast
from tests.calibration.test_calibrate import FEW, Counted, coins
from tests.golden.runs import runs
from tests.golden.web_pages import visible_text
from tests.report.sheets.test_judge_calibration import typical
from tests.report.sheets.test_plan import ROWS, planned
from tests.support.run_records import finished, itself
from tests.support.runs import suite

FOLDER = Path(__file__).parent / "sheets"
COLUMNS = 100
WARNINGS = ("cannot write the cache: the disk is full", "the check run could not be concluded: HTTP 500")


def _printed(sheet: Sheet) -> str:
    out = io.StringIO()
    render_sheet(
        sheet, Console(file=LogStream(out), width=COLUMNS, color_system=None, force_terminal=False, _environ={})
    )
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _backtest() -> Sheet:
    def compared(mean: float, state: State) -> BacktestSlice:
        return BacktestSlice(
            slice="lang=de", n=40, before=0.9, after=0.9 + mean, mean=mean, lower=mean - 0.1, upper=mean + 0.1,
            state=state,
        )  # fmt: skip

    def commit(letter: str, subject: str, **known: object) -> BacktestCommit:
        ids = {"commit": letter * 40, "parent": "0" * 40, "date": "2026-11-20T10:00:00Z", "subject": subject}
        return BacktestCommit.model_validate({**ids, "prompts": ["prompts/support.md"], **known})

    shorter = "Shorten the prompt"
    commits = [
        commit("c", "Name the shop", reason="the prompt does not render"),
        commit("b", shorter, verdict=Verdict.BLOCK, worst="lang=de", slices=[compared(-0.3, State.REGRESSION)],
               spent_usd=0.24),
        commit("a", "Ask for the order", verdict=Verdict.PASS, worst="lang=de", slices=[compared(-0.01, State.NOISE)],
               spent_usd=0.24),
    ]  # fmt: skip
    fall = LastingFall(slice="lang=de", commit="b" * 40, subject=shorter, before=0.9, after=0.6, now=0.61)
    return backtest_sheet(
        BacktestRecord(
            tool_version="1.0.0", created="2026-11-22T08:00:00Z", config="gate.yaml", suites=["support"],
            commits=commits, falls=[fall], calls=480, spent_usd=0.48,
        )
    )  # fmt: skip


def _generation() -> Sheet:
    model = ModelRef("openai", "gpt-5")
    stages = (
        StageForecast("rules", 3, 4_200, model, Dollars(0.02)),
        StageForecast("tests", 12, 24_000, model, Dollars(0.14)),
    )
    return generation_plan_sheet("prompts/support.md", GenerationForecast(stages, 10, True, 60))


@cache
def sheets() -> Mapping[str, str]:
    """What a person sees, by the names of the files."""
    made = runs()
    noise = calibrate(finished([itself(suite(ROWS, samples=2))], coins()), Counted(), FEW)
    return {
        "plan.txt": _printed(planned(Dollars(0.001))),
        "calibrate.txt": _printed(calibration_sheet(noise)),
        "calibrate-judge.txt": _printed(judge_sheet(typical())),
        "backtest.txt": _printed(_backtest()),
        "generate-plan.txt": _printed(_generation()),
        "page-block.txt": visible_text(render_page(made["block"]), header=True),
        "page-check.txt": visible_text(render_page(made["check-block"]), header=True),
        "job-summary-end.md": report_template("warnings.md.j2").render(warnings=WARNINGS),
    }


def write() -> None:
    """Write all files again."""
    for name, text in sheets().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
