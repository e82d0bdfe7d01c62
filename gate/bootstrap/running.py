"""Carries an evaluation out: makes models, scorers and folders, and is the only entry to the event loop."""

import asyncio
import gc
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from gate.bootstrap.earlier import kept_runs
from gate.bootstrap.keeping import run_folder
from gate.bootstrap.memory import Remembered, Remembering, remembered, secret_of
from gate.bootstrap.notebook import Notebook
from gate.bootstrap.resolving import DiskSource
from gate.bootstrap.signals import ended_by_signals
from gate.calls.caller import Caller, CallPolicy
from gate.domain.caching import CacheTerms
from gate.domain.case import ScorerSpec
from gate.domain.forecast import Spending
from gate.domain.model import ModelRef, Params
from gate.domain.record import RunRecord
from gate.domain.suite import Arm, Suite
from gate.domain.usage import Cost, Unpriced, Usage
from gate.engine.run import Stop
from gate.errors import GateError, Interrupted
from gate.flows.collect import Tools
from gate.flows.evaluate import default_seed, evaluate
from gate.flows.methods import check_method
from gate.flows.plan import World, spending
from gate.flows.ports import Progress
from gate.flows.resolve import Resolved
from gate.inputs.models import parse_model, parse_params
from gate.inputs.text import decode
from gate.providers.base import Misconfigured
from gate.providers.factory import Factory, Keys
from gate.providers.prices import PriceList
from gate.scoring.judge import Judge
from gate.settings.services import Settings
from gate.store.run_folder import RunFolder


@dataclass(frozen=True, slots=True)
class Plan:
    """One evaluation to be carried out.

    Args:
        resolved: what there is to evaluate.
        concurrency: calls in flight.
        seed: of the statistics; None derives it from base commit and exam.
        out: folder for `run.json`, `samples.jsonl`, `report.md` and `report.html`.
        progress: tells the user.
        apart: the arms are the same prompt, and their samples are to differ; see `Tools`.
        remember: what it may know beforehand.
        say: tells the user what should be known before anything is spent.
    """

    resolved: Resolved
    concurrency: int
    seed: int | None
    out: Path
    progress: Progress
    apart: bool = False
    remember: Remembering = Remembering()
    say: Callable[[str], None] = lambda text: None  # noqa: E731


def run_plan(plan: Plan, settings: Settings) -> RunRecord:
    """Carry an evaluation out: the one entry to the event loop.

    Args:
        plan: what, how, and where to.
        settings: keys and addresses.

    Raises:
        GateError: a method that cannot test these suites; before anything is written or spent, as for
            MissingKey: a provider's key is absent.
        Misconfigured: a parameter that an interface does not take, a wrong key, an unknown model.
        Interrupted: by Ctrl-C; finished samples are in `samples.jsonl`.
    """
    check_method(plan.resolved.policy, plan.resolved.suites)
    seed = default_seed(plan.resolved) if plan.seed is None else plan.seed
    folder = run_folder(plan.out)
    try:
        return asyncio.run(_run(plan, settings, folder, seed))
    except KeyboardInterrupt:
        kept = (
            f"{folder.kept} finished samples are in {plan.out / 'samples.jsonl'}" if folder.kept else "nothing was done"
        )
        raise Interrupted(f"interrupted; {kept}") from None
    finally:
        folder.close()


async def _run(plan: Plan, settings: Settings, folder: RunFolder, seed: int) -> RunRecord:
    factory = _factory(plan, settings)
    try:
        _preflight(plan.resolved, factory)
        secret = secret_of(settings)
        with remembered(plan.remember, plan.out, plan.resolved.cache, secret, factory.address) as memory:
            return await _asked(plan, factory, folder, memory, seed)
    finally:
        await factory.close()


async def _asked(plan: Plan, factory: Factory, folder: RunFolder, memory: Remembered, seed: int) -> RunRecord:
    # What is alive now lives until the end: the collector need not look at it again after every few hundred calls.
    gc.freeze()
    stop = Stop()
    tools = _tools(plan, factory, folder, memory)
    with ended_by_signals(stop):
        run = await evaluate(plan.resolved, tools, _caching(factory), seed, stop)
    memory.done = stop.reason is None
    return run


