"""Makes what a run works with: providers, judges, and everything that can be found wrong before a call is made."""

import random
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from gate.bootstrap.agents import Crew
from gate.bootstrap.coding import Coders
from gate.bootstrap.memory import Remembered
from gate.bootstrap.notebook import Notebook
from gate.bootstrap.plan import Plan
from gate.bootstrap.resolving import DiskSource
from gate.bootstrap.tracing import Observer
from gate.calls.budget import capped, check_reply_budget
from gate.calls.caller import Caller, CallPolicy
from gate.calls.port import Asking, Calls
from gate.config.policy import Budget
from gate.config.scorerspec import ScorerSpec
from gate.config.targets import ToolLoop
from gate.domain.caching import CacheTerms
from gate.domain.forecast import Spending
from gate.domain.model import ModelRef, Params
from gate.domain.suite import Arm, Suite
from gate.domain.usage import Unpriced, Usage
from gate.errors import GateError
from gate.flows.collect import Tools
from gate.flows.exam_edits import ExamEdit, Trial
from gate.flows.resolved import Resolved
from gate.inputs.models import parse_model, parse_params
from gate.inputs.text import decode
from gate.providers.endpoints import Keys
from gate.providers.executor import Executor
from gate.providers.factory import Factory
from gate.providers.prices import PriceList
from gate.scoring.judge import Judge
from gate.scoring.jury import Jury
from gate.scoring.pairwise import PairwiseJudge
from gate.scoring.port import Member, ModelScorer
from gate.settings.services import Settings
from gate.store.run_folder import RunFolder


def make_factory(plan: Plan, keys: Keys, settings: Settings, executor: Executor | None) -> Factory:
    """The owner of all providers of a run.

    Args:
        plan: what is carried out.
        keys: keys and addresses.
        settings: folders and prices.
        executor: sends requests from elsewhere; None from this process.
    """
    prices = PriceList(by_name=settings.price_by_name)
    return Factory(keys, settings.cache_dir, plan.concurrency, _read_text, prices, executor)


def within_budget(resolved: Resolved) -> Resolved:
    """The same, where nothing else limits a reply limited as the budget says."""
    if resolved.budget.max_output_tokens is None:
        return resolved

    def limited(arm: Arm) -> Arm:
        return replace(arm, params=capped(arm.params, resolved.budget))

    def of(suite: Suite) -> Suite:
        return replace(suite, candidate=limited(suite.candidate), baseline=suite.baseline and limited(suite.baseline))

    def tried(trial: Trial) -> Trial:
        return replace(trial, suite=of(trial.suite), answers=trial.answers and of(trial.answers))

    edits = tuple(replace(edit, trials=tuple(map(tried, edit.trials))) for edit in resolved.edits)
    return replace(resolved, suites=tuple(map(of, resolved.suites)), edits=edits)


def able(resolved: Resolved, factory: Factory) -> Resolved:
    """The same, with the reason why a trial of an edited exam, or a comparison of promises, cannot work.

    Neither has a part in the verdict, so that nothing that is wrong with them must keep the run from it.
    """

    def checked(trial: Trial) -> Trial:
        suites = (trial.suite, *([trial.answers] if trial.answers else []))
        try:
            preflight(replace(resolved, suites=suites), factory)
        except GateError as error:
            return replace(trial, reason=error.message)
        return trial

    def of(edit: ExamEdit) -> ExamEdit:
        return replace(edit, trials=tuple(one if one.reason else checked(one) for one in edit.trials))

    suites = tuple(_able_to_read(suite, resolved.budget, factory) for suite in resolved.suites)
    return replace(resolved, suites=suites, edits=tuple(map(of, resolved.edits)))


def _able_to_read(suite: Suite, budget: Budget, factory: Factory) -> Suite:
    wanted = suite.promises
    if wanted is None or wanted.unable:
        return suite
    wanted = replace(wanted, judging=factory.cold(wanted.judge, wanted.judge_params))
    models = ((wanted.model, wanted.params), (wanted.judge, wanted.judge_params))
    try:
        for model, params in models:
            factory.provider(model, params).check(params)
        _check_budget(models, budget, factory)
    except GateError as error:
        return replace(suite, promises=replace(wanted, unable=error.message))
    return replace(suite, promises=wanted)


def preflight(resolved: Resolved, factory: Factory) -> None:
    """Find before anything is spent what cannot work: a key, a model file, a parameter, a budget without a price.

    Raises:
        GateError: the first of them.
    """
    models: dict[tuple[ModelRef, Params], None] = {}
    for suite in resolved.suites:
        _check_tools(suite)
        for model, params in _called(suite):
            factory.provider(model, params).check(params)
            models[model, params] = None
        for spec in _judges(suite):
            _judging(spec, factory, models)
    for spec in resolved.judges:
        _judging(spec, factory, models)
    for model, params in resolved.models:
        factory.provider(model, params).check(params)
        models[model, params] = None
    _check_budget(models, resolved.budget, factory)


