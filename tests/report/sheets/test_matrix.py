"""The sheet of an evaluation: what its cells say, at 80 columns and as Markdown."""

import io
from dataclasses import dataclass, replace
from itertools import takewhile

import pytest
from rich.console import Console

from gate.config.specification import GeneratedTest, Specification, TestKind
from gate.report.markdown import report as sheet_markdown
from gate.report.sheets.matrix import (
    EvaluationFigures,
    evaluation_figures,
    evaluation_sheet,
    rate_interval,
    rate_text,
)
from gate.report.terminal import sheet as sheet_terminal
from gate.testgen.evaluation.matrix import SpecAgreement, agreement, contrasts, group_matrix
from gate.testgen.evaluation.metrics import OutcomeRow, OutputVerdict, Tally, valid_share
from tests.testgen.rows import rows

SEVERAL = [
    *rows("vccccccc", "rule", "openai:gpt-5-mini", valid=True),
    *rows("vvccccc?", "inverse", "openai:gpt-5-mini", valid=False),
    *rows("ccccccc-", "control", "openai:gpt-5-mini", valid=True),
    *rows("vvvvvvvv", "rule", "anthropic:claude-sonnet-5-5", valid=True),
    *rows("????????", "control", "anthropic:claude-sonnet-5-5", valid=True),
]


def printed(figures: EvaluationFigures, width: int = 80) -> str:
    out = io.StringIO()
    sheet_terminal.render_sheet(evaluation_sheet(figures), Console(file=out, width=width))
    return out.getvalue()


@pytest.mark.parametrize(
    ("tally", "text", "bounds"),
    [
        (Tally(6, 12, 0, 0, 18), "33.3 %", "[16, 56]"),
        (Tally(0, 10, 2, 1, 10), "0 %", "[0, 28]"),
        (Tally(0, 0, 3, 0, 0), "–", "–"),
        (Tally(0, 0, 0, 0, 0), "–", "–"),
    ],
)
def test_cells(tally: Tally, text: str, bounds: str) -> None:
    assert rate_text(tally) == text and rate_interval(tally) == bounds


def of_model(text: str, model: str) -> dict[str, str]:
    """The rows of a model in the table of counts: by group, what they say."""
    lines = iter(text[text.index("Counts and intervals") :].splitlines())
    next(line for line in lines if line.startswith(model))
    rows_below = takewhile(lambda line: line.startswith("· "), lines)
    return {name: " ".join(rest.split()) for name, rest in (line[2:].split("  ", 1) for line in rows_below)}


def test_counts_stand_by_model() -> None:
    text = printed(EvaluationFigures((group_matrix(SEVERAL),)))
    assert of_model(text, "openai:gpt-5-mini") == {
        "rules": "1/8 [2, 47] 0 0",
        "inverse": "2/7 [8, 64] 1 0",
        "rules + inverse": "3/15 [7, 45] 1 0",
        "control": "0/7 [0, 35] 0 1",
        "all": "3/22 [5, 33] 1 1",
    }
    # It has no test of an inverse rule, so it has no row of them.
    assert "inverse" not in of_model(text, "anthropic:claude-sonnet-5-5")


def test_a_headline_keeps_apart_what_has_one_name() -> None:
    twins = [*rows("v", model="openai:small"), *rows("-", model="local:small")]
    told_so = evaluation_sheet(EvaluationFigures((group_matrix(twins),))).headline
    assert told_so == "By the judge: openai:small breaks 100 % [21, 100] of 1 test, local:small has no verdict"
    told_so = evaluation_sheet(EvaluationFigures((group_matrix(twins[::-1]),))).headline
    assert told_so == "By the judge: local:small has no verdict, openai:small breaks 100 % [21, 100] of 1 test"


