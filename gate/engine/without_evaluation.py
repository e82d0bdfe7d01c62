"""Records without a comparison (SKIPPED, INCONCLUSIVE, a recorded baseline), and overridden exit codes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from importlib.metadata import version
from typing import Literal

from gate.config.policy import RunPolicy
from gate.errors import CannotEvaluate, GateError, InputErrors, Interrupted, MissingKey, Problem, Terminated
from gate.record.comparison import Verdict
from gate.record.findings.catalogue import verdict_of
from gate.record.findings.finding import Finding
from gate.record.findings.skipped import (
    BaselinePassRate,
    BaselineRecorded,
    LabelSet,
    NothingChanged,
    SecretsMissing,
)
from gate.record.findings.unfinished import (
    BaselineIncomplete,
    ErrorInBase,
    EvaluationFailed,
    InputError,
    KeyMissing,
    ProblemRecord,
    RunInterrupted,
    SamplesMissing,
)
from gate.record.parts import CallsRecord
from gate.record.run import MethodRecord, MissingRecord, NewSuiteRecord, OverrideRecord, RunRecord
from gate.resolve.resolved import Resolved


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


def skipped_record(resolved: Resolved, created: datetime) -> RunRecord:
    """The change touches no suite: each one was read at both refs, and is the same."""
    # Without a suite, only cases that are not filled in yet are left, which a note says.
    findings = [NothingChanged(suites=list(resolved.untouched)), *resolved.notes]
    return _record(findings, resolved.commit, created).model_copy(update={"coverage": resolved.coverage})


def deleted_record(resolved: Resolved, created: datetime) -> RunRecord:
    """The change removes tested prompts without naming successors, and touches no other suite."""
    run = _record([*resolved.deleted, *resolved.notes], resolved.commit, created, CannotEvaluate.exit_code)
    return run.model_copy(update={"config": resolved.config, "coverage": resolved.coverage})


def overridden_record(override: OverrideRecord, created: datetime) -> RunRecord:
    """The override label is set and counts."""
    run = _record([LabelSet(label=override.label, by=override.by or "")], override.commit, created)
    return run.model_copy(update={"override": override})


def not_evaluated_record(why: Finding, commit: str, created: datetime) -> RunRecord:
    """The event has nothing to evaluate."""
    return _record([why], commit, created)


def without_secrets_record(why: str, error: GateError, commit: str, created: datetime) -> RunRecord:
    """A run without secrets from GitHub, with `on-missing-secrets: skip`.

    Args:
        why: there are none.
        error: names the missing secret.
    """
    return _record([SecretsMissing(reason=why, message=error.message)], commit, created)


def failed_record(
    error: GateError, commit: str, created: datetime, *, in_base: ErrorInBase | None = None, setup: bool = False
) -> RunRecord:
    """The evaluation could not be carried out.

    Args:
        in_base: the merge target already has the error.
    """
    findings = [error_finding(error), *([in_base] if in_base else [])]
    run = _record(findings, commit, created, error.exit_code)
    return run.model_copy(update={"kind": "setup" if setup and not in_base else ""})


def error_finding(error: GateError) -> Finding:
    """An error as a finding of a run."""
    if isinstance(error, MissingKey):
        return KeyMissing(message=error.message, hint=error.hint)
    if isinstance(error, Interrupted):
        return RunInterrupted(signal="SIGINT")
    if isinstance(error, Terminated):
        return RunInterrupted(signal=error.signal)
    if isinstance(error, CannotEvaluate):
        return EvaluationFailed(message=error.message, hint=error.hint)
    problems = error.shown if isinstance(error, InputErrors) else (Problem("", 0, error.message, error.hint),)
    records = [ProblemRecord(file=one.file, line=one.line, message=one.message, hint=one.hint) for one in problems]
    return InputError(count=len(error.problems) if isinstance(error, InputErrors) else 1, problems=records)


def _record(findings: Sequence[Finding], commit: str | None, created: datetime, exit_code: int = 0) -> RunRecord:
    policy = RunPolicy()
    return RunRecord(
        tool_version=version("prompt-gate"),
        created=created.isoformat(timespec="seconds"),
        duration_s=0.0,
        verdict=verdict_of(findings),
        exit_code=exit_code,
        findings=list(findings),
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
    calls, missing = run.calls, run.missing
    plain: dict[str, object] = {"kind": "baseline", "suites": [], "new": []}
    plain["priced"] = any(suite.priced for suite in run.new)
    reason = run.unfinished.phrase if run.unfinished else "" if calls.made or calls.cached else _silence(run)
    if reason:
        broken = BaselineIncomplete(branch=branch, reason=reason)
        code = run.exit_code if run.exit_code not in (0, 1) else CannotEvaluate.exit_code
        stopped: list[Finding] = [broken, *([run.unfinished] if run.unfinished else [])]
        ended = {"verdict": Verdict.INCONCLUSIVE, "exit_code": code, "findings": stopped}
        return run.model_copy(update=plain | ended)
    findings: list[Finding] = [BaselineRecorded(branch=branch, cached=calls.made), *map(_pass_rate, run.new)]
    if missing.samples:
        findings.append(SamplesMissing(severity="note", samples=missing.samples, total=missing.total))
    return run.model_copy(update=plain | {"verdict": Verdict.PASS, "exit_code": 0, "findings": findings})


def _silence(run: RunRecord) -> str:
    return ": ".join(("no call was answered", *(why.reason for why in run.missing.reasons[:1])))


def _pass_rate(suite: NewSuiteRecord) -> BaselinePassRate:
    return BaselinePassRate(suite=suite.name, rate=suite.overall.rate, n=suite.overall.n, samples=suite.samples)
