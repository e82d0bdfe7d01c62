"""Run in, report out: the reports of hand-built runs, compared character by character."""

from pathlib import Path

import pytest

from gate.report.markdown.report import render_comment
from gate.report.view.advice import STEPS_SHOWN
from gate.report.view.report import report_view
from tests.golden import generating, sheets, web_pages
from tests.golden.regenerate import HERE, OUTPUTS, markdown_of, outputs, text_of
from tests.golden.render import CONTEXT
from tests.golden.runs import runs

NAMES = sorted(runs())


def _kept(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_markdown(name: str) -> None:
    assert markdown_of(runs()[name]) == _kept(HERE / f"{name}.md")


@pytest.mark.parametrize("name", NAMES)
def test_terminal(name: str) -> None:
    assert text_of(runs()[name]) == _kept(HERE / f"{name}.txt")


SCREEN_LINES = 25
OPEN_LINES = 15
LARGE = {"hostile", "several-suites", "reused"}
"""Runs over several suites; `hostile` has very long names."""


@pytest.mark.parametrize("name", sorted({*NAMES} - LARGE))
def test_a_run_over_one_suite_fits_on_one_screen(name: str) -> None:
    lines = text_of(runs()[name]).splitlines()
    assert len(lines) <= SCREEN_LINES
    assert lines[0].startswith(f" {runs()[name].verdict.value} ")


@pytest.mark.parametrize("name", NAMES)
def test_a_comment_shows_few_lines_before_its_first_fold(name: str) -> None:
    text = render_comment(runs()[name], CONTEXT)
    opening = text.partition("<details>")[0]
    assert sum(bool(line.strip()) for line in opening.splitlines()) <= OPEN_LINES


@pytest.mark.parametrize("name", NAMES)
def test_the_next_steps_are_at_most_three(name: str) -> None:
    assert 1 <= len(report_view(runs()[name]).steps) <= STEPS_SHOWN == 3


def test_no_golden_file_without_a_run() -> None:
    assert {path.stem for path in HERE.glob("*.md")} == set(NAMES)
    assert {path.stem for path in HERE.glob("*.txt")} == {*NAMES, "errors"}


def test_what_programs_read() -> None:
    made = outputs()
    assert made == {path.name: _kept(path) for path in OUTPUTS.iterdir()}


def test_a_generation() -> None:
    made = generating.generated()
    assert made == {name: _kept(generating.FOLDER / name) for name in made}
    kept = {path.name for path in generating.FOLDER.iterdir()}
    assert kept == {*made, generating.TRANSCRIPT.name}


def test_web_pages() -> None:
    kept = {path.name: _kept(path) for path in web_pages.FOLDER.iterdir()}
    assert web_pages.web_pages() == kept


def test_no_golden_sheet_without_a_maker() -> None:
    assert {path.name for path in sheets.FOLDER.iterdir()} == {*sheets.sheets()}


@pytest.mark.parametrize("name", sorted(path.name for path in sheets.FOLDER.iterdir()))
def test_sheets(name: str) -> None:
    assert sheets.sheets()[name] == _kept(sheets.FOLDER / name)
