"""From an order to what is evaluated, by the same ways as on the command line."""

from dataclasses import replace
from pathlib import Path

from gate.bootstrap.checking import resolve_check
from gate.bootstrap.planning import foreseen
from gate.bootstrap.resolving import Here, resolve_git_mode
from gate.bootstrap.trying import CONFIG, Try, refuse_foreign, resolve_try
from gate.config.policy import Budget
from gate.domain.forecast import Spending
from gate.flows.resolved import Resolved
from gate.flows.solo import Chosen
from gate.settings.services import Settings
from gate.web.jobs.order import Order

CONCURRENCY = 64


def resolve(order: Order, directory: Path) -> Resolved:
    """What there is to evaluate, within the limits of the order.

    Args:
        order: what is wanted.
        directory: somewhere inside the repository.

    Raises:
        InputErrors, GateError: mistakes in the files, or names and refs that are not there.
    """
    if order.kind == "try":
        wanted = Try(order.suites[0], order.case, order.model, order.samples)
        resolved = resolve_try(wanted, directory)
    elif order.kind == "check":
        resolved = resolve_check(CONFIG, None, Chosen(suites=order.suites), directory)
    else:
        refuse_foreign(order.base, directory)
        both = (order.base, None)
        resolved = resolve_git_mode(both, CONFIG, order.suites, everything=order.everything, here=Here(directory))
    return replace(resolved, budget=limited(resolved.budget, order))


def limited(budget: Budget, order: Order) -> Budget:
    """The budget of the configuration, and what the order allows of it."""
    calls = [most for most in (budget.max_calls, order.max_calls) if most is not None]
    dollars = [most for most in (budget.max_usd, order.max_usd) if most is not None]
    return budget.model_copy(update={"max_calls": min(calls), "max_usd": min(dollars, default=None)})


def estimate(order: Order, directory: Path) -> Spending:
    """What an order would spend if no answer were known; sends nothing and needs no key.

    Raises:
        InputErrors, GateError: see `resolve`.
    """
    return foreseen(resolve(order, directory), Settings.from_environ(), CONCURRENCY)
