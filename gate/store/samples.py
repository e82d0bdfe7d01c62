"""Reads `samples.jsonl` back, which may come from anywhere: what is not a whole sample is refused."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, BinaryIO, Literal, NoReturn

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from gate.domain.absence import Failed, Unscored
from gate.domain.ranges import Amount, Count, Share, Tokens, Tries
from gate.domain.sample import ArmName, Origin, Part, PartKind, Reply, Sample, Score
from gate.domain.transcript import Transcript
from gate.domain.transcript_json import transcript_of
from gate.domain.usage import Cost, Dollars, Effort, Unpriced, Usage
from gate.inputs.jsontext import BadJson, parse_json

LONGEST_LINE = 64 * 2**20
"""Bytes of one sample; a longer line is not one of ours."""

Why = Literal["unknown", "n/a"]


class BadSample(Exception):
    """A line that is not a sample; the text says why, in one line."""


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Usage(_Row):
    input_tokens: Tokens
    cache_read_tokens: Tokens
    cache_write_tokens: Tokens
    output_tokens: Tokens


class _Origin(_Row):
    sitting: str
    at: Amount
    reused: bool


class _Part(_Row):
    kind: PartKind
    name: str
    value: Share
    weight: Amount
    reason: str = ""

    def part(self) -> Part:
        return Part(self.kind, self.name, self.value, self.weight, self.reason)


class _Score(_Row):
    scorer: str
    value: Share | None
    unscored: str | None
    reason: str
    weight: Amount
    required: bool
    calls: Tries
    retries: Tries
    reused: Tries
    cost_usd: Amount | None
    unpriced: Why | None
    parts: list[_Part] = []

    def score(self) -> Score:
        return Score(
            scorer=self.scorer,
            value=_value(self.value, self.unscored),
            reason=self.reason,
            weight=self.weight,
            required=self.required,
            calls=self.calls,
            retries=self.retries,
            cost=_paid(self.cost_usd, self.unpriced),
            reused=self.reused,
            parts=tuple(part.part() for part in self.parts),
        )


class _Effort(_Row):
    calls: Count
    retries: Count
    reused: Count
    cost_usd: Amount | None
    unpriced: Why | None
    aside_calls: Count = 0
    aside_cost_usd: Amount | None = None
    aside_unpriced: Why | None = None

    def effort(self) -> Effort:
        cost, aside = _paid(self.cost_usd, self.unpriced), _paid(self.aside_cost_usd, self.aside_unpriced)
        return Effort(self.calls, self.retries, self.reused, cost, self.aside_calls, aside)


class _Sample(_Row, ABC):
    schema_id: Annotated[Literal["prompt-gate/sample/1"], Field(alias="schema")]
    suite: str
    case: str
    arm: Literal["baseline", "candidate"]
    index: Annotated[int, Field(ge=0, le=99)]
    warmup: bool
    score: Share | None
    unscored: str | None
    scores: list[_Score]
    effort: _Effort | None = None
    transcript: dict[str, JsonValue] | None = None

    def sample(self) -> Sample:
        return Sample(
            suite=self.suite,
            case_id=self.case,
            arm=ArmName(self.arm),
            index=self.index,
            reply=self.answer(),
            scores=tuple(score.score() for score in self.scores),
            score=_value(self.score, self.unscored),
            warmup=self.warmup,
        )

    def conversed(self) -> tuple[Effort | None, Transcript | None]:
        """What only conversations have."""
        effort = None if self.effort is None else self.effort.effort()
        return effort, None if self.transcript is None else _transcript(self.transcript)

    @abstractmethod
    def answer(self) -> Reply | Failed:
        """The reply, or why there is none."""


class _FailedSample(_Sample):
    failure: str
    attempts: Tries

    def answer(self) -> Failed:
        return Failed(self.failure, self.attempts, *self.conversed())


class _AnsweredSample(_Sample):
    text: str
    model_id: str
    stop_reason: str
    attempts: Tries
    latency_s: Amount | None
    cost_usd: Amount | None
    unpriced: Why | None
    usage: _Usage
    origin: _Origin

    def answer(self) -> Reply:
        usage, origin = self.usage, self.origin
        effort, transcript = self.conversed()
        return Reply(
            text=self.text,
            model_id=self.model_id,
            usage=Usage(usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens),
            cost=_cost(self.cost_usd, self.unpriced),
            latency_s=self.latency_s,
            attempts=self.attempts,
            stop_reason=self.stop_reason,
            origin=Origin(origin.sitting, origin.at, origin.reused),
            transcript=transcript,
            effort=effort,
        )


def sample_schema() -> dict[str, JsonValue]:
    """The JSON Schema of one line of `samples.jsonl`."""
    whole: TypeAdapter[_AnsweredSample | _FailedSample] = TypeAdapter(_AnsweredSample | _FailedSample)
    return {"title": "a line of samples.jsonl", **whole.json_schema(by_alias=True)}


def _transcript(value: dict[str, JsonValue]) -> Transcript:
    try:
        return transcript_of(value)
    except ValueError as error:
        raise BadSample(f"transcript.{error}") from None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file.

    Args:
        number: from 1.
        start: its first byte.
        data: with its line break, where it has one.
    """

    number: int
    start: int
    data: bytes

    @property
    def torn(self) -> bool:
        """It has no end: whoever wrote it was stopped."""
        return not self.data.endswith(b"\n")


