"""The record of a run in which nothing was evaluated: SKIPPED, or INCONCLUSIVE because it could not even begin."""

from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import version

from gate.domain.record import MethodRecord, MissingRecord, OverrideRecord, RunRecord
from gate.domain.record_parts import CallsRecord
from gate.domain.suite import RunPolicy
from gate.domain.verdict import Verdict
from gate.errors import GateError, InputErrors
from gate.flows.override import Override

CLOSED = "the pull request is closed."


def skipped(commit: str, created: datetime, *, untouched: Sequence[str] = (), notes: Sequence[str] = ()) -> RunRecord:
    """The change touches no suite.

    Args:
        commit: of the change.
        created: now.
        untouched: names of the suites.
        notes: what the change does touch, and what does not need an evaluation.
    """
    names = ", ".join(untouched)
    reason = f"the change touches no prompt, model, case or scorer of {names}" if names else "nothing can be compared"
    run = _record(Verdict.SKIPPED, 0, [f"{reason}."], commit, created)
    return run.model_copy(update={"notes": list(notes)})


def closed(commit: str, created: datetime) -> RunRecord:
    """The pull request is closed, so there is nothing to judge."""
    return _record(Verdict.SKIPPED, 0, [CLOSED], commit, created)


def overridden(found: Override, commit: str, created: datetime) -> RunRecord:
    """The override label is set.

    Args:
        found: the label, and who set it.
        commit: that the override was found on.
        created: now.
    """
    run = _record(Verdict.SKIPPED, 0, [f"The label {found.label} is set."], commit, created)
    override = OverrideRecord(label=found.label, by=found.by, at=found.at, commit=commit)
    return run.model_copy(update={"override": override})


def failed(error: GateError, commit: str, created: datetime, *, advice: str = "") -> RunRecord:
    """The evaluation could not be carried out.

    Args:
        error: why; its exit code is the run's.
        commit: of the change.
        created: now.
        advice: what to do about it, beyond the error's own hints.
    """
    if isinstance(error, InputErrors):
        count = len(error.problems)
        said = (
            "one mistake keeps the gate from running" if count == 1 else f"{count} mistakes keep the gate from running"
        )
        reasons = [f"{said}.", *(str(problem) for problem in error.problems)]
    else:
        reasons = [error.message, *([f"What helps: {error.hint}"] if error.hint else [])]
    reasons += [advice] if advice else []
    return _record(Verdict.INCONCLUSIVE, error.exit_code, reasons, commit, created)


def _record(verdict: Verdict, code: int, reasons: list[str], commit: str, created: datetime) -> RunRecord:
    policy = RunPolicy()
    return RunRecord(
        tool_version=version("prompt-gate"),
        created=created.isoformat(timespec="seconds"),
        duration_s=0.0,
        verdict=verdict,
        exit_code=code,
        reasons=reasons,
        seed=0,
        commit=commit,
        method=MethodRecord(
            name=policy.method,
            alpha=float(f"{policy.alpha:.12g}"),
            slices_tested=0,
            flips=None,
            fail_on=policy.fail_on,
            correction=policy.correction,
        ),
        missing=MissingRecord(samples=0, total=0, best=None, worst=None, reasons=[]),
        suites=[],
        calls=CallsRecord(made=0, cached=0, retried=0, failed=0),
        spent_usd=0.0,
    )