def _factory(plan: Plan, settings: Settings) -> Factory:
    keys = Keys(
        settings.openai_api_key,
        settings.anthropic_api_key,
        settings.openai_base_url,
        settings.anthropic_base_url,
        settings.sdk,
    )
    prices = PriceList(by_name=settings.price_by_name)
    return Factory(keys, settings.cache_dir, plan.concurrency, _read_text, prices)


def _preflight(resolved: Resolved, factory: Factory) -> None:
    """Find before anything is spent what cannot work: a key, a model file, a parameter, a budget without a price."""
    models: dict[tuple[ModelRef, Params], None] = {}
    for suite in resolved.suites:
        for arm in suite.arms.values():
            factory.provider(arm.model, arm.params).check(arm.params)
            models[arm.model, arm.params] = None
        for spec in _judges(suite):
            models[_judge_of(spec, factory)] = None
    if resolved.budget.max_usd is None:
        return
    for model, params in models:
        priced = factory.provider(model, params).priced
        if priced and factory.price(model, params, model.name, Usage(1, 0, 0, 1)) == Unpriced("unknown"):
            hint = "limit max_calls instead, or name a model that genai-prices knows"
            raise GateError(f"budget.max_usd cannot be kept: the price of {model} is unknown", hint)


def _judges(suite: Suite) -> Iterator[ScorerSpec]:
    own = (spec for case in suite.exam.cases for spec in case.scorers or ())
    yield from (spec for spec in (*suite.exam.scorers, *own) if spec.kind == "judge")


def _judge_of(spec: ScorerSpec, factory: Factory) -> tuple[ModelRef, Params]:
    """A judge's model and parameters; temperature 0 where its interface takes one and nothing else was asked for."""
    model = parse_model(str(spec.options["model"]))
    given = spec.options.get("params")
    params = parse_params(given if isinstance(given, dict) else {}, f"params of the judge {spec.name}")
    provider = factory.provider(model, params)
    provider.check(params)
    if params.temperature is None:
        cool = replace(params, temperature=0.0)
        try:
            provider.check(cool)
        except Misconfigured:
            return model, params
        return model, cool
    return model, params


def _tools(plan: Plan, factory: Factory, folder: RunFolder, memory: Remembered) -> Tools:
    policy = CallPolicy(concurrency=plan.concurrency, budget=plan.resolved.budget)
    judges: dict[int, Judge] = {}
    notes = Notebook(plan.say, plan.resolved, lambda: _outlay(plan, factory), memory.notes)

    def judge(spec: ScorerSpec) -> Judge:
        if id(spec) not in judges:
            judges[id(spec)] = Judge(spec, *_judge_of(spec, factory), caller)
        return judges[id(spec)]

    jitter = random.Random()  # noqa: S311 jitter is no secret
    caller = Caller(factory.provider, policy, jitter, factory.price, memory=memory.store)
    return Tools(
        calls=caller,
        memory=memory.store,
        judge=judge,
        spent_usd=lambda: caller.spent_usd,
        exhausted=caller.exhausted,
        sink=folder,
        progress=plan.progress,
        notes=notes,
        workers=plan.concurrency,
        apart=plan.apart,
    )


def _outlay(plan: Plan, factory: Factory) -> Spending:
    def price(model: ModelRef, params: Params, usage: Usage) -> Cost:
        return factory.price(model, params, model.name, usage)

    return spending(plan.resolved, World(kept_runs().runs(), price, plan.concurrency))


def _caching(factory: Factory) -> Callable[[Arm], CacheTerms]:
    return lambda arm: factory.caching(arm.model, arm.params)


def _read_text(path: str) -> str:
    data = DiskSource().read(path)
    if data is None:
        raise GateError(f"cannot read {path}: there is no such file", "write replay:PATH.jsonl")
    return decode(data, path)
