"""What an order evaluates, its limits and its estimated cost."""

from dataclasses import dataclass, replace
from pathlib import Path

from gate.app.resolving import resolve_check, resolve_git_mode
from gate.app.run_tools import spending_forecast
from gate.config.policy import Budget
from gate.environment.settings import Settings
from gate.report.sheets.plan import spending_words
from gate.resolve.one_version import Chosen
from gate.resolve.resolved import Resolved
from gate.web.jobs.job import JobRequest
from gate.web.jobs.trial import CONFIG_FILE, CaseTrial, refuse_foreign_commit, resolve_trial

CONCURRENCY = 64


def resolve_order(order: JobRequest, directory: Path) -> Resolved:
    """What an order evaluates; `directory` is anywhere inside the repository.

    Raises:
        InputErrors, GateError: errors in files, or unknown names or refs.
    """
    if order.kind == "try":
        wanted = CaseTrial(order.suites[0], order.case, order.model, order.samples)
        resolved = resolve_trial(wanted, directory)
    elif order.kind == "check":
        resolved = resolve_check(CONFIG_FILE, None, Chosen(suites=order.suites), directory)
    else:
        refuse_foreign_commit(order.base, directory)
        both = (order.base, None)
        resolved = resolve_git_mode(both, CONFIG_FILE, order.suites, everything=order.everything, directory=directory)
    return replace(resolved, budget=limited_budget(resolved.budget, order))


def limited_budget(budget: Budget, order: JobRequest) -> Budget:
    """The budget of the configuration, limited by the order."""
    budget = budget.limited("max_calls", order.max_calls, "the job's max_calls")
    return budget.limited("max_usd", order.max_usd, "the job's max_usd")


@dataclass(frozen=True, slots=True)
class JobCosts:
    """Estimated cost of a job: a sentence, its calls, and the limit of calls."""

    said: str
    calls: int
    most: int


def expected_costs(order: JobRequest, directory: Path) -> JobCosts:
    """Estimated cost without cached answers; sends nothing and needs no key."""
    found = spending_forecast(resolve_order(order, directory), Settings.from_environ(), CONCURRENCY)
    return JobCosts(spending_words(found), found.calls, order.max_calls)
