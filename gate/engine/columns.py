"""Many rows in little room: arrays that grow together, and numbers for values that come again."""

from array import array
from typing import Any, Generic, TypeVar

Word = TypeVar("Word")


class Names(Generic[Word]):
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
        """The number of a value, or None if it was not seen before."""
        return self._numbers.get(word)


class Columns:
    """Arrays that grow together, one number of each for a row.

    Args:
        kinds: name and type code (see `array.array`) of each column.
    """

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
