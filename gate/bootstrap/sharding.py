"""Carries one shard of a run out: its share of the samples, and a record of what they are a share of; no verdict."""

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from gate.bootstrap.keeping import run_folder
from gate.bootstrap.plan import Plan
from gate.bootstrap.running import Running, carry_out
from gate.domain.record_parts import CallsRecord
from gate.domain.shard import KILLED, Evaluation, NamedCommit, ShardBudget, ShardRecord
from gate.engine.lanes import by_lane
from gate.engine.plan import Schedule, Share
from gate.engine.rows import Rows
from gate.errors import GateError
from gate.flows.collect import Collection, Collector
from gate.flows.methods import check_method
from gate.flows.record_parts import calls_record, dollars_spent
from gate.flows.shards import Asked, evaluation, part_of
from gate.git.repo import Repo
from gate.settings.services import Settings
from gate.store.shard_folder import NAME, write_shard


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a run.

    Args:
        share: which one, of how many.
        asked: what the whole run was asked for.
    """

    share: Share
    asked: Asked


def named_commit(ref: str) -> NamedCommit:
    """The commit that a ref names now.

    Raises:
        GateError: there is none.
    """
    return NamedCommit(ref=ref, sha=Repo.open(Path()).resolve(ref))


def run_shard(plan: Plan, part: Part, settings: Settings) -> ShardRecord:
    """Take one share of the samples, and keep them with `shard.json` beside them.

    Args:
        plan: the whole run; its folder is this shard's own.
        part: which part of it.
        settings: keys and addresses.

    Raises:
        GateError: as `gate.bootstrap.running.carry_out`, and a budget that cannot be divided.
    """
    budget = part_of(plan.resolved.budget, part.share)
    check_method(plan.resolved.policy, plan.resolved.suites)
    whole = evaluation(plan.resolved, part.asked, part.share.of)
    _clear(plan.out)
    begun = _Begun(
        plan.out,
        part.share.number,
        whole,
        ShardBudget(max_calls=budget.max_calls, max_usd=budget.max_usd, max_minutes=budget.max_minutes),
    )
    if not plan.resolved.suites:
        return begun.ended(Collection(), "")
    own = replace(plan, resolved=replace(plan.resolved, budget=budget), seed=whole.seed)
    return carry_out(own, settings, lambda run: _take(own, run, part.share, begun))


async def _take(plan: Plan, run: Running, share: Share, begun: "_Begun") -> ShardRecord:
    begun.started()
    own = [Schedule(lane, run.seed, share) for lane in by_lane(plan.resolved.suites)]
    run.tools.progress.start(sum(len(pair.order) for schedule in own for pair in schedule.all_pairs()))
    collector = Collector(run.resolved, run.tools, run.stop, run.seed, share)
    try:
        await collector.collect()
    except GateError as error:
        begun.ended(collector.found, error.message)
        raise
    finally:
        run.tools.progress.finish()
    return begun.ended(collector.found, run.stop.reason or "")


class _Begun:
    """Writes `shard.json` when the shard begins, for whoever finds it dead, and when it has ended."""

    def __init__(self, folder: Path, number: int, whole: Evaluation, budget: ShardBudget) -> None:
        self._folder, self._begun = folder, time.perf_counter()
        self._blank = ShardRecord(
            identity=whole.identity,
            number=number,
            evaluation=whole,
            budget=budget,
            created=datetime.now(UTC),
            duration_s=0.0,
            unfinished=KILLED,
            samples=None,
            calls=CallsRecord(made=0, cached=0, retried=0, failed=0),
            spent_usd=None,
        )

    def started(self) -> None:
        write_shard(run_folder(self._folder).made(), self._blank)

    def ended(self, found: Collection, unfinished: str) -> ShardRecord:
        taken = Rows(found.samples)
        record = self._blank.model_copy(
            update={
                "duration_s": round(time.perf_counter() - self._begun, 3),
                "unfinished": unfinished[:1000],
                "samples": len(found.samples),
                "calls": calls_record(taken),
                "spent_usd": dollars_spent(taken)[0],
            }
        )
        write_shard(run_folder(self._folder).made(), record)
        return record


def _clear(folder: Path) -> None:
    """Remove what an earlier run or shard left here: its samples must not be taken for those of this one."""
    if not folder.exists():
        return
    own = run_folder(folder)
    own.made()
    own.clear()
    try:
        (folder / NAME).unlink(missing_ok=True)
    except OSError as error:
        raise GateError(f"cannot remove {folder / NAME}: {error.strerror}", "name another folder") from None
