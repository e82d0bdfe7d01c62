"""The table of speed, and the programs that it runs."""

from pathlib import Path

import pytest

from benchmarks.speed import Row, print_table
from benchmarks.speed_runs import compared_once


@pytest.mark.parametrize(
    ("row", "line"),
    [
        (Row("start", 0.1, 0.2, cpu_s=0.05), "|0.50|start|0.10 s|0.20 s|yes|0.05 s|"),
        (Row("calls", 450, 360, "calls"), "|1.25|calls|450 calls|360 calls|**no**||"),
        (Row("again", 0, 0, "calls"), "|0.00|again|0 calls|0 calls|yes||"),
        (Row("again", 1, 0, "calls"), "|inf|again|1 calls|0 calls|**no**||"),
        (Row("run", 12, 15, peer="loop"), "|0.80|run|12.00 s|15.00 s loop|yes||"),
        (Row("run", 12, 60, peer="other", stopped=True), "|< 0.20|run|12.00 s|> 60.00 s other|yes||"),
        (Row("init", 2.5, None), "||init|2.50 s||||"),
    ],
)
def test_the_ratio_comes_first(row: Row, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_table([row], "Head", ["A note."], markdown=True)
    head, _, columns, _, shown, _, note = capsys.readouterr().out.splitlines()
    assert (head, columns.split("|")[1], shown, note) == ("Head.", "ratio", line, "- A note.")


def test_a_comparison_is_measured_from_its_first_request_to_its_last_answer(tmp_path: Path) -> None:
    run = compared_once(tmp_path, 3, 3, 0, "openai:m")
    assert run.spent.began < run.first < run.last < run.spent.ended
