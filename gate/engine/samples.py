"""Every sample of a run in about a hundred bytes: the figures in columns, the texts by their place on disk."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Generic, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from gate.record.transcript import (
    ArmName,
    Cost,
    Dollars,
    Effort,
    Failed,
    Origin,
    Outline,
    Part,
    PartKind,
    Reply,
    Sample,
    Score,
    Transcript,
    Unpriced,
    Unscored,
    Usage,
    Words,
    effort_of,
)

Word = TypeVar("Word")


class ValueIndex(Generic[Word]):
    """Numbers for values that occur again and again."""

    def __init__(self) -> None:
        self._numbers: dict[Word, int] = {}
        self.values: list[Word] = []

    def number(self, word: Word) -> int:
        """The number of a value, a new one if it was not seen before."""
        found = self._numbers.get(word)
        if found is None:
            found = self._numbers[word] = len(self.values)
            self.values.append(word)
        return found

    def known(self, word: Word) -> int | None:
        """The number of a value; None if it is new."""
        return self._numbers.get(word)


class GrowingArrays:
    """Arrays that grow together, one number of each for a row."""

    def __init__(self, **kinds: str) -> None:
        self._columns: dict[str, array[Any]] = {name: array(kind) for name, kind in kinds.items()}
        self._appends = [column.append for column in self._columns.values()]

    def add(self, *values: float) -> None:
        """Append one row, the values in the order of the columns."""
        for append, value in zip(self._appends, values, strict=True):
            append(value)

    def row(self, at: int) -> list[Any]:
        """One row, the values in the order of the columns."""
        return [column[at] for column in self._columns.values()]

    def __getitem__(self, name: str) -> "array[Any]":
        return self._columns[name]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))


Key = tuple[str, str, ArmName]
PartKey: TypeAlias = tuple[str, str, PartKind, str, float]
"""Suite, scorer, kind, name and weight of a part."""
_COSTS: tuple[Cost | None, ...] = (None, Unpriced("unknown"), Unpriced("n/a"))
UNKNOWN, NOT_APPLICABLE, DOLLARS = 1, 2, 3
"""What the column `price` holds, or 0 where there were no calls."""
_NO_TIME = -1.0
_SCORED = -1
NOWHERE = -1
"""The place of texts that could not be written down."""
MOST_CALLS = 2**32 - 1
"""Calls of one conversation that are counted; a record from elsewhere may have any number."""
UNREAD = "…"
"""Stands for a text that is not blank."""
_CONVERSED = 9
"""Columns from `outline` on."""


class SampleTable:
    """Samples in order of completion, rebuilt without their texts each time one is read.

    Reasons are empty, and so is a text that is blank; any other text is `UNREAD`. A conversation is its outline.

    Args:
        words: gives the texts of the sample at a place, for `whole`.
    """

    def __init__(self, words: Callable[[int], Words] | None = None) -> None:
        self._words = words
        self._keys: ValueIndex[Key] = ValueIndex()
        self._strings: ValueIndex[str] = ValueIndex()
        self._sources: ValueIndex[tuple[str, str, str]] = ValueIndex()
        self._scorers: ValueIndex[tuple[str, float, bool]] = ValueIndex()
        self._rows = GrowingArrays(
            key="I", index="I", failed="B", warmup="B", blank="B", reused="B", source="I", attempts="H",
            place="q", scores="I", latency="d", at="d", price="B", cost="d", fresh="q", read="q", write="q", output="q",
            why="i", score="d", outline="I", made="I", again="I", known="I", paid="B", dollars="d",
            aside="I", aside_paid="B", aside_dollars="d",
        )  # fmt: skip
        self._outlines: ValueIndex[Outline | None] = ValueIndex()
        self._scores = GrowingArrays(
            scorer="I", why="i", value="d", calls="H", retries="H", price="B", cost="d", reused="H", parts="I"
        )  # fmt: skip
        self._kinds: ValueIndex[PartKey] = ValueIndex()
        self._parts = GrowingArrays(part="I", value="d")
        self._grouped: _ByCase | None = None

    def add(self, sample: Sample, place: int = 0) -> None:
        """Add a finished sample; its texts are at `place`, for `words`."""
        self._take(sample, place, self._conversed(sample.reply))

    def _take(self, sample: Sample, place: int, conversed: tuple[float, ...]) -> None:
        for score in sample.scores:
            why, value = self._valued(score.value)
            scorer = self._scorers.number((score.scorer, score.weight, score.required))
            for part in score.parts:
                number = self._kinds.number((sample.suite, score.scorer, part.kind, part.name, part.weight))
                self._parts.add(number, part.value)
            counted = score.calls, score.retries, *_priced(score.cost), score.reused
            self._scores.add(scorer, why, value, *counted, len(self._parts))
        key = self._keys.number((sample.suite, sample.case_id, sample.arm))
        self._rows.add(
            key, sample.index, isinstance(sample.reply, Failed), sample.warmup, *self._replied(sample.reply, place),
            *self._valued(sample.score), *conversed,
        )  # fmt: skip
        self._grouped = None

    def only(self, wanted: Callable[[Key], bool]) -> "SampleTable":
        """A table of those samples whose suite, case and arm are wanted."""
        found = SampleTable(self._words)
        for row in range(len(self)):
            sample = self._sample(row)
            if wanted((sample.suite, sample.case_id, sample.arm)):
                outline, *counted = self._rows.row(row)[-_CONVERSED:]
                conversed = found._outlines.number(self._outlines.values[outline]), *counted
                found._take(sample, self._rows["place"][row], conversed)
        return found

    def whole(self, sample: Sample) -> Sample:
        """A sample of this table with its texts put back; unchanged where they are not available."""
        number = self._keys.known((sample.suite, sample.case_id, sample.arm))
        if self._words is None or number is None:
            return sample
        rows = [row for row in self.by_case().rows(number) if self._rows["index"][row] == sample.index]
        place = self._rows["place"][rows[0]]
        if place == NOWHERE:
            return sample
        words = self._words(place)
        reply = sample.reply
        reasoned = zip(sample.scores, words.reasons, words.parts, strict=True)
        return replace(
            sample,
            reply=replace(
                reply, transcript=words.transcript, effort=self._effort(rows[0]) if words.transcript else None
            )
            if isinstance(reply, Failed)
            else replace(reply, text=words.text, transcript=words.transcript, thinking=words.thinking),
            scores=tuple(_reasoned(*one) for one in reasoned),
        )

    @property
    def keys(self) -> Sequence[Key]:
        """What the column `key` numbers."""
        return self._keys.values

    @property
    def sources(self) -> Sequence[tuple[str, str, str]]:
        """Model id, stop reason and process (`sitting`): what the column `source` of a reply numbers."""
        return self._sources.values

    @property
    def outlines(self) -> Sequence[Outline | None]:
        """What the column `outline` numbers; None where there was no conversation."""
        return self._outlines.values

    @property
    def scored(self) -> NDArray[np.bool_]:
        """bool[rows], which samples have a score."""
        found: NDArray[np.bool_] = np.array(self._rows["why"]) == _SCORED
        return found

    def column(self, name: str) -> NDArray[Any]:
        """A column as it is now, in order of completion."""
        return np.array(self._rows[name])

    def score_column(self, name: str) -> NDArray[Any]:
        """A column of the single scores; the column `scores` has where those of a sample end."""
        return np.array(self._scores[name])

    @property
    def parts(self) -> Sequence[PartKey]:
        """What parts the scores have, in the order in which they were first seen."""
        return self._kinds.values

    def part(self, key: PartKey) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """bool[rows] and float[rows]: which samples have this part of `parts`, and its value, or 0."""
        known, values = np.zeros(len(self), dtype=np.bool_), np.zeros(len(self))
        number = self._kinds.known(key)
        if number is not None:
            own = np.flatnonzero(np.array(self._parts["part"]) == number)
            # From the part to its score, and from there to the sample: each column holds where those of its rows end.
            scores = np.searchsorted(np.array(self._scores["parts"], dtype=np.int64), own, side="right")
            rows = np.searchsorted(np.array(self._rows["scores"], dtype=np.int64), scores, side="right")
            known[rows], values[rows] = True, np.array(self._parts["value"])[own]
        return known, values

    def scorer(self, name: str) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """bool[rows] and float[rows]: which samples have a value of the scorers of this name, and that value, or 0.

        No sample has two scorers of the same name.
        """
        known, values = np.zeros(len(self), dtype=np.bool_), np.zeros(len(self))
        named = [number for number, (scorer, _, _) in enumerate(self._scorers.values) if scorer == name]
        valued = np.array(self._scores["why"]) == _SCORED
        own = np.flatnonzero(np.isin(np.array(self._scores["scorer"]), named) & valued)
        rows = np.searchsorted(np.array(self._rows["scores"], dtype=np.int64), own, side="right")
        known[rows], values[rows] = True, np.array(self._scores["value"])[own]
        return known, values

    def unscored(self, rows: Iterable[int]) -> Counter[str]:
        """Why these samples have no score, with the number of each reason."""
        failed, sources, whys = (self._rows[name] for name in ("failed", "source", "why"))
        words = self._strings.values
        return Counter(words[sources[row] if failed[row] else whys[row]] for row in rows)

    def by_case(self) -> "_ByCase":
        """Samples of each suite, case and arm, in order of their index."""
        if self._grouped is None:
            self._grouped = _ByCase(self, self._keys, self._rows)
        return self._grouped

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Sample]:
        return map(self._sample, range(len(self)))

    def __getitem__(self, at: int) -> Sample:
        return self._sample(range(len(self))[at])

    def _replied(self, reply: Reply | Failed, place: int) -> tuple[float, ...]:
        """The columns from `blank` to `output`."""
        end = len(self._scores)
        if isinstance(reply, Failed):
            return 0, 0, self._strings.number(reply.reason), reply.attempts, place, end, _NO_TIME, 0, 0, 0, 0, 0, 0, 0
        origin, usage = reply.origin, reply.usage
        source = self._sources.number((reply.model_id, reply.stop_reason, origin.sitting))
        latency = _NO_TIME if reply.latency_s is None else reply.latency_s
        tokens = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens)
        return (
            not reply.text.strip(), origin.reused, source, reply.attempts, place, end, latency, origin.at,
            *_priced(reply.cost), *tokens,
        )  # fmt: skip

    def _conversed(self, reply: Reply | Failed) -> tuple[float, ...]:
        """The columns from `outline` on: what was done, and its effort in this run."""
        transcript = reply.transcript if isinstance(reply, Reply) else None
        effort = effort_of(reply)
        counts = (effort.calls, effort.retries, effort.reused, effort.aside_calls)
        *counted, aside = (min(max(0, calls), MOST_CALLS) for calls in counts)
        outline = self._outlines.number(None if transcript is None else _outline(transcript))
        return outline, *counted, *_priced(effort.cost), aside, *_priced(effort.aside_cost)

    def _valued(self, score: float | Unscored) -> tuple[int, float]:
        """Number of the reason why there is no score, and the score."""
        return (self._strings.number(score.reason), 0.0) if isinstance(score, Unscored) else (_SCORED, score)

    def _sample(self, row: int) -> Sample:
        (
            key, index, failed, warmup, blank, reused, source, attempts, _, end,
            latency, at, price, cost, fresh, read, write, output, why, score, *_,
        ) = self._rows.row(row)  # fmt: skip
        suite, case_id, arm = self._keys.values[key]
        reply: Reply | Failed
        if failed:
            reply = Failed(self._strings.values[source], attempts)
        else:
            model_id, stop_reason, sitting = self._sources.values[source]
            usage, origin = _usage(fresh, read, write, output), Origin(sitting, at, bool(reused))
            seconds = None if latency == _NO_TIME else latency
            paid = cast("Cost", _cost(price, cost))
            reply = Reply("" if blank else UNREAD, model_id, usage, paid, seconds, attempts, stop_reason, origin)
        first = self._rows["scores"][row - 1] if row else 0
        scores = tuple(self._score(at) for at in range(first, end))
        return Sample(suite, case_id, arm, index, reply, scores, self._value(why, score), bool(warmup))

    def _effort(self, row: int) -> Effort:
        """What a sample took."""
        made, again, known, paid, dollars, aside, aside_paid, aside_dollars = self._rows.row(row)[-_CONVERSED + 1 :]
        return Effort(made, again, known, _cost(paid, dollars), aside, _cost(aside_paid, aside_dollars))

    def _score(self, row: int) -> Score:
        number, why, value, calls, retries, price, cost, reused, end = self._scores.row(row)
        scorer, weight, required = self._scorers.values[number]
        counted = (calls, retries, _cost(price, cost), reused)
        first = self._scores["parts"][row - 1] if row else 0
        parts = tuple(self._part(at) for at in range(first, end))
        return Score(scorer, self._value(why, value), "", weight, required, *counted, parts)

    def _part(self, row: int) -> Part:
        number, value = self._parts.row(row)
        *_, kind, name, weight = self._kinds.values[number]
        return Part(kind, name, value, weight)

    def _value(self, why: int, score: float) -> float | Unscored:
        return score if why == _SCORED else Unscored(self._strings.values[why])


def _outline(transcript: Transcript) -> Outline:
    """What is counted of a conversation, with what its last answer looks like."""
    from gate.engine.questions import ends_asking

    asking = bool(transcript.turns) and ends_asking(transcript.turns[-1].answer)
    return replace(transcript.outline, ends_asking=asking)


class _ByCase(Mapping[Key, Sequence[Sample]]):
    """Rows of a table by key, in order of their index."""

    def __init__(self, table: SampleTable, keys: "ValueIndex[Key]", rows: GrowingArrays) -> None:
        self._table = table
        self._keys = keys
        numbers, indices = (np.array(rows[name], dtype=np.int64) for name in ("key", "index"))
        self._order = np.lexsort((indices, numbers))
        self._ends = np.cumsum(np.bincount(numbers, minlength=len(keys.values)))

    def rows(self, number: int) -> list[int]:
        """The rows of the key with this number."""
        first = int(self._ends[number - 1]) if number else 0
        found: list[int] = self._order[first : int(self._ends[number])].tolist()
        return found

    def __getitem__(self, key: Key) -> Sequence[Sample]:
        number = self._keys.known(key)
        if number is None:
            raise KeyError(key)
        return [self._table[row] for row in self.rows(number)]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys.values)

    def __len__(self) -> int:
        return len(self._keys.values)


def _reasoned(score: Score, reason: str, parts: Sequence[str]) -> Score:
    told = tuple(replace(part, reason=said) for part, said in zip(score.parts, parts, strict=True))
    return replace(score, reason=reason, parts=told)


@lru_cache(maxsize=4096)
def _usage(fresh: int, read: int, write: int, output: int) -> Usage:
    """One object for all replies of the same length, as readers may hold those of a whole suite."""
    return Usage(fresh, read, write, output)


@lru_cache(maxsize=4096)
def _dollars(amount: float) -> Dollars:
    return Dollars(amount)


def _priced(cost: Cost | None) -> tuple[int, float]:
    return (DOLLARS, cost.amount) if isinstance(cost, Dollars) else (_COSTS.index(cost), 0.0)


def _cost(price: int, amount: float) -> Cost | None:
    return _dollars(amount) if price == DOLLARS else _COSTS[price]
