"""Makes what a run works with: providers, judges, notes and traces; finds beforehand what cannot work."""

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, TypeAlias

from gate.agents.interface import Toolbox
from gate.agents.resources import ScoringFunctions, SharedResources
from gate.app.run_order import RunOrder
from gate.calls.budget import PriceList, cap_reply_tokens, check_reply_budget, price_unknown
from gate.calls.cache import AnswerStore
from gate.calls.caller import Caller, CallPolicy
from gate.calls.endpoints import Keys
from gate.calls.interface import BudgetedCalls, Calls, Executor
from gate.calls.providers.factory import Factory
from gate.cases.case import Case, NotBuilt, render
from gate.config.documents import decode, quoted
from gate.config.formats import unchecked_formats
from gate.config.models import ModelRef, parse_model
from gate.config.policy import Budget
from gate.config.scorer import ScorerSpec, judge_params
from gate.config.targets import ToolLoop
from gate.engine.run import Tools
from gate.engine.schedule import Job, why_not
from gate.environment.settings import Settings, TelemetrySettings, is_unpriced, keyless_factory, pricer
from gate.errors import GateError, with_extra
from gate.git.places import DiskSource
from gate.messages import Message
from gate.record.comparison import CacheTerms
from gate.record.findings.finding import Finding, distinct
from gate.record.findings.notes import BudgetTooLow, CostUncounted, FormatUnchecked, Remark
from gate.record.run import RunRecord
from gate.record.transcript import Sample, masked
from gate.report.escape import one_line, terminal_text
from gate.resolve.exam import ExamEdit, Trial
from gate.resolve.resolved import Resolved, preference_notes, sampling_notes
from gate.scoring.interface import Member, ModelScorer
from gate.store.run_folder import RunFolder
from gate.suite import Arm, Suite
from gate.values import JsonValue


@dataclass(slots=True)
class RunNotes:
    """The notes of one run.

    Args:
        spending: without reuse; computed only where there is a budget.
    """

    say: Callable[[str], None]
    resolved: Resolved
    spending: "Callable[[], Spending]"
    later: Callable[[], Sequence[Finding]]
    _first: list[Finding] = field(default_factory=list, init=False)
    _low_budgets: list[BudgetTooLow] = field(default_factory=list, init=False)

    def begin(self, known: int) -> None:
        """Print the warnings before the first call, given the number of calls that need not be made."""
        self._first = list(self.later())
        if self.resolved.budget != Budget():
            early = why_not(self.resolved.suites, self.resolved.policy) is None
            kept = all(arm.remembered for suite in self.resolved.suites for arm in suite.arms.values())
            from gate.engine.spending import low_budgets

            self._low_budgets = low_budgets(self.spending(), known, self.resolved.budget, early=early, remembered=kept)
        for note in (
            *sampling_notes(self.resolved.suites),
            *preference_notes(self.resolved.suites),
            *self._first,
            *self._low_budgets,
        ):
            self.say(terminal_text(note.text))

    def all(self, *, whole: bool) -> Sequence[Finding]:
        """All notes for the record, each once.

        Args:
            whole: the run was completed, so that warnings about its budget no longer apply.
        """
        return distinct([*self._first, *([] if whole else self._low_budgets), *self.later()])


if TYPE_CHECKING:
    from gate.engine.spending import Spending
    from gate.scoring.judge import PairwiseJudge
    from gate.telemetry.spans import Trace

PROTOCOL = "http/protobuf"


class NoObserver:
    """Observes nothing; see `gate.telemetry.spans.Trace`."""

    def sample(self, job: Job) -> AbstractContextManager[None]:
        return nullcontext()

    def finished(self, sample: Sample) -> None:
        return

    def calls(self, calls: BudgetedCalls, role: str, address: Callable[[ModelRef], str]) -> BudgetedCalls:
        return calls

    def toolbox(self, box: Toolbox) -> Toolbox:
        return box

    def ended(self, run: RunRecord) -> None:
        return


