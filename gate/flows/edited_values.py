"""Which settings differ between two configurations, and what they were and are, where that is short."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from gate.config.validation import FileModel

LONGEST = 40
"""Characters of a value that is told; beyond them only the name of its setting is."""

NOT_SET = "not set"


@dataclass(frozen=True, slots=True)
class Edit:
    """One setting that a change edits.

    Args:
        name: `policy.margin`, `threshold`.
        old, new: as `gate.yaml` has them; both empty where one of them is long, or where the setting has no value.
    """

    name: str
    old: str = ""
    new: str = ""

    @property
    def told(self) -> bool:
        """Are the values there?"""
        return bool(self.old)


def differing(old: FileModel, new: FileModel, prefix: str = "") -> list[Edit]:
    """The fields in which two objects of one model differ."""
    after = dict(new)
    return [edit(prefix + name, value, after[name]) for name, value in old if value != after[name]]


def edit(name: str, old: object, new: object) -> Edit:
    """One edit, with its values where both are short.

    Args:
        name: of the setting.
        old, new: None where it is not set.
    """
    values = [_text(value) for value in (old, new)]
    return Edit(name, *values) if all(0 < len(value) <= LONGEST for value in values) else Edit(name)


def _text(value: object) -> str:
    """A word as it is, anything else as JSON; fields of a part that are not set are left out."""
    if value is None:
        return NOT_SET
    return value if isinstance(value, str) else json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, FileModel):
        return {name: _plain(part) for name, part in value if part is not None}
    return value
