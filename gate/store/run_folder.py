"""A run on disk: `run.json`, `samples.jsonl` and the rendered reports in one folder."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pydantic_core import to_json

from gate.domain.absence import Failed, Unscored
from gate.domain.jsonvalue import JsonValue
from gate.domain.record import RunRecord
from gate.domain.sample import Part, Reply, Sample, Score, Words
from gate.domain.transcript_json import transcript_json, transcript_of
from gate.domain.usage import Cost, Dollars, Unpriced
from gate.errors import GateError
from gate.store.own_folder import make_folder

SAMPLE_SCHEMA = "prompt-gate/sample/1"
_PIECE = 1 << 16


@dataclass(slots=True)
class RunFolder:
    """Keeps samples as they come and the record at the end; nothing is made on disk before the first sample.

    Args:
        path: the folder; made when it is needed, earlier files of the same names are replaced.
        reports: file name to renderer, such as `report.md`.
        beside: names of files that others may put there.
    """

    path: Path
    reports: Mapping[str, Callable[[RunRecord], str]]
    beside: tuple[str, ...] = ()
    kept: int = 0
    _samples: BinaryIO | None = field(default=None, init=False)
    _end: int = field(default=0, init=False)

    def sample(self, sample: Sample) -> int:
        """Append one line to `samples.jsonl` and flush it.

        Returns:
            Where the line begins, in bytes.
        """
        if self._samples is None:
            make_folder(self.path)
            # Removed and made anew: a link of that name, which a repository may bring, is not followed.
            (self.path / "samples.jsonl").unlink(missing_ok=True)
            self._samples = (self.path / "samples.jsonl").open("x+b")
        line = sample_line(sample)
        place = self._end
        self._samples.write(line)
        self._samples.flush()
        self._end += len(line)
        self.kept += 1
        return place

    def words(self, place: int) -> Words:
        """The texts of the sample whose line begins there."""
        if self._samples is None:
            with (self.path / "samples.jsonl").open("rb") as file:
                row = json.loads(_line_at(file, place))
        else:  # by its own handle: another run in the same folder may have put its samples under that name
            row = json.loads(_line_at(self._samples, place))
        transcript = row.get("transcript")
        said = None if transcript is None else transcript_of(transcript)
        scores = row["scores"]
        parts = tuple(tuple(part.get("reason", "") for part in score.get("parts", ())) for score in scores)
        return Words(row.get("text", ""), tuple(score["reason"] for score in scores), parts, said)

    def run(self, run: RunRecord) -> None:
        """Write `run.json` and the reports, each whole or not at all."""
        make_folder(self.path)
        self._reclaim()
        write_whole(self.path / "run.json", dump_run(run))
        for name, render in self.reports.items():
            write_whole(self.path / name, render(run))

    def clear(self) -> None:
        """Remove what an earlier run, or the repository itself, left here under the names of a run's files."""
        for name in ("run.json", "samples.jsonl", *self.reports, *self.beside):
            path = self.path / name
            try:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                raise GateError(f"cannot remove {path}: {error.strerror}", "name another folder") from None

    def made(self) -> Path:
        """The folder, which is made unless it is there.

        Raises:
            GateError: it cannot be made, or lies behind a link that a repository may have brought.
        """
        make_folder(self.path)
        return self.path

    def close(self) -> None:
        """Close `samples.jsonl`."""
        if self._samples is not None:
            # What a full disk did not take cannot be written now either, and was told when it was not taken.
            with suppress(OSError):
                self._samples.close()
            self._samples = None

    def _reclaim(self) -> None:
        """Put this run's samples beside its record again, where another run in the same folder put its own."""
        if self._samples is None:
            return
        path = self.path / "samples.jsonl"
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(self._samples.fileno()), path.stat(follow_symlinks=False)):
                return
        write_lines(path, _pieces(self._samples))


def dump_run(run: RunRecord) -> str:
    """The text of `run.json`."""
    return run.model_dump_json(by_alias=True, indent=2) + "\n"


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old or the new one, never a half."""
    write_lines(path, (text,))


def write_lines(path: Path, parts: Iterable[str] | Iterable[bytes]) -> None:
    """The same, piece by piece; nothing is left behind where the pieces come to no end."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            file.writelines(part.encode(errors="replace") if isinstance(part, str) else part for part in parts)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _line_at(file: BinaryIO, place: int) -> bytes:
    """The line that begins there, whatever the position of whoever writes the file."""
    line = b""
    for piece in _pieces(file, place):
        line += piece
        if b"\n" in piece:
            break
    return line.partition(b"\n")[0]


