"""What the user is told before the first call, and what the record keeps of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gate.config.policy import Budget
from gate.domain.forecast import Spending
from gate.engine.cautions import foreseen, preference_notes, sampling_notes
from gate.engine.looks import why_not
from gate.flows.resolved import Resolved
from gate.report.escape import terminal


@dataclass(slots=True)
class Notebook:
    """Notes of one run.

    Args:
        say: tells the user.
        resolved: what is evaluated, and what the run may spend.
        spending: what it would spend if nothing were known; asked for only where there is a budget.
        later: notes that come up while the run goes on.
    """

    say: Callable[[str], None]
    resolved: Resolved
    spending: Callable[[], Spending]
    later: Callable[[], Sequence[str]]
    _told: list[str] = field(default_factory=list, init=False)
    _foreseen: list[str] = field(default_factory=list, init=False)

    def begin(self, known: int) -> None:
        """Tell what should be known before the first call.

        Args:
            known: calls that need not be made.
        """
        told = list(self.later())
        if self.resolved.budget != Budget():
            early = why_not(self.resolved.suites, self.resolved.policy) is None
            kept = all(arm.remembered for suite in self.resolved.suites for arm in suite.arms.values())
            self._foreseen = foreseen(self.spending(), known, self.resolved.budget, early=early, remembered=kept)
        self._told = told
        for note in (
            *sampling_notes(self.resolved.suites),
            *preference_notes(self.resolved.suites),
            *told,
            *self._foreseen,
        ):
            self.say(terminal(note))

    def all(self, *, whole: bool) -> Sequence[str]:
        """Everything that the record is to keep, each note once.

        Args:
            whole: the run came to its end, so that what was feared of its budget did not come about.
        """
        return list(dict.fromkeys([*self._told, *([] if whole else self._foreseen), *self.later()]))
