"""One sentence on the slices won and lost, and what the exam could not see."""

from collections.abc import Iterator, Sequence

from gate.domain.record import RunRecord
from gate.domain.verdict import FEWEST_UNITS, State
from gate.report import numbers
from gate.report.parts.whole import Code, Text
from gate.report.slices import (
    NAMES_SHOWN,
    Named,
    in_state,
    name,
    names,
    of_run,
    short,
    tolerated,
    unmoved,
    within_margin,
)
from gate.report.verdict.aside import setter

NOTABLE_FALL = 0.1
"""A fall of a slice that is too small to decide is mentioned from this size on."""

_ALONE = {
    State.REGRESSION: "fell",
    State.SUSPECT: "may have fallen",
    State.IMPROVEMENT: "rose",
    State.NOISE: "shows no change",
    State.TOO_FEW: "is too small to say",
}


def sentence(run: RunRecord) -> Text:
    """One sentence on the slices won and lost, and one on what this exam could not see."""
    if run.override is not None and run.skipped_by_label:
        return setter(run.override)
    if not run.suites:
        return ()
    slices = of_run(run)
    if not any(named.record.n for named in slices):
        return ("No case has a score of both arms, so nothing can be compared.",)
    parts: list[str | Code] = []
    if len(run.suites) == 1:
        parts += [_overall(slices[0]), "; "]
        slices = slices[1:]
    if not slices:
        return ("".join(map(str, parts[:-1])) + "; the exam has no slices.", *_unseen(run))
    if len(slices) == 1 and parts and not tolerated(slices[0]):
        alone = ("the one slice, ", name(slices[0]), f", {_ALONE[slices[0].record.state]}")
        return (*parts, *alone, ".", *_small_and_lower(slices), *_unseen(run))
    suites = f" in {len(run.suites)} suites" if len(run.suites) > 1 else ""
    parts.append(f"{'of' if parts else 'Of'} {numbers.counted(len(slices), 'slice')}{suites}, ")
    return (*parts, *_tally(slices), ".", *_small_and_lower(slices), *_unseen(run))


def _overall(named: Named) -> str:
    record = named.record
    if record.state is State.TOO_FEW or record.mean is None:
        return f"Overall there is too little to decide ({numbers.counted(record.n, 'case')})"
    span = f"{numbers.delta(record.mean)} {numbers.interval(record.lower, record.upper)}"
    size = numbers.score(abs(record.mean))
    if unmoved(named):
        return "Overall not one case moved"
    if tolerated(named):
        margin = numbers.score(record.margin)
        inside = f"within its margin of {margin}"
        return f"Overall quality fell by {size}, {inside if within_margin(named) else f'not shown to exceed {margin}'}"
    return {
        State.REGRESSION: f"Overall quality fell by {size}",
        State.SUSPECT: f"Overall quality may have fallen by {size}",
        State.IMPROVEMENT: f"Overall quality rose by {size}",
    }.get(record.state, f"Overall no change is shown ({span})")


def _tally(slices: Sequence[Named]) -> tuple[str | Code, ...]:
    tolerant = any(tolerated(named) for named in slices)
    said = (
        (State.REGRESSION, "fell beyond its margin" if tolerant else "fell"),
        (State.SUSPECT, "may have fallen"),
        (State.IMPROVEMENT, "rose"),
        (State.NOISE, ""),
        (State.TOO_FEW, ""),
    )
    clauses: list[tuple[str | Code, ...]] = []
    fell = [named for named in slices if tolerated(named)]
    slices = [named for named in slices if not tolerated(named)]
    for state, verb in said:
        found = in_state(slices, state)
        if state is State.NOISE:
            clauses += _in_margins(fell)
        if not found and state is not State.REGRESSION:
            continue
        if verb:
            listed: Text = (" (", *names(found), ")") if found else ()
            clauses.append((f"{len(found) or 'none'} {verb}", *listed))
        else:
            clauses.append((_quiet(state, len(found)),))
    out: list[str | Code] = []
    for place, clause in enumerate(clauses):
        out += [", " if 0 < place < len(clauses) - 1 else " and " if place else "", *clause]
    return tuple(out)


def _in_margins(fell: Sequence[Named]) -> Iterator[tuple[str | Code, ...]]:
    """What fell and is tolerated: for sure, or for want of proof."""
    inside = sum(within_margin(named) for named in fell)
    if inside:
        yield (f"{inside:,} fell within {'its' if inside == 1 else 'their'} margin",)
    if doubtful := [named for named in fell if not within_margin(named)]:
        margin = "its margin" if len(doubtful) == 1 else "their margins"
        yield (
            f"{len(doubtful):,} fell and {'is' if len(doubtful) == 1 else 'are'} not shown to exceed {margin} (",
            *names(doubtful),
            ")",
        )


def _quiet(state: State, count: int) -> str:
    if state is State.NOISE:
        return f"{count:,} {'shows' if count == 1 else 'show'} no change"
    return f"{count:,} {'is' if count == 1 else 'are'} too small to say"


def _small_and_lower(slices: Sequence[Named]) -> Text:
    """A warning: what is too small to block is not thereby fine."""
    small = [named for named in in_state(slices, State.TOO_FEW) if named.record.units < FEWEST_UNITS]
    lower = [named for named in small if named.record.mean is not None and named.record.mean <= -NOTABLE_FALL]
    if not lower:
        return ()
    lowest = min(lower, key=lambda named: (named.record.mean or 0.0, named.full))
    cases = numbers.counted(lowest.record.n, "case")
    rest = f", and {len(lower) - 1:,} more" if len(lower) > 1 else ""
    return (" Too small to say, yet lower: ", name(lowest), f" {numbers.delta(lowest.record.mean)} ({cases}){rest}.")


def _unseen(run: RunRecord) -> Text:
    """How large a fall would have gone unnoticed, where no change is shown overall; in several suites, in which."""
    still = [named.record.units for named in of_run(run) if named.overall and unmoved(named)]
    if still and len(still) == len(run.suites):
        least = min(still)
        share, sure = 1.0 - run.method.alpha ** (1.0 / least), numbers.share(1.0 - run.method.alpha)
        where = "" if len(still) == 1 else " in the smallest suite"
        upto = numbers.share(share)
        return (f" Where not one of {least:,} moves{where}, up to {upto} of such cases still may ({sure} sure).",)
    quiet = [suite for suite in run.suites if suite.quality.overall.state is State.NOISE]
    known = [(mde, suite.name) for suite in quiet if (mde := suite.quality.overall.mde) is not None]
    if not known:
        return ()
    known.sort(key=lambda one: -one[0])
    size, suite = numbers.score(known[0][0]), Code(short(known[0][1]))
    if len(run.suites) == 1:
        return (f" An overall fall smaller than about {size} could have gone unnoticed.",)
    if len(known) == 1:
        return (" In ", suite, f" an overall fall smaller than about {size} could have gone unnoticed.")
    if len(known) > NAMES_SHOWN:
        return (f" Overall falls of up to about {size} could have gone unnoticed in {len(known):,} suites.",)
    told: list[str | Code] = []
    for mde, where in known:
        told += [", " if told else "", f"{numbers.score(mde)} in ", Code(short(where))]
    return (" Overall falls smaller than about these could have gone unnoticed: ", *told, ".")
