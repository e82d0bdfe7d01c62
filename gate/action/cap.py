"""The monthly cap of the merge target's budget: what the month leaves, and what this run takes of it."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from gate.domain.absence import Failed
from gate.domain.spending import Outlay
from gate.domain.usage import exact_dollars
from gate.errors import CannotEvaluate
from gate.flows.resolved import Resolved
from gate.flows.spending import Spent, month_of, noted, within
from gate.github.client import GitHub


@dataclass(slots=True)
class Cap:
    """Asks only where a cap is set.

    Args:
        github: the repository, whose comments keep what pull requests spent.
        folder: of the ledger, which has the rest.
        run: number and attempt of this workflow run.
        now: when this run began.
        secret: of this run; only comments that are sealed with it count, and without one all do.
    """

    github: GitHub
    folder: Path
    run: str
    now: datetime
    secret: bytes = b""
    _set: bool = field(default=False, init=False)

    def applied(self, resolved: Resolved) -> Resolved:
        """The same within what the month leaves.

        Raises:
            CannotEvaluate: nothing is left, or nobody can tell what is.
        """
        before = resolved.budget
        self._set = before.max_usd_per_month is not None
        if not self._set or not (resolved.suites or any(edit.trials for edit in resolved.edits)):
            return resolved
        budget = within(before, self._already(), self.now)
        if budget.max_usd is None or budget.max_usd == before.max_usd:
            return resolved
        note = f"The monthly cap leaves this run {exact_dollars(budget.max_usd)}."
        return replace(resolved, budget=budget, notes=(*resolved.notes, note))

    def keep(self, dollars: float | None) -> None:
        """Write down what was spent, where no comment does.

        Raises:
            CannotEvaluate: it cannot be written down.
        """
        if self._set and dollars and self.run:
            from gate.bootstrap.ledger import spending_file  # few runs have a cap

            spending_file(self.folder).add(self.run, Outlay(month_of(self.now), dollars))

    def _already(self) -> Spent | Failed:
        from gate.bootstrap.ledger import spending_file  # few runs have a cap
        from gate.github.search import spent_in

        try:
            others = noted(spending_file(self.folder).read(), self.now)
            pulls = spent_in(self.github, month_of(self.now), self.secret)
            return Spent(pulls, others, sealed=bool(self.secret))
        except CannotEvaluate as error:
            return Failed(error.message)
