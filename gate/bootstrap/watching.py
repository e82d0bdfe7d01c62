"""Files that are looked at again and again, and a run that ends when one of them is saved."""

import asyncio
import gc
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from gate.bootstrap.plan import Plan
from gate.bootstrap.running import Running, carry_out
from gate.bootstrap.signals import ENDING
from gate.domain.record import RunRecord
from gate.flows.evaluate import evaluate
from gate.git.noted import Sightings
from gate.settings.services import Settings

EVERY_S = 0.3
"""Seconds between two looks."""
SETTLED_S = 0.2
"""Seconds in which nothing more is written before a save counts as done: editors write several files."""
LONGEST_S = 5.0
"""Seconds after which it counts as done all the same."""
SAVED = "a file was saved"

_IDLE = 20
"""Times as long as a look takes is waited before the next one: watching takes at most a twentieth of one core."""


@dataclass(frozen=True, slots=True)
class Ran:
    """One run that was watched.

    Args:
        record: of it.
        saved: a file changed meanwhile, so that it ended early.
        ended: a signal ended it, and the process should go.
    """

    record: RunRecord
    saved: bool
    ended: bool


def wait_for_save(seen: Sightings, sleep: Callable[[float], None] = time.sleep) -> None:
    """Come back when something changed, and has stayed as it is for a moment.

    Args:
        seen: what is watched.
        sleep: waits so many seconds.
    """
    while True:
        changed, pause = _look(seen)
        if changed:
            break
        sleep(pause)
    begun = time.monotonic()
    while time.monotonic() - begun < LONGEST_S:
        now = seen.again()
        sleep(SETTLED_S)
        if not now.changed():
            return


def run_until_saved(plan: Plan, settings: Settings, seen: Sightings) -> Ran:
    """Carry an evaluation out, or give it up as soon as something changes; what was answered by then is kept.

    Args:
        plan: what is carried out.
        settings: keys and addresses.
        seen: what is watched.

    Raises:
        GateError: as `gate.bootstrap.running.carry_out`.
    """
    reasons: list[str | None] = []

    async def work(running: Running) -> RunRecord:
        looking = asyncio.create_task(_stop_at_save(running, seen))
        try:
            return await evaluate(running.resolved, running.tools, running.caching, running.seed, running.stop)
        finally:
            reasons.append(running.stop.reason)
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking

    try:
        record = carry_out(plan, settings, work)
    finally:
        # A run takes all that is alive for its own, and here more will follow.
        gc.unfreeze()
    return Ran(record, SAVED in reasons, any(reason in ENDING.values() for reason in reasons))


async def _stop_at_save(running: Running, seen: Sightings) -> None:
    while True:
        changed, pause = await asyncio.to_thread(_look, seen)
        if changed:
            running.stop.now(SAVED)
            return
        await asyncio.sleep(pause)


def _look(seen: Sightings) -> tuple[bool, float]:
    """Whether anything changed, and the seconds until the next look."""
    begun = time.monotonic()
    changed = seen.changed()
    return changed, max(EVERY_S, _IDLE * (time.monotonic() - begun))