def _pieces(file: BinaryIO, place: int = 0) -> Iterator[bytes]:
    while piece := os.pread(file.fileno(), _PIECE, place):
        yield piece
        place += len(piece)


def sample_line(sample: Sample) -> bytes:
    """One line of `samples.jsonl`, with its line break."""
    row = sample_row(sample)
    try:
        return to_json(row) + b"\n"  # in a fifth of the time of `json`
    except ValueError:  # half a surrogate pair, which stays one as an escape
        return f"{json.dumps(row, ensure_ascii=False)}\n".encode(errors="backslashreplace")


def sample_row(sample: Sample) -> dict[str, JsonValue]:
    """One line of `samples.jsonl`, schema `prompt-gate/sample/1`; `gate.store.samples` reads it back."""
    row: dict[str, JsonValue] = {
        "schema": SAMPLE_SCHEMA,
        "suite": sample.suite,
        "case": sample.case_id,
        "arm": sample.arm.value,
        "index": sample.index,
        "warmup": sample.warmup,
        "score": None if isinstance(sample.score, Unscored) else sample.score,
        "unscored": sample.score.reason if isinstance(sample.score, Unscored) else None,
        "scores": [_score(score) for score in sample.scores],
    }
    reply = sample.reply
    row |= _conversed(reply)
    if isinstance(reply, Failed):
        return {**row, "failure": reply.reason, "attempts": reply.attempts}
    usage, origin = reply.usage, reply.origin
    return {
        **row,
        "text": reply.text,
        "model_id": reply.model_id,
        "stop_reason": reply.stop_reason,
        "attempts": reply.attempts,
        "latency_s": reply.latency_s,
        "cost_usd": _dollars(reply.cost),
        "unpriced": _unpriced(reply.cost),
        "usage": {
            "input_tokens": usage.input_tokens,
            "cache_read_tokens": usage.cache_read_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
            "output_tokens": usage.output_tokens,
        },
        "origin": {"sitting": origin.sitting, "at": origin.at, "reused": origin.reused},
    }


def _conversed(reply: Reply | Failed) -> dict[str, JsonValue]:
    """What only conversations have."""
    row: dict[str, JsonValue] = {}
    if reply.transcript is not None:
        row["transcript"] = transcript_json(reply.transcript)
    if (effort := reply.effort) is not None:
        row["effort"] = {
            "calls": effort.calls,
            "retries": effort.retries,
            "reused": effort.reused,
            "cost_usd": _dollars(effort.cost),
            "unpriced": _unpriced(effort.cost),
            "aside_calls": effort.aside_calls,
            "aside_cost_usd": _dollars(effort.aside_cost),
            "aside_unpriced": _unpriced(effort.aside_cost),
        }
    return row


def _score(score: Score) -> JsonValue:
    value = score.value
    row: dict[str, JsonValue] = {
        "scorer": score.scorer,
        "value": None if isinstance(value, Unscored) else value,
        "unscored": value.reason if isinstance(value, Unscored) else None,
        "reason": score.reason,
        "weight": score.weight,
        "required": score.required,
        "calls": score.calls,
        "retries": score.retries,
        "reused": score.reused,
        "cost_usd": _dollars(score.cost),
        "unpriced": _unpriced(score.cost),
    }
    if score.parts:
        row["parts"] = [_part(part) for part in score.parts]
    return row


def _part(part: Part) -> JsonValue:
    row: dict[str, JsonValue] = {"kind": part.kind, "name": part.name, "value": part.value, "weight": part.weight}
    return {**row, "reason": part.reason} if part.reason else row


def _dollars(cost: Cost | None) -> float | None:
    return cost.amount if isinstance(cost, Dollars) else None


def _unpriced(cost: Cost | None) -> str | None:
    """Why a price is missing; null where there is one, and where there was nothing to pay for."""
    return cost.why if isinstance(cost, Unpriced) else None
