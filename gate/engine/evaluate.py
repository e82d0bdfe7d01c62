"""Suites in, record out: takes the samples, compares, decides."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

from gate.calls.interface import Stop
from gate.engine.collect import Collection, Collector, Tools
from gate.engine.decide import Assessor
from gate.engine.prompt_cache import cache_comparisons
from gate.engine.record_parts import Members
from gate.engine.run_json import Finished, record
from gate.engine.schedule import count
from gate.errors import CannotEvaluate, Interrupted
from gate.record.comparison import CacheTerms
from gate.record.run import RunRecord
from gate.resolve.resolved import Resolved
from gate.suite import Arm
from gate.values import digest

Caching = Callable[[Arm], CacheTerms]
"""How the provider of an arm caches prompts."""


def default_seed(resolved: Resolved) -> int:
    """A hash of the base commit, which holds the exam: neither a rerun nor the change can reroll the verdict.

    In file mode, where no commit is known, it is the hash of the exams.
    """
    compared = [(suite, suite.baseline.version.sha) for suite in resolved.suites if suite.baseline is not None]
    return int(digest([*sorted({sha or suite.exam.digest for suite, sha in compared})])[:12], 16)


async def evaluate(resolved: Resolved, tools: Tools, caching: Caching, seed: int, stop: Stop) -> RunRecord:
    """Run every suite and judge the difference; a new prompt is judged on its own.

    The record has also been given to the sink.

    Raises:
        GateError: an error that no retry fixes (wrong key, unknown model).
    """
    started, created = time.perf_counter(), datetime.now(UTC)
    found = await _collected(resolved, tools, seed, stop)
    ended = created, time.perf_counter() - started, stop
    run = conclude(resolved, found, caching, lambda spec: tools.judge(spec).members, seed, ended)
    if resolved.edits:
        from gate.engine.exam_trials import with_exam_changes

        run = await with_exam_changes(run, resolved, found.samples, seed, tools, stop)
    if any(suite.promises is not None for suite in resolved.suites):
        from gate.engine.rule_changes import with_promises

        run = await with_promises(run, resolved, tools, seed, stop)
    return keep(run, tools, stop, time.perf_counter() - started)


def keep(run: RunRecord, tools: Tools, stop: Stop, duration_s: float) -> RunRecord:
    """Complete the record and hand it to the sink; the record as kept is returned.

    Raises:
        CannotEvaluate: the sink takes no more.
    """
    notes = [*run.notes, *tools.notes.all(whole=run.unfinished is None)]
    run = run.model_copy(update={"duration_s": round(duration_s, 3), "notes": notes})
    if stop.interrupted:
        run = run.model_copy(update={"exit_code": Interrupted.exit_code})
    try:
        tools.sink.run(run)
    except OSError as error:
        why = f"; {stop.reason}" if stop.reason else ""
        hint = "make room, and run again: the answers that were kept are not asked for a second time"
        raise CannotEvaluate(f"the record cannot be written: {error.strerror}{why}", hint) from None
    return run


async def _collected(resolved: Resolved, tools: Tools, seed: int, stop: Stop) -> Collection:
    if not resolved.suites:
        return Collection()
    tools.progress.start(count(resolved.suites))
    try:
        return await Collector(resolved, tools, stop, seed).collect()
    finally:
        tools.progress.finish()


def conclude(  # noqa: PLR0913
    resolved: Resolved,
    found: Collection,
    caching: Caching,
    members: Members,
    seed: int,
    ended: tuple[datetime, float, Stop],
) -> RunRecord:
    """Judge the samples; no calls.

    Args:
        ended: when the run began, the seconds that it took, and the switch that may have ended it early.
    """
    created, duration_s, stop = ended
    judge = Assessor(resolved.suites, resolved.policy, seed, resolved.deleted)
    assessment = judge.assess(found.samples, stop.reason)
    comparisons = cache_comparisons(resolved.suites, found.samples, caching, resolved.policy.alpha)
    # Asked to end after the last sample, it came to its end all the same.
    unfinished = stop.reason if assessment.missing.samples else None
    return record(Finished(resolved, found, assessment, comparisons, seed, created, duration_s, unfinished, members))
