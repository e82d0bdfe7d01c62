"""Records without an evaluation, and verdicts that do not decide: SKIPPED, INCONCLUSIVE, overridden, advisory."""

from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import version
from typing import Literal

from gate.config.policy import RunPolicy
from gate.errors import GateError, InputErrors, Interrupted
from gate.record.comparison import Verdict
from gate.record.parts import CallsRecord
from gate.record.run import MethodRecord, MissingRecord, OverrideRecord, RunRecord
from gate.resolve.resolved import Resolved
from gate.values import HELPS


def waive(run: RunRecord, why: Literal["override", "advisory"], override: OverrideRecord | None = None) -> RunRecord:
    """The run with exit code 0; its verdict and its errors stay recorded.

    A run that is waived already stays as it is, and so does one that the user interrupted.

    Args:
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
    """The run with the outcome of the override label, None where it is not set; exit code and verdict stay."""
    return run if override is None else run.model_copy(update={"override": override})


CLOSED = "the pull request is closed."


def skipped(commit: str, created: datetime, *, untouched: Sequence[str] = (), notes: Sequence[str] = ()) -> RunRecord:
    """The change touches no suite.

    Args:
        untouched: names of the suites.
        notes: what the change does touch, and what does not need an evaluation.
    """
    names = ", ".join(untouched)
    reason = f"the change touches no prompt, model, case or scorer of {names}" if names else "nothing can be compared"
    run = _record(Verdict.SKIPPED, 0, [f"{reason}."], commit, created)
    return run.model_copy(update={"notes": list(notes)})


def deleted(resolved: Resolved, created: datetime) -> RunRecord:
    """The change deletes prompts that the base examines, and touches no other suite.

    The policy of `resolved` says whether a HOLD fails.
    """
    fail_on = resolved.policy.fail_on
    reasons = [str(one) for one in resolved.deleted]
    run = _record(Verdict.HOLD, 1 if fail_on == "hold" else 0, reasons, resolved.commit, created)
    return run.model_copy(
        update={
            "deleted": [one.prompt for one in resolved.deleted],
            "notes": list(resolved.notes),
            "config": resolved.config,
            "method": run.method.model_copy(update={"fail_on": fail_on}),
        }
    )


def closed(commit: str, created: datetime) -> RunRecord:
    """The pull request is closed, so there is nothing to judge."""
    return _record(Verdict.SKIPPED, 0, [CLOSED], commit, created).model_copy(update={"kind": "closed"})


def overridden(found: OverrideRecord, created: datetime) -> RunRecord:
    """The override label is set and counts.

    Raises:
        ValueError: it does not count.
    """
    if not found.counted:
        raise ValueError("an override that does not count skips nothing")
    run = _record(Verdict.SKIPPED, 0, [f"The label {found.label} is set."], found.commit, created)
    return run.model_copy(update={"override": found})


def nothing(why: str, commit: str, created: datetime) -> RunRecord:
    """The event asks for nothing that could be judged; `why` is a sentence."""
    return _record(Verdict.SKIPPED, 0, [why], commit, created)


def without_secrets(why: str, error: GateError, commit: str, created: datetime) -> RunRecord:
    """A run without secrets from GitHub, where somebody decided that such runs pass.

    `why` says why there are none, as a sentence without its full stop; `error` says what is missing.
    """
    run = _record(Verdict.SKIPPED, 0, [f"nothing was evaluated: {why}."], commit, created)
    return run.model_copy(update={"notes": [f"{error.message}."], "kind": "unjudged"})


def failed(error: GateError, commit: str, created: datetime, *, advice: str = "", setup: bool = False) -> RunRecord:
    """The evaluation could not be carried out.

    Args:
        advice: what to do about an error that the merge target already has; empty for any other.
        setup: neither the change nor its label was looked at.
    """
    if isinstance(error, InputErrors):
        count = len(error.problems)
        said = (
            "one mistake keeps the gate from running" if count == 1 else f"{count} mistakes keep the gate from running"
        )
        reasons = [f"{said}.", *(str(problem) for problem in error.shown)]
    else:
        reasons = [error.message, *([f"{HELPS}{error.hint}"] if error.hint else [])]
    reasons += [advice] if advice else []
    run = _record(Verdict.INCONCLUSIVE, error.exit_code, reasons, commit, created)
    kind = "base_mistake" if advice else "setup" if setup else ""
    return run.model_copy(update={"kind": kind})


def _record(verdict: Verdict, code: int, reasons: list[str], commit: str | None, created: datetime) -> RunRecord:
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
