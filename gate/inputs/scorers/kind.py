"""What one kind of scorer takes: its options, and how they go together."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

from gate.domain.jsonvalue import JsonValue
from gate.inputs.fields import Fields, Range
from gate.inputs.problems import quoted
from gate.inputs.scorers.options import Flag, Number, Option, Word

WEIGHT = Range(0, 1000, above=True)

COMMON: Mapping[str, Option] = {
    "name": Word(),
    "weight": Number(allowed=WEIGHT, default=1.0),
    "required": Flag(default=False),
    "negate": Flag(default=False),
}
"""What every scorer has."""


class Rule(ABC):
    """How options of one scorer go together."""

    @abstractmethod
    def complaint(self, fields: Fields, options: Mapping[str, JsonValue]) -> str:
        """What is wrong; empty when nothing is.

        Args:
            fields: as they are written.
            options: as they were read.
        """

    @abstractmethod
    def schema(self) -> dict[str, JsonValue]:
        """What editors check it with; empty where a schema cannot say it."""


@dataclass(frozen=True, slots=True)
class AtLeastOne(Rule):
    """One of these has to be given."""

    keys: tuple[str, ...]

    def complaint(self, fields: Fields, options: Mapping[str, JsonValue]) -> str:
        return "" if any(map(fields.has, self.keys)) else f"needs {' or '.join(self.keys)}"

    def schema(self) -> dict[str, JsonValue]:
        return {"anyOf": [{"required": [key]} for key in self.keys]}


@dataclass(frozen=True, slots=True)
class AtMostOne(Rule):
    """These exclude one another."""

    keys: tuple[str, ...]

    def complaint(self, fields: Fields, options: Mapping[str, JsonValue]) -> str:
        given = [key for key in self.keys if fields.has(key)]
        return f"takes one of {' and '.join(given)}, not both" if len(given) > 1 else ""

    def schema(self) -> dict[str, JsonValue]:
        return {"allOf": [{"not": {"required": list(pair)}} for pair in combinations(self.keys, 2)]}


@dataclass(frozen=True, slots=True)
class Ordered(Rule):
    """The first must not be above the second."""

    low: str
    high: str

    def complaint(self, fields: Fields, options: Mapping[str, JsonValue]) -> str:
        low, high = options.get(self.low), options.get(self.high)
        if not isinstance(low, (int, float)) or not isinstance(high, (int, float)) or low <= high:
            return ""
        return f"has a {self.low} above its {self.high}"

    def schema(self) -> dict[str, JsonValue]:
        return {}


@dataclass(frozen=True, slots=True)
class Exactly(Rule):
    """Where a list says exactly what there is, others can hold no more than it, and none that excludes any of it.

    Args:
        whole: the list.
        parts: lists of what has to be there.
        excluded: the list of what must not be there.
    """

    whole: str
    parts: tuple[str, ...]
    excluded: str

    def complaint(self, fields: Fields, options: Mapping[str, JsonValue]) -> str:
        whole = options.get(self.whole)
        if not isinstance(whole, list):
            return ""
        for key in self.parts:
            if more := [one for one in _listed(options, key) if one not in whole]:
                return f"cannot be met: {self.whole} lacks {quoted(str(more[0]))}, which {key} asks for"
        if both := [one for one in _listed(options, self.excluded) if one in whole]:
            return f"cannot be met: {self.excluded} has {quoted(str(both[0]))}, which {self.whole} asks for"
        return ""

    def schema(self) -> dict[str, JsonValue]:
        return {}


def _listed(options: Mapping[str, JsonValue], key: str) -> list[JsonValue]:
    found = options.get(key)
    return found if isinstance(found, list) else []


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of scorer.

    Args:
        options: by their names.
        shorthand: the option that `kind: text` stands for; empty where there is no such form.
        rules: how the options go together.
        without: what every other scorer has, and this kind does not.
        required: it is, unless somebody says that it is not.
        check: notes what else is wrong with options that do not go together, and sets those that follow from others.
    """

    options: Mapping[str, Option]
    shorthand: str = ""
    rules: tuple[Rule, ...] = ()
    without: tuple[str, ...] = ()
    required: bool = False
    check: Callable[[Fields, dict[str, JsonValue]], None] | None = None

    @property
    def needed(self) -> tuple[str, ...]:
        """Options that have to be given."""
        return tuple(key for key, option in self.options.items() if option.example)

    @property
    def common(self) -> Mapping[str, Option]:
        """What it has like every scorer."""
        return {key: option for key, option in COMMON.items() if key not in self.without}

    @property
    def bare(self) -> bool:
        """Its name alone is a scorer."""
        return not self.needed and not any(isinstance(rule, AtLeastOne) for rule in self.rules)
