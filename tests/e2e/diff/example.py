"""Helpers for the example repository."""

from pathlib import Path

from tests.support.command import Outcome, gate
from tests.support.example import BROKEN, PROMPT


def run(repo: Path, *more: str) -> Outcome:
    """Compare with `main`, by default the working tree."""
    return gate("diff", "--base", "main", "--json", *more, cwd=repo)


def break_gold(repo: Path) -> None:
    (repo / PROMPT).write_text(BROKEN)
