"""The report in a terminal."""

import io
import re

from rich.console import Console

from gate.cli.output import LogStream
from gate.record.run import RunRecord
from gate.report.terminal.report import render_report
from tests.golden import runs
from tests.golden.hostile import hostile


def _printed(run: RunRecord, *, width: int = 80, colour: bool = False, env: dict[str, str] | None = None) -> str:
    out = io.StringIO()
    system = "standard" if colour else None
    console = Console(file=LogStream(out), width=width, force_terminal=colour, color_system=system, _environ=env or {})
    render_report(run, console)
    return out.getvalue()


def test_plain_lines_fit_and_hold_no_codes() -> None:
    wide = {"block", "hostile", "many-slices"}
    for name, width in [*((name, 60) for name in sorted(runs.runs())[::2]), *((name, 140) for name in wide)]:
        text = _printed(runs.runs()[name], width=width)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text), name
        assert max(len(line.rstrip()) for line in text.splitlines()) <= width + 12 * (name == "hostile"), name


def test_narrow_consoles_lose_scores_then_bars() -> None:
    wide, usual, narrow = (_printed(runs.block(), width=width) for width in (140, 80, 60))
    assert "0.806 → 0.389" in wide
    assert "no change shown" in wide
    assert "0.806 → 0.389" not in usual
    assert "├──●──┤" in usual
    assert "├──●──┤" not in narrow
    assert "−0.417 [−0.560, −0.270]" in narrow


def test_colours_on_a_terminal_and_none_with_no_color() -> None:
    assert "\x1b[31m ├" in _printed(runs.block(), colour=True) or "\x1b[31m  ├" in _printed(runs.block(), colour=True)
    assert not re.search(r"\x1b\[(3|4)\dm", _printed(runs.block(), colour=True, env={"NO_COLOR": "1"}))


def test_hostile_text_sends_no_codes_markup_or_commands() -> None:
    text = _printed(hostile(("\x1b[31mred", "[bold red]rich", "::error::x")))
    assert "␛[31mred" in text
    assert "[bold red]rich" in text
    text += _printed(hostile())
    assert not re.search(r"^\s*::", text, re.MULTILINE)
    assert not re.search(r"##\w*\[", text)
