"""What a run was, in a line: what was compared with what, when, how much of it, and what it took."""

from collections.abc import Iterator
from datetime import UTC, datetime

from gate.domain.record import RunRecord
from gate.domain.record_parts import CallsRecord
from gate.report import numbers
from gate.report.page.telling import suites_of
from gate.report.parts.whole import Code, Text
from gate.report.slices import short


def about(run: RunRecord) -> Iterator[tuple[str, Text]]:
    """Names and values, in the order in which they are told."""
    if run.commit:
        yield "Commit", (Code(short(run.commit[:12])),)
    refs = tuple(dict.fromkeys(suite.baseline.ref for suite in run.suites))
    if len(refs) == 1:
        yield "Against", (Code(short(refs[0])),)
    models = tuple(dict.fromkeys(suite.candidate.model for suite in suites_of(run)))
    if len(models) == 1:
        yield "Model", (Code(short(models[0])),)
    if run.evaluated:
        cases = sum(suite.exam.cases for suite in suites_of(run))
        yield "Cases", (f"{cases:,}",)
        yield "Calls", (_calls(run.calls),)
    if run.spent_usd:
        yield "Spent", (numbers.dollars(run.spent_usd),)
    yield "Took", (numbers.duration(run.duration_s),)
    yield "Made", (_day(run.created),)
    yield "Exit code", (str(run.exit_code),)


def _calls(calls: CallsRecord) -> str:
    """What was asked, and what else there was to tell of it."""
    also = ((calls.cached, "from a cache"), (calls.failed, "failed"))
    return ", ".join([f"{calls.made:,}", *(f"{count:,} {what}" for count, what in also if count)])


def _day(created: str) -> str:
    """`20 November 2026, 09:30 UTC`; what is no time stays as it is."""
    try:
        when = datetime.fromisoformat(created).astimezone(UTC)
    except (ValueError, OverflowError):
        return short(created)
    return f"{when.day} {when:%B %Y, %H:%M} UTC"