def _check_budget(models: Collection[Member], budget: Budget, factory: Factory) -> None:
    check_reply_budget(models, budget)
    if budget.max_usd is None:
        return
    for model, params in models:
        priced = factory.provider(model, params).priced
        if priced and factory.price(model, params, model.name, Usage(1, 0, 0, 1)) == Unpriced("unknown"):
            hint = "limit max_calls instead, or name a model that genai-prices knows"
            setting = budget.setting("max_usd")
            raise GateError(f"{setting} cannot be kept: the price of {model} is unknown", hint)


def _check_tools(suite: Suite) -> None:
    """The embedded model is not told of tools, so that an arm with tools would be judged by what it cannot do."""
    for arm in suite.arms.values():
        if isinstance(arm.target, ToolLoop) and arm.model.provider == "local":
            hint = "serve it with tool calling, and name the server under providers: in gate.yaml"
            raise GateError(f"suite {suite.name} has tools, and {arm.model} cannot call any", hint)


def _called(suite: Suite) -> Iterator[Member]:
    """The models that answer, those that an agent calls itself left out, and those that talk to agents."""
    for arm in suite.arms.values():
        if arm.target is None or isinstance(arm.target, ToolLoop):
            yield arm.model, arm.params
    yield from suite.exam.conversing.models


def _judging(spec: ScorerSpec, factory: Factory, models: dict[tuple[ModelRef, Params], None]) -> None:
    for model, params in members(spec, factory):
        factory.provider(model, params).check(params)
        models[model, params] = None


def _judges(suite: Suite) -> Iterator[ScorerSpec]:
    yield from (spec for spec in suite.exam.all_scorers() if spec.judged)


def members(spec: ScorerSpec, factory: Factory) -> tuple[Member, ...]:
    """Who judges, and how: at temperature 0 where the interface takes one and nothing else was asked for.

    Args:
        spec: a scorer that asks a model.
        factory: knows the interfaces; nothing is made, and no key is needed.
    """
    given = spec.options.get("params")
    params = parse_params(given if isinstance(given, dict) else {}, f"params of the judge {spec.name}")
    return tuple((one, factory.cold(one, params)) for one in map(parse_model, spec.models))


@dataclass(frozen=True, slots=True)
class Staff:
    """Who works for a run besides models.

    Args:
        coders: functions that score.
        crew: agents.
        observer: looks at all of it.
    """

    coders: Coders
    crew: Crew
    observer: Observer


def make_tools(plan: Plan, factory: Factory, folder: RunFolder, memory: Remembered, staff: Staff) -> Tools:
    """Calls, scorers, sink and progress of one run."""
    policy = CallPolicy(concurrency=plan.concurrency, budget=plan.resolved.budget)
    judges: dict[int, tuple[ScorerSpec, ModelScorer]] = {}
    notes = Notebook(plan.say, plan.resolved, lambda: _outlay(plan, factory), memory.notes)

    def judge(spec: ScorerSpec) -> ModelScorer:
        # Its options make a scorer unhashable; what is held here cannot lend its id to another.
        if id(spec) not in judges:
            judges[id(spec)] = spec, model_scorer(spec, factory, asking("judge"))
        return judges[id(spec)][1]

    def pairwise(spec: ScorerSpec) -> PairwiseJudge:
        return PairwiseJudge(spec, *members(spec, factory)[0], asking("judge"))

    def asking(role: str) -> Asking:
        return staff.observer.calls(caller, role, factory)

    jitter = random.Random()  # noqa: S311 jitter is no secret
    caller = Caller(factory.provider, policy, jitter, factory.price, memory=memory.store)
    return Tools(
        target=staff.crew.target(asking, memory.store, staff.observer.toolbox),
        calls=asking("other"),
        memory=memory.store,
        judge=judge,
        pairwise=pairwise,
        code=staff.coders.scorer,
        spent_usd=lambda: caller.spent_usd,
        exhausted=caller.exhausted,
        sink=folder,
        progress=plan.progress,
        notes=notes,
        tracing=staff.observer,
        # Whoever waits for the journal, or for a judge, keeps no slot from the next one.
        workers=2 * plan.concurrency,
        apart=plan.apart,
        beside=plan.remember.beside,
    )


def model_scorer(spec: ScorerSpec, factory: Factory, calls: Calls) -> ModelScorer:
    """What asks the model, or the models, of a scorer.

    Args:
        spec: a scorer that asks a model.
        factory: knows the interfaces.
        calls: sends requests.
    """
    found = tuple(Judge(spec, model, params, calls) for model, params in members(spec, factory))
    return Jury(spec, found) if len(found) > 1 else found[0]


def _outlay(plan: Plan, factory: Factory) -> Spending:
    from gate.bootstrap.outlay import outlay  # forecasts are for runs with a budget

    return outlay(plan, factory)


def caching_of(factory: Factory) -> Callable[[Arm], CacheTerms]:
    """On what terms the provider of an arm caches prompts."""
    return lambda arm: factory.caching(arm.model, arm.params)


def _read_text(path: str) -> str:
    data = DiskSource().read(path)
    if data is None:
        raise GateError(f"cannot read {path}: there is no such file", "write replay:PATH.jsonl")
    return decode(data, path)