Observer: TypeAlias = "NoObserver | Trace"


@contextmanager
def observed_run(plan: RunOrder, wanted: TelemetrySettings) -> Iterator[Observer]:
    """The observer of a run; its own errors give one warning, and nothing else."""
    if not wanted.traces:
        yield NoObserver()
        return
    if wanted.protocol != PROTOCOL:
        named = one_line(wanted.protocol)[:50]
        _warn(plan, f"spans cannot be sent by {named}; set OTEL_EXPORTER_OTLP_PROTOCOL={PROTOCOL}")
        yield NoObserver()
        return
    try:
        from gate.telemetry.export import Exporter, parent_of
        from gate.telemetry.spans import ContentTerms, Trace
    except ImportError:
        _warn(plan, f"an OTLP endpoint is set, but no spans are sent; {with_extra('otel')}")
        yield NoObserver()
        return
    try:
        exporter = Exporter(wanted.traces, wanted.logs, version("prompt-gate"))
    except Exception as error:  # a variable that the SDK does not understand; the run has nothing to do with it
        # Its text may repeat the variable, which may be a key.
        _warn(plan, f"no spans are sent: the OpenTelemetry SDK rejects its settings ({type(error).__name__})")
        yield NoObserver()
        return
    terms = ContentTerms(masked, wanted.content_in_spans, wanted.content_in_events)
    trace = Trace(exporter.tracer, exporter.logger, terms)
    try:
        with trace.run(parent_of(wanted.parent)):
            yield trace
    finally:
        if trouble := exporter.close():
            _warn(plan, f"spans were lost: {trouble}")


def _warn(plan: RunOrder, said: str) -> None:
    plan.say(terminal_text(f"warning: OpenTelemetry: {said}"))


def make_factory(plan: RunOrder, keys: Keys, settings: Settings, executor: Executor | None) -> Factory:
    """The factory of all providers of a run.

    Args:
        executor: sends requests from elsewhere; None for this process.
    """
    prices = PriceList(plan.resolved.prices)
    return Factory(keys, settings.cache_dir, plan.concurrency, _read_text, prices, executor)


def within_budget(resolved: Resolved) -> Resolved:
    """The same, with replies limited by the budget where nothing else limits them."""
    if resolved.budget.max_output_tokens is None:
        return resolved

    def limited(arm: Arm) -> Arm:
        return replace(arm, params=cap_reply_tokens(arm.params, resolved.budget))

    def of(suite: Suite) -> Suite:
        return replace(suite, candidate=limited(suite.candidate), baseline=suite.baseline and limited(suite.baseline))

    def tried(trial: Trial) -> Trial:
        return replace(trial, suite=of(trial.suite), answers=trial.answers and of(trial.answers))

    edits = tuple(replace(edit, trials=tuple(map(tried, edit.trials))) for edit in resolved.edits)
    return replace(resolved, suites=tuple(map(of, resolved.suites)), edits=edits)


