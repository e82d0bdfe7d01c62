"""A rubric: several dimensions of one answer, each with a weight, on one scale."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue

SCALE = (1.0, 5.0)
THRESHOLD = 3.5
"""Of 5; on another scale the same share of it."""

MOST_GRADES = 10
"""Steps of a scale on which a judge gives whole numbers; on a finer one it gives any number."""

_NOT_A_WORD = re.compile(r"[^A-Za-z0-9]+")
_LONGEST_FIELD = 40


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing that an answer is scored on.

    Args:
        name: unique within its rubric.
        description: what it measures.
        weight: share in the score; those of a rubric sum to 1.
        anchors: what an answer is like that gets a certain score, lowest first.
    """

    name: str
    description: str
    weight: float
    anchors: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Rubric:
    """All dimensions.

    Args:
        dimensions: one or more.
        low, high: the scale, both ends included.
        threshold: the weighted average at which an answer passes, on the scale.
    """

    dimensions: tuple[Dimension, ...]
    low: float = SCALE[0]
    high: float = SCALE[1]
    threshold: float = THRESHOLD

    @classmethod
    def of(cls, options: Mapping[str, JsonValue]) -> "Rubric":
        """The rubric that a scorer's options hold, once they were read.

        Args:
            options: with `dimensions`, `scale` and `threshold`, as `gate.inputs.rubrics` leaves them.
        """
        scale, found = options.get("scale"), options.get("dimensions")
        low, high = (_number(end) for end in scale) if isinstance(scale, list) else SCALE
        given = options.get("threshold")
        threshold = usual_threshold(low, high) if given is None else _number(given)
        listed = found if isinstance(found, list) else []
        return cls(tuple(_dimension(one) for one in listed if isinstance(one, dict)), low, high, threshold)

    @property
    def mark(self) -> float:
        """The threshold in [0, 1]."""
        return self.share(self.threshold)

    @property
    def fields(self) -> tuple[str, ...]:
        """A word for each dimension, of letters, digits and `_` alone, which a JSON Schema can name it by."""
        return tuple(_fields(one.name for one in self.dimensions))

    @property
    def grades(self) -> tuple[int, ...]:
        """The scores that a judge may give, where both ends are whole numbers and few lie between them; else none."""
        if not (self.low.is_integer() and self.high.is_integer()) or self.high - self.low > MOST_GRADES:
            return ()
        return tuple(range(int(self.low), int(self.high) + 1))

    def share(self, score: float) -> float:
        """A score of the scale in [0, 1]."""
        return (score - self.low) / (self.high - self.low)

    def score(self, share: float) -> float:
        """What lies in [0, 1], on the scale."""
        return self.low + share * (self.high - self.low)


def usual_threshold(low: float, high: float) -> float:
    """The threshold of a rubric that names none."""
    return low + (THRESHOLD - SCALE[0]) / (SCALE[1] - SCALE[0]) * (high - low)


def _fields(names: Iterable[str]) -> Iterable[str]:
    taken: set[str] = set()
    for number, name in enumerate(names, start=1):
        word = _NOT_A_WORD.sub("_", name).strip("_").lower()[:_LONGEST_FIELD] or "dimension"
        free = word if word not in taken else f"{word}_{number}"
        taken.add(free)
        yield free


def _dimension(found: Mapping[str, JsonValue]) -> Dimension:
    anchors = found.get("anchors")
    pairs = anchors.items() if isinstance(anchors, dict) else ()
    told = sorted((float(score), str(text)) for score, text in pairs)
    return Dimension(str(found["name"]), str(found["description"]), _number(found["weight"]), tuple(told))


def _number(value: JsonValue) -> float:
    if isinstance(value, (int, float)):
        return float(value)
    raise TypeError(f"not a number: {value!r}")
