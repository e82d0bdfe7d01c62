"""One scorer with its options, as configuration and cases name it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from gate.values import JsonValue

COMPARATIVE = frozenset({"pairwise"})
"""Kinds of scorers that look at the answers of both arms at once."""


JUDGED = frozenset({"judge", "rubric"}) | COMPARATIVE
"""Kinds of scorers that ask a model."""


CODED = frozenset({"python"})
"""Kinds of scorers that run code of the repository."""


WHOLE = frozenset({"tools", "database", "latency", "cost"})
"""Kinds of scorers that look at a whole conversation and not at each of its rounds."""


_EXPECTED = frozenset({"rows", "equals", "match"})
"""Options of what looks at a database that say what should be found there."""


@dataclass(frozen=True, slots=True)
class ScorerSpec:
    """What turns a sample into a score in [0, 1].

    Args:
        kind: one of `gate.config.scorers.KINDS`.
        options: the scorer's own settings; strings may hold `{{ expected }}` and other fields of the case.
        name: shown in reports; unique within a suite.
        weight: share in the weighted mean, above 0.
        required: a failure (score 0) makes the sample 0, whatever the others say.
        negate: what it finds counts against the answer: a score s becomes 1 - s.
    """

    kind: str
    name: str
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    weight: float = 1.0
    required: bool = False
    negate: bool = False

    @property
    def judged(self) -> bool:
        """A model scores, and no code."""
        return self.kind in JUDGED

    @property
    def comparative(self) -> bool:
        """It looks at the answers of both arms at once, and cannot score one alone."""
        return self.kind in COMPARATIVE

    @property
    def coded(self) -> bool:
        """A function of the repository scores."""
        return self.kind in CODED

    @property
    def whole(self) -> bool:
        """It looks at a whole conversation and not at each of its rounds."""
        return self.kind in WHOLE

    @property
    def function(self) -> str:
        """The function that scores, as `module:function`; empty where none does."""
        found = self.options.get("function")
        return found if self.coded and isinstance(found, str) else ""

    @property
    def models(self) -> tuple[str, ...]:
        """Who judges, as `provider:name`; empty for a validator, and where nobody is named yet."""
        several = self.options.get("models")
        named = several if isinstance(several, list) else [self.options.get("model")]
        return tuple(name for name in named if isinstance(name, str)) if self.judged else ()

    @property
    def files(self) -> tuple[str, ...]:
        """Files of the repository that hold a part of it: a rubric, a judge's prompt."""
        named = (self.options.get(key) for key in ("file", "template")) if self.judged else ()
        return tuple(path for path in named if isinstance(path, str))

    @property
    def lookup(self) -> str:
        """What it looks up, and in which database, as text to compare; empty for what looks nothing up.

        What it expects to find there is no part of it.
        """
        if self.kind != "database":
            return ""
        looked: dict[str, JsonValue] = {key: self.options[key] for key in self.options if key not in _EXPECTED}
        if isinstance(messages := looked.get("messages"), dict):
            looked["messages"] = {key: messages[key] for key in messages if key != "min"}
        return json.dumps(looked, sort_keys=True)


def place_of(where: str) -> tuple[str, int]:
    """The file and the line of `Case.where`; 0 for a JSON file, whose cases have a position in its list."""
    file, _, place = where.rpartition(":")
    return file, int(place) if place.isdigit() else 0