def with_obstacles(resolved: Resolved, factory: Factory) -> Resolved:
    """The same, with the reason why a trial of an edited exam, or a comparison of promises, cannot work: neither
    decides.
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
        check_reply_budget(models, budget)
    except GateError as error:
        return replace(suite, promises=replace(wanted, unable=error.message))
    return replace(suite, promises=wanted)


def preflight(resolved: Resolved, factory: Factory) -> None:
    """Find errors before anything is spent: a missing key, a model file, a parameter, a reply limit.

    Raises:
        GateError: the first of them.
    """
    for suite in resolved.suites:
        _check_tools(suite)
        _check_messages(suite, factory)
    models = _asked(resolved, factory)
    for model, params in models:
        factory.provider(model, params).check(params)
    check_reply_budget(models, resolved.budget)


def _asked(resolved: Resolved, factory: Factory) -> Collection[Member]:
    """Every model that a run calls, once."""
    models: list[Member] = []
    for suite in resolved.suites:
        models += _called(suite)
        models += (member for spec in _judges(suite) for member in members(spec, factory))
    models += (member for spec in resolved.judges for member in members(spec, factory))
    return dict.fromkeys((*models, *resolved.models))


def price_notes(resolved: Resolved, factory: Factory) -> list[CostUncounted]:
    """That the limit in dollars cannot count models whose price is unknown."""
    if resolved.budget.max_usd is None:
        return []
    unknown = unpriced_models(resolved, factory)
    return [price_unknown(unknown, resolved.budget)] if unknown else []


def format_notes(resolved: Resolved) -> list[FormatUnchecked]:
    """The formats in JSON Schemas that no scorer checks."""
    notes: list[FormatUnchecked] = []
    for suite in resolved.suites:
        for spec in suite.exam.all_scorers():
            names = [name for schema in _schemas(dict(spec.options)) for name in unchecked_formats(schema)]
            for name in map(one_line, names):
                notes.append(FormatUnchecked(suite=suite.name, scorer=spec.name, format=name))
    return distinct(notes)


def _schemas(options: JsonValue) -> Iterator[JsonValue]:
    """The JSON Schemas in a scorer's options."""
    for key, value in options.items() if isinstance(options, dict) else ():
        if key == "schema":
            yield value
        else:
            yield from _schemas(value)


def unpriced_models(resolved: Resolved, factory: Factory) -> list[str]:
    """Models that a run calls and whose price is unknown."""
    asked = _asked(resolved, factory)
    return list(dict.fromkeys(str(model) for model, params in asked if is_unpriced(factory, model, params)))


def _check_tools(suite: Suite) -> None:
    """Refuse tools for the embedded model, which cannot use them, so the comparison would be unfair."""
    for arm in suite.arms.values():
        if isinstance(arm.target, ToolLoop) and arm.model.provider == "local":
            hint = "start its server with tool calling, and add the server under providers: in gate.yaml"
            raise GateError(f"suite {suite.name} has tools, and {arm.model} cannot call tools", hint)


def _check_messages(suite: Suite, factory: Factory) -> None:
    """Refuse images, and empty messages of the user, for what answers and takes none."""
    for arm in suite.arms.values():
        own = next((image for message in arm.version.prompt.messages for image in message.images), None)
        where = f"the prompt {arm.version.path} has an image" if own is not None else ""
        pictured = next((case for case in suite.exam.cases if any(one.images for one in case.messages)), None)
        if not where and pictured is not None:
            where = f"the case {quoted(pictured.id)} ({pictured.where}) has an image"
        external = arm.target is not None and not isinstance(arm.target, ToolLoop)
        if where and (external or not factory.takes_images(arm.model)):
            answers = "its agent is given only texts" if external else f"{arm.model} takes no images"
            raise GateError(f"suite {suite.name}: {where}, and {answers}", "use a model of a service, or only texts")
        if external or factory.takes_empty(arm.model):
            continue
        for case in (case for case in suite.exam.cases if case.says_nothing):
            if any(message.role == "user" and not message.content.strip() for message in _rendered(arm, case)):
                hint = "write an input, or make the prompt a chat file with a message of the user"
                said = f"the case {quoted(case.id)} ({case.where}) has an empty input"
                raise GateError(f"suite {suite.name}: {said}, and {arm.model} takes no empty message", hint)


def _rendered(arm: Arm, case: Case) -> tuple[Message, ...]:
    try:
        return render(arm.version.prompt, case, arm.version.path)
    except NotBuilt:
        return ()  # its samples fail


def _called(suite: Suite) -> Iterator[Member]:
    """The models that answer, without those that an agent calls itself, and those that talk to agents."""
    for arm in suite.arms.values():
        if arm.target is None or isinstance(arm.target, ToolLoop):
            yield arm.model, arm.params
    yield from suite.exam.conversing.models


def _judges(suite: Suite) -> Iterator[ScorerSpec]:
    yield from (spec for spec in suite.exam.all_scorers() if spec.judged)


