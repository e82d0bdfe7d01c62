"""Has the answers of a run prepared by the providers' batch interfaces before the run itself begins."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial

from gate.agents.interface import request_of, suite_needs_conversation
from gate.app.run_order import RunOrder
from gate.app.run_tools import run_spending
from gate.calls.batches.jobs import BatchTools, batch_service
from gate.calls.batches.ledger import BatchLedger
from gate.calls.batches.prefetch import collect_or_submit
from gate.calls.cache import AnswerStore
from gate.calls.interface import Request
from gate.calls.providers.factory import Factory
from gate.cases.case import NotBuilt
from gate.engine.run import question_of, same_arms
from gate.engine.schedule import Schedule, by_lane
from gate.errors import CannotEvaluate, GateError
from gate.git.places import refuse_tracked
from gate.record.transcript import Dollars
from gate.report.escape import terminal_text
from gate.values import about_dollars

LEDGER = "batches"
"""Folder next to the cached answers."""

PRICE = 0.5
"""Price of a batch as a share of the price of normal calls; only for the estimate."""


async def prepare_batch(plan: RunOrder, factory: Factory, answers: AnswerStore, seed: int) -> None:
    """Collect the answers of batches, and submit requests that are in no batch yet.

    Raises:
        CannotEvaluate: answers are still missing, or a budget is too small.
    """
    folder = plan.place / LEDGER
    refuse_tracked(folder, *folder.glob("*"))
    budget = plan.resolved.budget
    cost = run_spending(plan.resolved, factory, plan.concurrency).cost if budget.max_usd is not None else None
    if budget.max_usd is not None and isinstance(cost, Dollars) and cost.amount * PRICE > budget.max_usd:
        raise CannotEvaluate(
            f"the batch would cost about {about_dollars(cost.amount * PRICE)}, and {budget.usd_said}",
            "raise the limit, or lower the number of samples",
        )

    def say(line: str) -> None:
        plan.say(terminal_text(line))

    if talking := [suite.name for suite in plan.resolved.suites if suite_needs_conversation(suite)]:
        message = f"the cases of suite {', '.join(talking)} are conversations, and a batch only takes single questions"
        raise GateError(message, "run without --batch, or name other suites")
    tools = BatchTools(
        partial(batch_service, factory), answers, BatchLedger(folder), partial(factory.price, batch=True)
    )
    outcome = await collect_or_submit(_requests(plan, seed), tools, budget.max_calls)
    for line in outcome.lines():
        say(line)
    if not outcome.ready:
        raise CannotEvaluate(outcome.reason, "the batches are recorded; nothing is submitted twice")


def _requests(plan: RunOrder, seed: int) -> Iterator[Request]:
    for lane in by_lane(plan.resolved.suites):
        for pair in Schedule(lane, seed).all_pairs():
            apart = plan.apart or same_arms(pair.suite)
            for job in pair.jobs():
                # A prompt without a text for this case has no request.
                with suppress(NotBuilt):
                    yield request_of(question_of(job, apart=apart))
