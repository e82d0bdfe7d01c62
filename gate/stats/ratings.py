"""What several raters said about the same items, some of it missing."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """A table of ratings.

    Args:
        values: float[N, raters], finite where present.
        present: bool[N, raters], which of them were given.

    Raises:
        ValueError: not two tables of one shape, or a rating that is present and not finite.
    """

    values: FloatArray
    present: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.values.shape != self.present.shape:
            raise ValueError("values and present must be tables of one shape, items by raters.")
        if not np.all(np.isfinite(self.values[self.present])):
            raise ValueError("A rating that is present must be finite.")

    @staticmethod
    def of(values: npt.ArrayLike, present: npt.ArrayLike | None = None) -> "Ratings":
        """A table from anything that numpy reads as one.

        Args:
            values: [N, raters]; what is not present may be anything.
            present: [N, raters]; None when every rater rated every item.
        """
        table = np.asarray(values, dtype=np.float64)
        given = np.ones(table.shape, dtype=np.bool_) if present is None else np.asarray(present, dtype=np.bool_)
        return Ratings(table, given)

    @property
    def n(self) -> int:
        return len(self.values)

    @property
    def counts(self) -> FloatArray:
        """float[N], ratings of each item."""
        found: FloatArray = self.present.sum(axis=1).astype(np.float64)
        return found

    @property
    def categories(self) -> FloatArray:
        """float[C], the distinct ratings that were given, ascending."""
        found: FloatArray = np.unique(self.values[self.present])
        return found

    def tallies(self, categories: FloatArray) -> FloatArray:
        """float[N, C], how many raters put each item into each category."""
        tables = [((self.values == one) & self.present).sum(axis=1) for one in categories]
        found: FloatArray = np.array(tables, dtype=np.float64).reshape(len(categories), self.n).T
        return found

    def shares(self, categories: FloatArray) -> FloatArray:
        """float[N, C], `tallies` over the ratings of each item; 0 for an item that nobody rated."""
        found: FloatArray = self.tallies(categories) / np.maximum(self.counts, 1.0)[:, None]
        return found
