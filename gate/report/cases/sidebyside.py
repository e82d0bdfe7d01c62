"""One case of a run: what was asked, what was expected, and the answers of both arms beside each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from gate.domain.absence import Failed, Unscored
from gate.domain.ending import ending_of
from gate.domain.record import RunRecord
from gate.domain.record_compared import CaseRecord
from gate.domain.record_new import NewCaseRecord
from gate.domain.record_parts import OutputRecord, TranscriptRecord
from gate.domain.sample import ArmName, Part, Reply, Sample, Score, mean_score
from gate.domain.usage import Dollars
from gate.report import numbers
from gate.report.cases.talk import talk
from gate.report.cases.views import plain, slices_of
from gate.report.differences.words import Piece, differences
from gate.report.escape import one_line, shorten, visible
from gate.report.parts.sidebyside import Given, Group, Pair, RoundView, Scored, SideBySide
from gate.report.slices import LONGEST_SENTENCE, short

SHOWN = 20_000
"""Characters of one text; the whole is a file of its own."""
REASON_CHARS = 2_000
_KINDS = {"dimension": "dimensions", "judge": "judges", "order": "order of the answers"}


def record_of(run: RunRecord, suite: str, case: str) -> CaseRecord | NewCaseRecord | None:
    """What the record says of a case; None where the run has no such suite or case."""
    compared = (one for found in run.suites if found.name == suite for one in found.cases if one.id == case)
    alone = (one for found in run.new if found.name == suite for one in found.cases if one.id == case)
    return next(compared, None) or next(alone, None)


def case_view(
    case: CaseRecord | NewCaseRecord, samples: Sequence[Sample], transcripts: Mapping[int, TranscriptRecord | None]
) -> SideBySide:
    """A case with all of its answers, or with those that the record itself kept.

    Args:
        case: of the record.
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
        name=short(case.id),
        where=one_line(case.where),
        slices=slices_of(case.slices),
        question=None if case.input is None else shorten(visible(case.input), SHOWN),
        expected=None if case.expected is None else shorten(visible(plain(case.expected)), SHOWN),
        alone=alone,
        baseline=numbers.score(means[0]),
        candidate=numbers.score(means[1]),
        change=numbers.delta(None if isinstance(case, NewCaseRecord) else case.delta),
        pairs=tuple(_pair(index, before.get(index), after.get(index)) for index in sorted({*before, *after})),
        whole=bool(samples),
    )


def _means(case: CaseRecord) -> tuple[float | None, float | None]:
    return mean_score(case.baseline), mean_score(case.candidate)


def _pair(index: int, before: Given | None, after: Given | None) -> Pair:
    texts = None if before is None else before.text, None if after is None else after.text
    if before is None or after is None or texts[0] is None or texts[1] is None:
        return Pair(index + 1, before, after, "")
    found = differences(texts[0], texts[1])
    how = "same" if texts[0] == texts[1] else found.unit
    return Pair(index + 1, replace(before, pieces=found.before), replace(after, pieces=found.after), how)


def _sample(sample: Sample, transcript: TranscriptRecord | None) -> Given:
    reply = sample.reply
    text = reply.text if isinstance(reply, Reply) else None
    unscored = [sample.score.reason] if isinstance(sample.score, Unscored) and isinstance(reply, Reply) else []
    score = None if isinstance(sample.score, Unscored) else sample.score
    output = OutputRecord(index=sample.index, text=text, failure=None, score=score, reasons=[], transcript=transcript)
    return Given(
        index=sample.index,
        pieces=_text(text),
        failure=short(reply.reason, REASON_CHARS) if isinstance(reply, Failed) else "",
        score=numbers.score(score),
        scores=(*map(_scored, sample.scores), *(Scored("", "", short(why, REASON_CHARS)) for why in unscored)),
        facts=", ".join(_facts(reply)) if isinstance(reply, Reply) else "",
        talk=talk(output),
        long=text is not None and len(text) > SHOWN,
    )


def _kept(case: CaseRecord | NewCaseRecord) -> Iterator[tuple[ArmName, Given]]:
    """The answers in the record itself."""
    if isinstance(case, NewCaseRecord):
        arms: tuple[tuple[ArmName, list[OutputRecord]], ...] = ((ArmName.CANDIDATE, case.outputs),)
    else:
        arms = ((ArmName.BASELINE, case.baseline_outputs), (ArmName.CANDIDATE, case.candidate_outputs))
    for arm, outputs in arms:
        for one in outputs:
            yield arm, _output(one)


def _output(one: OutputRecord) -> Given:
    by_scorer = groupby(one.parts, key=lambda part: part.scorer)
    parts = [
        _made_of(Scored(short(scorer), "", ""), [Part(p.kind, p.name, p.value, p.weight) for p in same])
        for scorer, same in by_scorer
    ]
    reasons = [Scored("", "", short(reason, REASON_CHARS)) for reason in one.reasons]
    return Given(
        index=one.index,
        pieces=_text(one.text),
        failure="" if one.failure is None else short(one.failure, REASON_CHARS),
        score=numbers.score(one.score),
        scores=(*reasons, *parts),
        facts=one.ending,
        talk=talk(one),
        long=one.text is not None and len(one.text) > SHOWN,
    )


def _text(text: str | None) -> tuple[Piece, ...] | None:
    if text is None:
        return None
    # What is left out is cut away first, with room for a key that stands across the cut and is masked.
    head, tail = text[:SHOWN], text[-SHOWN:]
    shown = shorten(visible(text), SHOWN) if len(text) <= 2 * SHOWN else _ends(head, tail, len(text))
    return (Piece(shown, False),) if shown else ()


def _ends(head: str, tail: str, total: int) -> str:
    half = SHOWN // 2
    note = f" […{total - 2 * half:,} characters left out…] "
    return visible(head)[:half] + note + visible(tail)[-half:]


def _scored(score: Score) -> Scored:
    value, told = score.value, any(part.reason for part in score.parts)
    reason = value.reason if isinstance(value, Unscored) else "" if told else score.reason
    scored = Scored(
        scorer=short(score.scorer),
        value="no score" if isinstance(value, Unscored) else numbers.score(value),
        reason=_reason(reason),
        required=score.required,
    )
    return _made_of(scored, score.parts)


def _made_of(scored: Scored, parts: Sequence[Part]) -> Scored:
    """A score with its parts, of which rounds have words of their own."""
    others = sorted((part for part in parts if part.kind in _KINDS), key=lambda part: part.kind)
    groups = tuple(
        Group(_KINDS[kind], tuple((short(part.name), numbers.score(part.value)) for part in same))
        for kind, same in groupby(others, key=lambda part: part.kind)
    )
    rounds = tuple(
        RoundView(short(part.name).capitalize(), numbers.score(part.value), _reason(part.reason))
        for part in parts
        if part.kind == "round"
    )
    return replace(scored, groups=groups, rounds=rounds)


def _reason(text: str) -> str:
    return shorten(visible(text), REASON_CHARS)


def _facts(reply: Reply) -> Iterator[str]:
    if ending := ending_of(reply):
        yield ending
    yield short(reply.model_id, LONGEST_SENTENCE)
    if reply.latency_s is not None:
        yield numbers.duration(reply.latency_s)
    yield f"{numbers.tokens(reply.usage.total_input)} → {numbers.tokens(reply.usage.output_tokens)} tokens"
    if isinstance(reply.cost, Dollars):
        yield numbers.dollars(reply.cost.amount)
    if reply.origin.reused:
        yield "reused"
