"""What a judge's calibration says slice by slice, and answer by answer."""

from collections.abc import Iterable, Iterator

from gate.domain.judge_calibration import DisagreementRecord, JudgeCalibrationRecord, SliceRecord, told
from gate.report import numbers
from gate.report.calibration.judge_numbers import shares, short, whole
from gate.report.sheet import Grid, Line

LEAST_UNITS = 10
"""Independent questions of a slice below which its interval says next to nothing."""
NAMED = 5
"""Slices below that, which are named."""
_SURE = 1e-9


def slices(found: JudgeCalibrationRecord) -> Grid:
    """The slices that can say something; the others in one sentence."""
    enough = [one for one in found.slices if one.units >= LEAST_UNITS]
    lines = tuple(Line((one.name, f"{one.answers:,}", f"{one.units:,}", shares(one.share))) for one in enough)
    below = list(_folded([one for one in found.slices if one.units < LEAST_UNITS], found.more_slices))
    if len(lines) > 1:
        below.insert(0, "Each interval stands for itself: among many slices some look good or bad by chance.")
    return Grid("By slice", ("slice", "answers", "independent questions", "agreement"), lines, tuple(below))


def _folded(few: list[SliceRecord], more: int) -> Iterator[str]:
    if few:
        named = ", ".join(f"{one.name} ({numbers.counted(one.answers, 'answer')})" for one in few[:NAMED])
        rest = f" and {len(few) - NAMED:,} more" if len(few) > NAMED else ""
        many = "1 slice has" if len(few) == 1 else f"{len(few):,} slices have"
        yield f"{many} fewer than {LEAST_UNITS} independent questions, too few to tell: {named}{rest}."
    if more:
        yield f"{numbers.counted(more, 'smaller slice')} not looked at."


def disagreements(found: JudgeCalibrationRecord) -> Grid:
    """Each answer once, under its question; all of it texts, which may wrap."""
    if not found.disagreements:
        return Grid("", (), ())
    shown = len(found.disagreements)
    title = f"Where judge and people differ: {numbers.counted(found.differing, 'answer')}"
    title += f", the {shown} furthest apart" if found.differing > shown else ""
    return Grid(f"{title} ({found.judge.told(found.judge.threshold)} passes)", (), (), tuple(_told(found)))


def _told(found: JudgeCalibrationRecord) -> Iterator[str]:
    said: dict[str, str] = {}
    for head, rows in _by_question(found.disagreements):
        yield head
        for row in rows:
            known = said.setdefault(row.reason, row.id)
            why = f"“{short(row.reason)}”" if known == row.id else f"the same reason as for {known}"
            both = f"people {_label(row, found)}, the judge {found.judge.told(row.judge)}"
            answer = f"“{short(row.output)}”" if row.output.strip() else "(empty)"
            yield f"• {row.id} ({_place(row, found)}): {both}. Answer: {answer} Judge: {why}"


def _by_question(rows: Iterable[DisagreementRecord]) -> Iterator[tuple[str, list[DisagreementRecord]]]:
    """Answers to one question, or of one cluster, follow each other; the question that is furthest apart first."""
    groups: dict[str, list[DisagreementRecord]] = {}
    for row in rows:
        groups.setdefault(row.cluster or f"\0{row.question}", []).append(row)
    for own in groups.values():
        name = f"{own[0].cluster}: asked" if own[0].cluster else "Asked"
        yield f"{name} “{short(own[0].question)}”", own


def _place(row: DisagreementRecord, found: JudgeCalibrationRecord) -> str:
    """The line, where it is one of the file that the notes name."""
    return row.where.replace(f"{found.labels.file}:", "line ", 1)


def _label(row: DisagreementRecord, found: JudgeCalibrationRecord) -> str:
    labels = found.labels
    if labels.graded:
        return told(row.people, (labels.low, labels.high))
    if row.people > 1.0 - _SURE:
        return "pass"
    return f"pass ({whole(row.people)} of them)" if row.people > _SURE else "fail"
