"""Makes plans: opens the repository, the price list and the runs that were kept; sends nothing and needs no key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gate.bootstrap.building import building
from gate.bootstrap.earlier import kept_runs
from gate.bootstrap.resolving import rehearsed, resolve_git_mode
from gate.bootstrap.shelves import shelf_of
from gate.domain.forecast import Forecast, Spending
from gate.domain.model import ModelRef, Params, ProviderServer
from gate.domain.usage import Cost, Usage
from gate.engine.forecast import Question
from gate.engine.outlay import Pricer
from gate.errors import GateError
from gate.flows.pairing import Sides
from gate.flows.plan import World, plan, spending
from gate.flows.resolve import resolve
from gate.flows.resolved import Resolved
from gate.git.repo import Repo
from gate.providers.factory import Factory
from gate.providers.prices import PriceList
from gate.settings.keys import NONE, addresses_of
from gate.settings.services import Settings


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be planned.

    Args:
        base, head: refs; without a base every suite of the working tree is planned, against itself.
        config: path of `gate.yaml` from the root of the repository.
        suites: names; empty for all.
        question: which fall should show, and with which power.
        concurrency: calls in flight.
    """

    base: str | None
    head: str | None
    config: str
    suites: Sequence[str]
    question: Question
    concurrency: int


def forecast(asked: Asked, settings: Settings) -> Forecast:
    """Plan an evaluation.

    Args:
        asked: what.
        settings: addresses, which decide on prices.

    Raises:
        InputErrors, GateError: mistakes in the files.
    """
    if asked.base is not None:
        resolved = resolve_git_mode((asked.base, asked.head), asked.config, asked.suites, everything=False)
    else:
        resolved = against_itself(asked.config, asked.suites)
    shelf = kept_runs()
    world = World(shelf.runs(), priced(settings, asked.concurrency, resolved.servers), asked.concurrency)
    found = plan(resolved, world, asked.question)
    return replace(found, notes=(*found.notes, *shelf.notes()))


def against_itself(config: str, suites: Sequence[str], directory: Path = Path()) -> Resolved:
    """Every suite of the working tree, with the same prompt in both arms.

    Args:
        config: path of `gate.yaml` from the root of the repository.
        suites: names; empty for all.
        directory: somewhere inside the repository.

    Raises:
        GateError: no configuration, an unknown suite, mistakes in the files.
    """
    repo = Repo.open(directory)
    tree = repo.tree()
    if tree.read(config) is None:
        raise GateError(f"there is no {config} in the working tree", "write one that names prompts, cases and a model")
    with building() as builder:
        sides = Sides(tree, tree, builder=builder, shelf=shelf_of(repo.root))
        return rehearsed(resolve(sides, config, suites, everything=True))


def foreseen(resolved: Resolved, settings: Settings, concurrency: int) -> Spending:
    """What an evaluation would spend if no answer were known.

    Args:
        resolved: what would be evaluated.
        settings: addresses, which decide on prices.
        concurrency: calls in flight.
    """
    return spending(resolved, World(kept_runs().runs(), priced(settings, concurrency, resolved.servers), concurrency))


def priced(settings: Settings, concurrency: int = 1, servers: Mapping[str, ProviderServer] = NONE) -> Pricer:
    """Prices the calls of models without asking any.

    Args:
        settings: addresses, which decide on prices.
        concurrency: calls in flight.
        servers: that the configuration names.
    """
    # No key is needed to know a price, and none is given.
    keys = addresses_of(settings, servers)
    prices = PriceList(by_name=settings.price_by_name)
    factory = Factory(keys, settings.cache_dir, concurrency, _no_text, prices)

    def price(model: ModelRef, params: Params, usage: Usage) -> Cost:
        return factory.price(model, params, model.name, usage)

    return price


def _no_text(path: str) -> str:
    raise GateError(f"cannot read {path}", "a plan reads no recorded answers")
