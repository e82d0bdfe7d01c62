"""Plans an evaluation from the price list and the runs that were kept; sends nothing and needs no key."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from gate.app.environment.settings import NO_SERVERS, Settings, addresses_of
from gate.app.repository import own_folder, prompt_builder
from gate.app.sources import rehearsed, resolve_git_mode, store_case_reader
from gate.calls.budget import PriceList
from gate.calls.providers.factory import Factory
from gate.config.models import ModelRef, Params, ProviderServer
from gate.engine.forecast import EarlierRun, FallToShow, Forecast, PlanInputs, plan, spending
from gate.engine.spending import Pricer, Spending
from gate.errors import GateError
from gate.git.repository import Repo
from gate.record.run import RunRecord
from gate.record.transcript import Cost, Usage
from gate.resolve.pairing import Sides
from gate.resolve.resolved import Resolved
from gate.resolve.two_refs import resolve
from gate.store.run_folder import load_run

CALIBRATION = "calibration.json"
"""Lies beside the `run.json` of a calibration."""

LARGEST = 16 * 2**20
"""Bytes of one record that a plan opens."""
ALTOGETHER = 64 * 2**20
"""Bytes of all records that a plan opens."""

_LOOKED_AT = 20
_TOLD = 3


@dataclass(slots=True)
class KeptRuns:
    """The runs in `.gate`.

    Args:
        is_tracked: does git track this file? A tracked one may come from the change itself, and is ignored.
    """

    folder: Path
    is_tracked: Callable[[Path], bool]
    _left: int = field(default=ALTOGETHER, init=False)
    _passed_over: list[str] = field(default_factory=list, init=False)

    def runs(self) -> list[EarlierRun]:
        """Calibrations, then other runs, the newest files first; none is opened before it is read."""
        found = sorted(_records(self.folder), key=lambda one: (one.calibration, one.changed), reverse=True)
        return [EarlierRun(str(one.path.parent), partial(self._read, one.path)) for one in found[:_LOOKED_AT]]

    def notes(self) -> Sequence[str]:
        """Notes on what was skipped so far."""
        told = [f"Passed over: {said}." for said in self._passed_over[:_TOLD]]
        more = len(self._passed_over) - len(told)
        return [*told, f"Passed over: {more} more below {self.folder}."] if more else told

    def _read(self, path: Path) -> RunRecord | None:
        try:
            size = path.stat().st_size
            if size > LARGEST:
                raise GateError(f"{path} is larger than {LARGEST // 2**20} MiB")
            if size > self._left:
                raise GateError(f"{path}, since {ALTOGETHER // 2**20} MiB of runs are enough")
            if self.is_tracked(path):
                raise GateError(f"{path} is tracked by git, so it may come from anybody")
            self._left -= size
            return load_run(path)
        except GateError as error:
            self._passed_over.append(error.message)
        except OSError as error:
            self._passed_over.append(f"{path}: {error.strerror}")
        return None


@dataclass(frozen=True, slots=True)
class _Record:
    path: Path
    calibration: bool
    changed: float


def _records(folder: Path) -> Iterator[_Record]:
    """Does not follow links, wherever they stand."""
    if folder.is_symlink():
        return
    for parent, _, names in os.walk(folder):
        path = Path(parent) / "run.json"
        if "run.json" in names and not path.is_symlink() and path.is_file():
            yield _Record(path, (path.parent / CALIBRATION).is_file(), path.stat().st_mtime)


def kept_runs() -> KeptRuns:
    """The runs below `.gate` of the repository, without those that git tracks."""
    kept = own_folder()
    try:
        repo = Repo.open(Path())
    except GateError:
        return KeptRuns(kept, lambda path: False)
    return KeptRuns(kept, lambda path: repo.is_tracked(path.absolute()))


def forecast(
    refs: tuple[str | None, str | None], config: str, suites: Sequence[str], question: FallToShow, settings: Settings
) -> Forecast:
    """Plan an evaluation.

    Args:
        refs: base and head; without a base every suite of the working tree is planned against itself.
    """
    base, head = refs
    if base is not None:
        resolved = resolve_git_mode((base, head), config, suites, everything=False)
    else:
        resolved = against_itself(config, suites)
    kept, concurrency = kept_runs(), settings.concurrency
    price = pricer(keyless_factory(settings, resolved.servers))
    found = plan(resolved, PlanInputs(kept.runs(), price, concurrency), question)
    return replace(found, notes=(*found.notes, *kept.notes()))


def against_itself(config: str, suites: Sequence[str], directory: Path = Path()) -> Resolved:
    """Every suite of the working tree, with the same prompt in both arms.

    Raises:
        GateError: no configuration, an unknown suite, mistakes in the files.
    """
    repo = Repo.open(directory)
    tree = repo.tree()
    if tree.read(config) is None:
        raise GateError(f"there is no {config} in the working tree", "write one that names prompts, cases and a model")
    with prompt_builder() as builder:
        sides = Sides(tree, tree, builder=builder, shelf=store_case_reader(repo.root))
        return rehearsed(resolve(sides, config, suites, everything=True))


def spending_forecast(resolved: Resolved, settings: Settings, concurrency: int) -> Spending:
    """What an evaluation would spend if no answer were known; needs no key."""
    return run_spending(resolved, keyless_factory(settings, resolved.servers), concurrency)


def keyless_factory(settings: Settings, servers: Mapping[str, ProviderServer] = NO_SERVERS) -> Factory:
    """A factory that knows prices and interfaces; it has no keys, and cannot send anything."""

    def no_text(path: str) -> str:
        raise GateError(f"cannot read {path}", "recorded answers are read where they are asked for alone")

    prices = PriceList(by_name=settings.price_by_name)
    return Factory(addresses_of(settings, servers), settings.cache_dir, settings.concurrency, no_text, prices)


def pricer(factory: Factory) -> Pricer:
    """Prices the calls of models, which need not be made."""

    def price(model: ModelRef, params: Params, usage: Usage) -> Cost:
        return factory.price(model, params, model.name, usage)

    return price


def run_spending(resolved: Resolved, factory: Factory, concurrency: int) -> Spending:
    """What a run would spend if no answer were known."""
    return spending(resolved, PlanInputs(kept_runs().runs(), pricer(factory), concurrency))
