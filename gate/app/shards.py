"""Runs one shard of an evaluation, and merges the shards of a run."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from gate.app.run_order import RunOrder, run_folder
from gate.app.run_tools import caching_of, members
from gate.app.runs import RunContext, carry_out
from gate.calls.interface import Stop
from gate.engine.evaluate import conclude
from gate.engine.record_parts import calls_record, dollars_spent
from gate.engine.rule_changes import without_promises
from gate.engine.run import Collector
from gate.engine.samples import SampleTable
from gate.engine.schedule import SamplePlaces, Schedule, Share, by_lane, dealt
from gate.engine.shards import LoadedShard, ShardOptions, changed, disagreements, evaluation, part_of, unfinished
from gate.environment.settings import Settings, keyless_factory
from gate.errors import GateError, InputErrors, Problem
from gate.git.places import refuse_tracked
from gate.git.repository import Repo
from gate.record.findings.finding import Finding
from gate.record.findings.unfinished import EvaluationFailed, RunInterrupted
from gate.record.parts import CallsRecord
from gate.record.run import RunRecord
from gate.record.shard import Evaluation, NamedCommit, ShardBudget, ShardRecord
from gate.resolve.resolved import Resolved, check_method
from gate.store.run_folder import SAMPLES_FILE
from gate.store.shard_folder import SHARD_FILE, ShardSamples, load_shard, shard_folders, write_shard


def named_commit(ref: str) -> NamedCommit:
    """The commit that a ref names now.

    Raises:
        GateError: there is none.
    """
    return NamedCommit(ref=ref, sha=Repo.open(Path()).resolve(ref))


def run_shard(plan: RunOrder, share: Share, asked: ShardOptions, settings: Settings) -> ShardRecord:
    """Take one share of the samples, and write `shard.json` next to them.

    Args:
        plan: the whole run; its folder is this shard's own.
    """
    budget = part_of(plan.resolved.budget, share)
    check_method(plan.resolved.policy, plan.resolved.suites)
    whole = evaluation(plan.resolved, asked, share.of)
    _clear(plan.out)
    begun = _Begun(
        plan.out,
        share.number,
        whole,
        ShardBudget(max_calls=budget.max_calls, max_usd=budget.max_usd, max_minutes=budget.max_minutes),
    )
    if not plan.resolved.suites:
        return begun.ended(SampleTable(), None)
    own = replace(plan, resolved=replace(plan.resolved, budget=budget), seed=whole.seed)
    return carry_out(own, settings, lambda run: _take(own, run, share, begun))


async def _take(plan: RunOrder, run: RunContext, share: Share, begun: "_Begun") -> ShardRecord:
    begun.started()
    own = [Schedule(lane, run.seed, share) for lane in by_lane(plan.resolved.suites)]
    run.tools.progress.start(sum(len(pair.order) for schedule in own for pair in schedule.all_pairs()))
    collector = Collector(run.resolved, run.tools, run.stop, run.seed, share)
    try:
        await collector.collect()
    except GateError as error:
        begun.ended(collector.samples, EvaluationFailed(message=error.message))
        raise
    finally:
        run.tools.progress.finish()
    return begun.ended(collector.samples, run.stop.cause)


class _Begun:
    """Writes `shard.json` when the shard begins, so that a killed one can be found, and when it has ended."""

    def __init__(self, folder: Path, number: int, whole: Evaluation, budget: ShardBudget) -> None:
        self._folder, self._begun = folder, time.perf_counter()
        self._blank = ShardRecord(
            identity=whole.identity,
            number=number,
            evaluation=whole,
            budget=budget,
            created=datetime.now(UTC),
            duration_s=0.0,
            unfinished=RunInterrupted(signal="SIGKILL"),
            samples=None,
            calls=CallsRecord(made=0, cached=0, retried=0, failed=0),
            spent_usd=None,
        )

    def started(self) -> None:
        write_shard(run_folder(self._folder).made(), self._blank)

    def ended(self, samples: SampleTable, unfinished: Finding | None) -> ShardRecord:
        record = self._blank.model_copy(
            update={
                "duration_s": round(time.perf_counter() - self._begun, 3),
                "unfinished": unfinished,
                "samples": len(samples),
                "calls": calls_record(samples),
                "spent_usd": dollars_spent(samples)[0],
            }
        )
        write_shard(run_folder(self._folder).made(), record)
        return record


def _clear(folder: Path) -> None:
    """Remove what an earlier run or shard left here, whose samples must not be mistaken for this one's."""
    if not folder.exists():
        return
    own = run_folder(folder)
    own.made()
    own.clear()
    try:
        (folder / SHARD_FILE).unlink(missing_ok=True)
    except OSError as error:
        raise GateError(f"cannot remove {folder / SHARD_FILE}: {error.strerror}", "use another folder") from None


