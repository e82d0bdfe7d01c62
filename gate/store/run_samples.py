"""The samples of a finished run, read back from the folder that holds it."""

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gate.domain.sample import Sample
from gate.errors import GateError
from gate.inputs.problems import one_problem
from gate.store.samples import BadSample, lines, parse_sample

NAME = "samples.jsonl"


def samples_of(folder: Path) -> Iterator[Sample]:
    """Every sample, in the order in which they were finished; one in memory at a time.

    A last line without an end is passed over: whoever wrote it was stopped.

    Args:
        folder: that holds `samples.jsonl`.

    Raises:
        GateError: there is no such file, or it cannot be read.
        InputErrors: a line that is not a sample.
    """
    path = folder / NAME
    hint = "name the folder that gate diff --out, or gate check --out, made"
    try:
        for line in lines(path):
            if line.torn:
                return
            try:
                yield parse_sample(line.data)
            except BadSample as bad:
                raise one_problem(str(path), line.number, str(bad), hint) from None
    except BadSample as bad:
        raise one_problem(str(path), 0, str(bad), hint) from None
    except OSError as error:
        raise GateError(f"cannot read {path}: {error.strerror}", hint) from None


def seconds_of(folder: Path) -> dict[tuple[str, str], float]:
    """How long the answers of the candidate took, summed over the samples of each suite and case.

    Lines that say nothing usable are passed over: times are a courtesy, and nothing is judged by them.

    Args:
        folder: that may hold `samples.jsonl`.
    """
    found: dict[tuple[str, str], float] = defaultdict(float)
    with suppress(OSError, BadSample):
        for line in lines(folder / NAME):
            with suppress(ValueError, KeyError, TypeError, RecursionError):
                row = json.loads(line.data)
                took = row["reply"]["latency_s"]
                if row["arm"] == "candidate" and isinstance(took, float) and 0.0 <= took < 1e9:
                    found[str(row["suite"]), str(row["case"])] += took
    return dict(found)
