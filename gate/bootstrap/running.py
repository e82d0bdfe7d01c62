"""Carries an evaluation out: opens and closes what it works with, and is the only entry to the event loop."""

import asyncio
import gc
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from gate.bootstrap.agents import crew_of
from gate.bootstrap.coding import coding
from gate.bootstrap.keeping import run_folder
from gate.bootstrap.making import Staff, able, caching_of, make_factory, make_tools, preflight, within_budget
from gate.bootstrap.memory import remembered, secret_of
from gate.bootstrap.plan import Plan
from gate.bootstrap.signals import ended_by_signals
from gate.bootstrap.tracing import Observer, observed
from gate.calls.stop import Stop
from gate.domain.caching import CacheTerms
from gate.domain.record import RunRecord
from gate.domain.suite import Arm
from gate.errors import Interrupted
from gate.flows.collect import Tools
from gate.flows.evaluate import default_seed, evaluate
from gate.flows.methods import check_method
from gate.flows.placeholders import with_placeholders
from gate.flows.resolved import Resolved
from gate.providers.endpoints import Keys
from gate.providers.executor import Executor
from gate.settings.keys import keys_of, read_keys
from gate.settings.services import Settings
from gate.store.run_folder import RunFolder

Result = TypeVar("Result")


class _Unjoined(ThreadPoolExecutor):
    """Threads that look up addresses: a name server that never answers must not hold up the end of a run."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class Running:
    """What a run works with once all is made.

    Args:
        resolved: what is evaluated, within its budget.
        tools: calls, scorers, sink and progress.
        caching: on what terms prompts are cached.
        seed: of the order of the calls and of the statistics.
        stop: ends the run early.
    """

    resolved: Resolved
    tools: Tools
    caching: Callable[[Arm], CacheTerms]
    seed: int
    stop: Stop


@dataclass(frozen=True, slots=True)
class Outset:
    """What is there before anything is made.

    Args:
        folder: of the run.
        seed: of the order of the calls and of the statistics.
        observer: looks at what is done.
    """

    folder: RunFolder
    seed: int
    observer: Observer


def run_plan(plan: Plan, settings: Settings) -> RunRecord:
    """Carry an evaluation out; see `carry_out` for arguments and errors."""
    return carry_out(plan, settings, lambda run: evaluate(run.resolved, run.tools, run.caching, run.seed, run.stop))


def carry_out(
    plan: Plan,
    settings: Settings,
    work: Callable[[Running], Coroutine[None, None, Result]],
    *,
    background: bool = False,
) -> Result:
    """Do what needs calls: the one entry to the event loop.

    Args:
        plan: what, how, and where to.
        settings: keys and addresses.
        work: is given what it works with.
        background: the process belongs to somebody else, who runs this in a thread of their own: signals and the
            collector of garbage are left alone.

    Raises:
        GateError: a method that cannot test these suites; before anything is written or spent, as for
            MissingKey: a provider's key is absent.
        Misconfigured: a parameter that an interface does not take, a wrong key, an unknown model.
        Interrupted: by Ctrl-C; finished samples are in `samples.jsonl`.
    """
    check_method(plan.resolved.policy, plan.resolved.suites)
    seed = default_seed(plan.resolved) if plan.seed is None else plan.seed
    folder = run_folder(plan.out)
    guarded = work if background else _guarded(work)
    try:
        with observed(plan, settings.telemetry) as observer:
            done = asyncio.run(_run(plan, settings, Outset(folder, seed, observer), guarded))
            if isinstance(done, RunRecord):
                observer.ended(done)
            return done
    except KeyboardInterrupt:
        kept = (
            f"{folder.kept} finished samples are in {plan.out / 'samples.jsonl'}" if folder.kept else "nothing was done"
        )
        raise Interrupted(f"interrupted; {kept}") from None
    finally:
        folder.close()


def _guarded(
    work: Callable[[Running], Coroutine[None, None, Result]],
) -> Callable[[Running], Coroutine[None, None, Result]]:
    """The same in a process of its own: a signal ends the run with what there is."""

    async def guarded(running: Running) -> Result:
        # What is alive now lives until the end: the collector need not look at it again after every few hundred calls.
        gc.freeze()
        with ended_by_signals(running.stop):
            return await work(running)

    return guarded


async def _run(
    plan: Plan,
    settings: Settings,
    outset: Outset,
    work: Callable[[Running], Coroutine[None, None, Result]],
) -> Result:
    seed = outset.seed
    asyncio.get_running_loop().set_default_executor(_Unjoined(thread_name_prefix="lookup"))
    keys = keys_of(settings, plan.resolved.servers)
    factory = make_factory(plan, keys, settings, _executor(plan, keys, settings))
    stop = Stop()
    try:
        preflight(plan.resolved, factory)
        today = datetime.now(UTC).date().isoformat()
        resolved = with_placeholders(within_budget(able(plan.resolved, factory)), today)
        plan = replace(plan, resolved=resolved)
        secret = secret_of(settings)
        async with coding(plan.resolved) as coders, crew_of(plan.resolved, plan.out, plan.concurrency) as crew:
            with remembered(plan.remember, plan.out, plan.resolved.cache, secret, factory.address) as memory:
                if plan.batch:
                    from gate.bootstrap.batching import prepare  # few runs are batches

                    await prepare(plan, factory, memory, seed)
                staff = Staff(coders, crew, outset.observer)
                tools = make_tools(plan, factory, outset.folder, memory, staff)
                done = await work(Running(plan.resolved, tools, caching_of(factory), seed, stop))
                memory.done = stop.reason is None
        return done
    finally:
        await factory.close()


def _executor(plan: Plan, keys: Keys, settings: Settings) -> Executor | None:
    if settings.dask is None:
        return None
    from gate.providers.dask import ChunkSetup, DaskExecutor

    setup = ChunkSetup(
        read_keys, keys.openai_base_url, keys.anthropic_base_url, plan.concurrency, tuple(plan.resolved.servers.items())
    )
    return DaskExecutor(settings.dask, setup)
