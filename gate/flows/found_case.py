"""A case of a run, as it can be kept in an eval set."""

import re
from collections.abc import Callable

from gate.config.scorerspec import place_of
from gate.domain.case import shows_turns
from gate.domain.jsonvalue import JsonValue
from gate.domain.record import RunRecord
from gate.domain.stored_suite import Entry
from gate.errors import GateError
from gate.flows.named_case import named_case
from gate.inputs.slices import LENGTH

_SHORTENED = re.compile(r"… \(\d+ characters\)\Z")
"""As a record ends a text that is too long for it."""

Lookup = Callable[[str, str], Entry | None]
"""The entry of a case by the set that it was asked from and its id; None where that cannot be had any more."""


def found_case(run: RunRecord, name: str, lookup: Lookup, *, said: bool = False) -> dict[str, JsonValue]:
    """The case as it stands in the set it came from, or else as far as the run tells it.

    Args:
        run: which asked it.
        name: its id, or `suite/id` where several suites have one of that id.
        lookup: finds it where it came from.
        said: somebody gives the input in its stead.

    Raises:
        GateError: the run has no such case, or does not hold its whole input.
    """
    case = named_case(run, name).record
    if (known := lookup(place_of(case.where)[0], case.id)) is not None:
        return dict(known)
    if not said and (case.input is None or _SHORTENED.search(case.input)):
        raise GateError(
            f"the run does not hold the whole input of {name}, and {case.where or 'its eval set'} is not here",
            "give it with --input",
        )
    if not said and shows_turns(case.input or ""):
        raise GateError(
            f"the run holds {name} as one text, not turn by turn, and {case.where} is not here",
            "write its turns into a case",
        )
    entry: dict[str, JsonValue] = {"id": case.id, "input": case.input}
    if case.expected is not None:
        entry["expected"] = case.expected
    slices: dict[str, JsonValue] = {key: value for key, value in case.slices.items() if key != LENGTH}
    return {**entry, "slices": slices} if slices else entry
