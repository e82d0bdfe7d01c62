"""Before a job: choices, files and suites of an order, and its expected cost."""

from dataclasses import dataclass, replace
from pathlib import Path

from gate.app.checks import resolve_check
from gate.app.environment.settings import Settings
from gate.app.forecast import spending_forecast
from gate.app.sources import GitPlace, resolve_git_mode
from gate.config.policy import Budget
from gate.engine.forecast import Spending
from gate.errors import GateError, InputErrors
from gate.report.sheets.plan import spending_words
from gate.resolve.one_version import Chosen
from gate.resolve.resolved import Resolved
from gate.web.jobs.board import Jobs
from gate.web.jobs.job import Order
from gate.web.jobs.trial import (
    CONFIG_FILE,
    CaseTrial,
    Choices,
    branches,
    choices,
    has_configuration,
    refuse_foreign_commit,
    resolve_trial,
)

CONCURRENCY = 64


def resolve_order(order: Order, directory: Path) -> Resolved:
    """What an order evaluates, within its limits.

    Args:
        directory: anywhere inside the repository.

    Raises:
        InputErrors, GateError: mistakes in the files, or unknown names and refs.
    """
    if order.kind == "try":
        wanted = CaseTrial(order.suites[0], order.case, order.model, order.samples)
        resolved = resolve_trial(wanted, directory)
    elif order.kind == "check":
        resolved = resolve_check(CONFIG_FILE, None, Chosen(suites=order.suites), directory)
    else:
        refuse_foreign_commit(order.base, directory)
        both = (order.base, None)
        resolved = resolve_git_mode(
            both, CONFIG_FILE, order.suites, everything=order.everything, here=GitPlace(directory)
        )
    return replace(resolved, budget=limited_budget(resolved.budget, order))


def limited_budget(budget: Budget, order: Order) -> Budget:
    """The budget of the configuration, limited by the order."""
    calls = [most for most in (budget.max_calls, order.max_calls) if most is not None]
    dollars = [most for most in (budget.max_usd, order.max_usd) if most is not None]
    return budget.model_copy(update={"max_calls": min(calls), "max_usd": min(dollars, default=None)})


def estimate_order(order: Order, directory: Path) -> Spending:
    """What an order would spend without cached answers; sends nothing and needs no key.

    Raises:
        InputErrors, GateError: see `resolve_order`.
    """
    return spending_forecast(resolve_order(order, directory), Settings.from_environ(), CONCURRENCY)


Mistakes = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class JobCosts:
    """Expected cost of a job.

    Args:
        said: calls, dollars and minutes in a sentence.
        most: its limit of calls.
    """

    said: str
    calls: int
    most: int

    @property
    def cut(self) -> bool:
        """Would it end at its limit of calls?"""
        return self.calls > self.most


def offered_choices(jobs: Jobs) -> Choices:
    """Suites and models of the configuration.

    Raises:
        InputErrors, GateError: there is no configuration, or it has mistakes.
    """
    return choices(jobs.directory, Settings.from_environ())


def refs(jobs: Jobs) -> tuple[str, ...]:
    """Branches and tags to compare with, the likeliest first."""
    return branches(jobs.directory)


def can_run_jobs(jobs: Jobs | None) -> bool:
    """Can this server run jobs?"""
    return jobs is not None and has_configuration(jobs.directory)


def expected_costs(jobs: Jobs, order: Order) -> JobCosts:
    """What an order would take without cached answers.

    Raises:
        InputErrors, GateError: why it cannot run.
    """
    found = estimate_order(order, jobs.directory)
    return JobCosts(spending_words(found), found.calls, order.max_calls)


def mistakes_of(error: GateError) -> Mistakes:
    """The mistakes of an error, each with its remedy."""
    if isinstance(error, InputErrors):
        return tuple((f"{one.where}: {one.message}", one.hint) for one in error.shown)
    return ((error.message, error.hint),)
