"""Takes the answers of a merge target in advance, so that later runs pay only for their own."""

from collections.abc import Sequence
from dataclasses import replace

from gate.errors import CannotEvaluate, GateError
from gate.record.comparison import Verdict
from gate.record.run import NewSuiteRecord, RunRecord
from gate.resolve.resolved import Resolved
from gate.values import without_score


def alone(resolved: Resolved) -> Resolved:
    """Every suite with one arm, which later runs ask as their baseline.

    `resolved` has one commit on both sides, and all of its suites.

    Raises:
        GateError: there is no suite.
    """
    if not resolved.suites:
        raise GateError("there is no suite to record", "gate.yaml names none that the input 'prompts' leaves")
    return replace(resolved, suites=tuple(replace(suite, baseline=None) for suite in resolved.suites), notes=())


def recorded(run: RunRecord, branch: str) -> RunRecord:
    """The record of such a run: nothing was compared.

    A PASS; INCONCLUSIVE where the evaluation was not finished, or nothing was answered.
    """
    priced = any(suite.priced for suite in run.new)
    plain: dict[str, object] = {"kind": "baseline", "suites": [], "new": [], "priced": priced}
    calls = run.calls
    why = run.unfinished or ("" if calls.made or calls.cached else _silence(run))
    if why:
        broken = f"the baseline {branch} was not recorded whole: {why}"
        code = run.exit_code if run.exit_code not in (0, 1) else CannotEvaluate.exit_code
        ended = {"verdict": Verdict.INCONCLUSIVE, "exit_code": code, "reasons": [f"{broken}."], "unfinished": broken}
        return run.model_copy(update=plain | ended)
    asked = f"{calls.made:,} answers were asked for and kept" if calls.made else "all answers were known already"
    reasons = [f"The baseline {branch} is recorded: {asked}."]
    notes = [*map(_told, run.new), *_missing(run)]
    return run.model_copy(update=plain | {"verdict": Verdict.PASS, "exit_code": 0, "reasons": reasons, "notes": notes})


def _silence(run: RunRecord) -> str:
    return ": ".join(("nothing was answered", *run.missing.reasons[:1]))


def _told(suite: NewSuiteRecord) -> str:
    rate = suite.overall
    share = "no answer could be scored" if rate.rate is None else f"{rate.rate:.1%} of the answers pass"
    return f"{suite.name}: {share}, over {rate.n:,} cases and {suite.samples} samples of each."


def _missing(run: RunRecord) -> Sequence[str]:
    missing = run.missing
    return [f"{without_score(missing.samples, missing.total)}."] if missing.samples else []
