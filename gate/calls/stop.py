"""How a run is told to end: at once, or with what is under way."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Stop:
    """A switch that ends a run early; the first reason stays.

    Args:
        reason: why it is set, or None.
        interrupted: a user set it, by Ctrl-C.
    """

    reason: str | None = None
    interrupted: bool = False
    _abandon: Callable[[], object] | None = None

    def drain(self, reason: str) -> None:
        """Take no more work; what is under way is finished."""
        self.reason = self.reason or reason

    def now(self, reason: str) -> None:
        """Take no more work and give up what is under way."""
        self.drain(reason)
        if self._abandon is not None:
            self._abandon()

    def abandon_with(self, abandon: Callable[[], object]) -> None:
        """What `now` has to call to give up what is under way."""
        self._abandon = abandon
