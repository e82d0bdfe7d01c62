"""Answers that were known: how many, how old, what was asked side by side, and whether they still hold."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.domain.record_new import NewSuiteRecord
from gate.domain.record_parts import ArmReuseRecord, ReuseRecord
from gate.report import numbers
from gate.report.parts.whole import Code, Fact, Text
from gate.report.slices import LONGEST_SENTENCE, short, suite_label

SUITES_SHOWN = 3
"""Suites whose drift stands in the first lines; the facts have them all."""

_Named = tuple[str, ReuseRecord]


def footnote(run: RunRecord) -> tuple[str, ...]:
    """One sentence for the whole run; none where nothing was known."""
    told = _sentence([reuse for _, reuse in _known(run) if _reused(reuse) or reuse.opinions], run)
    return (f"Answers reused: {told}.",) if told else ()


def drifts(run: RunRecord) -> tuple[Text, ...]:
    """A sentence for each of the first suites whose known answers no longer hold."""
    found = [(name, why) for name, reuse in _known(run) if (why := _drift(reuse))]
    told = tuple(((Code(name), ": ") if name else ()) + (f"{why}.",) for name, why in found[:SUITES_SHOWN])
    more = len(found) - SUITES_SHOWN
    return (*told, *(((f"and {more:,} more suites whose known answers no longer hold",),) if more > 0 else ()))


def reuse_facts(run: RunRecord) -> Iterator[Fact]:
    """One line for each suite of a run over several; of a run over one the footnote says it all."""
    for name, reuse in _known(run):
        told = _sentence([reuse], run)
        if name and told:
            yield Fact(f"{name}: answers reused", (told,))
        if why := _drift(reuse):
            yield Fact(f"{name}: drift" if name else "drift", (why,))


def _known(run: RunRecord) -> list[_Named]:
    """What is known of each suite, under its name where that is needed."""
    suites: list[SuiteRecord | NewSuiteRecord] = [*run.suites, *run.new]
    return [(short(suite_label(run, s)), s.reuse) for s in suites if s.reuse is not None]


def _sentence(known: Sequence[ReuseRecord], run: RunRecord) -> str:
    """`270 of the baseline's 300 (the oldest 2 days old); 30 pairs were asked side by side …`, or nothing."""
    arms = {
        "baseline": [reuse.baseline for reuse in known if reuse.baseline is not None],
        "candidate": [reuse.candidate for reuse in known],
    }
    told = " and ".join(part for name, found in arms.items() if (part := _counted(name, found)))
    parts = [f"{told}{_age(known, run)}"] if told else []
    if told and arms["baseline"]:
        parts.append(_beside(known))
    if opinions := sum(reuse.opinions for reuse in known):
        parts.append(f"{'also ' if told else ''}{numbers.counted(opinions, 'opinion')} of judges")
    return "; ".join(parts)


def _counted(arm: str, found: Sequence[ArmReuseRecord]) -> str:
    reused = sum(one.reused for one in found)
    total = reused + sum(one.fresh for one in found)
    return f"{reused:,} of the {arm}'s {total:,}" if reused else ""


def _age(known: Sequence[ReuseRecord], run: RunRecord) -> str:
    """Relative to the run, so that a report reads the same whenever it is rendered."""
    times = [at for reuse in known if (at := _time(reuse.oldest)) is not None]
    created = _time(run.created)
    if not times or created is None:
        return ""
    return f" (the oldest {numbers.age(max(0.0, (created - min(times)).total_seconds()))} old)"


def _time(text: str | None) -> datetime | None:
    """A time with its zone; a record may come from anywhere."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


def _beside(known: Sequence[ReuseRecord]) -> str:
    pairs = sum(reuse.pairs for reuse in known)
    if not pairs:
        return "no pair was asked side by side"
    looked = [reuse.drift for reuse in known if reuse.drift is not None]
    calm = ", and showed no drift" if looked and all(drift.reason is None for drift in looked) else ""
    verb = "pair was" if pairs == 1 else "pairs were"
    return f"{pairs:,} {verb} asked side by side for cost and latency{calm}"


def _drift(reuse: ReuseRecord) -> str:
    """Why known answers no longer hold, and what was done about it; empty where they do."""
    if reuse.drift is None or reuse.drift.reason is None:
        return ""
    reason = short(reuse.drift.reason, LONGEST_SENTENCE)
    return f"Known answers were set aside, since {reason}; {'the others' if _reused(reuse) else 'all'} were asked anew"


def _reused(reuse: ReuseRecord) -> int:
    return (0 if reuse.baseline is None else reuse.baseline.reused) + reuse.candidate.reused
