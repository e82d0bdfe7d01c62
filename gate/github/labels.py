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
        head: the newest commit.
    """

    state: str
    labels: tuple[str, ...]
    head: str


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
        """State, labels and newest commit."""
        with asking("read the labels of the pull request"):
            pull = self.github.pull(self.number)
            labels = tuple(required(label.name, str) for label in pull.labels)
            return Now(required(pull.state, str), labels, required(pull.head.sha, str))

    def events(self) -> tuple[LabelEvent, ...]:
        """Every time that a label was set or taken off, oldest first."""
        with asking("read who set the label"):
            issue = self.github.repository.get_issue(self.number)
            rows = [event.raw_data for event in bounded(issue.get_timeline())]
            return tuple(_label_event(row) for row in rows if row.get("event") in ("labeled", "unlabeled"))


def _label_event(row: dict[str, Any]) -> LabelEvent:
    label, actor, at = row.get("label"), row.get("actor"), row.get("created_at")
    name = label.get("name") if isinstance(label, dict) else None
    who = actor if isinstance(actor, dict) else {}
    by = login if isinstance(login := who.get("login"), str) else None
    return LabelEvent(
        label=name if isinstance(name, str) else "",
        is_set=row["event"] == "labeled",
        by=by,
        at=at if isinstance(at, str) else None,
        bot=by is not None and (who.get("type") != "User" or by.casefold().endswith("[bot]")),
        app=_app(row.get("performed_via_github_app")),
    )


def _app(app: Any) -> str:
    """What acted in a person's name; something that cannot be read is an app, too."""
    if app is None:
        return ""
    name = app.get("slug") if isinstance(app, dict) else None
    return name if isinstance(name, str) and name else "unknown"
