"""The cases that fell most, with the answers of both arms."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gate.domain.jsonvalue import JsonValue
from gate.domain.record import RunRecord
from gate.domain.record_compared import CaseRecord
from gate.domain.record_parts import OutputRecord
from gate.domain.verdict import State
from gate.report import numbers
from gate.report.escape import visible
from gate.report.parts_cases import Answer, CaseView
from gate.report.scorer_words import Scale, against
from gate.report.slices import LONGEST_SENTENCE, in_state, of_run, short
from gate.report.talk import course, talk

CASES_SHOWN = 5
SLICES_NAMED = 8
REASONS_SHOWN = 5


def cases(run: RunRecord) -> tuple[CaseView, ...]:
    """The cases with the largest falls, worst first; among equals those of a slice that regressed."""
    fallen = {named.full for named in in_state(of_run(run), State.REGRESSION)}
    several = len(run.suites) > 1
    found: list[tuple[float, int, str, CaseRecord]] = []
    for suite in run.suites:
        prefix = f"{suite.name}/" if several else ""
        for case in suite.cases:
            if case.delta is None or case.delta >= -1e-9:
                continue
            hits = sum(f"{prefix}{dimension}={value}" in fallen for dimension, value in case.slices.items())
            found.append((round(case.delta, 9), -hits, f"{prefix}{case.id}", case))
    found.sort(key=lambda item: item[:3])
    return tuple(_case(full, case) for _, _, full, case in found[:CASES_SHOWN])


def slices_of(slices: Mapping[str, str]) -> str:
    """`lang=de, tier=free`."""
    pairs = [f"{dimension}={value}" for dimension, value in slices.items()]
    rest = len(pairs) - SLICES_NAMED
    return ", ".join(map(short, pairs[:SLICES_NAMED])) + (f" and {rest:,} more" if rest > 0 else "")


def _case(full: str, case: CaseRecord) -> CaseView:
    return CaseView(
        name=short(full),
        slices=slices_of(case.slices),
        scores=f"{_mean(case.baseline)} → {_mean(case.candidate)}",
        question=None if case.input is None else visible(case.input),
        expected=None if case.expected is None else visible(plain(case.expected)),
        baseline=answers(case.baseline_outputs),
        candidate=answers(case.candidate_outputs),
    )


def _mean(scores: Sequence[float | None]) -> str:
    known = [score for score in scores if score is not None]
    return numbers.score(sum(known) / len(known) if known else None)


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
        replace(_answer(one, [output.index + 1 for output in same], len(outputs), scale), talk=talk(same[0]))
        for one, same in alike.items()
    )


def _answer(one: _Alike, samples: Sequence[int], total: int, scale: Scale) -> Answer:
    text = None if one.text is None else visible(one.text)
    reasons = tuple(short(reason, LONGEST_SENTENCE) for reason in one.reasons)
    told = (reasons[:REASONS_SHOWN], reasons[REASONS_SHOWN:])
    if total == 1:
        which = ""
    elif len(samples) == total:
        which = f"all {total} samples: "
    else:
        which = f"{'sample' if len(samples) == 1 else 'samples'} {', '.join(map(str, samples))}: "
    which += f"{one.ending}, " if one.ending else ""
    if one.failure is not None:
        what = "no answer" if text is None else "no score"
        return Answer(f"{which}{what}: {short(one.failure, LONGEST_SENTENCE)}", text, *told)
    score = "no score" if one.score is None else f"score {against(one.score, None, scale)}"
    return Answer(f"{which}{score}", text, *told)
