"""Carries a calibration out: the baseline against itself, with real calls, and its record on disk."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gate.bootstrap.earlier import CALIBRATION
from gate.bootstrap.memory import Remembering
from gate.bootstrap.plan import Plan
from gate.bootstrap.planning import against_itself
from gate.bootstrap.running import run_plan
from gate.domain.calibration import CalibrationRecord, dump
from gate.domain.record import RunRecord
from gate.errors import GateError
from gate.flows.calibrate import Steps, calibrate
from gate.flows.ports import Progress
from gate.settings.services import Settings
from gate.store.run_folder import write_whole


@dataclass(frozen=True, slots=True)
class Trial:
    """An A/A run to be made.

    Args:
        config: path of `gate.yaml` from the root of the repository.
        suites: names; empty for all.
        samples: k instead of what the suites say, or None.
        concurrency: calls in flight.
        out: folder for the run and `calibration.json`.
    """

    config: str
    suites: Sequence[str]
    samples: int | None
    concurrency: int
    out: Path


def measure(trial: Trial, settings: Settings, progress: Progress) -> RunRecord:
    """Run every suite of the working tree against itself.

    Args:
        trial: what, and where to.
        settings: keys and addresses.
        progress: told about each sample.

    Raises:
        GateError: as `gate.bootstrap.running.run_plan`.
    """
    resolved = against_itself(trial.config, trial.suites)
    recorded = [suite.name for suite in resolved.suites if suite.candidate.model.provider == "replay"]
    if recorded:
        hint = "name the model itself, or calibrate from a finished run: gate calibrate RUN.json"
        raise GateError(f"a recording repeats itself, and shows no noise of a model: {', '.join(recorded)}", hint)
    # The noise is that of all repeats; a prompt against itself would soon stop early.
    resolved = replace(resolved, policy=resolved.policy.model_copy(update={"early_stop": False}))
    if trial.samples is not None:
        suites = tuple(replace(suite, samples=trial.samples) for suite in resolved.suites)
        resolved = replace(resolved, suites=suites)
    try:
        # An older one beside a newer run would lie about it.
        (trial.out / CALIBRATION).unlink(missing_ok=True)
    except OSError as error:
        raise GateError(f"cannot remove {trial.out / CALIBRATION}: {error.strerror}", "name another --out") from None
    remember = Remembering(cache=False)
    plan = Plan(resolved, trial.concurrency, None, trial.out, progress, apart=True, remember=remember)
    return run_plan(plan, settings)


def conclude(run: RunRecord, steps: Steps, out: Path | None) -> CalibrationRecord:
    """What a run says about noise, kept beside it.

    Args:
        run: a finished run.
        steps: told about each simulated run.
        out: folder of the run; None where nothing is to be written.
    """
    found = calibrate(run, steps)
    if out is not None:
        write_whole(out / CALIBRATION, dump(found))
    return found
