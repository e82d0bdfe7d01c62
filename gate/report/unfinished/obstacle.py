"""Why a run has no verdict: short in the first line, and in full right below where that is too long for it."""

import re

from gate.domain.record import RunRecord
from gate.domain.verdict import Verdict
from gate.domain.words import undecided
from gate.report import numbers
from gate.report.parts.whole import Text
from gate.report.slices import LONGEST_SENTENCE, short
from gate.report.unfinished import ended_early as unfinished

LONGEST_HEADING = 120
"""Characters of the first line behind the verdict."""
_FEWEST = 30
"""A clause that is shorter, as a path in front of a message, does not say what is the matter."""
_TIMES = re.compile(r"^[\d,]+ × ")


def heading(run: RunRecord, worst: Text) -> Text:
    """The obstacle as the first line has it.

    Args:
        run: an inconclusive one.
        worst: the worst slice, which is added where there is room for it.
    """
    whole = _whole(run)
    if len(whole) > LONGEST_HEADING:
        return (_cut(whole),)
    length = len(whole) + sum(len(part if isinstance(part, str) else part.text) for part in worst)
    return (whole, *worst) if length <= LONGEST_HEADING else (whole,)


def nothing_scored(run: RunRecord) -> bool:
    """The run came to its end, and not one sample has a score."""
    return run.unfinished is None and run.missing.samples == run.missing.total > 0


def in_full(run: RunRecord) -> Text:
    """The whole of what the first line cuts; empty where it cuts nothing."""
    whole = _whole(run)
    return (f"Why: {whole}{'' if whole.endswith('…') else '.'}",) if len(whole) > LONGEST_HEADING else ()


def said(run: RunRecord, reason: str) -> bool:
    """Is this reason what the first line says, or what stands in full below it?"""
    # What they could change, and which cases to ask again, is idle talk where it is all of them.
    if unfinished.said(run, reason) or nothing_scored(run):
        return True
    return run.verdict is Verdict.INCONCLUSIVE and short(reason, LONGEST_SENTENCE).rstrip(".") == _whole(run)


def _whole(run: RunRecord) -> str:
    if found := unfinished.obstacle(run):
        return "".join(part if isinstance(part, str) else part.text for part in found)
    missing = run.missing
    if nothing_scored(run):
        none = f"not one of {numbers.counted(missing.total, 'sample')} has a score"
        return f"{none}: {_cause(missing.reasons[0])}" if len(missing.reasons) == 1 else none
    told = (f"{missing.samples} of ", f"{missing.samples:,} of ")
    unsettled = bool(run.reasons) and run.reasons[0].startswith(told)
    if unsettled and missing.best is not missing.worst:
        return undecided(missing.samples, missing.total)
    if not run.reasons:
        return "the evaluation could not be finished"
    return short(run.reasons[0], LONGEST_SENTENCE).rstrip(".")


def _cause(reason: str) -> str:
    """Without how often, where that is always."""
    return short(_TIMES.sub("", reason), LONGEST_SENTENCE).rstrip(".")


def _cut(text: str) -> str:
    """The first clauses that fit: up to a semicolon, else to a colon, else as many words as there is room for."""
    clause = text.partition("; ")[0]
    if len(clause) > LONGEST_HEADING:
        room = clause[:LONGEST_HEADING]
        clause = room.rpartition(": ")[0]
        if len(clause) < _FEWEST:
            return (room[:-1].rpartition(" ")[0] or room[:-1]).rstrip(",:") + "…"
    return clause
