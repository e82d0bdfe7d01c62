"""The override label as olivia set it."""

from gate.github.events import LabelEvent
from gate.record.parts import Role

LABEL = "skip-prompt-diff"
HEAD = "a" * 40
AT = "2026-03-02T09:00:00Z"
TRIAGE = Role("triage", "read")


def event(label: str = LABEL, by: str | None = "olivia", is_set: bool = True, at: str | None = AT) -> LabelEvent:
    return LabelEvent(label, is_set, by, at)
