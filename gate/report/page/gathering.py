"""What the page takes from the samples of a run: times and prices of every answer, and the answers that tell most.

They come one at a time and may come from anywhere: what does not belong to the record is not shown.
"""

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from gate.domain.absence import Failed, Unscored
from gate.domain.record import RunRecord
from gate.domain.record_compared import CaseRecord
from gate.domain.record_new import NewCaseRecord
from gate.domain.record_parts import TranscriptRecord
from gate.domain.sample import ArmName, Reply, Sample, Score
from gate.domain.usage import Dollars
from gate.report.escape import visible
from gate.report.page.telling import Key, most_telling, suites_of

ANSWER_CHARS = 6_000
REASON_CHARS = 1_000
SCORES_KEPT = 30
_SAME = 1e-6
_LEAST = 1e-12
"""Seconds or dollars; nothing real is less, and a ratio to it has no bounds."""

AnyCase = CaseRecord | NewCaseRecord


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is taken.

    Args:
        cases: whose answers are kept for the page.
        answers: of one case, both arms.
        chars: of all answers and reasons that are kept.
        samples: that are looked at.
    """

    cases: int = 300
    answers: int = 12
    chars: int = 8_000_000
    samples: int = 400_000


BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class Samples:
    """All samples of a run, for a report that does not read files itself.

    Args:
        stream: one at a time; it may end early, and is read once.
        transcript: the conversation of one, cut where it is long.
    """

    stream: Iterable[Sample]
    transcript: Callable[[Sample], TranscriptRecord | None]


@dataclass(slots=True)
class Mean:
    """A mean that grows; `value` is None as long as nothing was added."""

    total: float = 0.0
    count: int = 0

    def add(self, value: float) -> None:
        self.total += value
        self.count += 1

    @property
    def value(self) -> float | None:
        return self.total / self.count if self.count else None


@dataclass(slots=True)
class Spread:
    """One figure of both arms: every value, in seconds or dollars, and the mean of each case.

    Args:
        geometric: the mean of a case is that of the logarithms, as latency is compared.
        values: of each arm.
        means: of each case and arm, or of its logarithms.
    """

    geometric: bool = False
    values: dict[ArmName, "array[float]"] = field(default_factory=lambda: {arm: array("d") for arm in ArmName})
    means: dict[tuple[Key, ArmName], Mean] = field(default_factory=dict)

    def add(self, key: Key, arm: ArmName, value: float) -> None:
        self.values[arm].append(value)
        self.means.setdefault((key, arm), Mean()).add(math.log(value) if self.geometric else value)

    def pair(self, key: Key) -> tuple[float, float] | None:
        """The mean of a case before and after; None where an arm has none."""
        before, after = (self.means.get((key, arm), Mean()).value for arm in (ArmName.BASELINE, ArmName.CANDIDATE))
        if before is None or after is None:
            return None
        return (math.exp(before), math.exp(after)) if self.geometric else (before, after)


@dataclass(slots=True)
class Kept:
    """The answers of one case, each with its conversation."""

    samples: list[Sample] = field(default_factory=list)
    transcripts: dict[int, TranscriptRecord | None] = field(default_factory=dict)
    left_out: int = 0


@dataclass(slots=True)
class Gathered:
    """What was taken.

    Args:
        seconds, dollars: of each suite, by its name: answers that were asked for now, without the first of each arm.
        answers: of the cases that tell most, in that order.
        seen, scored: samples that belong to the run, and those of them with a score.
        strange: samples that do not.
        chars: of the answers that are kept.
    """

    seconds: dict[str, Spread] = field(default_factory=dict)
    dollars: dict[str, Spread] = field(default_factory=dict)
    answers: dict[Key, Kept] = field(default_factory=dict)
    seen: int = 0
    scored: int = 0
    strange: int = 0
    chars: int = 0


def gather(run: RunRecord, samples: Samples | None, bounds: Bounds = BOUNDS) -> Gathered:
    """Read the samples once; memory grows with their number, and not with their texts.

    Args:
        run: the record that they belong to.
        samples: None where there are none.
        bounds: of what is taken.
    """
    cases = dict(_cases(run))
    wanted = {key: Kept() for key in most_telling(run)[: bounds.cases]}
    found = Gathered(answers=wanted)
    if samples is None:
        return found
    for sample in islice(samples.stream, bounds.samples):
        key = sample.suite, sample.case_id
        case = cases.get(key)
        if case is None or not _belongs(case, sample):
            found.strange += 1
            continue
        found.seen += 1
        found.scored += not isinstance(sample.score, Unscored)
        _measure(found, key, sample)
        if (kept := wanted.get(key)) is None:
            continue
        if len(kept.samples) < bounds.answers and found.chars < bounds.chars:
            found.chars += _keep(kept, sample, samples.transcript)
        else:
            kept.left_out += 1
    return found


def _cases(run: RunRecord) -> Iterator[tuple[Key, AnyCase]]:
    for suite in suites_of(run):
        for case in suite.cases:
            yield (suite.name, case.id), case


def _belongs(case: AnyCase, sample: Sample) -> bool:
    """Has the record this score for it? A file of another run has others."""
    if isinstance(case, NewCaseRecord):
        scores: Sequence[float | None] = case.scores if sample.arm is ArmName.CANDIDATE else ()
    else:
        scores = case.baseline if sample.arm is ArmName.BASELINE else case.candidate
    if sample.index >= len(scores):
        return False
    known, value = scores[sample.index], sample.score
    if known is None or isinstance(value, Unscored):
        return known is None and isinstance(value, Unscored)
    return abs(known - value) < _SAME


def _measure(found: Gathered, key: Key, sample: Sample) -> None:
    reply = sample.reply
    if isinstance(reply, Failed) or reply.origin.reused or sample.warmup:
        return
    if reply.latency_s is not None and reply.latency_s >= _LEAST:
        found.seconds.setdefault(key[0], Spread(geometric=True)).add(key, sample.arm, reply.latency_s)
    if isinstance(reply.cost, Dollars) and reply.cost.amount >= _LEAST:
        found.dollars.setdefault(key[0], Spread()).add(key, sample.arm, reply.cost.amount)


def _keep(kept: Kept, sample: Sample, transcript: Callable[[Sample], TranscriptRecord | None]) -> int:
    """Keep one answer; returns how many characters that are."""
    slim = _slim(sample)
    kept.transcripts[len(kept.samples)] = transcript(sample)
    kept.samples.append(slim)
    text = slim.reply.text if isinstance(slim.reply, Reply) else slim.reply.reason
    return len(text) + sum(len(score.reason) for score in slim.scores)


def _slim(sample: Sample) -> Sample:
    """The same without more text than is shown."""
    scores = tuple(_slim_score(score) for score in sample.scores[:SCORES_KEPT])
    reply = sample.reply
    if isinstance(reply, Reply):
        reply = replace(reply, text=_cut(reply.text, ANSWER_CHARS), transcript=None, effort=None)
    else:
        reply = Failed(_cut(reply.reason, REASON_CHARS), reply.attempts)
    return replace(sample, reply=reply, scores=scores)


def _slim_score(score: Score) -> Score:
    parts = tuple(replace(part, reason=_cut(part.reason, REASON_CHARS)) for part in score.parts[:SCORES_KEPT])
    return replace(score, reason=_cut(score.reason, REASON_CHARS), parts=parts)


def _cut(text: str, limit: int) -> str:
    """Both ends of a long text; what is left out goes first, with room for a key across the cut, which is masked."""
    if len(text) <= limit:
        return text
    half = limit // 2
    note = f" […{len(text) - 2 * half:,} characters left out…] "
    return visible(text[: 4 * half])[:half] + note + visible(text[-4 * half :])[-half:]
