"""A verdict that was measured and does not decide: set aside by the override label, or in advisory mode."""

from typing import Literal

from gate.domain.record import OverrideRecord, RunRecord
from gate.errors import Interrupted


def waive(run: RunRecord, why: Literal["override", "advisory"], override: OverrideRecord | None = None) -> RunRecord:
    """The run with the exit code 0; its verdict stays what was measured, and a mistake stays told.

    A run that is waived already stays as it is, and so does one that the user interrupted.

    Args:
        run: finished, or not evaluated.
        why: `override` where the label counts and the run goes on (`on-skip: run`); `advisory` in advisory mode.
        override: the label, where it is set; in advisory mode it may be one that does not count.

    Raises:
        ValueError: `why` is `override`, and there is none that counts.
    """
    run = told(run, override)
    if why == "override" and not (run.override and run.override.counted):
        raise ValueError("only an override that counts sets a verdict aside")
    if run.waived or run.exit_code == Interrupted.exit_code:
        return run
    return run.model_copy(update={"waived": why, "waived_code": run.exit_code, "exit_code": 0})


def told(run: RunRecord, override: OverrideRecord | None) -> RunRecord:
    """The run with what became of the override label; exit code and verdict stay.

    Args:
        run: any.
        override: None where the label is not set.
    """
    return run if override is None else run.model_copy(update={"override": override})


def audit(run: RunRecord) -> dict[str, str]:
    """Outputs on what set the verdict aside; empty where nothing did.

    `override-by`, `-at`, `-role` and `-reason` are those of an override that counts, so that a later step may rely on
    them; `override-refused` says why one does not. `waived` is `override`, `advisory` or empty.
    """
    found = run.override
    counted = found if found is not None and found.counted else None
    return {
        "override-by": (counted.by or "") if counted else "",
        "override-at": (counted.at or "") if counted else "",
        "override-role": counted.role if counted else "",
        "override-reason": counted.reason if counted else "",
        "override-refused": found.why_not if found and not found.counted else "",
        "waived": run.waived,
    }