def members(spec: ScorerSpec, factory: Factory) -> tuple[Member, ...]:
    """The judge models, at temperature 0 if the API takes one and no other is set."""
    params = judge_params(spec)
    return tuple((one, factory.cold(one, params)) for one in map(parse_model, spec.models))


def make_tools(
    plan: RunOrder,
    factory: Factory,
    folder: RunFolder,
    answers: AnswerStore,
    answer_notes: Sequence[Finding],
    functions: ScoringFunctions,
    resources: SharedResources,
    observer: Observer,
) -> Tools:
    """Calls, scorers, sink and progress of one run.

    Args:
        answer_notes: on the opening of the known answers.
    """
    policy = CallPolicy(concurrency=plan.concurrency, budget=plan.resolved.budget)
    judges: dict[int, tuple[ScorerSpec, ModelScorer]] = {}

    def foreseen_spending() -> "Spending":
        return run_spending(plan.resolved, factory, plan.concurrency)

    unchecked = format_notes(plan.resolved)

    def later() -> Sequence[Finding]:
        return (
            *price_notes(plan.resolved, factory),
            *unchecked,
            *caller.notes(),
            *answer_notes,
            *(Remark(message=note) for note in (*answers.warnings, *resources.notes)),
        )

    notes = RunNotes(plan.say, plan.resolved, foreseen_spending, later)

    def judge(spec: ScorerSpec) -> ModelScorer:
        # Its options make a scorer unhashable; while it is stored here, no other object can get its id.
        if id(spec) not in judges:
            judges[id(spec)] = spec, model_scorer(spec, factory, asking("judge"))
        return judges[id(spec)][1]

    def pairwise(spec: ScorerSpec) -> "PairwiseJudge":
        from gate.scoring.judge import PairwiseJudge

        return PairwiseJudge(spec, *members(spec, factory)[0], asking("judge"))

    def asking(role: str) -> BudgetedCalls:
        return observer.calls(caller, role, factory.address)

    jitter = random.Random()  # noqa: S311 jitter is no secret
    caller = Caller(factory.provider, policy, jitter, factory.price, memory=answers)
    return Tools(
        target=resources.target(asking, answers, observer.toolbox),
        calls=asking("other"),
        memory=answers,
        judge=judge,
        pairwise=pairwise,
        code=functions.scorer,
        spent_usd=lambda: caller.spent_usd,
        exhausted=caller.exhausted,
        sink=folder,
        progress=plan.progress,
        notes=notes,
        tracing=observer,
        # A task that waits for the journal, or for a judge, does not occupy a slot.
        workers=2 * plan.concurrency,
        apart=plan.apart,
        beside=plan.beside,
    )


def model_scorer(spec: ScorerSpec, factory: Factory, calls: Calls) -> ModelScorer:
    """The scorer that calls the model, or models, of a spec."""
    from gate.scoring.judge import Judge, Jury

    found = tuple(Judge(spec, model, params, calls) for model, params in members(spec, factory))
    return Jury(spec, found) if len(found) > 1 else found[0]


def caching_of(factory: Factory) -> Callable[[Arm], CacheTerms]:
    """The provider's terms of prompt caching for an arm."""
    return lambda arm: factory.caching(arm.model, arm.params)


def _read_text(path: str) -> str:
    data = DiskSource().read(path)
    if data is None:
        raise GateError(f"cannot read {path}: there is no such file", "write replay:PATH.jsonl")
    return decode(data, path)


def spending_forecast(resolved: Resolved, settings: Settings, concurrency: int) -> "Spending":
    """What an evaluation would spend if no answer were known; needs no key."""
    return run_spending(resolved, keyless_factory(settings, resolved.servers, resolved.prices), concurrency)


def run_spending(resolved: Resolved, factory: Factory, concurrency: int) -> "Spending":
    """What a run would spend if no answer were known."""
    from gate.engine.forecast import PlanInputs, spending  # few runs have a budget
    from gate.store.kept_runs import kept_runs

    return spending(resolved, PlanInputs(kept_runs().runs(), pricer(factory), concurrency))
