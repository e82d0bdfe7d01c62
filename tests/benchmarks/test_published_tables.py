"""The replayed tables: every cell that differs has a cause, and the results hold what the command prints."""

import pytest

from benchmarks.promptpex.published_tables import PAGE, PICTURE, RESULTS_PAGE, picture, replayed, written
from benchmarks.promptpex.recorded_verdicts import MODELS, read
from benchmarks.promptpex.table_cells import cause_of, cells, paper, rows
from benchmarks.promptpex.table_sheet import of, pooled
from gate.testgen.evaluation.metrics import Group, Tally, non_compliance, rows_in_group, tally_difference

GROUPS: tuple[Group, ...] = ("rule", "inverse", "promptpex", "control")


def test_the_results_hold_the_tables_as_they_are_computed() -> None:
    results = RESULTS_PAGE.read_text(encoding="utf-8")
    assert written(results, replayed()) == results, "python -m benchmarks.promptpex.published_tables --write"


def test_the_picture_shows_the_records() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture()
    assert f"({PICTURE.parent.name}/{PICTURE.name})" in PAGE.read_text(encoding="utf-8")


def test_five_cells_differ_and_each_has_its_cause() -> None:
    found = cells(rows(read()), paper())
    assert len(found) == 80
    assert {(cell.prompt, cell.model, cell.group): cell.cause.partition(":")[0] for cell in found if cell.cause} == {
        ("classify", "qwen2.5:3b", "promptpex"): "rounding",
        ("sentence", "gpt-4o-mini", "promptpex"): "rounding",
        ("sentence", "gemma2:9b", "promptpex"): "a missing verdict is counted as a violation",
        ("sentence", "gemma2:9b", "inverse"): "a missing verdict is counted as a violation",
        ("extract-names", "qwen2.5:3b", "rule"): "a slip in print",
    }


@pytest.mark.parametrize(
    ("tally", "column", "cause"),
    [
        (Tally(6, 42, 0, 0, 48), [13, 50, 32], ""),
        (Tally(6, 42, 0, 0, 48), [12, 50, 31], "rounding: 12.5"),
        (Tally(1, 46, 1, 0, 47), [4, 50, 27], "a missing verdict is counted as a violation: 2/48"),
        (Tally(5, 5, 5, 0, 10), [33, 50, 42], "a missing verdict is counted as a pass: 5/15"),
        (
            Tally(6, 12, 0, 0, 18),
            [12, 50, 42],
            "a slip in print: the printed average of its column, 42, fits 33 (41.5)",
        ),
        (Tally(6, 12, 0, 0, 18), [12, 50, 31], "unexplained"),
        (Tally(6, 12, 0, 0, 18), [32, 50, 41], "unexplained"),
    ],
)
def test_causes(tally: Tally, column: list[int], cause: str) -> None:
    found = cause_of(tally, column[0], column)
    assert found.startswith(cause) and bool(found) == bool(cause)


def test_the_papers_counts_match_the_records_if_a_missing_verdict_is_a_violation() -> None:
    told, printed = rows(read()), paper()
    for prompt in {row.prompt for row in told}:
        for place, model in enumerate(MODELS):
            own = [row for row in told if (row.prompt, row.model) == (prompt, model)]
            for group in GROUPS:
                found, counts = non_compliance(rows_in_group(own, group)), of(printed, prompt, group, place)
                assert (counts.yes, counts.n) == (found.yes + found.unknown, found.n)


def test_what_the_page_says_of_all_eight_prompts() -> None:
    printed, text = paper(), " ".join(PAGE.read_text(encoding="utf-8").split())
    found = [
        tally_difference(of(printed, prompt, "promptpex", place), of(printed, prompt, "control", place))
        for prompt in printed["counts"]
        for place in range(4)
    ]
    more = [one for one in found if (one.value or 0) > 0]
    fewer = [one for one in found if (one.value or 0) < 0]
    assert (len(more), len(fewer)) == (21, 7) and "21 of the 28 cells that differ" in text
    assert (sum(one.shown for one in more), sum(one.shown for one in fewer)) == (5, 0)
    assert "In 5 of these the interval excludes 0, and in none of the 7 others" in text
    for first, second, shown in (("promptpex", "control", (0, 2)), ("inverse", "rule", (1,))):
        sides = [tally_difference(pooled(printed, first, place), pooled(printed, second, place)) for place in range(4)]
        assert tuple(place for place, one in enumerate(sides) if one.shown) == shown


def test_what_the_page_says_of_the_mean_over_prompts() -> None:
    grids = {grid.title: grid.lines[-1].cells for grid in replayed().grids}
    assert grids["PPex minus control"][0] == grids["inverse minus rules"][0] == "mean over prompts"
    assert grids["PPex minus control"][2] == "+5.4 [−1.5, +12]"
    assert grids["inverse minus rules"][2] == "+8.2 [+1.0, +15]"
    assert grids["The 32 cells of all eight prompts"][1] == "21, shown 3"
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    for words in ("mean of 5.4 points", "+5.4 [−1.5, +12]", "+8.2 [+1.0, +15]"):
        assert words in text
