"""The figures of all samples of a run, without their texts, so that a report need not read every text again."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from gate.record.transcript import ArmName, Dollars, Reply, Sample, Unscored

Key: TypeAlias = tuple[str, str]
"""Suite and case."""
_NONE = -1.0


class SampleFigure(NamedTuple):
    """The figures of one sample.

    Args:
        number: 0 to k - 1.
        score: None where there is none.
        seconds, dollars: of its answer; None where they are unknown.
        fresh: the answer was newly requested, and was not the first of its arm.
        place: for whoever reads the whole sample.
    """

    key: Key
    arm: ArmName
    number: int
    score: float | None
    seconds: float | None
    dollars: float | None
    fresh: bool
    place: int


class SampleFigures:
    """Figures in the order of completion; about fifty bytes for each sample."""

    def __init__(self) -> None:
        self._keys: dict[tuple[Key, ArmName], int] = {}
        self._rows: list[array[Any]] = [array(kind) for kind in ("I", "B", "d", "d", "d", "B", "q")]

    @classmethod
    def of(cls, samples: Iterable[Sample]) -> "SampleFigures":
        """The figures of samples whose place is their number, from 0."""
        found = cls()
        for place, sample in enumerate(samples):
            found.add(sample, place)
        return found

    def add(self, sample: Sample, place: int) -> None:
        """Add a finished sample."""
        reply = sample.reply if isinstance(sample.reply, Reply) else None
        key = (sample.suite, sample.case_id), sample.arm
        row = (
            self._keys.setdefault(key, len(self._keys)),
            sample.index,
            _NONE if isinstance(sample.score, Unscored) else sample.score,
            _NONE if reply is None or reply.latency_s is None else reply.latency_s,
            reply.cost.amount if reply is not None and isinstance(reply.cost, Dollars) else _NONE,
            reply is not None and not reply.origin.reused and not sample.warmup,
            place,
        )
        for column, value in zip(self._rows, row, strict=True):
            column.append(value)

    def candidate_seconds(self) -> dict[Key, float]:
        """Seconds of the candidate's answers, summed per suite and case."""
        found: dict[Key, float] = defaultdict(float)
        for one in self:
            if one.arm is ArmName.CANDIDATE and one.seconds is not None:
                found[one.key] += one.seconds
        return dict(found)

    def __len__(self) -> int:
        return len(self._rows[0])

    def __iter__(self) -> Iterator[SampleFigure]:
        keys = list(self._keys)
        for key_number, number, score, seconds, dollars, fresh, place in zip(*self._rows, strict=True):
            key, arm = keys[key_number]
            yield SampleFigure(
                key,
                arm,
                number,
                None if score == _NONE else score,
                None if seconds == _NONE else seconds,
                None if dollars == _NONE else dollars,
                bool(fresh),
                place,
            )
