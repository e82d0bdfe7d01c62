"""The case to read first, and the command that shows everything about it."""

from math import fsum

from gate.domain.checked import CaseState
from gate.domain.record import RunRecord
from gate.report.cases.carriers import carriers
from gate.report.shell import pasted
from gate.report.slices import several

LONGEST = 200
"""Characters of the command."""


def worst_case(run: RunRecord) -> tuple[str, str] | None:
    """Suite and id of the case that a comment shows first; of prompts that stand alone, of the one that fails most.

    Args:
        run: a finished run.

    Returns:
        None where nothing fell or failed.
    """
    if fallen := carriers(run).cases:
        return fallen[0].suite or run.suites[0].name, fallen[0].record.id
    found = [
        (fsum(score or 0.0 for score in case.scores) / max(1, len(case.scores)), order, new.name, case.id)
        for new in run.new
        for order, case in enumerate(new.cases)
        if (case.check.state is CaseState.FAILED if case.check is not None else False in case.passed)
    ]
    return min(found)[2:] if found else None


def command(run: RunRecord, folder: str) -> str:
    """`gate explain .gate/last c17`; empty where there is no such case, or its name is none for a command line.

    Args:
        run: a finished run.
        folder: where its record is.
    """
    named = worst_case(run)
    if named is None:
        return ""
    suite, case = named
    said = pasted(["gate", "explain", folder, f"{suite}/{case}" if several(run) else case], LONGEST)
    return "" if case.startswith("-") else said
