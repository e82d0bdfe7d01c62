import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from gate.cli.app import cli, error_message, main
from gate.errors import SHOWN, GateError, InputErrors, Problem


def test_message_and_hint() -> None:
    assert error_message(GateError("no such ref", "git fetch")) == "error: no such ref\n  hint: git fetch"


def test_every_problem_is_on_its_own_line_in_order() -> None:
    problems = [Problem("b.md", 2, "two"), Problem("a.md", 0, "whole file", "fix it"), Problem("b.md", 1, "one")]
    assert error_message(InputErrors(problems)).splitlines() == [
        "error: a.md: whole file",
        "  hint: fix it",
        "error: b.md:1: one",
        "error: b.md:2: two",
    ]


def test_a_flood_is_counted() -> None:
    text = error_message(InputErrors([Problem("a", line, f"bad {line}") for line in range(1, SHOWN + 6)]))
    assert text.endswith("and 5 more errors")
    assert text.count("bad") == SHOWN


def test_equal_mistakes_are_told_once() -> None:
    text = error_message(InputErrors([Problem("a", line, "bad", "fix it") for line in (3, 7, 9, *range(20, 37))]))
    assert text == "error: a:3: lines 3, 7, 9 and 17 more: bad\n  hint: fix it"


def test_a_terminal_obeys_nothing_from_a_file() -> None:
    assert "\x1b" not in error_message(GateError("bad \x1b[31m key \x9b \u202e"))
    assert "\u202e" not in error_message(GateError("bad \u202e"))


def test_a_line_break_in_a_name_starts_no_line() -> None:
    text = error_message(InputErrors([Problem("x\n::error::pwned", 1, "bad\n::error::two")]))
    assert len(text.splitlines()) == 1


@pytest.fixture
def defective() -> Iterator[str]:
    """A command with a defect of ours."""

    @click.command("broken")
    def broken() -> None:
        raise ZeroDivisionError("an internal matter")

    cli.add_command(broken)
    yield "broken"
    del cli.commands["broken"]


def test_a_defect_is_no_verdict_and_keeps_its_trace(defective: str, capsys: pytest.CaptureFixture[str]) -> None:
    before, sys.argv = sys.argv, ["gate", defective]
    try:
        with pytest.raises(SystemExit) as ended:
            main()
    finally:
        sys.argv = before
    said = capsys.readouterr().err
    assert ended.value.code == 3
    assert "Traceback" not in said
    found = re.search(r"attach (\S+\.txt)", said)
    assert found is not None
    trace = Path(found[1])
    assert "an internal matter" in trace.read_text()
    trace.unlink()