@dataclass(frozen=True, slots=True)
class RunShards:
    """The folders and records of the shards of one run, by number."""

    folders: dict[int, Path]
    records: dict[int, ShardRecord]

    @property
    def evaluation(self) -> Evaluation:
        """What all of them evaluated."""
        return next(iter(self.records.values())).evaluation


def load_shards(paths: Sequence[Path]) -> RunShards:
    """Find shards, and check that they are parts of one run.

    Args:
        paths: folders of shards, or folders that contain such folders.

    Raises:
        InputErrors: all reasons why they are not.
        GateError: no such folder, no shard in it, or one that git tracks, so a change could have added it.
    """
    folders = list(dict.fromkeys(folder for path in paths for folder in shard_folders(path)))
    refuse_tracked(*(folder / name for folder in folders for name in (SHARD_FILE, SAMPLES_FILE)))
    found: list[LoadedShard] = []
    problems: list[Problem] = []
    for folder in folders:
        try:
            found.append(LoadedShard(str(folder), load_shard(folder)))
        except GateError as error:
            problems.append(Problem(str(folder), 0, error.message, error.hint))
    problems += disagreements(found) if found else ()
    records = {one.record.number: one.record for one in found}
    if problems:
        whole = unfinished(records, found[0].record.evaluation.of) if len(found) else None
        raise InputErrors([*problems, *([Problem("the run", 0, whole.phrase)] if whole else [])])
    return RunShards({one.record.number: Path(one.folder) for one in found}, records)


def check_same(shards: RunShards, resolved: Resolved) -> None:
    """Check that this checkout has exactly what the shards evaluated.

    Args:
        resolved: with the shards' number of samples.

    Raises:
        InputErrors: it differs.
    """
    before = shards.evaluation
    now = evaluation(resolved, ShardOptions(before.inputs, before.samples), before.of)
    hint = "merge in a checkout of what the shards evaluated"
    said = [Problem("this checkout", 0, one, hint) for one in changed(before, now)]
    if said:
        raise InputErrors(said)


def merge_shards(shards: RunShards, resolved: Resolved, out: Path, settings: Settings) -> RunRecord:
    """Judge the samples of all shards as one run, and write it.

    Args:
        shards: some may be missing: the run is then INCONCLUSIVE.
        resolved: at least one suite.
        out: none of the shards' folders.

    Raises:
        InputErrors: samples that do not belong, are doubled, or cannot be read.
        GateError: the folder of the run is one of a shard.
    """
    if out.resolve() in {folder.resolve() for folder in shards.folders.values()}:
        raise GateError(f"{out} is one of the shards", "set another folder with --out")
    whole = shards.evaluation
    gathered = _gathered(shards, resolved)
    stop = Stop(unfinished(shards.records, whole.of))
    with closing(run_folder(out)) as folder:
        folder.made()
        folder.clear()
        samples = SampleTable(folder.read)
        for sample in gathered.samples():
            samples.add(sample, folder.sample(sample))
        factory = keyless_factory(settings, resolved.servers, resolved.prices)
        created, duration_s = _times(shards.records.values())
        caching, judges = caching_of(factory), partial(members, factory=factory)
        run = conclude(resolved, samples, caching, judges, whole.seed, created, duration_s, stop, {})
        run = without_promises(run, resolved, "a run in shards cannot read databases")
        folder.run(run, samples)
    return run


def _gathered(shards: RunShards, resolved: Resolved) -> ShardSamples:
    places, whole = SamplePlaces(resolved.suites), shards.evaluation
    files = {number: folder / SAMPLES_FILE for number, folder in shards.folders.items()}
    there = {number: file for number, file in files.items() if file.exists()}
    gathered = ShardSamples(places, dealt(places, whole.seed, whole.of), there)
    share = Counter(gathered.numbers)
    problems: list[Problem] = []
    for number, record in sorted(shards.records.items()):
        taken, wrong = gathered.look_through(number, torn=record.samples is None) if number in there else (0, [])
        if not wrong and (said := _short(record, taken, share[number])):
            wrong = [Problem(str(files[number]), 0, said, "download the shard again")]
        problems += wrong
    if problems:
        raise InputErrors(problems)
    return gathered


def _short(record: ShardRecord, taken: int, share: int) -> str:
    """Why a file without a single bad line is still wrong; empty if it is not."""
    if record.samples is not None and taken != record.samples:
        return f"contains {taken} of the {record.samples} samples that were written: it is incomplete"
    if not record.unfinished and taken != share:
        return f"contains {taken} samples, but shard {record.name} has {share}; the file claims to be complete"
    return ""


def _times(records: Iterable[ShardRecord]) -> tuple[datetime, float]:
    """When the first shard began, and the seconds until the last one ended."""
    times = [(record.created, record.created.timestamp() + record.duration_s) for record in records]
    begun = min(created for created, _ in times)
    return begun, max(0.0, max(ended for _, ended in times) - begun.timestamp())
