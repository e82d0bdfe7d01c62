"""Suites of very many slices: what is done for each of them is done once."""

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from gate.record.comparison import PassState, State, Verdict
from gate.record.run import RunRecord
from gate.report.markdown.report import render_report
from gate.report.slices import shown_and_folded
from gate.report.terminal import report as terminal
from gate.report.terminal.report import SIZES
from gate.report.view.comparisons import SHOWN_REMARKABLE
from tests.golden import new_prompts as new
from tests.golden.builders import case, comparison, output, run, suite

MANY = 200


class Incomparable:
    """Looking for it in a list is an error."""

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        raise AssertionError("compared")


def many(state: State, rate: PassState) -> RunRecord:
    overall = comparison("overall", State.NOISE, 40, 0.8, (0.0, -0.1, 0.1))
    slices = [comparison(f"id={i:04}", state, 40, 0.8, (-0.01, -0.1, 0.1)) for i in range(MANY)]
    span = (0.9, 0.8, 0.95)
    rates = [new.rate(f"id={i:04}", rate, 40, span, 0.85, doubtful=False) for i in range(MANY)]
    brought = new.suite(new.rate("overall", PassState.MET, 40, span, 0.85), rates, [])
    return run(Verdict.BLOCK, [suite(overall, slices, [])], new=[brought])


@given(st.lists(st.booleans(), max_size=50), st.integers(0, 10))
def test_parted_asks_each_item_once_compares_none_and_keeps_the_order(plain: list[bool], shown: int) -> None:
    items = [Incomparable() for _ in plain]
    asked = iter(plain)
    kept, folded = shown_and_folded(items, lambda _: next(asked), shown)
    places = {id(item): place for place, item in enumerate(items)}
    expected = [place for place, one in enumerate(plain) if one][shown:]
    assert [places[id(item)] for item in folded] == expected
    assert [places[id(item)] for item in kept] == [place for place in range(len(plain)) if place not in expected]


def test_what_fits_is_all_that_is_said() -> None:
    made = many(State.REGRESSION, PassState.MISSED)
    for limit in (4_096, 10_000_000):
        text = render_report(made, limit=limit)
        assert len(text) <= limit
        assert ("Left out, to keep this short" in text) == (limit < 10_000_000)


def test_a_terminal_shows_the_worst_rows_and_counts_the_rest() -> None:
    console = Console(file=io.StringIO(), width=120)
    terminal.render_report(many(State.REGRESSION, PassState.MISSED), console)
    text = console.file.getvalue()
    assert text.count("id=0000") >= 2
    assert f"id={SIZES[0].rows:04}" not in text
    regressions = f"{MANY - SHOWN_REMARKABLE:,}"
    assert f"and {regressions} more slices: {regressions} regressions\n" in text
    # `overall` is a row, too.
    assert f"and {MANY + 1 - SIZES[0].rows:,} more slices in the full report" in text


def test_five_suites_of_two_hundred_slices_and_ten_thousand_cases_make_a_comment() -> None:
    fell = case("c", {}, "Why?", "so", ([output(0, "so", 1.0)], [output(0, "no", 0.0)]))
    cases = [
        fell.model_copy(update={"id": f"c{i:04}", "slices": {"id": f"{i % 200:03}"}, "cluster": f"s{i % 9}"})
        for i in range(2_000)
    ]
    made = []
    for name in "abcde":
        rows = [
            comparison(f"{name}/id={i:03}", State.REGRESSION if i < 40 else State.NOISE, 40, 0.8, (-0.2, -0.3, -0.1))
            for i in range(200)
        ]
        overall = comparison(f"{name}/overall", State.REGRESSION, 2_000, 0.8, (-0.2, -0.3, -0.1))
        made.append(suite(overall, rows, cases, name=name))
    text = render_report(run(Verdict.BLOCK, made))
    assert len(text) <= 65_536
    assert text.count("```diff") == 5
    assert "slices: 30 regressions</summary>" in text
    for line in text.splitlines():
        if "id=" in line and line.startswith("|"):
            assert line.endswith("|") and line.count("|") == 7
