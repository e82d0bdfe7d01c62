"""How far a judge agrees with people, as a report of a run quotes it."""

from gate.domain.judge_calibration import FigureRecord
from gate.domain.judge_quote import JudgeQuote
from gate.report import numbers
from gate.report.calibration.judge_numbers import shares


def sentence(judge: JudgeQuote) -> str:
    """`agrees with people on 91 % [86, 95] of the answers (n = 120, 2026-11-22)`, or why nothing can be said.

    Where several answers are to one question: `(91 answers to 15 questions, 2026-11-22)`.

    Args:
        judge: as the record has it.
    """
    if judge.agreement is not None:
        value, lower, upper = judge.agreement
        share = shares(FigureRecord(value=value, lower=lower, upper=upper))
        return f"agrees with people on {share} of the answers ({_size(judge)}, {judge.created})"
    if judge.standing == "another judge":
        return (
            f"not calibrated as it is: its model, criteria or prompt have changed since its calibration of "
            f"{judge.created}"
        )
    if judge.standing == "another threshold":
        return f"not calibrated as it is: its threshold has changed since its calibration of {judge.created}"
    if judge.standing == "unreadable":
        return f"not calibrated: {judge.reason}"
    return "not calibrated: how far it agrees with people was not measured"


def _size(judge: JudgeQuote) -> str:
    if judge.units == judge.answers:
        return f"n = {judge.answers:,}"
    return f"{numbers.counted(judge.answers, 'answer')} to {numbers.counted(judge.units, 'question')}"
