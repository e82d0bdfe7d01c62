"""Shards on disk: a folder with `shard.json` and `samples.jsonl` each, and an index of all samples."""

from array import array
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from gate.config.documents import printable, quoted
from gate.engine.schedule import NoSuchSample, SamplePlaces
from gate.engine.shards import contradiction
from gate.errors import CannotEvaluate, GateError, Problem
from gate.files import write_whole
from gate.record.shard import ShardRecord
from gate.record.transcript import Sample
from gate.store.run_folder import BadSample, SampleLine, content_of, parse_sample, read_record, sample_at, sample_lines

SHARD_FILE = "shard.json"
LARGEST_SHARD = 16 * 2**20
"""Bytes; a larger file is not a shard."""
SHARDS_HINT = "give the folders of gate diff --shard, or their parent folder"


def write_shard(folder: Path, record: ShardRecord) -> None:
    """Write `shard.json` into an existing folder, atomically."""
    try:
        write_whole(folder / SHARD_FILE, record.model_dump_json(by_alias=True, indent=2) + "\n")
    except OSError as error:
        raise CannotEvaluate(f"cannot write {folder / SHARD_FILE}: {error.strerror}", "give another folder") from None


def shard_folders(path: Path) -> list[Path]:
    """The folder itself if it is a shard, else the shards in it, sorted by name."""
    if not path.is_dir():
        raise GateError(f"{path} is not a folder", SHARDS_HINT)
    if (path / SHARD_FILE).exists():
        return [path]
    found = sorted(one for one in path.iterdir() if (one / SHARD_FILE).is_file())
    if not found:
        raise CannotEvaluate(
            f"there is no shard in {path}: it has no {SHARD_FILE}", f"check whether every job failed; {SHARDS_HINT}"
        )
    return found


def load_shard(folder: Path) -> ShardRecord:
    """Read `shard.json`."""
    file = folder / SHARD_FILE
    return read_record(
        ShardRecord, content_of(file, "shard", SHARDS_HINT, LARGEST_SHARD), str(file), "shard", SHARDS_HINT
    )


MOST_PROBLEMS = 100
"""Mistakes reported of one file; the rest of it is not read."""
_NOWHERE = -1


@dataclass(slots=True)
class ShardSamples:
    """Index of the samples of all shards, ten bytes per sample.

    Args:
        places: of all samples of the run.
        numbers: the shard of each place, from `gate.engine.schedule.dealt`.
    """

    places: SamplePlaces
    numbers: "array[int]"
    files: Mapping[int, Path]
    _starts: "array[int]" = field(init=False)

    def __post_init__(self) -> None:
        self._starts = array("q", [_NOWHERE]) * len(self.places)

    def look_through(self, number: int, *, torn: bool) -> tuple[int, list[Problem]]:
        """Index the samples of one shard; returns their number, and all errors.

        Args:
            torn: the process was stopped while writing, so an incomplete last line is ignored.
        """
        path, taken, problems = self.files[number], 0, list[Problem]()
        try:
            for line in sample_lines(path):
                if line.torn and torn:
                    break
                taken += 1
                if error := self._take(line, number):
                    problems.append(Problem(str(path), line.number, error))
                if len(problems) >= MOST_PROBLEMS:
                    break
        except BadSample as bad:
            problems.append(Problem(str(path), 0, str(bad)))
        except OSError as error:
            problems.append(Problem(str(path), 0, f"cannot be read: {error.strerror}"))
        return taken, problems

    def samples(self) -> Iterator[Sample]:
        """All samples in canonical order, one in memory at a time.

        Raises:
            CannotEvaluate: a file changed since `look_through`.
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
                except (BadSample, NoSuchSample):
                    moved = True
                if moved:
                    raise CannotEvaluate(f"{self.files[number]} changed while it was read", "run gate merge again")
                yield sample

    def _place(self, sample: Sample) -> int:
        return self.places.place(sample.suite, sample.case_id, sample.arm, sample.index)

    def _take(self, line: SampleLine, number: int) -> str:
        """Index one sample; returns its error, or an empty text."""
        if line.torn:
            return "the last line is cut off"
        try:
            sample = parse_sample(line.data)
            place = self._place(sample)
        except BadSample as bad:
            return printable(str(bad))
        except NoSuchSample as why:
            return f"{_named(sample)} does not belong to this run: {why}"
        if self.numbers[place] != number:
            return f"{_named(sample)} belongs to shard {self.numbers[place]}, and this is shard {number}"
        if self._starts[place] != _NOWHERE:
            return f"{_named(sample)} appears twice"
        if error := contradiction(sample, *self.places.suite_and_case(sample)):
            return f"{_named(sample)} was edited: {error}"
        self._starts[place] = line.start
        return ""


def _named(sample: Sample) -> str:
    return f"suite {quoted(sample.suite)}, case {quoted(sample.case_id)}, {sample.arm.value}, number {sample.index + 1}"
