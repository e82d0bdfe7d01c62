"""Everything about one case of a run, for whoever reads it in a terminal or in Markdown."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gate.domain.passrate import PassState
from gate.domain.record import RunRecord
from gate.domain.record_compared import CaseRecord
from gate.domain.record_new import NewCaseRecord
from gate.domain.record_parts import ArmRecord, TranscriptRecord
from gate.domain.sample import Sample
from gate.domain.verdict import State
from gate.report import numbers
from gate.report.advice.again import ask_again
from gate.report.alone.checks import case_row
from gate.report.alone.newprompts import WORDS as RATE_WORDS
from gate.report.cases.sidebyside import case_view
from gate.report.compared.tables import WORDS
from gate.report.explain.contribution import Contribution, contributions
from gate.report.parts.sidebyside import SideBySide
from gate.report.slices import LONGEST_SENTENCE, short
from gate.report.verdict.headline import plain_first_line


@dataclass(frozen=True, slots=True)
class ArmView:
    """One arm of the suite that asked the case.

    Args:
        name: `baseline` or `candidate`.
        prompt: path and ref.
        model: as it was named.
        wavering: how far its answers to this case agree with each other.
    """

    name: str
    prompt: str
    model: str
    wavering: str


@dataclass(frozen=True, slots=True)
class SliceView:
    """The case within one slice.

    Args:
        name: of the slice.
        cases: how many count.
        mean: of the slice: `−0.458`, or `62.5 %` of the answers that pass.
        share: of all that moved the way this case did; a dash where it did not.
        rank: its place among those, `1 of 11`, or `1–4 of 11` where several moved as far.
        without: the mean, were it not there.
        state: in words.
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
        """A row of a table under `Explained.heads`."""
        return (self.name, self.cases, self.mean, self.share, self.rank, self.without, self.state)


@dataclass(frozen=True, slots=True)
class Explained:
    """One case.

    Args:
        suite: that asked it.
        verdict: first line of the run.
        case: question, expected answer and all answers.
        marks: of a check, whether it passes; else empty.
        arms: the baseline first.
        heads: of the columns of `slices`.
        slices: `overall` first.
        again: a command that asks it alone, or empty.
        notes: what the reader should know about what is missing here.
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


def explain(
    run: RunRecord,
    suite: str,
    case: CaseRecord | NewCaseRecord,
    samples: Sequence[Sample],
    transcripts: Mapping[int, TranscriptRecord | None],
) -> Explained:
    """Gather it.

    Args:
        run: the whole record.
        suite: that asked the case.
        case: of the record.
        samples: of this case, both arms; empty where they were not kept.
        transcripts: by the place in `samples`.
    """
    shown = case_view(case, samples, transcripts)
    return Explained(
        suite=short(suite),
        verdict=plain_first_line(run),
        case=shown,
        marks=tuple(_marks(case)),
        arms=tuple(_arms(run, suite, case)),
        heads=_heads(case),
        slices=tuple(map(_slice, contributions(run, suite, case))),
        again=ask_again(run, suite, case),
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
    return ArmView(name, short(f"{arm.path} at {ref}", LONGEST_SENTENCE), short(arm.model), wavering(scores))


def wavering(scores: Sequence[float | None]) -> str:
    """Do the samples of one arm agree: `wavers: 2 of 3 samples score 1.000, 1 scores 0.000`?

    Args:
        scores: of the samples, None for one without a score.
    """
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
    """What a check says of it."""
    if isinstance(case, NewCaseRecord) and case.check is not None:
        row = case_row(case, case.check)
        yield f"{row.words}: score {row.score}"
        yield from row.lines


def _notes(shown: SideBySide) -> Iterator[str]:
    if not shown.pairs:
        yield "The run kept no answer to it, since it told little, and its samples.jsonl is not beside it."
    elif not shown.whole:
        yield "These answers are those that the record keeps; samples.jsonl, which has them all, is not beside it."


def _slice(one: Contribution) -> SliceView:
    last = one.rank + one.ties
    place = f"{one.rank}–{last}" if one.ties else f"{one.rank}"
    return SliceView(
        name=short(one.slice),
        cases=f"{one.n:,}",
        mean=_figure(one, one.mean),
        share=numbers.share(one.share) if one.rank else numbers.NOTHING,
        rank=f"{place} of {one.of}" if one.rank else numbers.NOTHING,
        without=_figure(one, one.without),
        state=state_words(one.state),
    )


def state_words(state: State | PassState) -> str:
    """The state of a slice as tables have it."""
    return RATE_WORDS[state] if isinstance(state, PassState) else WORDS[state]


def _figure(one: Contribution, value: float | None) -> str:
    if value is None:
        return numbers.NOTHING
    return numbers.delta(value) if one.compared else numbers.share(value)


def _heads(case: CaseRecord | NewCaseRecord) -> tuple[str, ...]:
    """What the figures of a slice are."""
    if isinstance(case, NewCaseRecord):
        return ("slice", "cases", "passing", "share of what fails", "rank", "without it", "state")
    way = "rose" if (case.delta or 0.0) > 0 else "fell"
    return ("slice", "cases", "change", f"share of what {way}", "rank", "without it", "state")
