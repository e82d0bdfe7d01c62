"""The override label: who may set the gate aside, for which commit, and what GitHub knows about somebody."""

from dataclasses import dataclass
from typing import Literal

OverrideBy = Literal["triage", "anyone", "not-author"]
LabelScope = Literal["pull-request", "commit"]

_COARSE = {
    "triage": frozenset({"read", "write", "admin"}),
    "write": frozenset({"write", "admin"}),
    "maintain": frozenset({"write", "admin"}),
    "admin": frozenset({"admin"}),
}
"""GitHub's own roles that may label, each with the coarse permissions that GitHub names beside it."""

_TOO_LITTLE = ("read", "none")


@dataclass(frozen=True, slots=True)
class Rule:
    """When the override label counts.

    Args:
        label: its name; the same name in brackets is accepted, too.
        by: `triage` is anybody with triage rights or more; `not-author` is the same without the author of the pull
            request and of its newest commit; `anyone` takes bots and workflows, too.
        scope: `commit` lets it expire with the next push.
    """

    label: str
    by: OverrideBy = "triage"
    scope: LabelScope = "pull-request"


@dataclass(frozen=True, slots=True)
class Role:
    """What somebody may do in the repository.

    Args:
        name: of the role, which an organization may have made itself; empty where an older server names none.
        permission: the coarse one: `admin`, `write`, `read` or `none`, where triage is `read`.
        triage: GitHub says that this person may triage.
    """

    name: str
    permission: str
    triage: bool = False

    @property
    def may_triage(self) -> bool:
        """Triage rights or more. Answers that contradict themselves give none."""
        name, permission = self.name.casefold(), self.permission.casefold()
        if name in _COARSE:
            return permission in _COARSE[name]
        if name in _TOO_LITTLE:
            return False
        return permission in ("write", "admin") or (permission == "read" and self.triage)
