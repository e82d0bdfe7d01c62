"""What a job is to do, as the process that does it reads it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Literal, TypeAlias

from gate.domain.jsonvalue import JsonValue

Kind: TypeAlias = Literal["try", "check", "diff"]
CASE_CALLS = 200
RUN_CALLS = 5_000
"""That a job may make, unless whoever begins it says otherwise; the budget of `gate.yaml` holds besides."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a job is to do.

    Args:
        kind: ask one case, hold suites against their thresholds, or compare with a base.
        suites: names; empty for all. One for a try.
        base: ref that is compared with; of a comparison.
        everything: compare suites that the change does not touch, too.
        case: the case in JSON; of a try.
        label: name of that case, for people.
        model: `provider:name` of one of the suites; empty for the suite's own; of a try.
        samples: how often the case is asked; of a try.
        max_calls: that may be made.
        max_usd: that may be spent; None as the configuration says.
        by: who began it.
    """

    kind: Kind
    suites: tuple[str, ...] = ()
    base: str = ""
    everything: bool = False
    case: str = ""
    label: str = ""
    model: str = ""
    samples: int = 1
    max_calls: int = RUN_CALLS
    max_usd: float | None = None
    by: str = ""

    @property
    def about(self) -> str:
        """What is done to what, and how far it may go, in a line."""
        suites = ", ".join(self.suites) or "all suites"
        asked = [f"{self.label}, on {suites}" if self.kind == "try" else suites]
        asked[0] += f" against {self.base}" if self.base else ""
        asked += [self.model] if self.model else []
        limits = f"at most {self.max_calls:,} calls" + ("" if self.max_usd is None else f" and ${self.max_usd:,.2f}")
        return f"{self.kind}: {', '.join([*asked, limits])}"


def written(order: Order) -> str:
    """One line of JSON."""
    return json.dumps(asdict(order))


def read(line: str) -> Order:
    """What `written` wrote.

    Raises:
        ValueError, TypeError: it is something else.
    """
    found: Mapping[str, JsonValue] = json.loads(line)
    known = {one.name for one in fields(Order)}
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}
    if set(values) != known:
        raise ValueError("no order")
    return Order(**values)  # type: ignore[arg-type]
