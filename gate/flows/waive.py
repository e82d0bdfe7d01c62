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
