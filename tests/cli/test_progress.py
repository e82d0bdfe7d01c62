import io
from dataclasses import replace

from rich.console import Console

from gate.cli.output import BarProgress, LineProgress, progress_note
from gate.record.transcript import ArmName, Failed, Sample
from tests.support.runs import reply

SAMPLE = Sample("s", "c", ArmName.BASELINE, 0, reply(), (), 1.0)


def test_lines_come_now_and_then() -> None:
    times = iter([0.0, 1.0, 9.0, 11.0, 11.0, 12.0, 12.0])
    said: list[str] = []
    lines = LineProgress(said.append, clock=lambda: next(times))
    lines.start(4)
    for _ in range(4):
        lines.advance(SAMPLE, 0.5)
    lines.finish()
    assert said == ["sampling: 4 samples to take", "sampling: 3 of 4, $0.5000", "sampling: 4 of 4, $0.5000"]


def test_failures_are_counted() -> None:
    said: list[str] = []
    lines = LineProgress(said.append)
    lines.start(1)
    lines.advance(replace(SAMPLE, reply=Failed("down")), None)
    lines.finish()
    assert said[-1] == "sampling: 1 of 1, 1 failed"


def test_nothing_to_say_is_not_said() -> None:
    assert progress_note(None, 0) == progress_note(0.0, 0) == ""


def test_the_bar_shows_how_far_it_is() -> None:
    screen = io.StringIO()
    bar = BarProgress(Console(file=screen, force_terminal=True, width=100))
    bar.start(2)
    bar.advance(SAMPLE, 0.25)
    bar.finish()
    assert "1/2" in screen.getvalue()
    assert "$0.2500" in screen.getvalue()
