"""Carries an evaluation out; the only entry to the event loop."""

import asyncio
import gc
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from gate.agents.resources import scoring_functions, shared_resources
from gate.app.run_order import RunOrder, answer_secret, open_answers, prepare_reports, remove_leftovers, run_folder
from gate.app.run_tools import (
    Observer,
    caching_of,
    make_factory,
    make_tools,
    observed_run,
    preflight,
    with_obstacles,
    within_budget,
)
from gate.calls.interface import Executor, Stop
from gate.engine.evaluate import default_seed, evaluate
from gate.engine.run import Tools
from gate.engine.signals import ended_by_signals
from gate.environment.settings import Settings, addresses_of, keys_of, read_keys
from gate.errors import Interrupted
from gate.record.comparison import CacheTerms
from gate.record.run import RunRecord
from gate.resolve.resolved import Resolved, check_method, with_placeholders
from gate.store.run_folder import RunFolder
from gate.suite import Arm

Result = TypeVar("Result")


class _Unjoined(ThreadPoolExecutor):
    """Threads that look up addresses: a name server that never answers must not hold up the end of a run."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class RunContext:
    """The parts of a run that is under way."""

    resolved: Resolved
    tools: Tools
    caching: Callable[[Arm], CacheTerms]
    seed: int
    stop: Stop


def run_plan(plan: RunOrder, settings: Settings) -> RunRecord:
    """Run an evaluation; see `carry_out`."""
    return carry_out(plan, settings, _evaluated)


async def _evaluated(running: RunContext) -> RunRecord:
    # While the first answers are awaited.
    threading.Thread(target=prepare_reports, daemon=True).start()
    return await evaluate(running.resolved, running.tools, running.caching, running.seed, running.stop)


def carry_out(
    plan: RunOrder,
    settings: Settings,
    work: Callable[[RunContext], Coroutine[None, None, Result]],
    *,
    background: bool = False,
) -> Result:
    """Run work with model calls: the only entry to the event loop.

    Args:
        background: the process belongs to the caller, who runs this in a thread: signals and garbage collector stay
            unchanged.

    Raises:
        GateError: a method that cannot test these suites; before anything is written or spent, as is the next.
        MissingKey: a provider's key is absent.
        Misconfigured: a parameter that an API does not take, a wrong key, an unknown model.
        Interrupted: by Ctrl-C; finished samples are in `samples.jsonl`.
    """
    check_method(plan.resolved.policy, plan.resolved.suites)
    seed = default_seed(plan.resolved) if plan.seed is None else plan.seed
    plan, folder = replace(plan, seed=seed), run_folder(plan.out)
    guarded = work if background else _guarded(work)
    try:
        with observed_run(plan, settings.telemetry) as observer:
            done = asyncio.run(_run(plan, settings, folder, observer, guarded))
            if isinstance(done, RunRecord):
                observer.ended(done)
            return done
    except KeyboardInterrupt:
        kept = (
            f"{folder.kept} finished samples are in {plan.out / 'samples.jsonl'}"
            if folder.kept
            else "no sample was finished"
        )
        raise Interrupted(f"interrupted; {kept}") from None
    finally:
        folder.close()


def _guarded(
    work: Callable[[RunContext], Coroutine[None, None, Result]],
) -> Callable[[RunContext], Coroutine[None, None, Result]]:
    """The same in the gate's own process: a signal ends the run and saves finished samples."""

    async def guarded(running: RunContext) -> Result:
        # Objects of now live until the end: the collector need not check them after every few hundred calls.
        gc.freeze()
        with ended_by_signals(running.stop):
            return await work(running)

    return guarded


async def _run(
    plan: RunOrder,
    settings: Settings,
    folder: RunFolder,
    observer: Observer,
    work: Callable[[RunContext], Coroutine[None, None, Result]],
) -> Result:
    seed = plan.seed or 0
    asyncio.get_running_loop().set_default_executor(_Unjoined(thread_name_prefix="lookup"))
    keys = keys_of(settings, plan.resolved.servers)
    factory = make_factory(plan, keys, settings, _executor(plan, settings))
    stop = Stop()
    try:
        preflight(plan.resolved, factory)
        today = datetime.now(UTC).date().isoformat()
        resolved = with_placeholders(within_budget(with_obstacles(plan.resolved, factory)), today)
        plan = replace(plan, resolved=resolved)
        secret = answer_secret(settings)
        async with (
            scoring_functions(plan.resolved) as functions,
            shared_resources(plan.resolved, plan.out, plan.concurrency) as resources,
        ):
            with open_answers(plan, secret, factory.address) as (answers, notes):
                if plan.batch:
                    from gate.app.batches import prepare_batch

                    await prepare_batch(plan, factory, answers, seed)
                tools = make_tools(plan, factory, folder, answers, notes, functions, resources, observer)
                done = await work(RunContext(plan.resolved, tools, caching_of(factory), seed, stop))
            if stop.reason is None:
                remove_leftovers(plan, answers)
        return done
    finally:
        await factory.close()


def _executor(plan: RunOrder, settings: Settings) -> Executor | None:
    if settings.dask is None:
        return None
    from gate.calls.dask import ChunkSetup, DaskExecutor

    addresses = tuple(addresses_of(settings).variables.items())
    setup = ChunkSetup(read_keys, addresses, plan.concurrency, tuple(plan.resolved.servers.items()))
    return DaskExecutor(settings.dask, setup)


def run_check(plan: RunOrder, settings: Settings) -> RunRecord:
    """Run a check; see `gate.app.runs.carry_out`."""
    from gate.engine.check import check  # a comparison needs none of it

    # Every case is run, whatever the others showed.
    plan = replace(plan, resolved=plan.resolved.stopping_early(False))
    return carry_out(plan, settings, lambda run: check(run.resolved, run.tools, run.seed, run.stop))
