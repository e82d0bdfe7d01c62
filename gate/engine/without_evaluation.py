"""Records without a comparison (SKIPPED, INCONCLUSIVE, a recorded baseline), and overridden exit codes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from importlib.metadata import version
from typing import Literal

from gate.config.policy import RunPolicy
from gate.errors import CannotEvaluate, GateError, InputErrors, Interrupted
from gate.record.comparison import Verdict
from gate.record.parts import CallsRecord
from gate.record.run import MethodRecord, MissingRecord, NewSuiteRecord, OverrideRecord, RunRecord
from gate.resolve.resolved import Resolved
from gate.values import HELPS, without_score


def waive(run: RunRecord, why: Literal["override", "advisory"], override: OverrideRecord | None = None) -> RunRecord:
    """The run with exit code 0; its verdict and its errors stay recorded.

    A run that is already waived stays as it is, and so does one that the user interrupted.

    Args:
        why: `override` where the label counts and the run goes on (`on-skip: run`); `advisory` in advisory mode.
        override: the label, where it is set; in advisory mode it may be one that does not count.
    """
    run = with_override(run, override)
    if run.waived or run.exit_code == Interrupted.exit_code:
        return run
    return run.model_copy(update={"waived": why, "waived_code": run.exit_code, "exit_code": 0})


def with_override(run: RunRecord, override: OverrideRecord | None) -> RunRecord:
    """The run with the outcome of the override label, None where it is not set; exit code and verdict stay."""
    return run if override is None else run.model_copy(update={"override": override})


CLOSED = "the pull request is closed."


def skipped_record(resolved: Resolved, created: datetime) -> RunRecord:
    """The change touches no suite: each one was read at both refs, and is the same."""
    names = resolved.untouched
    # Without a suite, only cases that are not filled in yet are left, which a note says.
    reason = f"nothing that {', '.join(names)} {'uses' if len(names) == 1 else 'use'} has changed"
    run = _record(Verdict.SKIPPED, 0, [f"{reason if names else 'nothing has changed'}."], resolved.commit, created)
    return run.model_copy(update={"notes": list(resolved.notes), "coverage": resolved.coverage})


def deleted_record(resolved: Resolved, created: datetime) -> RunRecord:
    """The change removes tested prompts without naming successors, and touches no other suite."""
    reasons = [str(one) for one in resolved.deleted]
    run = _record(Verdict.INCONCLUSIVE, CannotEvaluate.exit_code, reasons, resolved.commit, created)
    return run.model_copy(
        update={
            "deleted": [one.prompt for one in resolved.deleted],
            "notes": list(resolved.notes),
            "config": resolved.config,
            "coverage": resolved.coverage,
        }
    )


def closed_record(commit: str, created: datetime) -> RunRecord:
    """The pull request is closed, so nothing is evaluated."""
    return _record(Verdict.SKIPPED, 0, [CLOSED], commit, created).model_copy(update={"kind": "closed"})


def overridden_record(found: OverrideRecord, created: datetime) -> RunRecord:
    """The override label is set and counts."""
    run = _record(Verdict.SKIPPED, 0, [f"The label {found.label} is set."], found.commit, created)
    return run.model_copy(update={"override": found})


def not_evaluated_record(why: str, commit: str, created: datetime) -> RunRecord:
    """The event has nothing to evaluate; `why` is a sentence."""
    return _record(Verdict.SKIPPED, 0, [why], commit, created)


def without_secrets_record(why: str, error: GateError, commit: str, created: datetime) -> RunRecord:
    """A run without secrets from GitHub, with `on-missing-secrets: skip`.

    Args:
        why: there are none, as a sentence without its full stop.
        error: names the missing secret.
    """
    run = _record(Verdict.SKIPPED, 0, [f"nothing was evaluated: {why}."], commit, created)
    return run.model_copy(update={"notes": [f"{error.message}."], "kind": "unjudged"})


def failed_record(
    error: GateError, commit: str, created: datetime, *, advice: str = "", setup: bool = False
) -> RunRecord:
    """The evaluation could not be carried out.

    Args:
        advice: what to do about an error that the merge target already has; empty for any other.
    """
    if isinstance(error, InputErrors):
        count = len(error.problems)
        said = "one error keeps the gate from running" if count == 1 else f"{count} errors keep the gate from running"
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
        ),
        missing=MissingRecord(samples=0, total=0, best=None, worst=None, reasons=[]),
        suites=[],
        calls=CallsRecord(made=0, cached=0, retried=0, failed=0),
        spent_usd=0.0,
    )


def without_baseline(resolved: Resolved) -> Resolved:
    """Every suite with one arm, whose answers later runs reuse as their baseline.

    `resolved` has one commit on both sides, and all of its suites.

    Raises:
        GateError: there is no suite.
    """
    if not resolved.suites:
        raise GateError("there is no suite to record", "gate.yaml has no suite that the input 'prompts' selects")
    return replace(resolved, suites=tuple(replace(suite, baseline=None) for suite in resolved.suites), notes=())


def baseline_run_record(run: RunRecord, branch: str) -> RunRecord:
    """The record of such a run: PASS, or INCONCLUSIVE where it was not finished or has no answer."""
    priced = any(suite.priced for suite in run.new)
    plain: dict[str, object] = {"kind": "baseline", "suites": [], "new": [], "priced": priced}
    calls = run.calls
    why = run.unfinished or ("" if calls.made or calls.cached else _silence(run))
    if why:
        broken = f"the baseline {branch} was not fully recorded: {why}"
        code = run.exit_code if run.exit_code not in (0, 1) else CannotEvaluate.exit_code
        ended = {"verdict": Verdict.INCONCLUSIVE, "exit_code": code, "reasons": [f"{broken}."], "unfinished": broken}
        return run.model_copy(update=plain | ended)
    cached = f"{calls.made:,} answers were cached" if calls.made else "all answers were cached already"
    reasons = [f"The baseline {branch} is recorded: {cached}."]
    notes = [*map(_told, run.new), *_without_score(run)]
    return run.model_copy(update=plain | {"verdict": Verdict.PASS, "exit_code": 0, "reasons": reasons, "notes": notes})


def _silence(run: RunRecord) -> str:
    return ": ".join(("no call was answered", *run.missing.reasons[:1]))


def _told(suite: NewSuiteRecord) -> str:
    rate = suite.overall
    share = "no answer could be scored" if rate.rate is None else f"{rate.rate:.1%} of the answers pass"
    return f"{suite.name}: {share}, over {rate.n:,} cases and {suite.samples} samples of each."


def _without_score(run: RunRecord) -> Sequence[str]:
    missing = run.missing
    return [f"{without_score(missing.samples, missing.total)}."] if missing.samples else []
