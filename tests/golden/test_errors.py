"""The errors of the command line against the golden file; `python -m tests.golden.regenerate` writes it."""

from pathlib import Path

from tests.golden.errors import errors

GOLDEN = Path(__file__).parent / "errors.txt"


def test_errors_read_as_before(tmp_path: Path) -> None:
    assert errors(tmp_path) == GOLDEN.read_text(encoding="utf-8")
