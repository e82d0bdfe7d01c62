"""The sheet of an evaluation: what its cells say, at 80 columns and as Markdown."""

import io

import pytest
from rich.console import Console

from gate.report import sheet_markdown, sheet_terminal
from gate.report.generation_matrix import Figures, cell, interval, named, sheet, told
from gate.stats.newcombe import Difference
from gate.testgen.agreement_of_specs import agreement
from gate.testgen.matrix import by_group, contrasts
from gate.testgen.metrics import Tally, valid_share
from tests.unit.testgen.rows import rows

SEVERAL = [
    *rows("vccccccc", "rule", "openai:gpt-5-mini", valid=True),
    *rows("vvccccc?", "inverse", "openai:gpt-5-mini", valid=False),
    *rows("ccccccc-", "control", "openai:gpt-5-mini", valid=True),
    *rows("vvvvvvvv", "rule", "anthropic:claude-sonnet-5-5", valid=True),
    *rows("????????", "control", "anthropic:claude-sonnet-5-5", valid=True),
]


def printed(figures: Figures, width: int = 80) -> str:
    out = io.StringIO()
    sheet_terminal.render(sheet(figures), Console(file=out, width=width))
    return out.getvalue()


@pytest.mark.parametrize(
    ("tally", "text", "bounds"),
    [
        (Tally(6, 12, 0, 0, 18), "33.3 % 6/18", "[16, 56]"),
        (Tally(0, 10, 2, 1, 10), "0 % 0/10 +3?", "[0, 28]"),
        (Tally(0, 0, 3, 0, 0), "– 0/0 +3?", "–"),
        (Tally(0, 0, 0, 0, 0), "–", "–"),
    ],
)
def test_cells(tally: Tally, text: str, bounds: str) -> None:
    assert cell(tally) == text and interval(tally) == bounds


def test_what_is_open_is_told_with_both_ends() -> None:
    text = printed(Figures((by_group(SEVERAL),)), 120)
    (line,) = [line for line in text.splitlines() if line.startswith("openai") and " inverse " in line]
    assert line.split()[2:] == ["2/7", "[8,", "64]", "1", "0", "25", "%,", "38", "%"]
    (line,) = [line for line in text.splitlines() if line.startswith("anthropic") and " control " in line]
    assert line.split()[2:] == ["0/0", "–", "8", "0", "0", "%,", "100", "%"]


def test_no_line_is_wider_than_the_terminal() -> None:
    matrices = by_group(SEVERAL), by_group(SEVERAL, "either")
    worth = Tally(3, 1, 0, 0, 4), None, valid_share(SEVERAL), agreement(SEVERAL, SEVERAL)
    figures = Figures(matrices, contrasts(SEVERAL), *worth, ("Look out.",))
    assert max(map(len, printed(figures).splitlines())) <= 80


def test_judge_and_code_stand_apart() -> None:
    text = sheet_markdown.render(
        sheet(Figures(tuple(by_group(SEVERAL, source) for source in ("judge", "code", "either"))))
    )
    for words in ("by the judge\n", "by code\n", "by the judge or by code\n"):
        assert f"### Tests that were not complied with, {words}" in text
    # Code was asked about nothing here, and that is no pass.
    assert "| rules | – | – |" in text


def test_warnings_come_first_and_worth_and_agreement_last() -> None:
    figures = Figures((by_group(SEVERAL),), contrasts(SEVERAL), Tally(3, 1, 0, 0, 4), Tally(5, 0, 1, 0, 5),
                      valid_share(SEVERAL), agreement(SEVERAL, SEVERAL), ("The judge wrote the tests.",))  # fmt: skip
    text = sheet_markdown.render(sheet(figures))
    order = ["⚠️ The judge wrote the tests.", "rules+inverse minus control", "tests with a valid input | 3/4 | 75 %",
             "rules that stand in the prompt | 5/5 | 100 %", "violations from a valid input | 9/11",
             "### Agreement of the specification", "Cosine 1.000, closeness 1.000"]  # fmt: skip
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "Without a test that was decided twice: anthropic:claude-sonnet-5-5." in text


def test_hostile_names_are_text() -> None:
    told_rows = rows("vc", model="<img src=x> | @all \x1b[31m", prompt="p")
    figures = Figures((by_group(told_rows),))
    assert "\x1b" not in printed(figures)
    text = sheet_markdown.render(sheet(figures))
    assert r"\<img" in text and "@all" not in text
    assert all(
        line.count("|") == 3 for line in text.splitlines() if line.startswith("| tests") or line.startswith("| rules")
    )


def test_long_models_are_cut_in_heads_and_told_in_full() -> None:
    name = "local:models/" + "very-" * 10 + "long.gguf"
    assert len(named(name)) <= 30 and named(name).endswith("long.gguf")
    assert f"In full: {name}." in " ".join(printed(Figures((by_group(rows("v", model=name)),)), 200).split())


def test_differences() -> None:
    assert told(Difference(0.12, -0.05, 0.3)) == "+12 [−5.0, +30]"
    assert told(Difference(None, -1.0, 1.0)) == "–"
