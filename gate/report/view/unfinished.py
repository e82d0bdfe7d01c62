"""Why there is no verdict, what a run that ended early left out, and replies that were cut short."""

import re
from collections.abc import Iterator, Sequence

from gate.record.comparison import Verdict
from gate.record.parts import ArmRecord
from gate.record.run import RunRecord
from gate.report import numbers
from gate.report.view.slices import LONGEST_SENTENCE, NAMES_SHOWN, Code, Text, short_line
from gate.values import undecided


def suites_asked_again(run: RunRecord) -> tuple[str, ...]:
    """Suites with an agent that may differ from one time to the next, and so is asked again."""
    return tuple(dict.fromkeys(suite for suite, arm in _arms(run) if not arm.remembered))


def has_kept_answers(run: RunRecord) -> bool:
    """Whether there are answers that need not be paid for again."""
    return any(arm.remembered for _, arm in _arms(run))


def _arms(run: RunRecord) -> Iterator[tuple[str, ArmRecord]]:
    for suite in run.suites:
        yield from ((suite.name, suite.baseline), (suite.name, suite.candidate))
    yield from ((new.name, new.candidate) for new in run.new)


_BUDGET = re.compile(r"the budget of .*; raise (the input )?([\w.-]+), or ")
"""What `gate.calls.budget` says when a limit is reached; the groups are what sets it."""

_FORETOLD = re.compile(r": it will end INCONCLUSIVE\b.*")
"""What `gate.engine.noise` says before a run whose budget is too small."""

_ENDED = ("SIGTERM", "SIGINT", "the test run ended")
"""Somebody ended the run, and there is nothing to fix."""


def early_end(run: RunRecord) -> Text:
    """What follows the verdict in the first line; empty where the run was complete."""
    if run.unfinished is None:
        return ()
    return (
        short_line(run.unfinished, LONGEST_SENTENCE),
        *((f"; {_missing(run)} missing",) if run.missing.samples else ()),
    )


def early_end_says(run: RunRecord, reason: str) -> bool:
    """Whether the first line already says this reason."""
    return run.unfinished is not None and reason == f"The evaluation was not finished: {run.unfinished}."


def note_after_run(run: RunRecord, note: str) -> str:
    """A note as it is true after the run: that a budget would end it says nothing new where one did."""
    return note if run.unfinished is None else _FORETOLD.sub(".", note)


def early_end_notes(run: RunRecord) -> tuple[str, ...]:
    """What is missing, and what became of the rest."""
    if run.unfinished is None or not run.missing.samples:
        return ()
    rest = run.missing.total - run.missing.samples
    if not rest:
        return ()
    if again := suites_asked_again(run):
        others = " All other answers are kept." if has_kept_answers(run) else ""
        return (f"The agent of {_named(again)} may be another one the next time, so it is asked again.{others}",)
    return (f"Nothing is lost: the answers to the other {rest:,} are kept, and the next run takes up from there.",)


def early_end_steps(run: RunRecord) -> Iterator[Text]:
    """How to go on; empty where the run was complete."""
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
    """What another run does not pay for again."""
    if not suites_asked_again(run):
        return ": only what is missing will be paid for"
    return ": what is kept will not be paid for again" if has_kept_answers(run) else ""


def _named(suites: Sequence[str]) -> str:
    rest = len(suites) - NAMES_SHOWN
    return ", ".join(map(short_line, suites[:NAMES_SHOWN])) + (f" and {rest:,} more" if rest > 0 else "")


def _missing(run: RunRecord) -> str:
    missing = run.missing
    verb = "is" if missing.samples == 1 else "are"
    return f"{missing.samples:,} of {numbers.counted(missing.total, 'sample')} {verb}"


LONGEST_HEADING = 120
"""Characters of the first line after the verdict."""
_FEWEST = 30
"""A shorter clause, such as a path in front of a message, does not say what is wrong."""
_TIMES = re.compile(r"^[\d,]+ × ")


def obstacle_heading(run: RunRecord, worst: Text) -> Text:
    """What stands in the way of a verdict, for the first line, with the worst slice where there is room."""
    whole = _whole(run)
    if len(whole) > LONGEST_HEADING:
        return (_cut(whole),)
    length = len(whole) + sum(len(part if isinstance(part, str) else part.text) for part in worst)
    return (whole, *worst) if length <= LONGEST_HEADING else (whole,)


def nothing_scored(run: RunRecord) -> bool:
    """Whether the run was complete without a single score."""
    return run.unfinished is None and run.missing.samples == run.missing.total > 0


def obstacle_in_full(run: RunRecord) -> Text:
    """The full text of what the first line cuts; empty where it cuts nothing."""
    whole = _whole(run)
    return (f"Why: {whole}{'' if whole.endswith('…') else '.'}",) if len(whole) > LONGEST_HEADING else ()


def obstacle_says(run: RunRecord, reason: str) -> bool:
    """Whether the first line, or the full text below it, already says this reason."""
    # What they could change, and which cases to ask again, is idle talk where it is all of them.
    if early_end_says(run, reason) or nothing_scored(run):
        return True
    return run.verdict is Verdict.INCONCLUSIVE and short_line(reason, LONGEST_SENTENCE).rstrip(".") == _whole(run)


def _whole(run: RunRecord) -> str:
    if found := early_end(run):
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
    return short_line(run.reasons[0], LONGEST_SENTENCE).rstrip(".")


def _cause(reason: str) -> str:
    """The reason without how often it occurred, where that is always."""
    return short_line(_TIMES.sub("", reason), LONGEST_SENTENCE).rstrip(".")


def _cut(text: str) -> str:
    """The first clauses that fit: up to a semicolon, else a colon, else as many words as there is room for."""
    clause = text.partition("; ")[0]
    if len(clause) > LONGEST_HEADING:
        room = clause[:LONGEST_HEADING]
        clause = room.rpartition(": ")[0]
        if len(clause) < _FEWEST:
            return (room[:-1].rpartition(" ")[0] or room[:-1]).rstrip(",:") + "…"
    return clause



























