"""The sheet of an evaluation: what its cells say, at 80 columns and as Markdown."""

import io
from dataclasses import replace
from itertools import takewhile

import pytest
from rich.console import Console

from gate.config.specification import Specification, TestKind
from gate.report.markdown import report as sheet_markdown
from gate.report.sheets.matrix import (
    EvaluationFigures,
    evaluation_figures,
    evaluation_sheet,
)
from gate.report.terminal import sheet as sheet_terminal
from gate.testgen.evaluation.matrix import contrasts, group_matrix
from gate.testgen.evaluation.metrics import OutputVerdict
from gate.testgen.evaluation.trials import EvaluationResult
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
        assert f"### Tests that break the prompt, {words}" in text
    # Code was asked about nothing here, and that is no pass.
    assert "| openai:gpt-5-mini | – | – | – | – | – |" in text


def test_hostile_names_are_text() -> None:
    told_rows = rows("vc", model="<img src=x> | @all \x1b[31m", prompt="p")
    figures = EvaluationFigures((group_matrix(told_rows),))
    assert "\x1b" not in printed(figures)
    text = sheet_markdown.render_sheet(evaluation_sheet(figures))
    assert r"\<img" in text and "@all" not in text
    assert {line.count("|") for line in text.splitlines() if "img" in line and line.startswith("|")} == {3, 4}


def test_an_output_is_broken_where_judge_or_code_says_so() -> None:
    """No figure of an evaluation said so, though the page about it did."""
    judged = rows("vcc?", "rule", "openai:gpt-5-mini")
    verdicts: tuple[OutputVerdict, ...] = ("compliant", "violation", "compliant", "compliant")
    coded = [replace(row, coded=verdict) for row, verdict in zip(judged, verdicts, strict=True)]
    figures = evaluation_figures(EvaluationResult(tuple(coded), (), None, ()), Specification("d", "i"))
    counts = {one.source: (cell.yes, cell.no, cell.unknown) for one in figures.matrices for cell in one.rows[0].cells}
    assert counts == {"judge": (1, 2, 1), "code": (1, 3, 0), "either": (2, 1, 1)}
    assert [
        one.source
        for one in evaluation_figures(EvaluationResult(tuple(judged), (), None, ()), Specification("d", "i")).matrices
    ] == ["judge"]
