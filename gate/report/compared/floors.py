"""Where nothing could have got worse: a baseline that scores 0 already, and scorers that gave 0 to every answer."""

from collections.abc import Iterator, Sequence

from gate.config.policy import OVERALL
from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.domain.sample import mean_score
from gate.domain.verdict import FEWEST_UNITS, State
from gate.report import numbers
from gate.report.parts.whole import Code, Text
from gate.report.slices import NAMES_SHOWN, Named, name, of_suite, short

MOST_ABOVE = 0.1
"""Share of cases above 0 up to which a baseline scores 0 in nearly all."""
SUITES_SHOWN = 3
REMEDY = "If they are right, mend the scorer or the cases; if not, mend the prompt, or take a model that obeys it"
"""What to do about answers that all score 0, once somebody has read some."""
_LOOK = "read some answers: the model may not obey, or the scorer or the cases may ask for the wrong thing"


def findings(run: RunRecord) -> tuple[Text, ...]:
    """A sentence for each suite that is at its floor, in whole or in slices, and for each scorer that never gave more.

    Args:
        run: a finished run. Half a run says nothing here, and neither does a slice that is too small to block.
    """
    if run.unfinished is not None:
        return ()
    told = [
        *(said for suite in run.suites if (said := _floor(floors(run, suite)))),
        *(said for suite in run.suites for said in _silent(run, suite)),
    ]
    rest = len(told) - 2 * SUITES_SHOWN
    more: tuple[Text, ...] = ((f"and {rest:,} more remarks on scores of 0",),) if rest > 0 else ()
    return (*told[: 2 * SUITES_SHOWN], *more)


def whole(run: RunRecord) -> tuple[Named, ...]:
    """`overall` of the suites in which nothing at all could have got worse."""
    if run.unfinished is not None:
        return ()
    return tuple(
        named for suite in run.suites for named, above in floors(run, suite)[:1] if named.overall and not above
    )


def floors(run: RunRecord, suite: SuiteRecord) -> list[tuple[Named, int]]:
    """What cannot fall, with how many of its cases still can: `overall` alone where it is one of them.

    Args:
        run, suite: of one record.
    """
    found = []
    for named in of_suite(run, suite):
        above = _above(suite, named)
        big = named.overall or named.record.units >= FEWEST_UNITS
        if big and above is not None and named.record.state is not State.IMPROVEMENT:
            if named.overall and not above:
                return [(named, 0)]
            found.append((named, above))
    return found


def _above(suite: SuiteRecord, named: Named) -> int | None:
    """Cases of which the baseline has more than 0; None where they are no exception."""
    record = named.record
    if not record.n or record.baseline is None:
        return None
    if record.baseline <= numbers.ZERO:
        return 0
    if record.baseline > MOST_ABOVE:
        return None
    inside = [
        mean_score(case.baseline) or 0.0
        for case in suite.cases
        if case.delta is not None
        and (named.local == OVERALL or named.local in {f"{key}={value}" for key, value in case.slices.items()})
    ]
    above = sum(score > numbers.ZERO for score in inside)
    return above if len(inside) == record.n and 0 < above <= MOST_ABOVE * record.n else None


def _floor(found: Sequence[tuple[Named, int]]) -> Text:
    """`The baseline already scores 0.000 in all 20 cases of lang=de: no change could make it worse there; …`."""
    none = [named for named, above in found if not above]
    if not none and not found:
        return ()
    if none:
        where = "here" if none[0].overall else "there"
        said: Text = (f"The baseline already scores {numbers.score(0.0)} in ", *_listed(none))
        return (*said, f": no change could make it worse {where}, so that none is shown says nothing; {_LOOK}.")
    named, above = found[0]
    what = f"all but {above:,} of the {numbers.counted(named.record.n, 'case')} of "
    few = "it could hardly be shown to get worse"
    return (f"The baseline already scores {numbers.score(0.0)} in {what}", name(named), f": {few}; {_LOOK}.")


def _listed(found: Sequence[Named]) -> Text:
    if len(found) == 1:
        (named,) = found
        one = named.record.n == 1
        return ("the only case of " if one else f"all {numbers.counted(named.record.n, 'case')} of ", name(named))
    out: list[str | Code] = []
    for named in found[:NAMES_SHOWN]:
        out += [", " if out else "all cases of ", name(named), f" ({named.record.n:,})"]
    rest = len(found) - NAMES_SHOWN
    return (*out, *((f" and {numbers.counted(rest, 'more slice')}",) if rest > 0 else ()))


def _silent(run: RunRecord, suite: SuiteRecord) -> Iterator[Text]:
    """Scorers among several that gave nothing but 0, over enough cases to say so."""
    if len(suite.scorers) < 2:
        return
    several = len(run.suites) > 1
    fewest = min(FEWEST_UNITS, suite.quality.overall.n)
    for one in suite.scorers:
        known = one.baseline is not None and one.candidate is not None and one.n >= max(1, fewest)
        if known and max(one.baseline or 0.0, one.candidate or 0.0) <= numbers.ZERO:
            where: Text = (" of ", Code(short(suite.name))) if several else ()
            over = numbers.counted(one.n, "case")
            found = f" gave 0 to every answer of both arms ({over})"
            why = "the model may never obey, or the scorer may look for the wrong thing"
            yield ("Scorer ", Code(short(one.name)), *where, f"{found}; read some of them: {why}.")
