"""Computes the paper's Tables 2 and 3 from the recorded verdicts with the gate's own code.

`python -m benchmarks.promptpex.published_tables` prints them. With `--write` benchmarks/results/promptpex.md gets
them, and docs/promptpex.md its picture.
"""

import sys
from collections.abc import Sequence

from rich.console import Console

from benchmarks.paths import RESULTS, ROOT
from benchmarks.promptpex.recorded_verdicts import read
from benchmarks.promptpex.table_cells import cells, paper, rows
from benchmarks.promptpex.table_sheet import sheet
from gate.report.markdown import report as sheet_markdown
from gate.report.sheet import Sheet
from gate.report.sheets import matrix
from gate.report.terminal import sheet as sheet_terminal
from gate.testgen.evaluation.matrix import Matrix, matrix_of
from gate.testgen.evaluation.metrics import OutcomeRow, rows_in_group

PAGE = ROOT / "docs" / "promptpex.md"
RESULTS_PAGE = RESULTS / "promptpex.md"
PICTURE = PAGE.parent / "images" / "promptpex.svg"
OPENS, CLOSES = "<!-- python -m benchmarks.promptpex.published_tables --write -->\n", "<!-- until here -->\n"


def replayed() -> Sheet:
    """All tables."""
    told, printed = rows(read()), paper()
    return sheet(told, cells(told, printed), printed)


def prompt_matrix(told: Sequence[OutcomeRow]) -> Matrix:
    """The tests that PromptPex made, with prompts as rows."""
    own = rows_in_group(told, "promptpex")
    prompts = dict.fromkeys(row.prompt for row in own)
    parts = [(name, [row for row in own if row.prompt == name]) for name in prompts]
    return matrix_of(own, "judge", "prompt", [*parts, ("all prompts", own)])


def picture() -> str:
    """The heat map of the tests that PromptPex made."""
    return matrix.render_heatmap(prompt_matrix(rows(read())))


def written(page: str, found: Sheet) -> str:
    """The page with updated tables."""
    before, _, rest = page.partition(OPENS)
    return f"{before}{OPENS}\n{sheet_markdown.render_sheet(found)}\n{CLOSES}{rest.partition(CLOSES)[2]}"


def main() -> None:
    """Print the tables, or write them."""
    found = replayed()
    if sys.argv[1:] == ["--write"]:
        RESULTS_PAGE.write_text(written(RESULTS_PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_text(picture(), encoding="utf-8")
        return
    sheet_terminal.render_sheet(found, Console(width=160 if not sys.stdout.isatty() else None))


if __name__ == "__main__":
    main()
