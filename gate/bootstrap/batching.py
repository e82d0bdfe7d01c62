"""Has the answers of a run prepared by the providers' batch interfaces before the run itself begins."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial

from gate.bootstrap.memory import Remembered, refuse_tracked
from gate.bootstrap.outlay import outlay
from gate.bootstrap.plan import Plan
from gate.calls.batch_ledger import BatchLedger
from gate.calls.batch_tools import BatchTools
from gate.domain.usage import Dollars
from gate.domain.words import about_dollars
from gate.engine.lanes import by_lane
from gate.engine.plan import Schedule
from gate.errors import CannotEvaluate, GateError
from gate.flows.batch import collect_or_submit
from gate.flows.reuse import question_of, same_arms
from gate.inputs.render import NotBuilt
from gate.providers.base import Request
from gate.providers.factory import Factory
from gate.report.escape import terminal
from gate.targets.prompt import request_of
from gate.targets.route import suite_converses

LEDGER = "batches"
"""Stands beside the answers."""

PRICE = 0.5
"""Of a batch, as a part of the price of live calls; for the estimate alone."""


async def prepare(plan: Plan, factory: Factory, memory: Remembered, seed: int) -> None:
    """Collect what batches have answered, and submit what no batch was asked yet.

    Args:
        plan: of the run.
        factory: the batch interfaces and their prices.
        memory: known answers, and the place for new ones.
        seed: of the order.

    Raises:
        CannotEvaluate: answers are still to come, or a budget would not suffice.
    """
    folder = plan.remember.place / LEDGER
    refuse_tracked(folder, *folder.glob("*"))
    budget = plan.resolved.budget
    cost = outlay(plan, factory).cost if budget.max_usd is not None else None
    if budget.max_usd is not None and isinstance(cost, Dollars) and cost.amount * PRICE > budget.max_usd:
        raise CannotEvaluate(
            f"the batch would cost about {about_dollars(cost.amount * PRICE)}, and {budget.usd_said}",
            "raise the limit, or take fewer samples",
        )

    def say(line: str) -> None:
        plan.say(terminal(line))

    if talking := [suite.name for suite in plan.resolved.suites if suite_converses(suite)]:
        message = f"the cases of suite {', '.join(talking)} are conversations, and a batch is for single questions"
        raise GateError(message, "run without --batch, or name other suites")
    tools = BatchTools(factory.batches, memory.store, BatchLedger(folder), partial(factory.price, batch=True))
    outcome = await collect_or_submit(_requests(plan, seed), tools, budget.max_calls)
    for line in outcome.lines():
        say(line)
    if not outcome.ready:
        raise CannotEvaluate(outcome.reason, "the batches are written down; nothing is submitted twice")


def _requests(plan: Plan, seed: int) -> Iterator[Request]:
    for lane in by_lane(plan.resolved.suites):
        for pair in Schedule(lane, seed).all_pairs():
            apart = plan.apart or same_arms(pair.suite)
            for arm in pair.order:
                # A prompt without a text for this case has nothing to be asked.
                with suppress(NotBuilt):
                    yield request_of(question_of(pair.suite, pair, arm, apart=apart))
