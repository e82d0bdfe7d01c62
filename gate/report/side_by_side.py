"""One case of a run, with the answers of both arms beside each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from gate.record.parts import OutputRecord, TranscriptRecord
from gate.record.run import CaseRecord, NewCaseRecord, RunRecord
from gate.record.sample import ArmName, Part, Reply, Sample, Score, ending_of, mean_score
from gate.record.transcript import Failed, Unscored
from gate.record.usage import Dollars
from gate.report import numbers
from gate.report.differences import TextPiece, joined_marks, word_differences
from gate.report.escape import one_line, shorten, visible
from gate.report.view.cases import slice_values, value_text
from gate.report.view.conversations import ConversationView, conversation_view
from gate.report.view.slices import LONGEST_SENTENCE, short_line


@dataclass(frozen=True, slots=True)
class FigureGroup:
    """Figures of one kind that make up a score, each with its name."""

    kind: str
    figures: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RoundScore:
    """What one scorer said of one round.

    Args:
        name: `Round 1`.
        reason: empty where none was kept.
    """

    name: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True)
class ScorerView:
    """What one scorer said.

    Args:
        scorer: empty where only the reason was kept.
        value: empty where only the reason was kept.
        reason: what it said, or why there is no score; empty where the rounds say it.
        required: a failure makes the sample 0.
        groups: the figures that make up the score, except for the rounds.
    """

    scorer: str
    value: str
    reason: str
    required: bool = False
    groups: tuple[FigureGroup, ...] = ()
    rounds: tuple[RoundScore, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One answer of one arm.

    Args:
        index: of the sample, counted from 0.
        pieces: the text; None where there is no answer.
        failure: why there is none; else empty.
        facts: model, time, tokens, price.
        talk: None where it was one reply.
        long: there is more text than is shown.
    """

    index: int
    pieces: tuple[TextPiece, ...] | None
    failure: str
    score: str
    scores: tuple[ScorerView, ...]
    facts: str = ""
    talk: ConversationView | None = None
    long: bool = False

    @property
    def text(self) -> str | None:
        """All that is shown of it."""
        return None if self.pieces is None else "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """The same sample of both arms.

    Args:
        number: counted from 1.
        baseline: None where there is no such arm, or it was not kept.
        candidate: None where it was not kept.
        how: unit of the marks: `words`, `lines`, `texts`; empty where there is nothing to compare.
    """

    number: int
    baseline: AnswerView | None
    candidate: AnswerView | None
    how: str


@dataclass(frozen=True, slots=True)
class SideBySide:
    """A case with its answers.

    Args:
        id: as it is; `name` is its form for readers.
        where: file and line.
        question, expected: None where the record does not have them.
        alone: there is one arm.
        change: signed; a dash where there is none.
        whole: all samples were kept, not only those of informative cases.
    """

    id: str
    name: str
    where: str
    slices: str
    question: str | None
    expected: str | None
    alone: bool
    baseline: str
    candidate: str
    change: str
    pairs: tuple[AnswerPair, ...]
    whole: bool


ANSWER_CHARS = 20_000
"""Characters of one text; the whole is a file of its own."""
REASON_CHARS = 2_000
_KINDS = {"dimension": "dimensions", "judge": "judges", "order": "order of the answers"}


def case_record(run: RunRecord, suite: str, case: str) -> CaseRecord | NewCaseRecord | None:
    """What the record says of a case; None where the run has no such suite or case."""
    compared = (one for found in run.suites if found.name == suite for one in found.cases if one.id == case)
    alone = (one for found in run.new if found.name == suite for one in found.cases if one.id == case)
    return next(compared, None) or next(alone, None)


def case_side_by_side(
    case: CaseRecord | NewCaseRecord, samples: Sequence[Sample], transcripts: Mapping[int, TranscriptRecord | None]
) -> SideBySide:
    """A case with all of its answers, or with those that the record itself kept.

    Args:
        samples: of this case, both arms; empty where they were not kept.
        transcripts: by the place in `samples`.
    """
    alone = isinstance(case, NewCaseRecord)
    if samples:
        given = [(one.arm, _sample(one, transcripts.get(place))) for place, one in enumerate(samples)]
    else:
        given = list(_kept(case))
    before = {one.index: one for arm, one in given if arm is ArmName.BASELINE}
    after = {one.index: one for arm, one in given if arm is ArmName.CANDIDATE}
    means = (None, mean_score(case.scores)) if isinstance(case, NewCaseRecord) else _means(case)
    return SideBySide(
        id=case.id,
        name=short_line(case.id),
        where=one_line(case.where),
        slices=slice_values(case.slices),
        question=None if case.input is None else shorten(visible(case.input), ANSWER_CHARS),
        expected=None if case.expected is None else shorten(visible(value_text(case.expected)), ANSWER_CHARS),
        alone=alone,
        baseline=numbers.score(means[0]),
        candidate=numbers.score(means[1]),
        change=numbers.delta(None if isinstance(case, NewCaseRecord) else case.delta),
        pairs=tuple(_pair(index, before.get(index), after.get(index)) for index in sorted({*before, *after})),
        whole=bool(samples),
    )


def _means(case: CaseRecord) -> tuple[float | None, float | None]:
    return mean_score(case.baseline), mean_score(case.candidate)


def _pair(index: int, before: AnswerView | None, after: AnswerView | None) -> AnswerPair:
    texts = None if before is None else before.text, None if after is None else after.text
    if before is None or after is None or texts[0] is None or texts[1] is None:
        return AnswerPair(index + 1, before, after, "")
    found = word_differences(texts[0], texts[1])
    how = "same" if texts[0] == texts[1] else found.unit
    return AnswerPair(index + 1, replace(before, pieces=found.before), replace(after, pieces=found.after), how)


def _sample(sample: Sample, transcript: TranscriptRecord | None) -> AnswerView:
    reply = sample.reply
    text = reply.text if isinstance(reply, Reply) else None
    unscored = [sample.score.reason] if isinstance(sample.score, Unscored) and isinstance(reply, Reply) else []
    score = None if isinstance(sample.score, Unscored) else sample.score
    output = OutputRecord(index=sample.index, text=text, failure=None, score=score, reasons=[], transcript=transcript)
    return AnswerView(
        index=sample.index,
        pieces=_text(text),
        failure=short_line(reply.reason, REASON_CHARS) if isinstance(reply, Failed) else "",
        score=numbers.score(score),
        scores=(*map(_scored, sample.scores), *(ScorerView("", "", short_line(why, REASON_CHARS)) for why in unscored)),
        facts=", ".join(_facts(reply)) if isinstance(reply, Reply) else "",
        talk=conversation_view(output),
        long=text is not None and len(text) > ANSWER_CHARS,
    )


def _kept(case: CaseRecord | NewCaseRecord) -> Iterator[tuple[ArmName, AnswerView]]:
    """The answers in the record itself."""
    if isinstance(case, NewCaseRecord):
        arms: tuple[tuple[ArmName, list[OutputRecord]], ...] = ((ArmName.CANDIDATE, case.outputs),)
    else:
        arms = ((ArmName.BASELINE, case.baseline_outputs), (ArmName.CANDIDATE, case.candidate_outputs))
    for arm, outputs in arms:
        for one in outputs:
            yield arm, _output(one)


def _output(one: OutputRecord) -> AnswerView:
    by_scorer = groupby(one.parts, key=lambda part: part.scorer)
    parts = [
        _made_of(ScorerView(short_line(scorer), "", ""), [Part(p.kind, p.name, p.value, p.weight) for p in same])
        for scorer, same in by_scorer
    ]
    reasons = [ScorerView("", "", short_line(reason, REASON_CHARS)) for reason in one.reasons]
    return AnswerView(
        index=one.index,
        pieces=_text(one.text),
        failure="" if one.failure is None else short_line(one.failure, REASON_CHARS),
        score=numbers.score(one.score),
        scores=(*reasons, *parts),
        facts=one.ending,
        talk=conversation_view(one),
        long=one.text is not None and len(one.text) > ANSWER_CHARS,
    )


def _text(text: str | None) -> tuple[TextPiece, ...] | None:
    if text is None:
        return None
    # What is left out is cut away first, with room for a key that stands across the cut and is masked.
    head, tail = text[:ANSWER_CHARS], text[-ANSWER_CHARS:]
    shown = shorten(visible(text), ANSWER_CHARS) if len(text) <= 2 * ANSWER_CHARS else _ends(head, tail, len(text))
    return (TextPiece(shown, False),) if shown else ()


def _ends(head: str, tail: str, total: int) -> str:
    half = ANSWER_CHARS // 2
    note = f" […{total - 2 * half:,} characters left out…] "
    return visible(head)[:half] + note + visible(tail)[-half:]


def _scored(score: Score) -> ScorerView:
    value, told = score.value, any(part.reason for part in score.parts)
    reason = value.reason if isinstance(value, Unscored) else "" if told else score.reason
    scored = ScorerView(
        scorer=short_line(score.scorer),
        value="no score" if isinstance(value, Unscored) else numbers.score(value),
        reason=_reason(reason),
        required=score.required,
    )
    return _made_of(scored, score.parts)


def _made_of(scored: ScorerView, parts: Sequence[Part]) -> ScorerView:
    """A score with its parts, of which rounds have words of their own."""
    others = sorted((part for part in parts if part.kind in _KINDS), key=lambda part: part.kind)
    groups = tuple(
        FigureGroup(_KINDS[kind], tuple((short_line(part.name), numbers.score(part.value)) for part in same))
        for kind, same in groupby(others, key=lambda part: part.kind)
    )
    rounds = tuple(
        RoundScore(short_line(part.name).capitalize(), numbers.score(part.value), _reason(part.reason))
        for part in parts
        if part.kind == "round"
    )
    return replace(scored, groups=groups, rounds=rounds)


def _reason(text: str) -> str:
    return shorten(visible(text), REASON_CHARS)


def _facts(reply: Reply) -> Iterator[str]:
    if ending := ending_of(reply):
        yield ending
    yield short_line(reply.model_id, LONGEST_SENTENCE)
    if reply.latency_s is not None:
        yield numbers.duration(reply.latency_s)
    yield f"{numbers.tokens(reply.usage.total_input)} → {numbers.tokens(reply.usage.output_tokens)} tokens"
    if isinstance(reply.cost, Dollars):
        yield numbers.dollars(reply.cost.amount)
    if reply.origin.reused:
        yield "reused"


_ALIKE = 0.25
"""Share of the longer text, spaces left out, that both have."""


def much_in_common(before: Sequence[TextPiece], after: Sequence[TextPiece]) -> bool:
    """Have two texts enough in common for what differs to be worth a mark?"""
    common = sum(len("".join(piece.text.split())) for piece in before if not piece.differs)
    longer = max(len("".join("".join(piece.text for piece in side).split())) for side in (before, after))
    return common >= _ALIKE * longer


def sparing_marks(pair: AnswerPair) -> AnswerPair:
    """Two answers with the marks that help."""
    before, after = pair.baseline, pair.candidate
    if pair.how not in ("words", "lines") or before is None or after is None:
        return pair
    if not much_in_common(before.pieces or (), after.pieces or ()):
        return replace(pair, how="texts", baseline=_plain(before), candidate=_plain(after))
    return replace(
        pair,
        baseline=replace(before, pieces=joined_marks(before.pieces or ())),
        candidate=replace(after, pieces=joined_marks(after.pieces or ())),
    )


def _plain(given: AnswerView) -> AnswerView:
    return replace(given, pieces=(TextPiece(given.text, False),) if given.text else ())
