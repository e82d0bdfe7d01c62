"""Run in, report out: the reports of hand-built runs, compared character by character."""

from pathlib import Path

import pytest

from tests.golden import generating, web_pages
from tests.golden.regenerate import HERE, OUTPUTS, markdown_of, outputs, text_of
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
