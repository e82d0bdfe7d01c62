"""The results on echoes are the figures that the benchmark prints."""

import pytest

from benchmarks.judges.copied_verdicts import QUOTING, SOURCES, believed, lost
from benchmarks.paths import RESULTS
from tests.support.verdict_encodings import FORGED, NOT_HELD

RESULTS_PAGE = RESULTS / "copied_verdicts.md"
CELLS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in RESULTS_PAGE.read_text(encoding="utf-8").splitlines()
]
ROWS = {row[0]: row[1:] for row in CELLS if len(row) > 1}


def test_forged_verdicts_that_are_found() -> None:
    for name, forged in FORGED.items():
        assert (ROWS[name][0], ROWS[name][2]) == (str(len(forged.texts)), str(len(believed(forged)))), name
    assert not ROWS.keys() & NOT_HELD


LARGE = "PromptPex"
"""Many answers, which take a quarter of a minute."""


@pytest.mark.parametrize(("place", "source"), [found for found in enumerate(SOURCES) if found[1] != LARGE])
def test_honest_verdicts_that_are_rejected(place: int, source: str) -> None:
    rows = SOURCES[source]()
    for name, quoting in QUOTING.items():
        count, total = lost(rows, quoting)
        assert ROWS[name][2 * place] == (f"{count} of {total:,}" if total else ""), name
