"""Everything about one case of a run, and what it contributes to each of its slices."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean

from gate.config.policy import OVERALL
from gate.record.comparison import PassState, State
from gate.record.parts import ArmRecord, CaseState, TranscriptRecord
from gate.record.run import CaseRecord, NewCaseRecord, NewSuiteRecord, RunRecord, SuiteRecord
from gate.record.sample import Sample
from gate.report import numbers
from gate.report.side_by_side import SideBySide, case_side_by_side
from gate.report.view.advice import ask_again_command
from gate.report.view.checks import case_row
from gate.report.view.comparisons import STATE_WORDS
from gate.report.view.headline import plain_first_line
from gate.report.view.pass_rates import NEW_RATE_WORDS as RATE_WORDS
from gate.report.view.slices import LONGEST_SENTENCE, short_line, suite_slices


@dataclass(frozen=True, slots=True)
class SliceContribution:
    """One case within one slice.

    Args:
        slice: `overall` or `dimension=value`.
        n: cases of the slice that count.
        mean: mean change of the slice, or the share of its answers that pass; None where unknown.
        without: the same without this case; None for the only case.
        compared: the figures are changes, not shares that pass.
        moved: the change of this case, or the share of its answers that pass less 1; None where it has no score.
        share: of all movement in the same direction in this slice (or of all answers that fail), in [0, 1]; 0 where the
            case did not move.
        rank: place among the cases that moved the same way, 1 for the largest; 0 where the case did not move.
        ties: other cases with the same rank.
        of: cases that moved the same way.
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


def slice_contributions(run: RunRecord, suite: str, case: CaseRecord | NewCaseRecord) -> tuple[SliceContribution, ...]:
    """The case in each tested slice that it is in, `overall` first."""
    if isinstance(case, NewCaseRecord):
        new = next(one for one in run.new if one.name == suite)
        return tuple(_alone(new, case))
    compared = next(one for one in run.suites if one.name == suite)
    return tuple(_compared(run, compared, case))


def _compared(run: RunRecord, suite: SuiteRecord, case: CaseRecord) -> Iterator[SliceContribution]:
    for named in suite_slices(run, suite):
        if not _inside(named.local, case):
            continue
        deltas = [one.delta for one in suite.cases if one.delta is not None and _inside(named.local, one)]
        share, rank, ties, of = _place(case.delta or 0.0, deltas)
        yield SliceContribution(
            slice=named.local,
            n=len(deltas),
            mean=named.record.mean,
            without=None if case.delta is None else _without(case.delta, deltas),
            compared=True,
            moved=case.delta,
            share=share,
            rank=rank,
            ties=ties,
            of=of,
            state=named.record.state,
        )


def _alone(suite: NewSuiteRecord, case: NewCaseRecord) -> Iterator[SliceContribution]:
    for record in (suite.overall, *suite.slices):
        local = record.slice.removeprefix(f"{suite.name}/")
        if not _inside(local, case):
            continue
        rates = [rate for one in suite.cases if _inside(local, one) and (rate := _rate(one)) is not None]
        own = _rate(case)
        moved = None if own is None else own - 1.0
        share, rank, ties, of = _place(moved or 0.0, [rate - 1.0 for rate in rates])
        yield SliceContribution(
            slice=local,
            n=len(rates),
            mean=record.rate,
            without=None if own is None else _without(own, rates),
            compared=False,
            moved=moved,
            share=share,
            rank=rank,
            ties=ties,
            of=of,
            state=record.state,
        )


def _inside(local: str, case: CaseRecord | NewCaseRecord) -> bool:
    return local == OVERALL or any(f"{key}={value}" == local for key, value in case.slices.items())


def _rate(case: NewCaseRecord) -> float | None:
    """The share of its answers that pass; in a check the case as a whole does, or does not."""
    if case.check is not None:
        return None if case.check.state is CaseState.UNSCORED else float(case.check.state is CaseState.PASSED)
    known = [passed for passed in case.passed if passed is not None]
    return fmean(known) if known else None


def _without(own: float, values: Sequence[float]) -> float | None:
    return (fsum(values) - own) / (len(values) - 1) if len(values) > 1 else None


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
    """One arm of the suite that asked the case.

    Args:
        prompt: path and ref.
        wavering: how far its answers to this case agree with each other, in words.
    """

    name: str
    prompt: str
    model: str
    wavering: str


