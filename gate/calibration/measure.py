"""Runs a calibration: the baseline against itself, or a judge against human labels."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from gate.app.resolving import against_itself
from gate.app.run_order import RunOrder
from gate.app.runs import RunContext, carry_out, run_plan
from gate.calibration.judge import JudgingEnd, conclude, seed_of
from gate.calibration.judge_agreement import JudgeRun
from gate.calibration.noise import calibrate
from gate.calls.interface import Progress, StepProgress
from gate.cases import labels as label_files
from gate.cases.labels import Labels, LabelScale
from gate.cases.reading import is_table
from gate.config.documents import decode, decode_table, quoted
from gate.config.policy import Budget, RunPolicy
from gate.config.scorer import ScorerSpec, parse_scorers
from gate.environment.settings import Settings
from gate.errors import GateError, Interrupted
from gate.files import read_bounded, write_whole
from gate.git.places import DiskSource, own_folder
from gate.limits import FILE_BYTES
from gate.record.calibration import (
    CalibrationRecord,
    JudgeCalibrationRecord,
    dump_calibration,
    load,
)
from gate.record.run import RunRecord
from gate.resolve.judges import scale_of
from gate.resolve.resolved import Resolved
from gate.store.kept_runs import CALIBRATION
from gate.values import JsonValue


def measure_noise(resolved: Resolved, out: Path, progress: Progress, settings: Settings) -> RunRecord:
    """Run suites against themselves, into a folder."""
    recorded = [suite.name for suite in resolved.suites if suite.candidate.model.provider == "replay"]
    if recorded:
        hint = "use the real model, or calibrate from a finished run: gate calibrate RUN.json"
        raise GateError(f"recorded answers show no noise: {', '.join(recorded)}", hint)
    # Take all samples: a prompt against itself would soon stop early.
    resolved = resolved.stopping_early(False)
    try:
        # An older calibration would not match the new run.
        (out / CALIBRATION).unlink(missing_ok=True)
    except OSError as error:
        raise GateError(
            f"cannot remove {out / CALIBRATION}: {error.strerror}", "choose another folder with --out"
        ) from None
    plan = RunOrder(resolved, settings.concurrency, None, out, progress, apart=True, cache=False)
    return run_plan(plan, settings)


def conclude_noise(run: RunRecord, steps: StepProgress, out: Path | None) -> CalibrationRecord:
    """The noise of a finished run, written to `calibration.json` in the folder `out`; None writes nothing."""
    found = calibrate(run, steps)
    if out is not None:
        write_whole(out / CALIBRATION, dump_calibration(found))
    return found


FOLDER = "judge-calibration"
"""Folder of the single judgements."""


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """A judge calibration.

    Args:
        suite: suite of the scorer; None for a judge of `criteria` and `model`.
        scorer: None if the suite has one judge.
        repeats: judgements per answer.
        scale: of people's grades; None for that of the rubric, or 0 to 1.
        max_calls, max_usd: in addition to the limits of the configuration.
    """

    labels: Path
    config: str
    suite: str | None
    scorer: str | None
    criteria: str | None
    model: str | None
    repeats: int
    scale: tuple[float, float] | None
    max_calls: int | None = None
    max_usd: float | None = None


def measure_judge(
    wanted: JudgeRequest, settings: Settings, progress: Progress, say: Callable[[str], None]
) -> JudgeCalibrationRecord:
    """Judge the labelled answers, and compare the judgements with the labels."""
    resolved = _resolved(wanted)
    spec = resolved.judges[0]
    labels = _labels(wanted, spec, say)
    # Code always gives the same score.
    repeats = wanted.repeats if spec.judged else 1
    if not spec.judged:
        resolved = replace(resolved, judges=())
    created = datetime.now(UTC)

    async def work(run: RunContext) -> JudgeCalibrationRecord:
        judging = JudgeRun(spec, run.tools, run.stop)
        run.tools.notes.begin(0)
        judged = await judging.judge(labels.rows, repeats)
        whole = all(len(one.scores) == repeats for one in judged)
        if run.stop.interrupted and not whole:
            taken = sum(len(one.scores) for one in judged)
            raise Interrupted(
                f"interrupted; {taken:,} of {len(labels.rows) * repeats:,} judgements are saved",
                "repeat the command: cached judgements cost nothing",
            )
        unfinished = "" if whole else run.stop.reason or "some answers were not judged"
        spent = run.tools.spent_usd() if spec.judged else 0.0
        return conclude(labels, spec, judged, JudgingEnd(created, repeats, unfinished, spent))

    plan = RunOrder(resolved, settings.concurrency, seed_of(labels, spec), own_folder() / FOLDER, progress, say=say)
    return carry_out(plan, settings, work)


def check_place(path: Path, labels: Path, *, named: bool) -> None:
    """Check, before anything is spent, that the file may be written.

    Raises:
        GateError: it is the labels, a folder, or an unknown file at the default path.
    """
    if path.is_dir():
        raise GateError(f"{path} is a folder", "choose a file with --out")
    if path.exists() and path.samefile(labels):
        raise GateError(f"{path} has the labels and would be overwritten", "choose another file with --out")
    if not named and path.exists() and _known(path) is None:
        raise GateError(f"{path} exists and is not a judge calibration", "choose another file with --out")


def free_place(path: Path, found: JudgeCalibrationRecord) -> Path:
    """The default path of a calibration; another one if it holds that of another judge."""
    before = _known(path)
    if before is None or before.judge.name == found.judge.name:
        return path
    return path.with_stem(f"{path.stem}-{re.sub(r'[^a-z0-9]+', '-', found.judge.name.lower()).strip('-') or 'other'}")


def _known(path: Path) -> JudgeCalibrationRecord | None:
    try:
        return load((read_bounded(path, FILE_BYTES) or b"").decode("utf-8"))
    except (OSError, ValueError):
        return None


def keep_judge_calibration(found: JudgeCalibrationRecord, path: Path) -> None:
    """Write the calibration.

    Raises:
        GateError: it cannot be written.
    """
    try:
        write_whole(path, dump_calibration(found))
    except OSError as error:
        raise GateError(f"cannot write {path}: {error.strerror}", "choose another file with --out") from None


def _resolved(wanted: JudgeRequest) -> Resolved:
    """The judge and its budget."""
    if wanted.suite is None:
        spec = _own_judge(wanted)
        budget = Budget().by_options(wanted.max_calls, wanted.max_usd)
        return Resolved((), {}, (), (), RunPolicy(), budget, None, judges=(spec,))
    if wanted.criteria is not None or wanted.model is not None:
        raise GateError("--suite cannot be combined with --criteria and --model", "use one of them")
    resolved = against_itself(wanted.config, (wanted.suite,))
    spec = _scorer(resolved.suites[0].exam.scorers, wanted)
    budget = resolved.budget.by_options(wanted.max_calls, wanted.max_usd)
    return replace(resolved, suites=(), changes={}, notes=(), judges=(spec,), budget=budget)


def _own_judge(wanted: JudgeRequest) -> ScorerSpec:
    if wanted.criteria is None or wanted.model is None:
        hint = "gate calibrate --judge LABELS.jsonl --suite NAME, or --criteria TEXT --model PROVIDER:NAME"
        raise GateError("no judge to calibrate", hint)
    if wanted.scorer is not None:
        raise GateError("--scorer needs --suite", "add --suite NAME")
    options: dict[str, JsonValue] = {"criteria": wanted.criteria, "model": wanted.model}
    return parse_scorers([{"judge": options}], "--criteria and --model")[0]


def _scorer(scorers: tuple[ScorerSpec, ...], wanted: JudgeRequest) -> ScorerSpec:
    """The requested scorer; not a judge of pairs, because a label is about one answer."""
    pairs = [spec for spec in scorers if spec.comparative]
    scorers = tuple(spec for spec in scorers if not spec.comparative)
    known = f"choose another one with --scorer: {', '.join(spec.name for spec in scorers)}" if scorers else ""
    if wanted.scorer is None:
        judges = [spec for spec in scorers if spec.judged]
        if len(judges) == 1:
            return judges[0]
        if pairs and not judges:
            raise _of_pairs(pairs[0], known)
        found = f"{len(judges)} judges" if judges else "no judge"
        raise GateError(f"suite {wanted.suite} has {found}", known.replace("another one", "a scorer"))
    for spec in (*scorers, *pairs):
        if spec.name != wanted.scorer:
            continue
        if spec.comparative:
            raise _of_pairs(spec, known)
        if spec.coded:
            hint = "test the function in a unit test"
            raise GateError(f"the scorer {quoted(spec.name)} is code of the repository and cannot be calibrated", hint)
        return spec
    raise GateError(f"suite {wanted.suite} has no scorer {quoted(wanted.scorer)}", known)


def _of_pairs(spec: ScorerSpec, known: str) -> GateError:
    said = f"the judge {quoted(spec.name)} compares two answers, and labels are about one: it cannot be calibrated"
    alone = "hold a judge with its criteria against people (--criteria TEXT --model PROVIDER:NAME, without --suite)"
    return GateError(said, f"{known}; or {alone}" if known else alone)


def _labels(wanted: JudgeRequest, spec: ScorerSpec, say: Callable[[str], None]) -> Labels:
    data, name = DiskSource().read(str(wanted.labels)), str(wanted.labels)
    if data is None:
        raise GateError(
            f"there is no {name}", 'one line for each answer: {"input": "…", "output": "…", "label": "pass"}'
        )
    ends = wanted.scale or scale_of(spec)
    if ends is not None and not (all(map(math.isfinite, ends)) and ends[0] < ends[1]):
        raise GateError(
            f"the label scale {ends[0]:g} to {ends[1]:g} does not rise",
            "write the lower end first, such as --label-scale 1 5",
        )
    text, encoding = decode_table(data, name) if is_table(name) else (decode(data, name), "")
    if encoding:
        say(f"{name}: {encoding}")
    return label_files.parse(text, name, None if ends is None else LabelScale(*ends))
