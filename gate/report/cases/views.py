"""Cases that explain a fall, with the answers of both arms."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gate.domain.jsonvalue import JsonValue
from gate.domain.record import RunRecord
from gate.domain.record_compared import CaseRecord
from gate.domain.record_parts import OutputRecord
from gate.domain.sample import mean_score
from gate.report import numbers
from gate.report.cases.carriers import carriers
from gate.report.cases.talk import course, talk
from gate.report.differences.answers import Diff, difference
from gate.report.escape import visible
from gate.report.parts.cases import Answer, CaseView
from gate.report.scorers.words import Scale, against
from gate.report.slices import LONGEST_SENTENCE, short

SLICES_NAMED = 8
REASONS_SHOWN = 5


def cases(run: RunRecord) -> tuple[CaseView, ...]:
    """The cases that carry what the first line says, or else those that fell most.

    Args:
        run: a finished run.
    """
    return tuple(_case(one.full, one.record) for one in carriers(run).cases)


def slices_of(slices: Mapping[str, str]) -> str:
    """`lang=de, tier=free`."""
    pairs = [f"{dimension}={value}" for dimension, value in slices.items()]
    rest = len(pairs) - SLICES_NAMED
    return ", ".join(map(short, pairs[:SLICES_NAMED])) + (f" and {rest:,} more" if rest > 0 else "")


def _case(full: str, case: CaseRecord) -> CaseView:
    baseline, candidate = answers(_sorted(case.baseline_outputs, -1)), answers(_sorted(case.candidate_outputs, 1))
    return CaseView(
        name=short(full),
        slices=slices_of(case.slices),
        scores=f"{numbers.score(mean_score(case.baseline))} → {numbers.score(mean_score(case.candidate))}",
        question=None if case.input is None else visible(case.input),
        expected=None if case.expected is None else visible(plain(case.expected)),
        baseline=baseline,
        candidate=candidate,
        diff=diff(baseline, candidate),
    )


def diff(baseline: Sequence[Answer], candidate: Sequence[Answer]) -> Diff | None:
    """Of the first answers of both arms; None where one of them is no answer.

    Args:
        baseline, candidate: in the order in which they are told.
    """
    if not baseline or not candidate or baseline[0].text is None or candidate[0].text is None:
        return None
    return difference(baseline[0].text, candidate[0].text)


def _sorted(outputs: Sequence[OutputRecord], sign: int) -> list[OutputRecord]:
    """The best first, or the worst; last what has no score, and what is no answer."""

    def place(one: OutputRecord) -> tuple[bool, bool, float, int]:
        return one.text is None, one.score is None, sign * (one.score or 0.0), one.index

    return sorted(outputs, key=place)


def plain(value: JsonValue) -> str:
    """A reference answer as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


@dataclass(frozen=True, slots=True)
class _Alike:
    """What answers have in common that are shown once."""

    text: str | None
    failure: str | None
    score: float | None
    reasons: tuple[str, ...]
    ending: str
    said: tuple[object, ...]


def answers(outputs: Sequence[OutputRecord], scale: Scale = None) -> tuple[Answer, ...]:
    """Answers that are alike in text, score, reasons, ending and all that was said and done before are shown once.

    Args:
        outputs: of one case and arm.
        scale: that their scores are shown on.
    """
    alike: dict[_Alike, list[OutputRecord]] = {}
    for output in outputs:
        said = course(output.transcript)
        one = _Alike(output.text, output.failure, output.score, tuple(output.reasons), output.ending, said)
        alike.setdefault(one, []).append(output)
    return tuple(
        replace(_answer(one, sorted(output.index + 1 for output in same), len(outputs), scale), talk=talk(same[0]))
        for one, same in alike.items()
    )


def _answer(one: _Alike, samples: Sequence[int], total: int, scale: Scale) -> Answer:
    text = None if one.text is None else visible(one.text)
    reasons = tuple(short(reason, LONGEST_SENTENCE) for reason in one.reasons)
    told = (reasons[:REASONS_SHOWN], reasons[REASONS_SHOWN:])
    if total == 1:
        which = ""
    elif len(samples) == total:
        which = "both samples: " if total == 2 else f"all {total} samples: "
    else:
        which = f"{'sample' if len(samples) == 1 else 'samples'} {', '.join(map(str, samples))}: "
    which += f"{one.ending}, " if one.ending else ""
    if one.failure is not None:
        what = "no answer" if text is None else "no score"
        return Answer(f"{which}{what}: {short(one.failure, LONGEST_SENTENCE)}", text, *told)
    score = "no score" if one.score is None else f"score {against(one.score, None, scale)}"
    return Answer(f"{which}{score}", text, *told)
