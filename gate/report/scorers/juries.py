"""Who judged, and how far the judges of a jury agree."""

from collections.abc import Iterator

from gate.domain.comparison import Estimate
from gate.domain.judge_quote import AskedModel, JudgeQuote
from gate.domain.judged import ContestedAnswer, JuryResult
from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.domain.record_new import NewSuiteRecord
from gate.report import numbers
from gate.report.parts.whole import Fact
from gate.report.scorers.judge_quotes import sentence
from gate.report.scorers.words import Scale, against
from gate.report.slices import LONGEST_SENTENCE, short, suite_label


def judge_fact(prefix: str, judge: JudgeQuote) -> Fact:
    """Who judges, at which temperature, and how far that agrees with people: nobody should believe a score without."""
    told = short(f"{_asked(judge)}{sentence(judge)}", LONGEST_SENTENCE)
    return Fact(f"{prefix}{short(judge.scorer)}", (told,), brief=True)


def jury_facts(run: RunRecord) -> Iterator[Fact]:
    """Agreement of each jury, and the answers that its judges see most differently."""
    for suite in run.suites:
        label = suite_label(run, suite)
        yield from _juries(f"{short(label)}: " if label else "", suite)
    for new in run.new:
        yield from _juries(f"{short(new.name)}: ", new)


def _asked(judge: JudgeQuote) -> str:
    if not judge.asked:
        return ""
    if len(judge.asked) == 1:
        return f"{judge.kind} by {_one(judge.asked[0])}; "
    members = ", ".join(map(_one, judge.asked))
    return f"{judge.kind} by a jury, of which the {judge.combine} counts: {members}; "


def _one(asked: AskedModel) -> str:
    if asked.temperature is None:
        return f"{asked.model} (its temperature is not settable)"
    return f"{asked.model} at temperature {asked.temperature:g}"


def _juries(prefix: str, suite: SuiteRecord | NewSuiteRecord) -> Iterator[Fact]:
    scales = {one.scorer: (one.low, one.high) for one in suite.rubrics if (one.low, one.high) != (0.0, 1.0)}
    for jury in suite.juries:
        scale = scales.get(jury.scorer)
        yield Fact(f"{prefix}{short(jury.scorer)}, agreement", (_agreement(jury, scale),), brief=True)
        means = "; ".join(
            f"{member.model} {_mean(member.baseline, scale)}{_opinion(member.candidate, scale)}"
            for member in jury.members
        )
        yield Fact(f"{prefix}{short(jury.scorer)}, mean opinions", (short(means, LONGEST_SENTENCE),))
        if jury.contested:
            told = "; ".join(_contested(one, scale) for one in jury.contested)
            yield Fact(f"{prefix}{short(jury.scorer)}, to look at", (short(told, LONGEST_SENTENCE),), brief=True)


def _agreement(jury: JuryResult, scale: Scale) -> str:
    """`Krippendorff's alpha 0.62 [0.50, 0.71]; pass or fail, AC1 0.80 [0.70, 0.88]; 3 judges, 120 answers`."""
    told = []
    if jury.alpha is not None:
        told.append(f"Krippendorff's alpha {_figure(jury.alpha)}")
    if jury.marks is not None:
        told.append(f"pass or fail at {_opinion(jury.mark, scale)}, Gwet's AC1 {_figure(jury.marks)}")
    if jury.why_not:
        told.append(short(jury.why_not, LONGEST_SENTENCE))
    size = f"{len(jury.members)} judges, {numbers.counted(jury.answers, 'answer')}"
    return f"{'; '.join(told)} ({size})"


def _figure(found: Estimate) -> str:
    low, high = (numbers.NOTHING if end is None else numbers.plain(end) for end in (found.lower, found.upper))
    return f"{numbers.plain(found.value)} [{low}, {high}]"


def _opinion(value: float | None, scale: Scale) -> str:
    return numbers.NOTHING if value is None else against(value, None, scale)


def _mean(value: float | None, scale: Scale) -> str:
    return "" if value is None else f"{_opinion(value, scale)} → "


def _contested(one: ContestedAnswer, scale: Scale) -> str:
    opinions = " / ".join(
        numbers.plain(value) if scale is None else against(value, None, scale) for value in one.opinions
    )
    return f"{short(one.case)} ({one.arm}, sample {one.index + 1}) {opinions}"