@dataclass(frozen=True, slots=True)
class SliceView:
    """The case within one slice.

    Args:
        mean: `−0.458`, or `62.5 %` of the answers that pass.
        share: of all movement in the direction of this case; a dash where it did not move.
        rank: `1 of 11`, or `1–4 of 11` where several moved as far.
        without: the mean without this case.
    """

    name: str
    cases: str
    mean: str
    share: str
    rank: str
    without: str
    state: str

    @property
    def cells(self) -> tuple[str, ...]:
        """A row of a table under `CaseExplanation.heads`."""
        return (self.name, self.cases, self.mean, self.share, self.rank, self.without, self.state)


@dataclass(frozen=True, slots=True)
class CaseExplanation:
    """One case of a run, with all that is known about it.

    Args:
        verdict: first line of the run.
        marks: of a check, whether it passes; else empty.
        arms: the baseline first.
        heads: of the columns of `slices`.
        slices: `overall` first.
        again: a command that asks only this case again; may be empty.
        notes: what is missing here, and why.
    """

    suite: str
    verdict: str
    case: SideBySide
    marks: tuple[str, ...]
    arms: tuple[ArmView, ...]
    heads: tuple[str, ...]
    slices: tuple[SliceView, ...]
    again: str
    notes: tuple[str, ...]


def explain_case(
    run: RunRecord,
    suite: str,
    case: CaseRecord | NewCaseRecord,
    samples: Sequence[Sample],
    transcripts: Mapping[int, TranscriptRecord | None],
) -> CaseExplanation:
    """Everything about one case.

    Args:
        samples: of this case, both arms; empty where they were not kept.
        transcripts: by the place in `samples`.
    """
    shown = case_side_by_side(case, samples, transcripts)
    return CaseExplanation(
        suite=short_line(suite),
        verdict=plain_first_line(run),
        case=shown,
        marks=tuple(_marks(case)),
        arms=tuple(_arms(run, suite, case)),
        heads=_heads(case),
        slices=tuple(map(_slice, slice_contributions(run, suite, case))),
        again=ask_again_command(run, suite, case),
        notes=tuple(_notes(shown)),
    )


def _arms(run: RunRecord, suite: str, case: CaseRecord | NewCaseRecord) -> Iterator[ArmView]:
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
    """Whether samples agree, None for one without a score: `wavers: 2 of 3 samples score 1.000, 1 scores 0.000`."""
    known = Counter(numbers.score(score) for score in scores if score is not None)
    total, missing = sum(known.values()), sum(score is None for score in scores)
    lost = f"; {numbers.counted(missing, 'sample')} not asked, or without a score" if missing else ""
    if not known:
        return "no score"
    if total == 1:
        return f"one sample, {next(iter(known))}: whether it wavers is not known{lost}"
    if len(known) == 1:
        return f"steady: all {total} samples score {next(iter(known))}{lost}"
    told = ", ".join(f"{count} × {score}" for score, count in sorted(known.items(), reverse=True))
    return f"wavers within this arm: {told}{lost}"


def _marks(case: CaseRecord | NewCaseRecord) -> Iterator[str]:
    """What a check says of the case."""
    if isinstance(case, NewCaseRecord) and case.check is not None:
        row = case_row(case, case.check)
        yield f"{row.words}: score {row.score}"
        yield from row.lines


def _notes(shown: SideBySide) -> Iterator[str]:
    if not shown.pairs:
        yield "The run kept no answer to it, since it told little, and its samples.jsonl is not beside it."
    elif not shown.whole:
        yield "These answers are those that the record keeps; samples.jsonl, which has them all, is not beside it."


def _slice(one: SliceContribution) -> SliceView:
    last = one.rank + one.ties
    place = f"{one.rank}–{last}" if one.ties else f"{one.rank}"
    return SliceView(
        name=short_line(one.slice),
        cases=f"{one.n:,}",
        mean=_figure(one, one.mean),
        share=numbers.share(one.share) if one.rank else numbers.NOTHING,
        rank=f"{place} of {one.of}" if one.rank else numbers.NOTHING,
        without=_figure(one, one.without),
        state=state_words(one.state),
    )


def state_words(state: State | PassState) -> str:
    """The state of a slice as tables have it."""
    return RATE_WORDS[state] if isinstance(state, PassState) else STATE_WORDS[state]


def _figure(one: SliceContribution, value: float | None) -> str:
    if value is None:
        return numbers.NOTHING
    return numbers.delta(value) if one.compared else numbers.share(value)


def _heads(case: CaseRecord | NewCaseRecord) -> tuple[str, ...]:
    """What the figures of a slice are."""
    if isinstance(case, NewCaseRecord):
        return ("slice", "cases", "passing", "share of what fails", "rank", "without it", "state")
    way = "rose" if (case.delta or 0.0) > 0 else "fell"
    return ("slice", "cases", "change", f"share of what {way}", "rank", "without it", "state")