MODELS = (
    "anthropic:claude-haiku-4-5-20251001",
    "anthropic:claude-haiku-4-5-20260101",
    "openai:gpt-5-mini-2025-08-07",
    "local:models/a-file-with-a-very-long-name-of-its-own.Q4_K_M.gguf",
)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_four_models_are_told_in_full_at_any_width(width: int) -> None:
    kinds: tuple[TestKind, ...] = ("rule", "inverse", "control")
    answered = [replace(row, coded="compliant") for m in MODELS for kind in kinds for row in rows("vcc", kind, m)]
    matrices = group_matrix(answered), group_matrix(answered, "code")
    text = printed(EvaluationFigures(matrices, contrasts(answered)), width)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width
    assert all(line == line.rstrip() for line in text.splitlines())
    # Two tables of shares, one of counts, one of differences.
    if width > 60:
        assert all(text.count(model) == 4 for model in MODELS[:3])
    if width == 80:
        assert len(text.splitlines()) < 70


def test_judge_and_code_stand_apart() -> None:
    text = sheet_markdown.render_sheet(
        evaluation_sheet(
            EvaluationFigures(tuple(group_matrix(SEVERAL, source) for source in ("judge", "code", "either")))
        )
    )
    for words in ("by the judge\n", "by code\n", "by the judge or by code\n"):
        assert f"### Tests that were not complied with, {words}" in text
    # Code was asked about nothing here, and that is no pass.
    assert "| openai:gpt-5-mini | – | – | – | – | – |" in text


def test_warnings_come_first_and_worth_and_agreement_last() -> None:
    figures = EvaluationFigures(
        (group_matrix(SEVERAL),),
        contrasts(SEVERAL),
        Tally(3, 1, 0, 0, 4),
        Tally(5, 0, 1, 0, 5),
        valid_share(SEVERAL),
        agreement(SEVERAL, SEVERAL),
        ("The judge wrote the tests.",),
    )
    text = sheet_markdown.render_sheet(evaluation_sheet(figures))
    order = ["⚠️ The judge wrote the tests.", "rules + inverse minus control",
             "tests with a valid input | 3/4 | 75\xa0%", "rules that stand in the prompt | 5/5 | 100\xa0%",
             "violations from a valid input | 9/11", "### Agreement of the specification",
             "Cosine 1.000, closeness 1.000"]  # fmt: skip
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "Without a test that was decided twice: anthropic:claude-sonnet-5-5." in text


def test_hostile_names_are_text() -> None:
    told_rows = rows("vc", model="<img src=x> | @all \x1b[31m", prompt="p")
    figures = EvaluationFigures((group_matrix(told_rows),))
    assert "\x1b" not in printed(figures)
    text = sheet_markdown.render_sheet(evaluation_sheet(figures))
    assert r"\<img" in text and "@all" not in text
    assert {line.count("|") for line in text.splitlines() if "img" in line and line.startswith("|")} == {3, 4}


@dataclass(frozen=True)
class Evaluated:
    rows: tuple[OutcomeRow, ...]
    tests: tuple[GeneratedTest, ...] = ()
    agreement: SpecAgreement | None = None
    notes: tuple[str, ...] = ()


def test_an_output_is_broken_where_judge_or_code_says_so() -> None:
    """No figure of an evaluation said so, though the page about it did."""
    judged = rows("vcc?", "rule", "openai:gpt-5-mini")
    verdicts: tuple[OutputVerdict, ...] = ("compliant", "violation", "compliant", "compliant")
    coded = [replace(row, coded=verdict) for row, verdict in zip(judged, verdicts, strict=True)]
    figures = evaluation_figures(Evaluated(tuple(coded)), Specification("d", "i"))
    counts = {one.source: (cell.yes, cell.no, cell.unknown) for one in figures.matrices for cell in one.rows[0].cells}
    assert counts == {"judge": (1, 2, 1), "code": (1, 3, 0), "either": (2, 1, 1)}
    assert [one.source for one in evaluation_figures(Evaluated(tuple(judged)), Specification("d", "i")).matrices] == [
        "judge"
    ]
