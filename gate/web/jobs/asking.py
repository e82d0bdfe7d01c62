"""What pages ask before a job begins: what there is to choose, and what it would take."""

from dataclasses import dataclass

from gate.bootstrap.trying import Choices, branches, choices, configured
from gate.errors import GateError, InputErrors
from gate.report.plan import taken
from gate.settings.services import Settings
from gate.web.jobs.board import Jobs
from gate.web.jobs.order import Order
from gate.web.jobs.resolving import estimate

Mistakes = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Costs:
    """What a job would take.

    Args:
        said: calls, dollars and minutes in a sentence.
        calls: how many.
        most: that it may make.
    """

    said: str
    calls: int
    most: int

    @property
    def cut(self) -> bool:
        """It would end before it is done."""
        return self.calls > self.most


def offered(jobs: Jobs) -> Choices:
    """Suites and models of the configuration.

    Raises:
        InputErrors, GateError: there is none, or mistakes are in it.
    """
    return choices(jobs.directory, Settings.from_environ())


def refs(jobs: Jobs) -> tuple[str, ...]:
    """Branches and tags that can be compared with, the likeliest first."""
    return branches(jobs.directory)


def here(jobs: Jobs | None) -> bool:
    """Can anything be asked?"""
    return jobs is not None and configured(jobs.directory)


def costs(jobs: Jobs, order: Order) -> Costs:
    """What an order would take if no answer were known.

    Raises:
        InputErrors, GateError: what keeps it from being carried out.
    """
    found = estimate(order, jobs.directory)
    return Costs(taken(found), found.calls, order.max_calls)


def told_by(error: GateError) -> Mistakes:
    """What an error says, each with its remedy."""
    if isinstance(error, InputErrors):
        return tuple((f"{one.where}: {one.message}", one.hint) for one in error.shown)
    return ((error.message, error.hint),)
