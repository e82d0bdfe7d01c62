"""The table of speed."""

import pytest

from benchmarks.speed.rows import Row, print_table


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
