"""What a save changed, against the run before it."""

import io

from rich.console import Console

from gate.cases.case import Case
from gate.cli.output import LogStream
from gate.record.run import RunRecord
from gate.record.transcript import ArmName
from gate.report.terminal import watch as terminal_since
from gate.report.terminal.watch import watch_view
from tests.golden.hostile import hostile
from tests.golden.runs import runs
from tests.support.rendering import harm
from tests.support.run_records import finished
from tests.support.runs import suite

GOLDEN = runs()
SUITE = suite([{"tier": "gold" if number % 2 else "free"} for number in range(40)])


def fallen(count: int) -> RunRecord:
    """The first gold cases fell."""
    bad = {f"c{2 * number + 1:03}" for number in range(count)}

    def score(case: Case, arm: ArmName, index: int) -> float:
        return 0.0 if arm is ArmName.CANDIDATE and case.id in bad else 1.0

    return finished([SUITE], score)


def printed(run: RunRecord, last: RunRecord | None, width: int = 100) -> str:
    out = io.StringIO()
    terminal_since.render_watch(
        watch_view(run, last), "14:03:21", Console(file=LogStream(out), width=width, _environ={})
    )
    return out.getvalue()


def test_slices_and_cases_are_held_against_the_last_run() -> None:
    later = watch_view(fallen(2), fallen(18))
    assert later.before.startswith("BLOCK: tier=gold dropped by 0.900")
    rows = {row.name: row for row in later.rows}
    assert (rows["tier=gold"].before, rows["tier=gold"].moved) == ("−0.900", 1)
    assert rows["tier=free"].moved == 0
    assert len(later.rose) == 16 and later.fell == () and later.rose[0] == "c005 0.000 → 1.000"
    worse = watch_view(fallen(18), fallen(2))
    assert {row.name: row.moved for row in worse.rows}["tier=gold"] == -1 and len(worse.fell) == 16


def test_the_screen_names_a_few_and_counts_the_rest() -> None:
    text = printed(fallen(2), fallen(18))
    assert text.startswith("14:03:21  ") and "last run: BLOCK" in text and "▲" in text
    assert "and 13 more" in " ".join(text.split())


def test_every_kind_of_run_has_a_screen_and_none_breaks_out() -> None:
    last = None
    for run in GOLDEN.values():
        assert printed(run, last)
        last = run
    text = printed(hostile(), hostile())
    assert harm(text) == []
