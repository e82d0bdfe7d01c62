"""Run in, report out: the reports of hand-built runs, compared character by character."""

from pathlib import Path

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


def test_runs() -> None:
    for name, run in runs().items():
        assert markdown_of(run) == _kept(HERE / f"{name}.md"), name
        assert text_of(run) == _kept(HERE / f"{name}.txt"), name


SCREEN_LINES = 25
OPEN_LINES = 15
LARGE = {"hostile", "several-suites", "reused"}
"""Runs over several suites; `hostile` has very long names."""


def test_a_run_over_one_suite_fits_on_one_screen() -> None:
    for name in {*NAMES} - LARGE:
        lines = _kept(HERE / f"{name}.txt").splitlines()
        assert len(lines) <= SCREEN_LINES, name
        assert lines[0].startswith(f" {runs()[name].verdict.value} "), name


def test_a_comment_shows_few_lines_before_its_first_fold_and_at_most_three_next_steps() -> None:
    for name, run in runs().items():
        opening = render_comment(run, CONTEXT).partition("<details>")[0]
        assert sum(bool(line.strip()) for line in opening.splitlines()) <= OPEN_LINES, name
        assert 1 <= len(report_view(run).steps) <= STEPS_SHOWN == 3, name


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


def test_sheets() -> None:
    assert sheets.sheets() == {path.name: _kept(path) for path in sheets.FOLDER.iterdir()}
