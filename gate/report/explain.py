"""One case of a run: the answers of both arms side by side, and its part in each slice."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import fsum
from statistics import fmean
from typing import TYPE_CHECKING

from gate import numbers
from gate.config.values import OVERALL
from gate.record.comparison import PassState, State
from gate.record.parts import ArmRecord, CaseState, OutputRecord, TranscriptRecord
from gate.record.run import CaseRecord, NewCaseRecord, RunRecord, SuiteRecord
from gate.record.transcript import ArmName, Dollars, Failed, Part, Reply, Sample, Score, Unscored, ending_of, mean_score
from gate.report.differences import TextPiece, joined_marks, word_differences
from gate.report.escape import one_line, shorten, visible
from gate.report.slices import LONGEST_SENTENCE, AnySuite, all_suites, short_line, suite_slices
from gate.report.view.advice import run_again_command
from gate.report.view.cases import AnyCase, conversation_of, slice_values, value_text
from gate.report.view.comparisons import STATE_WORDS
from gate.report.view.headline import plain_first_line
from gate.report.view.pass_rates import NEW_RATE_WORDS as RATE_WORDS
from gate.report.view.pass_rates import case_row
from gate.values import counted

if TYPE_CHECKING:
    from gate.report.view.conversations import ConversationView


@dataclass(frozen=True, slots=True)
class FigureGroup:
    """Figures of one kind that make up a score, each with its name."""

    kind: str
    figures: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RoundScore:
    """The result of one scorer for one round.

    Args:
        name: `Round 1`.
        reason: empty where none is stored.
    """

    name: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True)
class ScorerView:
    """The result of one scorer.

    Args:
        scorer: empty where only the reason is stored.
        value: empty where only the reason is stored.
        reason: its reason, or why there is no score; empty where the rounds have it.
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
        talk: None where it was one reply.
        thinking: before the answer; empty where there is none.
    """

    index: int
    pieces: tuple[TextPiece, ...] | None
    failure: str
    score: str
    scores: tuple[ScorerView, ...]
    facts: str = ""
    talk: "ConversationView | None" = None
    long: bool = False
    thinking: str = ""

    @property
    def text(self) -> str | None:
        """All that is shown of it."""
        return None if self.pieces is None else "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class AnswerPairView:
    """The same sample of both arms.

    Args:
        number: counted from 1.
        baseline: None where there is no such arm, or it is not stored.
        candidate: None where it is not stored.
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
        question, expected: None where the record does not have them.
        change: signed; a dash where there is none.
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
    pairs: tuple[AnswerPairView, ...]
    whole: bool


ANSWER_CHARS = 20_000
"""Characters of one text; the whole is a file of its own."""
REASON_CHARS = 2_000
_KINDS = {"dimension": "dimensions", "judge": "judges", "order": "order of the answers"}


def case_record(run: RunRecord, suite: str, case: str) -> AnyCase | None:
    """The record of a case; None where the run has no such suite or case."""
    compared = (one for found in run.suites if found.name == suite for one in found.cases if one.id == case)
    alone = (one for found in run.new if found.name == suite for one in found.cases if one.id == case)
    return next(compared, None) or next(alone, None)


