"""Plans a run from the price list and saved runs; sends nothing and needs no key."""

from collections.abc import Sequence
from dataclasses import replace

from gate.app.resolving import against_itself, resolve_git_mode
from gate.engine.forecast import FallToShow, Forecast, PlanInputs, plan
from gate.environment.settings import Settings, keyless_factory, pricer
from gate.store.kept_runs import kept_runs


def forecast(
    refs: tuple[str | None, str | None], config: str, suites: Sequence[str], question: FallToShow, settings: Settings
) -> Forecast:
    """Plan a run.

    Args:
        refs: base and head; without a base, every suite of the working tree is planned against itself.
    """
    base, head = refs
    if base is not None:
        resolved = resolve_git_mode((base, head), config, suites, everything=False)
    else:
        resolved = against_itself(config, suites)
    kept, concurrency = kept_runs(), settings.concurrency
    price = pricer(keyless_factory(settings, resolved.servers, resolved.prices))
    found = plan(resolved, PlanInputs(kept.runs(), price, concurrency), question)
    return replace(found, notes=(*found.notes, *kept.notes()))
