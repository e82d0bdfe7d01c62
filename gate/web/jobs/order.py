"""What a job is to do, as the process that does it reads it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import ConfigDict, TypeAdapter

from gate.domain.jsonbytes import parsed
from gate.domain.jsonbytes import written as as_json

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

    __pydantic_config__ = ConfigDict(extra="forbid")

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


_ORDER: TypeAdapter[Order] = TypeAdapter(Order)


def written(order: Order) -> bytes:
    """One line of JSON."""
    return as_json(_ORDER, order)


def read(line: bytes) -> Order:
    """What `written` wrote.

    Raises:
        ValueError: it is something else.
    """
    return _ORDER.validate_python(parsed(line))
