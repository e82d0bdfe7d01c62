"""The corpus of hostile texts in tests/data/attacks; the README there says how it is written."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

FOLDER = Path(__file__).parent.parent / "data" / "attacks"
SHOWN_ON = ("markdown", "page", "terminal", "log", "outputs")
"""Where untrusted text is shown."""
LONGEST = 8_000
"""Characters of an attack that is shown."""
BATCH = 60
"""The most attacks that are shown together."""
READ_AS = ("template", "configuration", "cases", "prompt", "path", "pattern", "answer")
"""The formats in which untrusted text is read."""


@dataclass(frozen=True, slots=True)
class Attack:
    """One hostile text.

    Args:
        id: unique in the corpus.
        kind: the file that it stands in.
        tries: what it tries; completes "This attack tries".
        text: the text itself.
        bites: outputs of `SHOWN_ON` that would be harmed by the raw text.
        read_as: one of `READ_AS`; empty if it is only shown.
        refused: words of the expected error, alternatives joined by `|`; None if the text is accepted as data.
        slow: a pattern that must be stopped.
        core: what repeats in it; of a secret, the part that must not be shown.
    """

    id: str
    kind: str
    tries: str
    text: str
    bites: frozenset[str]
    read_as: str
    refused: str | None
    slow: bool
    core: str

    @property
    def encodable(self) -> str:
        """The text as a record can hold it: half of a surrogate pair becomes a question mark, and megabytes are cut."""
        return self.text[:LONGEST].encode("utf-8", "replace").decode()


@cache
def attacks() -> tuple[Attack, ...]:
    """All attacks, in the order of the files."""
    return tuple(attack for file in sorted(FOLDER.glob("*.yaml")) for attack in _read(file))


@cache
def batches() -> tuple[tuple[Attack, ...], ...]:
    """All attacks in groups of one kind, so that an expensive step runs once for several attacks."""
    found = []
    for _, group in groupby(attacks(), key=lambda attack: attack.kind):
        same = tuple(group)
        found += [same[start : start + BATCH] for start in range(0, len(same), BATCH)]
    return tuple(found)


def read_as(surface: str) -> list[Attack]:
    """The attacks that are read in this format."""
    return [attack for attack in attacks() if attack.read_as == surface]


def biting(surface: str) -> list[Attack]:
    """The attacks that would harm an output."""
    return [attack for attack in attacks() if surface in attack.bites]


def named(attack: Attack) -> str:
    """For the names of tests."""
    return attack.id


def _read(file: Path) -> Iterable[Attack]:
    loaded: dict[str, Any] = YAML(typ="safe", pure=True).load(file)
    _only(loaded, {"bites", "read_as", "attacks"}, file.name)
    for entry in loaded["attacks"]:
        _only(entry, {"id", "tries", "text", "before", "times", "after", "bites", "refused", "slow"}, entry["id"])
        core = entry["text"] * entry.get("times", 1)
        yield Attack(
            id=entry["id"],
            kind=file.stem,
            tries=entry["tries"],
            text=f"{entry.get('before', '')}{core}{entry.get('after', '')}",
            bites=frozenset(entry.get("bites", loaded.get("bites", ()))),
            read_as=loaded.get("read_as", ""),
            refused=entry.get("refused"),
            slow=entry.get("slow", False),
            core=core,
        )


def _only(found: dict[str, Any], known: set[str], where: str) -> None:
    if unknown := set(found) - known:
        raise ValueError(f"{where}: unknown keys {sorted(unknown)}")
