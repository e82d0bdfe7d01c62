"""What was counted in an evaluation: the headline, shares, and counts with their intervals, model by model."""

from collections.abc import Iterator, Mapping, Sequence

from gate.report.numbers import NOTHING, percent, share
from gate.report.sheet import Grid, Line
from gate.testgen.matrix import NAMES, Matrix
from gate.testgen.metrics import Tally
from gate.testgen.outcomes import Source

BY: Mapping[Source, str] = {"judge": "by the judge", "code": "by code", "either": "by the judge or by code"}
_BELOW = "· "
"""Before a group of tests, in the rows below the model that answered them."""


def rate_of(tally: Tally) -> str:
    """A share: `33.3 %`; a dash where nothing is decided.

    Args:
        tally: counts of one question.
    """
    return NOTHING if tally.rate.rate is None else share(tally.rate.rate)


def interval(tally: Tally) -> str:
    """The Wilson interval of a share in percent: `[16, 56]`.

    Args:
        tally: counts of one question.
    """
    return f"[{tally.rate.lower * 100:.0f}, {tally.rate.upper * 100:.0f}]" if tally.decided else NOTHING


def headline(matrix: Matrix) -> str:
    """How often each model breaks the tests that were made for the rules, in a sentence.

    Args:
        matrix: groups of tests against models.
    """
    row = next((row for row in matrix.rows if row.name == NAMES["promptpex"]), matrix.rows[0])
    told = list(zip(_short(matrix.models), row.cells, strict=True))
    rates = [f"{rate_of(tally)} {interval(tally)} of {tally.decided:,}" if tally.decided else "" for _, tally in told]
    first = next((place for place, rate in enumerate(rates) if rate), None)
    said = [f"{name} {rate or 'has no verdict'}" for (name, _), rate in zip(told, rates, strict=True)]
    if first is not None:
        name, tally = told[first]
        said[first] = f"{name} breaks {rates[first]} {'test' if tally.decided == 1 else 'tests'}"
    return f"{BY[matrix.source].capitalize()}: {', '.join(said)}"


def _short(models: Sequence[str]) -> list[str]:
    """Models without their hosts, where that leaves no two alike."""
    names = [model.partition(":")[2] or model for model in models]
    return names if len({*names}) == len(names) else list(models)


def shares(matrix: Matrix) -> Grid:
    """A row for each model, and a column for each group of tests.

    Args:
        matrix: groups of tests against models.
    """
    columns = zip(*(row.cells for row in matrix.rows), strict=True)
    lines = (Line((model, *map(rate_of, cells))) for model, cells in zip(matrix.models, columns, strict=True))
    head = ("model", *(row.name for row in matrix.rows))
    return Grid(f"{matrix.title}, {BY[matrix.source]}", head, tuple(lines), tuple(_open(matrix)), wraps=True)


def _open(matrix: Matrix) -> Iterator[str]:
    """What is not decided, and what it could do to a share."""
    for model, tally in zip(matrix.models, matrix.rows[-1].cells, strict=True):
        if tally.open and tally.ends is not None:
            words = ((tally.unknown, "unknown"), (tally.missing, "without an answer"))
            what = " and ".join(f"{count:,} {word}" for count, word in words if count)
            low, high = map(percent, tally.ends)
            yield f"{model}: {what}, of {tally.n:,} tests; {low} are broken if these pass, {high} if they fail."


def counts(matrices: Sequence[Matrix]) -> Grid:
    """Counts and intervals, grouped by model; a column that says nothing is left out.

    Args:
        matrices: of the same tests and models, by different sources.
    """
    first = matrices[0]
    head, found = [first.corner], []
    for matrix in matrices:
        head += [matrix.source if len(matrices) > 1 else "count", "95 %", "unknown", "no answer"]
    for place, model in enumerate(first.models):
        groups = [
            (row.name, [matrix.rows[number].cells[place] for matrix in matrices])
            for number, row in enumerate(first.rows)
        ]
        told = [(name, tallies) for name, tallies in groups if any(tally.n for tally in tallies)]
        found.append((model, *("" for _ in head[1:])))
        found += [(_BELOW + name, *(text for tally in tallies for text in _texts(tally))) for name, tallies in told]
    kept = [place for place in range(len(head)) if any(line[place] not in ("", "0", NOTHING) for line in found)]
    lines = tuple(Line(tuple(line[place] for place in kept)) for line in found)
    return Grid("Counts and intervals", tuple(head[place] for place in kept), lines, wraps=True)


def _texts(tally: Tally) -> tuple[str, str, str, str]:
    count = f"{tally.yes}/{tally.decided}" if tally.n else NOTHING
    return count, interval(tally), str(tally.unknown), str(tally.missing)