def lines(path: Path) -> Iterator[Line]:
    """The lines of a file, one in memory at a time.

    Raises:
        BadSample: a line that is too long to be a sample; nothing after it is read.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        yield from lines_of(file)


def lines_of(file: BinaryIO) -> Iterator[Line]:
    """The lines of a file that is open; see `lines`."""
    number = start = 0
    while data := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(data) > LONGEST_LINE:
            raise BadSample(f"line {number} is longer than {LONGEST_LINE // 2**20} MiB")
        yield Line(number, start, data)
        start += len(data)


def sample_at(file: BinaryIO, start: int) -> Sample:
    """The sample whose line begins at a byte that `lines` has named.

    Raises:
        BadSample: there is no sample any more.
    """
    file.seek(start)
    return parse_sample(file.readline(LONGEST_LINE + 1))


def parse_sample(line: bytes) -> Sample:
    """Read one line of `samples.jsonl`.

    Raises:
        BadSample: it is not JSON, or not a sample as `sample_row` writes it.
    """
    try:
        data = parse_json(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadSample("is not UTF-8") from None
    except BadJson as error:
        raise BadSample(error.message) from None
    schema = data.get("schema") if isinstance(data, dict) else None
    newer = re.fullmatch(r"prompt-gate/sample/(\d{1,6})", schema) if isinstance(schema, str) else None
    if newer is not None and int(newer[1]) > 1:
        raise BadSample(f"has schema {schema}, newer than this version reads; update Prompt Gate")
    failed = isinstance(data, dict) and "failure" in data
    try:
        return (_FailedSample if failed else _AnsweredSample).model_validate(data).sample()
    except ValidationError as error:
        _refuse(error)
    except BadSample as error:
        raise BadSample(f"is not a sample: {error}") from None


def _refuse(error: ValidationError) -> NoReturn:
    first = error.errors(include_url=False, include_input=False)[0]
    # A key that should not be there is a stranger's text, and may be of any length.
    where = ".".join(str(part) for part in first["loc"])[:100]
    raise BadSample(f"is not a sample: {where}: {first['msg']}" if where else f"is not a sample: {first['msg']}")


def _value(score: float | None, unscored: str | None) -> float | Unscored:
    if score is not None and unscored is None:
        return score
    if score is None and unscored is not None:
        return Unscored(unscored)
    raise BadSample("either a score or the reason why there is none")


def _paid(dollars: float | None, why: Why | None) -> Cost | None:
    return None if dollars is None and why is None else _cost(dollars, why)


def _cost(dollars: float | None, why: Why | None) -> Cost:
    if dollars is not None and why is None:
        return Dollars(dollars)
    if dollars is None and why is not None:
        return Unpriced(why)
    raise BadSample("either a price or the reason why there is none")