def case_side_by_side(
    case: AnyCase, samples: Sequence[Sample], transcripts: Mapping[int, TranscriptRecord | None]
) -> SideBySide:
    """A case with all of its answers, or with those in the record.

    Args:
        samples: of this case, both arms; empty where they are not stored.
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


def _pair(index: int, before: AnswerView | None, after: AnswerView | None) -> AnswerPairView:
    texts = None if before is None else before.text, None if after is None else after.text
    if before is None or after is None or texts[0] is None or texts[1] is None:
        return AnswerPairView(index + 1, before, after, "")
    found = word_differences(texts[0], texts[1])
    how = "same" if texts[0] == texts[1] else found.unit
    return AnswerPairView(index + 1, replace(before, pieces=found.before), replace(after, pieces=found.after), how)


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
        talk=conversation_of(output),
        long=text is not None and len(text) > ANSWER_CHARS,
        thinking=_shown(reply.thinking) if isinstance(reply, Reply) else "",
    )


def _kept(case: AnyCase) -> Iterator[tuple[ArmName, AnswerView]]:
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
    reasons = [ScorerView("", "", short_line(reason.line, REASON_CHARS)) for reason in one.reasons]
    return AnswerView(
        index=one.index,
        pieces=_text(one.text),
        failure="" if one.failure is None else short_line(one.failure, REASON_CHARS),
        score=numbers.score(one.score),
        scores=(*reasons, *parts),
        facts=one.ending,
        talk=conversation_of(one),
        long=one.text is not None and len(one.text) > ANSWER_CHARS,
        thinking=_shown(one.thinking),
    )


def _text(text: str | None) -> tuple[TextPiece, ...] | None:
    if text is None:
        return None
    shown = _shown(text)
    return (TextPiece(shown, False),) if shown else ()


def _shown(text: str) -> str:
    # What is left out is cut away first, with room for a key that stands across the cut and is masked.
    head, tail = text[:ANSWER_CHARS], text[-ANSWER_CHARS:]
    return shorten(visible(text), ANSWER_CHARS) if len(text) <= 2 * ANSWER_CHARS else _ends(head, tail, len(text))


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


def sparing_marks(pair: AnswerPairView) -> AnswerPairView:
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


@dataclass(frozen=True, slots=True)
class SliceContribution:
    """One case within one slice.

    Args:
        slice: `overall` or `dimension=value`.
        mean: mean change of the slice, or the share of its answers that pass; None where unknown.
        without: the same without this case; None for the only case.
        moved: the change of this case, or the share of its answers that pass less 1; None where it has no score.
        share: of all movement in the same direction in this slice (or of all answers that fail), in [0, 1]; 0 where the
            case did not move.
        rank: place among the cases that moved the same way, 1 for the largest; 0 where the case did not move.
    """

    slice: str
    n: int
    mean: float | None
    without: float | None
    compared: bool
    moved: float | None
    share: float
    rank: int
    ties: int
    of: int
    state: State | PassState


def slice_contributions(run: RunRecord, suite: str, case: AnyCase) -> tuple[SliceContribution, ...]:
    """The case in each tested slice that it is in, `overall` first."""
    found = next(one for one in all_suites(run) if one.name == suite)
    rows: list[tuple[str, float | None, State | PassState]]
    if isinstance(found, SuiteRecord):
        rows = [(named.local, named.record.mean, named.record.state) for named in suite_slices(run, found)]
    else:
        rows = [(rate.slice, rate.rate, rate.state) for rate in (found.overall, *found.slices)]
    return tuple(_contribution(found, case, *row) for row in rows if _inside(row[0], case))


def _contribution(
    suite: AnySuite, case: AnyCase, local: str, mean: float | None, state: State | PassState
) -> SliceContribution:
    compared = isinstance(suite, SuiteRecord)
    values = [value for one in suite.cases if _inside(local, one) and (value := _value(one)) is not None]
    own, still = _value(case), 0.0 if compared else 1.0
    moved = None if own is None else own - still
    share, rank, ties, of = _place(moved or 0.0, [value - still for value in values])
    return SliceContribution(
        slice=local,
        n=len(values),
        mean=mean,
        without=None if own is None or len(values) < 2 else (fsum(values) - own) / (len(values) - 1),
        compared=compared,
        moved=moved,
        share=share,
        rank=rank,
        ties=ties,
        of=of,
        state=state,
    )


def _value(case: AnyCase) -> float | None:
    """Its change, or the share of its answers that pass."""
    return _rate(case) if isinstance(case, NewCaseRecord) else case.delta


def _inside(local: str, case: AnyCase) -> bool:
    return local == OVERALL or any(f"{key}={value}" == local for key, value in case.slices.items())


def _rate(case: NewCaseRecord) -> float | None:
    """The share of its answers that pass; in a check the case as a whole does, or does not."""
    if case.check is not None:
        return None if case.check.state is CaseState.UNSCORED else float(case.check.state is CaseState.PASSED)
    known = [passed for passed in case.passed if passed is not None]
    return fmean(known) if known else None


def _place(own: float, values: Sequence[float]) -> tuple[float, int, int, int]:
    """Share, rank, ties and number of those that moved the same way."""
    if abs(own) < numbers.ZERO:
        return 0.0, 0, 0, 0
    same = [abs(value) for value in values if value * own > 0 and abs(value) >= numbers.ZERO]
    ahead = sum(value > abs(own) + numbers.ZERO for value in same)
    ties = sum(abs(value - abs(own)) <= numbers.ZERO for value in same) - 1
    return abs(own) / fsum(same), ahead + 1, ties, len(same)


@dataclass(frozen=True, slots=True)
class ArmView:
    """One arm of the suite with the case."""

    name: str
    prompt: str
    model: str
    stability: str


@dataclass(frozen=True, slots=True)
class CaseExplanation:
    """One case of a run, with all that is known about it.

    Args:
        verdict: first line of the run.
        results: of a check, whether it passes; else empty.
        arms: the baseline first.
        heads: of the columns of `slices`.
        slices: rows under `heads`, `overall` first.
        again: a command that runs only this case again; may be empty.
    """

    suite: str
    verdict: str
    case: SideBySide
    results: tuple[str, ...]
    arms: tuple[ArmView, ...]
    heads: tuple[str, ...]
    slices: tuple[tuple[str, ...], ...]
    again: str
    notes: tuple[str, ...]


def explain_case(
    run: RunRecord,
    suite: str,
    case: AnyCase,
    samples: Sequence[Sample],
    transcripts: Mapping[int, TranscriptRecord | None],
) -> CaseExplanation:
    """Everything about one case.

    Args:
        samples: of this case, both arms; empty where they are not stored.
        transcripts: by the place in `samples`.
    """
    shown = case_side_by_side(case, samples, transcripts)
    return CaseExplanation(
        suite=short_line(suite),
        verdict=plain_first_line(run),
        case=shown,
        results=tuple(_results(case)),
        arms=tuple(_arms(run, suite, case)),
        heads=_heads(case),
        slices=tuple(map(_slice, slice_contributions(run, suite, case))),
        again=run_again_command(run, suite, case),
        notes=tuple(_notes(shown)),
    )


def _arms(run: RunRecord, suite: str, case: AnyCase) -> Iterator[ArmView]:
    if isinstance(case, NewCaseRecord):
        arm = next(one.candidate for one in run.new if one.name == suite)
        yield _arm("candidate", arm, case.scores)
        return
    compared = next(one for one in run.suites if one.name == suite)
    yield _arm("baseline", compared.baseline, case.baseline)
    yield _arm("candidate", compared.candidate, case.candidate)


def _arm(name: str, arm: ArmRecord, scores: Sequence[float | None]) -> ArmView:
    ref = f"{arm.ref} ({arm.sha[:12]})" if arm.sha and arm.sha != arm.ref else arm.ref
    return ArmView(
        name, short_line(f"{arm.path} at {ref}", LONGEST_SENTENCE), short_line(arm.model), sample_agreement(scores)
    )


def sample_agreement(scores: Sequence[float | None]) -> str:
    """Whether samples agree, None for one without a score: `flaky in this arm: 2 × 1.000, 1 × 0.000`."""
    known = Counter(numbers.score(score) for score in scores if score is not None)
    total, missing = sum(known.values()), sum(score is None for score in scores)
    lost = f"; {counted(missing, 'sample')} without a score" if missing else ""
    if not known:
        return "no score"
    if total == 1:
        return f"one sample, {next(iter(known))}: unknown whether it is flaky{lost}"
    if len(known) == 1:
        return f"stable: all {total} samples score {next(iter(known))}{lost}"
    listed = ", ".join(f"{count} × {score}" for score, count in sorted(known.items(), reverse=True))
    return f"flaky in this arm: {listed}{lost}"


def _results(case: AnyCase) -> Iterator[str]:
    """The result of a check for the case."""
    if isinstance(case, NewCaseRecord) and case.check is not None:
        row = case_row(case, case.check)
        yield f"{row.words}: score {row.score}"
        yield from row.lines


def _notes(shown: SideBySide) -> Iterator[str]:
    if not shown.pairs:
        yield "The answers of this case are not in run.json, and samples.jsonl is not next to it."
    elif not shown.whole:
        yield "Some answers are missing: run.json has only these, and samples.jsonl is not next to it."


def _slice(one: SliceContribution) -> tuple[str, ...]:
    """Rank and share are dashes where the case did not move; `1–4 of 11` where several moved as far."""
    place = f"{one.rank}–{one.rank + one.ties}" if one.ties else f"{one.rank}"
    return (
        short_line(one.slice),
        f"{one.n:,}",
        _figure(one, one.mean),
        numbers.share(one.share) if one.rank else numbers.NOTHING,
        f"{place} of {one.of}" if one.rank else numbers.NOTHING,
        _figure(one, one.without),
        state_words(one.state),
    )


def state_words(state: State | PassState) -> str:
    """The state of a slice as tables have it."""
    return RATE_WORDS[state] if isinstance(state, PassState) else STATE_WORDS[state]


def _figure(one: SliceContribution, value: float | None) -> str:
    if value is None:
        return numbers.NOTHING
    return numbers.delta(value) if one.compared else numbers.share(value)


def _heads(case: AnyCase) -> tuple[str, ...]:
    """What the figures of a slice are."""
    if isinstance(case, NewCaseRecord):
        return ("slice", "cases", "passing", "share of what fails", "rank", "without it", "state")
    way = "improvement" if (case.delta or 0.0) > 0 else "drop"
    return ("slice", "cases", "change", f"share of the {way}", "rank", "without it", "state")
