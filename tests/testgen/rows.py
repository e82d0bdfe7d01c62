"""Rows for the tests of figures, as short as they can be written."""

from collections.abc import Sequence

from gate.config.specification import TestKind
from gate.testgen.evaluation.metrics import OutcomeRow, OutputVerdict

LETTERS: dict[str, OutputVerdict] = {"v": "violation", "c": "compliant", "?": "unknown", "-": "no answer"}


def rows(
    letters: str, kind: TestKind = "rule", model: str = "m", prompt: str = "p", valid: bool | None = None
) -> list[OutcomeRow]:
    """One row for each letter: `v`iolation, `c`ompliant, `?` unknown, `-` no answer."""
    return [
        OutcomeRow(prompt, model, f"{kind}-{place}", kind, "R1", LETTERS[letter], valid=valid)
        for place, letter in enumerate(letters)
    ]


def coded(letters: Sequence[str]) -> list[OutcomeRow]:
    """Pairs of letters: what the judge says, and what code says; a blank where code was not asked."""
    return [
        OutcomeRow("p", "m", f"t-{place}", "rule", "R1", LETTERS[judge], None if code == " " else LETTERS[code])
        for place, (judge, code) in enumerate(letters)
    ]
