"""The override label: is it set, and who set it when."""

from collections.abc import Sequence
from dataclasses import dataclass

from gate.domain.pull_request import LabelEvent


@dataclass(frozen=True, slots=True)
class Override:
    """The label is set.

    Args:
        label: as it is spelt on the pull request.
        by, at: of the event that set it; None where that is not known.
    """

    label: str
    by: str | None = None
    at: str | None = None


def override(labels: Sequence[str], wanted: str) -> Override | None:
    """The override among the labels of a pull request, if it is there.

    Args:
        labels: names, in any case, as GitHub takes them.
        wanted: the label's name; the same name in brackets is accepted, too.
    """
    plain = wanted.strip("[]").casefold()
    found = next((name for name in labels if name.casefold() in (plain, f"[{plain}]")), None)
    return None if found is None else Override(found)


def with_setter(found: Override, events: Sequence[LabelEvent]) -> Override:
    """The override with who set it and when.

    Args:
        found: the label that is set now.
        events: of the pull request, oldest first.
    """
    of_label = [event for event in events if event.label.casefold() == found.label.casefold()]
    if not of_label or not of_label[-1].is_set:
        return found
    return Override(found.label, of_label[-1].by, of_label[-1].at)
