"""Finds every sample of a run in the files of its shards: the figures of where it lies, never the texts."""

from array import array
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from gate.domain.sample import Sample
from gate.engine.shares import Places, Unplanned
from gate.engine.vetting import contradiction
from gate.errors import CannotEvaluate, Problem
from gate.inputs.problems import printable, quoted
from gate.store.samples import BadSample, Line, lines, parse_sample, sample_at

NAME = "samples.jsonl"
MOST_PROBLEMS = 100
"""Of one file; what comes after them is not looked at."""
_NOWHERE = -1


@dataclass(slots=True)
class Gathering:
    """Where the samples are: ten bytes for each.

    Args:
        places: of all samples of the run.
        numbers: for each place the shard that has to bring the sample, from `gate.engine.shares.dealt`.
        files: `samples.jsonl` of each shard that is there.
    """

    places: Places
    numbers: "array[int]"
    files: Mapping[int, Path]
    _starts: "array[int]" = field(init=False)

    def __post_init__(self) -> None:
        self._starts = array("q", [_NOWHERE]) * len(self.places)

    def look_through(self, number: int, *, torn: bool) -> tuple[int, list[Problem]]:
        """Read the file of one shard from end to end.

        Args:
            number: of the shard.
            torn: the process was stopped while it wrote, so the last line may be half a sample, and is passed over.

        Returns:
            How many samples it holds, and everything that is wrong with it.
        """
        path, taken, problems = self.files[number], 0, list[Problem]()
        try:
            for line in lines(path):
                if line.torn and torn:
                    break
                taken += 1
                if said := self._take(line, number):
                    problems.append(Problem(str(path), line.number, said))
                if len(problems) >= MOST_PROBLEMS:
                    break
        except BadSample as bad:
            problems.append(Problem(str(path), 0, str(bad)))
        except OSError as error:
            problems.append(Problem(str(path), 0, f"cannot be read: {error.strerror}"))
        return taken, problems

    def samples(self) -> Iterator[Sample]:
        """Every sample that is there, in canonical order, one in memory at a time.

        Raises:
            CannotEvaluate: a file changed since it was looked through.
        """
        with ExitStack() as stack:
            files = {number: stack.enter_context(path.open("rb")) for number, path in self.files.items()}
            for place, start in enumerate(self._starts):
                if start == _NOWHERE:
                    continue
                number = self.numbers[place]
                try:
                    sample = sample_at(files[number], start)
                    moved = self._place(sample) != place
                except (BadSample, Unplanned):
                    moved = True
                if moved:
                    raise CannotEvaluate(f"{self.files[number]} changed while it was read", "merge again")
                yield sample

    def _place(self, sample: Sample) -> int:
        return self.places.place(sample.suite, sample.case_id, sample.arm, sample.index)

    def _take(self, line: Line, number: int) -> str:
        """Note where a sample lies; what is wrong with it, or nothing."""
        if line.torn:
            return "the last line is cut off"
        try:
            sample = parse_sample(line.data)
            place = self._place(sample)
        except BadSample as bad:
            return printable(str(bad))
        except Unplanned as why:
            return f"{_named(sample)} does not belong to this run: {why}"
        if self.numbers[place] != number:
            return f"{_named(sample)} belongs to shard {self.numbers[place]}, and this is shard {number}"
        if self._starts[place] != _NOWHERE:
            return f"{_named(sample)} is here twice"
        if said := contradiction(sample, *self.places.asked(sample)):
            return f"{_named(sample)} was edited: {said}"
        self._starts[place] = line.start
        return ""


def _named(sample: Sample) -> str:
    return f"suite {quoted(sample.suite)}, case {quoted(sample.case_id)}, {sample.arm.value}, number {sample.index + 1}"
