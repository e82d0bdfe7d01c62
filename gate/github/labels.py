"""The labels of a pull request as they are now, and the events that set them."""

from dataclasses import dataclass
from typing import Any

from gate.domain.pull_request import LabelEvent
from gate.github.client import GitHub, asking, bounded, required


@dataclass(frozen=True, slots=True)
class Now:
    """A pull request at this moment.

    Args:
        state: `open` or `closed`.
        labels: names.
    """

    state: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PullRequestLabels:
    """Reads labels.

    Args:
        github: the repository.
        number: of the pull request.
    """

    github: GitHub
    number: int

    def now(self) -> Now:
        """State and labels."""
        with asking("read the labels of the pull request"):
            pull = self.github.pull(self.number)
            labels = tuple(required(label.name, str) for label in pull.labels)
            return Now(required(pull.state, str), labels)

    def events(self) -> tuple[LabelEvent, ...]:
        """Every time that a label was set or taken off, oldest first."""
        with asking("read who set the label"):
            issue = self.github.repository.get_issue(self.number)
            rows = [event.raw_data for event in bounded(issue.get_timeline())]
            return tuple(_label_event(row) for row in rows if row.get("event") in ("labeled", "unlabeled"))


def _label_event(row: dict[str, Any]) -> LabelEvent:
    label, actor, at = row.get("label"), row.get("actor"), row.get("created_at")
    name = label.get("name") if isinstance(label, dict) else None
    login = actor.get("login") if isinstance(actor, dict) else None
    return LabelEvent(
        label=name if isinstance(name, str) else "",
        is_set=row["event"] == "labeled",
        by=login if isinstance(login, str) else None,
        at=at if isinstance(at, str) else None,
    )
