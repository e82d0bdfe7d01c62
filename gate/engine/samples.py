"""The samples of a run in columns, about 130 bytes each; the whole of a sample is read from its place on disk."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from gate.record.transcript import (
    ArmName,
    Cost,
    Dollars,
    Failed,
    Outline,
    Part,
    PartKind,
    Reply,
    Sample,
    Score,
    Transcript,
    Unpriced,
    Unscored,
    effort_of,
)

ARMS = tuple(ArmName)
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Columns: TypeAlias = NDArray[Any]
"""A structured array: one row for each sample, score or part, one field for each of its figures."""
Value = TypeVar("Value")


class ValueIndex(Generic[Value]):
    """Numbers for values that occur again and again."""

    def __init__(self) -> None:
        self._numbers: dict[Value, int] = {}
        self.values: list[Value] = []

    def number(self, value: Value) -> int:
        """The number of a value, a new one if it was not seen before."""
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number

    def known(self, value: Value) -> int | None:
        """The number of a value; None if it is new."""
        return self._numbers.get(value)


class GrowingColumns:
    """A structured array that grows row by row."""

    def __init__(self, rows: Columns) -> None:
        self._rows, self._length = rows, len(rows)

    def add(self, *values: object) -> None:
        """Append one row, the values in the order of the fields."""
        if self._length == len(self._rows):
            longer = np.empty(max(1024, 2 * self._length), self._rows.dtype)
            longer[: self._length] = self._rows
            self._rows = longer
        self._rows[self._length] = values
        self._length += 1

    @property
    def rows(self) -> Columns:
        """The rows so far."""
        return self._rows[: self._length]


Key: TypeAlias = tuple[str, str, ArmName]
"""Suite, case and arm."""
PartKey: TypeAlias = tuple[str, str, PartKind, str, float]
"""Suite, scorer, kind, name and weight of a part."""

NO_CALL, UNKNOWN, NOT_APPLICABLE, DOLLARS = range(4)
"""What a price is; the field after it holds the dollars."""
NO_TIME = -1.0
SCORED = -1
"""The reason of what has a score."""
NOWHERE = -1
"""The place of a sample that is not on disk."""
MOST_CALLS = 2**32 - 1
"""Calls of one conversation that are counted; a record from elsewhere may have any number."""

SAMPLE = np.dtype(
    [
        ("place", "i8"),
        ("input_tokens", "i8"), ("cache_read_tokens", "i8"), ("cache_write_tokens", "i8"), ("output_tokens", "i8"),
        # Of the reply: its time, when it was taken, and dollars.
        ("latency_s", "f8"), ("taken_at", "f8"), ("cost", "f8"),
        ("score", "f8"),
        # What this run paid: for the answer, and for whoever talks with an agent.
        ("paid", "f8"), ("aside_paid", "f8"),
        ("key", "u4"), ("source", "u4"), ("outline", "u4"), ("reason", "i4"),
        # Of this run, as in `Effort`.
        ("calls", "u4"), ("retries", "u4"), ("reused_calls", "u4"), ("aside_calls", "u4"),
        ("index", "u1"), ("price", "u1"), ("paid_price", "u1"), ("aside_price", "u1"),
        ("failed", "?"), ("warmup", "?"), ("blank", "?"), ("reused", "?"),
    ],
    align=True,
)  # fmt: skip
SCORE = np.dtype(
    [
        ("value", "f8"), ("cost", "f8"), ("sample", "u4"), ("scorer", "u4"), ("reason", "i4"),
        ("calls", "u2"), ("retries", "u2"), ("reused", "u2"), ("price", "u1"),
    ],
    align=True,
)  # fmt: skip
PART = np.dtype([("value", "f8"), ("sample", "u4"), ("part", "u4")], align=True)


class SampleTable:
    """Samples in order of completion.

    Args:
        read: the whole sample at a place.
    """

    def __init__(self, read: Callable[[int], Sample] | None = None) -> None:
        self._read = read
        self._keys: ValueIndex[Key] = ValueIndex()
        self._reasons: ValueIndex[str] = ValueIndex()
        self._sources: ValueIndex[tuple[str, str, str]] = ValueIndex()
        self._outlines: ValueIndex[Outline | None] = ValueIndex()
        self._scorers: ValueIndex[tuple[str, float, bool]] = ValueIndex()
        self._part_keys: ValueIndex[PartKey] = ValueIndex()
        self._samples, self._scores, self._parts = (GrowingColumns(np.empty(0, kind)) for kind in (SAMPLE, SCORE, PART))

    def add(self, sample: Sample, place: int = NOWHERE) -> None:
        """Add a finished sample, which can be read at `place`."""
        row = len(self)
        for score in sample.scores:
            scorer = self._scorers.number((score.scorer, score.weight, score.required))
            for part in score.parts:
                key = self._part_keys.number((sample.suite, score.scorer, part.kind, part.name, part.weight))
                self._parts.add(part.value, row, key)
            reason, value = self._valued(score.value)
            price, dollars = _priced(score.cost)
            self._scores.add(value, dollars, row, scorer, reason, score.calls, score.retries, score.reused, price)
        reply, effort = sample.reply, effort_of(sample.reply)
        reason, value = self._valued(sample.score)
        figures, (source, outline, price, blank, reused) = self._reply_fields(reply)
        paid_price, paid = _priced(effort.cost)
        aside_price, aside_paid = _priced(effort.aside_cost)
        counts = (effort.calls, effort.retries, effort.reused, effort.aside_calls)
        self._samples.add(
            place, *figures, value, paid, aside_paid,
            self._keys.number((sample.suite, sample.case_id, sample.arm)), source, outline, reason,
            *(min(max(0, count), MOST_CALLS) for count in counts), sample.index, price, paid_price, aside_price,
            isinstance(reply, Failed), sample.warmup, blank, reused,
        )  # fmt: skip

    def _reply_fields(self, reply: Reply | Failed) -> tuple[tuple[float, ...], tuple[int, ...]]:
        """The fields from `input_tokens` to `cost`; and `source`, `outline`, `price`, `blank`, `reused`."""
        if isinstance(reply, Failed):
            return (0, 0, 0, 0, NO_TIME, 0.0, 0.0), (0, self._outlines.number(None), NO_CALL, False, False)
        usage, origin, talk = reply.usage, reply.origin, reply.transcript
        price, cost = _priced(reply.cost)
        latency = NO_TIME if reply.latency_s is None else reply.latency_s
        tokens = usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens
        source = self._sources.number((reply.model_id, reply.stop_reason, origin.sitting))
        outline = self._outlines.number(None if talk is None else _outline(talk))
        return (*tokens, latency, origin.at, cost), (source, outline, price, not reply.text.strip(), origin.reused)

    def __len__(self) -> int:
        return len(self.samples)

    @property
    def samples(self) -> Columns:
        """`SAMPLE[n]`, in order of completion."""
        return self._samples.rows

    @property
    def scores(self) -> Columns:
        """`SCORE[m]`: the single scores, sample by sample."""
        return self._scores.rows

    @property
    def keys(self) -> Sequence[Key]:
        """What the field `key` numbers."""
        return self._keys.values

    @property
    def sources(self) -> Sequence[tuple[str, str, str]]:
        """Model id, stop reason and process (`sitting`): what the field `source` of a reply numbers."""
        return self._sources.values

    @property
    def outlines(self) -> Sequence[Outline | None]:
        """What the field `outline` numbers; None where there was no conversation."""
        return self._outlines.values

    @property
    def part_keys(self) -> Sequence[PartKey]:
        """What parts the scores have, in the order in which they were first seen."""
        return self._part_keys.values

    def where(self, wanted: Callable[[Key], bool]) -> "SampleTable":
        """The samples whose suite, case and arm are wanted."""
        chosen = np.array([wanted(key) for key in self.keys], dtype=np.bool_)[self.samples["key"]]
        if chosen.all():
            return self
        found = SampleTable(self._read)
        for name in ("_keys", "_reasons", "_sources", "_outlines", "_scorers", "_part_keys"):
            setattr(found, name, getattr(self, name))
        rows = np.cumsum(chosen) - 1
        found._samples = GrowingColumns(self.samples[chosen])
        for name in ("_scores", "_parts"):
            own = getattr(self, name).rows
            own = own[chosen[own["sample"]]]
            own["sample"] = rows[own["sample"]]
            setattr(found, name, GrowingColumns(own))
        return found

    def of_suite(self, name: str) -> "SampleTable":
        """The samples of one suite."""
        return self.where(lambda key: key[0] == name)

    def rows_of(self, suite: str, cases: Sequence[str], count: int) -> Ints:
        """int[2, N, count], where the samples of both arms on these cases are, by their index; -1 for none."""
        places = np.full((len(self.keys) + 1, 2), -1, dtype=np.int64)
        for case, case_id in enumerate(cases):
            for arm, name in enumerate(ARMS):
                if (number := self._keys.known((suite, case_id, name))) is not None:
                    places[number] = arm, case
        rows = np.full((len(ARMS), len(cases), count), -1, dtype=np.int64)
        arms, numbers = places[self.samples["key"]].T
        indices = self.samples["index"]
        own = np.flatnonzero((numbers >= 0) & (indices < count))
        rows[arms[own], numbers[own], indices[own]] = own
        return rows

    def of_arm(self, arm: ArmName) -> Bools:
        """bool[n], which samples are of this arm."""
        found: Bools = np.array([key[2] is arm for key in self.keys], dtype=np.bool_)[self.samples["key"]]
        return found

    def whole(self, row: int) -> Sample | None:
        """One sample with its texts; None where it could not be written down."""
        place = int(self.samples["place"][row])
        return None if self._read is None or place == NOWHERE else self._read(place)

    def part(self, key: PartKey) -> tuple[Bools, Floats]:
        """bool[n] and float[n]: which samples have this part of `part_keys`, and its value, or 0."""
        number, parts = self._part_keys.known(key), self._parts.rows
        return self._by_sample(parts[parts["part"] == number] if number is not None else parts[:0])

    def scorer(self, name: str) -> tuple[Bools, Floats]:
        """bool[n] and float[n]: which samples have a value of the scorers of this name, and that value, or 0.

        No sample has two scorers of the same name.
        """
        named = [number for number, (scorer, *_) in enumerate(self._scorers.values) if scorer == name]
        scores = self.scores
        return self._by_sample(scores[np.isin(scores["scorer"], named) & (scores["reason"] == SCORED)])

    def _by_sample(self, figures: Columns) -> tuple[Bools, Floats]:
        known, values = np.zeros(len(self), dtype=np.bool_), np.zeros(len(self))
        known[figures["sample"]], values[figures["sample"]] = True, figures["value"]
        return known, values

    def scores_of(self, rows: Ints) -> Iterator[tuple[Score, ...]]:
        """The scores of each of these samples with their parts, without reasons and costs."""
        scores, parts = self.scores, self._parts.rows
        bounds = [np.searchsorted(figures["sample"], (rows, rows + 1)).T.tolist() for figures in (scores, parts)]
        for (first, end), (first_part, end_part) in zip(*bounds, strict=True):
            of_scorer: dict[str, list[Part]] = {}
            for part in parts[first_part:end_part].tolist():
                _, scorer, kind, name, weight = self.part_keys[part[-1]]
                of_scorer.setdefault(scorer, []).append(Part(kind, name, part[0], weight))
            yield tuple(self._score(row, of_scorer) for row in scores[first:end])

    def _score(self, row: Columns, parts: dict[str, list[Part]]) -> Score:
        scorer, weight, required = self._scorers.values[row["scorer"]]
        reason = int(row["reason"])
        value = float(row["value"]) if reason == SCORED else Unscored(self._reasons.values[reason])
        return Score(scorer, value, weight=weight, required=required, parts=tuple(parts.get(scorer, ())))

    def unscored(self, rows: Ints) -> Counter[str]:
        """Why these samples have no score, with the number of each reason."""
        return Counter(self._reasons.values[reason] for reason in self.samples["reason"][rows].tolist())

    def endings(self, arm: ArmName) -> Counter[tuple[str, str, bool]]:
        """Model id, the provider's word for the end, and whether the text is blank, of all replies of an arm."""
        replies = self.samples[self.of_arm(arm) & ~self.samples["failed"]]
        out: Counter[tuple[str, str, bool]] = Counter()
        for (source, blank), count in Counter(replies[["source", "blank"]].tolist()).items():
            model_id, stop_reason, _ = self.sources[source]
            out[model_id, stop_reason, blank] += count
        return out

    def seconds(self, arm: ArmName) -> dict[tuple[str, str], float]:
        """Seconds of an arm's answers, summed by suite and case."""
        timed = self.samples[self.of_arm(arm) & (self.samples["latency_s"] != NO_TIME)]
        sums = np.bincount(timed["key"], weights=timed["latency_s"], minlength=len(self.keys))
        return {self.keys[number][:2]: float(sums[number]) for number in np.unique(timed["key"]).tolist()}

    def _valued(self, score: float | Unscored) -> tuple[int, float]:
        """Number of the reason why there is no score, and the score."""
        return (self._reasons.number(score.reason), 0.0) if isinstance(score, Unscored) else (SCORED, score)


def _outline(transcript: Transcript) -> Outline:
    """What is counted of a conversation, with what its last answer looks like."""
    from gate.engine.questions import ends_asking

    asking = bool(transcript.turns) and ends_asking(transcript.turns[-1].answer)
    return replace(transcript.outline, ends_asking=asking)


def _priced(cost: Cost | None) -> tuple[int, float]:
    if isinstance(cost, Dollars):
        return DOLLARS, cost.amount
    if cost is None:
        return NO_CALL, 0.0
    return NOT_APPLICABLE if cost == Unpriced("n/a") else UNKNOWN, 0.0
