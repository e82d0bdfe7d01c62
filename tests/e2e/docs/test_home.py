"""The home page shows a short version of the README's comment."""

from pathlib import Path

ROOT = Path(__file__).parents[3]


def quoted(path: str) -> set[tuple[str, ...]]:
    """Rows of quoted tables, without the drawn intervals and the dagger of the familiar rule."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    rows = [line.removeprefix("> |").strip(" |").split(" | ") for line in lines if line.startswith("> | ")]
    return {tuple(cell.removesuffix("&nbsp;†").strip() for cell in row if "─" not in cell) for row in rows}


def test_its_figures_match_the_readme() -> None:
    rows = {row for row in quoted("docs/index.md") if row[0] != "slice"}
    assert len(rows) == 1
    assert rows <= quoted("README.md")
