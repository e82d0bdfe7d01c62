"""Estimates what a run would spend, from the runs that were kept."""

from gate.bootstrap.earlier import kept_runs
from gate.bootstrap.plan import Plan
from gate.domain.forecast import Spending
from gate.domain.model import ModelRef, Params
from gate.domain.usage import Cost, Usage
from gate.flows.plan import World, spending
from gate.providers.factory import Factory


def outlay(plan: Plan, factory: Factory) -> Spending:
    """What the run would spend if no answer were known.

    Args:
        plan: of the run.
        factory: prices the calls.
    """

    def price(model: ModelRef, params: Params, usage: Usage) -> Cost:
        return factory.price(model, params, model.name, usage)

    return spending(plan.resolved, World(kept_runs().runs(), price, plan.concurrency))
