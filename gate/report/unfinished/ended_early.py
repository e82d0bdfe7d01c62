"""A run that ended early: what is missing, what is kept, and how to go on."""

import re
from collections.abc import Iterator, Sequence

from gate.domain.record import RunRecord
from gate.report import numbers
from gate.report.parts.whole import Code, Text
from gate.report.slices import LONGEST_SENTENCE, NAMES_SHOWN, short
from gate.report.unfinished import remembered

_BUDGET = re.compile(r"the budget of .*; raise (the input )?([\w.-]+), or ")
"""What `gate.calls.budget` says when a limit is reached; the groups are what set it."""

_FORETOLD = re.compile(r": it will end INCONCLUSIVE\b.*")
"""What `gate.engine.cautions` says before a run of a budget that does not suffice."""

_ENDED = ("SIGTERM", "SIGINT", "the test run ended")
"""Somebody ended the run, and there is nothing to mend."""


def obstacle(run: RunRecord) -> Text:
    """What follows the verdict in the first line; empty where the run came to its end."""
    if run.unfinished is None:
        return ()
    return (short(run.unfinished, LONGEST_SENTENCE), *((f"; {_missing(run)} missing",) if run.missing.samples else ()))


def said(run: RunRecord, reason: str) -> bool:
    """Is this reason what the first line says?"""
    return run.unfinished is not None and reason == f"The evaluation was not finished: {run.unfinished}."


def by_now(run: RunRecord, note: str) -> str:
    """A note as it is true after the run: that a budget would end it is no news where one did."""
    return note if run.unfinished is None else _FORETOLD.sub(".", note)


def notes(run: RunRecord) -> tuple[str, ...]:
    """What is missing, and what became of the rest."""
    if run.unfinished is None or not run.missing.samples:
        return ()
    rest = run.missing.total - run.missing.samples
    if not rest:
        return ()
    if again := remembered.asked_again(run):
        others = " All other answers are kept." if remembered.something_kept(run) else ""
        return (f"The agent of {_named(again)} may be another one the next time, so it is asked again.{others}",)
    return (f"Nothing is lost: the answers to the other {rest:,} are kept, and the next run takes up from there.",)


def steps(run: RunRecord) -> Iterator[Text]:
    """How to go on; nothing where the run came to its end."""
    if run.unfinished is None:
        return
    rest = _unpaid(run) if run.missing.samples < run.missing.total else ""
    # A baseline's own words stand before the reason.
    why = run.unfinished.partition(": ")[2] if run.kind == "baseline" else run.unfinished
    if limit := _BUDGET.match(why):
        yield (f"Raise {limit[1] or ''}", Code(limit[2]), f", or run again as it is{rest}.")
    elif any(name in why for name in _ENDED):
        yield (f"Run again{rest}.",)
    else:
        yield (f"Mend what is named above, and run again{rest}.",)
    if rest:
        yield ("For that, a workflow has to restore ", Code(".gate/cache"), ", and to save it even if the gate fails.")


def _unpaid(run: RunRecord) -> str:
    """What running again does not cost."""
    if not remembered.asked_again(run):
        return ": only what is missing will be paid for"
    return ": what is kept will not be paid for again" if remembered.something_kept(run) else ""


def _named(suites: Sequence[str]) -> str:
    rest = len(suites) - NAMES_SHOWN
    return ", ".join(map(short, suites[:NAMES_SHOWN])) + (f" and {rest:,} more" if rest > 0 else "")


def _missing(run: RunRecord) -> str:
    missing = run.missing
    verb = "is" if missing.samples == 1 else "are"
    return f"{missing.samples:,} of {numbers.counted(missing.total, 'sample')} {verb}"
