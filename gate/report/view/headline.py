"""The first line of a report and the summary below it: what decided the verdict, or why there is none."""

from collections.abc import Iterator, Sequence, Set

from gate import numbers
from gate.record.comparison import FEWEST_UNITS, State, Verdict, undetected_share
from gate.record.findings.finding import Code, Text, plain, setting_name
from gate.record.findings.quality import AboveLimit, TooFewCases
from gate.record.findings.unfinished import BudgetReached, RunInterrupted
from gate.record.parts import ArmRecord
from gate.record.run import OverrideRecord, RunRecord
from gate.report.escape import one_line, terminal_text
from gate.report.slices import (
    LONGEST_SENTENCE,
    NamedSlice,
    is_tolerated,
    is_unmoved,
    is_within_margin,
    listed,
    movement,
    run_slices,
    short_line,
    slice_name,
    slice_names,
    slices_in_state,
    worst_slice,
)
from gate.report.view import pass_rates
from gate.values import NAMES_SHOWN, counted


def suites_not_cached(run: RunRecord) -> tuple[str, ...]:
    """Suites whose agent may differ from one run to the next, so that its answers are not cached."""
    return tuple(dict.fromkeys(suite for suite, arm in _arms(run) if not arm.remembered))


def has_cached_answers(run: RunRecord) -> bool:
    """Whether the next run finds answers of this one in the cache."""
    return any(arm.remembered for _, arm in _arms(run))


def _arms(run: RunRecord) -> Iterator[tuple[str, ArmRecord]]:
    for suite in run.suites:
        yield from ((suite.name, suite.baseline), (suite.name, suite.candidate))
    yield from ((new.name, new.candidate) for new in run.new)


LONGEST_HEADING = 120
"""Characters of the first line after the verdict."""


def early_end_notes(run: RunRecord) -> tuple[str, ...]:
    """Whether the answers that the run did get are cached."""
    if run.unfinished is None or not run.missing.samples:
        return ()
    rest = run.missing.total - run.missing.samples
    if not rest:
        return ()
    other = "The other sample is" if rest == 1 else f"The other {rest:,} samples are"
    if again := suites_not_cached(run):
        others = " All other answers are cached." if has_cached_answers(run) else ""
        return (f"The answers of the agent of {listed(again)} are not cached; the next run calls it again.{others}",)
    return (f"{other} cached; the next run continues from there.",)


def early_end_steps(run: RunRecord) -> Iterator[Text]:
    """How to go on; empty where the run was complete."""
    cause = run.unfinished
    if cause is None:
        return
    rest = _unpaid(run) if run.missing.samples < run.missing.total else ""
    if isinstance(cause, BudgetReached):
        yield ("Raise ", setting_name(cause.setting), f", or run again with the same limit{rest}.")
    elif isinstance(cause, RunInterrupted):
        yield (f"Run again{rest}.",)
    else:
        yield (f"Fix the problem named above and run again{rest}.",)
    if rest:
        yield ("In a workflow, restore ", Code(".gate/cache"), " before the gate, and save it even if the gate fails.")


def _unpaid(run: RunRecord) -> str:
    """What the next run costs less, as the end of a sentence."""
    if not suites_not_cached(run):
        return "; only the missing samples cost anything"
    return "; cached answers cost nothing" if has_cached_answers(run) else ""


def nothing_scored(run: RunRecord) -> bool:
    """Whether the run was complete without a single score."""
    return run.unfinished is None and run.missing.samples == run.missing.total > 0


def _obstacle(run: RunRecord) -> tuple[Text, str]:
    """Why there is no verdict: the fact, and its cause in somebody else's words, which may be long."""
    missing = run.missing
    if nothing_scored(run):
        none = f"none of the {counted(missing.total, 'sample')} has a score"
        return (none,), missing.reasons[0].reason if len(missing.reasons) == 1 and not missing.others else ""
    first = run.deciding[0]
    return shown(first.headline), first.cause


def _obstacle_heading(run: RunRecord, worst: Text) -> Text:
    """The first line: the fact, its cause as far as there is room, how much is missing, and the worst slice."""
    fact, cause = _obstacle(run)
    room = LONGEST_HEADING - len(plain(fact)) - 2
    if cause and room >= _FEWEST:
        fact = (*fact, f": {short_line(cause, room).rstrip('.')}")
    for more in (_missing(run), worst):
        if len(plain((*fact, *more))) <= LONGEST_HEADING:
            fact = (*fact, *more)
    return fact


_FEWEST = 30
"""Characters of a cause below which it says nothing."""


def _missing(run: RunRecord) -> Text:
    missing = run.missing
    if run.unfinished is None or not missing.samples:
        return ()
    verb = "is" if missing.samples == 1 else "are"
    return (f"; {missing.samples:,} of {counted(missing.total, 'sample')} {verb} missing",)


def obstacle_in_full(run: RunRecord) -> Text:
    """The cause that the first line cuts; empty where it cuts nothing."""
    fact, cause = _obstacle(run)
    if not cause or len(plain(fact)) + 2 + len(one_line(cause)) <= LONGEST_HEADING:
        return ()
    return (f"Why: {short_line(cause, LONGEST_SENTENCE).rstrip('.')}.",)


LONGEST_REASON = 500


def waived_by(run: RunRecord) -> Text:
    """What follows the verdict's name where it does not set the exit code; else empty."""
    if not run.waived_code or not run.waived:
        return ()
    if run.waived == "advisory":
        return ("in advisory mode",)
    return ("overridden by ", _who(run.override) if run.override else "nobody")


def override_notes(run: RunRecord) -> tuple[Text, ...]:
    """That the exit code was overridden, or why a label does not count."""
    override = run.override
    found: list[Text] = []
    if run.waived == "override" and override is not None:
        found.append((*_set(override), ". ", *_otherwise(run), ".", *_reason(override)))
    if run.waived == "advisory" and run.waived_code:
        found.append((*_otherwise(run), "."))
    if override is not None and not override.counted:
        found.append((short_line(override.why_not, LONGEST_SENTENCE),))
    return tuple(found)


def override_setter(override: OverrideRecord) -> Text:
    """Who set an override that skipped the evaluation."""
    commit = Code(short_line(override.commit[:12]))
    if not override.by:
        said: Text = ("Nobody is recorded as having set it. It applies to commit ", commit)
    else:
        said = ("Set by ", _who(override), *_role(override), f"{_at(override)}; applies to commit ", commit)
    return (*said, ". Nothing was evaluated.", *_reason(override))


def exit_code_words(run: RunRecord) -> Text:
    """The exit code, and what it would have been."""
    why = {"override": "overridden by the label", "advisory": "advisory mode"}.get(run.waived)
    return (f"{run.exit_code}; {why}, otherwise {run.waived_code}",) if why else (str(run.exit_code),)


def _set(override: OverrideRecord) -> Text:
    label, commit = Code(short_line(override.label)), Code(short_line(override.commit[:12]))
    by: Text = (" was set by ", _who(override), *_role(override), _at(override)) if override.by else (" is set",)
    return ("The label ", label, *by, ". It applies to commit ", commit)


def _otherwise(run: RunRecord) -> Text:
    if not run.waived_code:
        return ("Without the label the check would pass too",)
    without = "the label" if run.waived == "override" else "advisory mode"
    return (f"Without {without} the check would fail ({run.verdict.value}, exit code {run.waived_code})",)


def _who(override: OverrideRecord) -> Code:
    return Code(short_line(override.by or override.label))


def _role(override: OverrideRecord) -> Text:
    return (" (role ", Code(short_line(override.role)), ")") if override.role else ()


def _at(override: OverrideRecord) -> str:
    return f" on {short_line(override.at).replace('T', ' ').removesuffix('Z')} UTC" if override.at else ""


def _reason(override: OverrideRecord) -> Text:
    return (" Reason: ", Code(short_line(override.reason, LONGEST_REASON))) if override.reason else ()


def headline(run: RunRecord) -> Text:
    """What follows the verdict in the first line; its numbers are those of the table."""
    if run.verdict is Verdict.INCONCLUSIVE:
        return _obstacle_heading(run, _worst(run, "; worst slice "))
    if run.kind == "check":
        return pass_rates.check_headline(run)
    if run.verdict is Verdict.HOLD:
        first = run.deciding[0]
        worst = _worst(run, "; worst slice ") if isinstance(first, (AboveLimit, TooFewCases)) else ()
        return (*shown(first.headline), *worst)
    if run.verdict in (Verdict.SKIPPED, Verdict.BLOCK) or not run.suites:
        return shown(run.deciding[0].headline)
    risen = [named for named in run_slices(run) if named.overall and named.record.state is State.IMPROVEMENT]
    if not risen and all(is_unmoved(named) for named in run_slices(run) if named.overall):
        return (f"no change: {counted(_cases(run), 'case')} scored the same before and after",)
    if not risen:
        return (_nothing(run), *_worst(run, "; worst slice "))
    lowest = worst_slice(run)
    return (*_moved(risen[0]), *(() if lowest == risen[0] else _worst(run, "; worst slice ")))


def _nothing(run: RunRecord) -> str:
    fell = [named for named in run_slices(run) if is_tolerated(named)]
    if not fell:
        return "no slice shows a change"
    if all(is_within_margin(named) for named in fell):
        return "no slice dropped by more than its margin"
    return "no slice is shown to have dropped by more than its margin"


def first_line(run: RunRecord) -> str:
    """The verdict and the most important slice, for a terminal or a log."""
    return terminal_text(plain_first_line(run))


def plain_first_line(run: RunRecord) -> str:
    """The same as unescaped text."""
    before = f", {plain(said)}" if (said := waived_by(run)) else ""
    return f"{run.verdict.value}{before}: {plain(headline(run))}"


def shown(text: Text) -> Text:
    """Text of a finding, with its names and its words from outside on one line and of bounded length."""
    pieces: list[str | Code] = []
    for piece in text:
        if isinstance(piece, Code):
            pieces.append(Code(short_line(piece.text)))
        elif piece.strip():
            lead, tail = " " * piece[:1].isspace(), " " * piece[-1:].isspace()
            pieces.append(f"{lead}{short_line(piece, LONGEST_SENTENCE)}{tail}")
        else:
            pieces.append(piece)
    return tuple(pieces)


def _worst(run: RunRecord, before: str) -> Text:
    """The worst slice, where its mean dropped; in a run over one suite not `overall`, which is right below."""
    found = worst_slice(run)
    if found is None or (found.record.mean or 0.0) >= 0.0 or (found.overall and not found.suite):
        return ()
    return (before, slice_name(found), f" {numbers.score_change(found.record)}")


def _moved(named: NamedSlice) -> Text:
    """`lang=de` dropped by 0.417, from 0.806 to 0.389; the table has the interval."""
    return (_subject(named), f" {movement(named.record)}")


def _subject(named: NamedSlice) -> str | Code:
    return "overall quality" if named.overall and not named.suite else slice_name(named)


def _cases(run: RunRecord) -> int:
    return sum(suite.quality.overall.n for suite in run.suites)


WARNED_DROP = 0.1
"""A slice that is too small to decide is mentioned where its mean is lower by this much or more."""

_STATE_VERBS = {
    State.REGRESSION: ("regressed", "regressed"),
    State.SUSPECT: ("is suspect", "are suspect"),
    State.IMPROVEMENT: ("improved", "improved"),
    State.NOISE: ("shows no change", "show no change"),
    State.TOO_FEW: ("has too little data", "have too little data"),
}
"""For one slice, and for several."""


def summary_sentence(run: RunRecord) -> Text:
    """How many slices regressed or improved, without those that the first line names, and what stays undetected."""
    if run.override is not None and run.skipped_by_label:
        return override_setter(run.override)
    if not run.suites:
        return _stripped(_failing_hold(run))
    slices = run_slices(run)
    if not any(named.record.n for named in slices):
        return ("No case has a score in both arms, so nothing can be compared.",)
    if len(run.suites) == 1:
        slices = slices[1:]
    known = {piece.text for piece in headline(run) if isinstance(piece, Code)}
    return _stripped(
        (*_counts(run, slices, known), *_small_and_lower(slices, known), *_unseen(run), *_failing_hold(run))
    )


def _counts(run: RunRecord, slices: Sequence[NamedSlice], known: Set[str]) -> Text:
    if not slices:
        return ("The eval set has no slices.",)
    if len(slices) == 1 and not is_tolerated(slices[0]):
        return ("The only slice, ", slice_name(slices[0]), f", {_STATE_VERBS[slices[0].record.state][0]}.")
    suites = f" in {len(run.suites)} suites" if len(run.suites) > 1 else ""
    return (f"Of {counted(len(slices), 'slice')}{suites}, ", *_tally(slices, known), ".")


def _stripped(text: Text) -> Text:
    return (text[0].lstrip(), *text[1:]) if text and isinstance(text[0], str) else text


def _failing_hold(run: RunRecord) -> Text:
    if run.verdict is not Verdict.HOLD or not run.exit_code:
        return ()
    return (" The check fails because ", Code("fail_on"), " is ", Code("hold"), ".")


def _tally(slices: Sequence[NamedSlice], known: Set[str]) -> Text:
    clauses: list[Text] = []
    tolerated = [named for named in slices if is_tolerated(named)]
    others = [named for named in slices if not is_tolerated(named)]
    for state, verbs in _STATE_VERBS.items():
        found = slices_in_state(others, state)
        if state is State.NOISE:
            clauses += _in_margins(tolerated)
        if not found and state is not State.REGRESSION:
            continue
        count = f"{len(found) or 'none'} {verbs[len(found) > 1]}"
        listed = () if state in (State.NOISE, State.TOO_FEW) else _names(found, known)
        clauses.append((count, *listed))
    out: list[str | Code] = []
    for place, clause in enumerate(clauses):
        out += [", " if 0 < place < len(clauses) - 1 else " and " if place else "", *clause]
    return tuple(out)


def _names(found: Sequence[NamedSlice], known: Set[str]) -> Text:
    """` (a, b)`, without the slices that the first line names."""
    fresh = [named for named in found if slice_name(named).text not in known]
    if not fresh:
        return ()
    return (" (" if len(fresh) == len(found) else " (also ", *slice_names(fresh), ")")


def _in_margins(found: Sequence[NamedSlice]) -> Iterator[Text]:
    """Tolerated drops, as certain or as unproven."""
    inside = sum(is_within_margin(named) for named in found)
    if inside:
        yield (f"{inside:,} dropped within {'its' if inside == 1 else 'their'} margin",)
    if doubtful := [named for named in found if not is_within_margin(named)]:
        margin = "its margin" if len(doubtful) == 1 else "their margins"
        yield (f"{len(doubtful):,} dropped, not shown to exceed {margin} (", *slice_names(doubtful), ")")


def _small_and_lower(slices: Sequence[NamedSlice], known: Set[str]) -> Text:
    """A warning that slices too small to block are lower."""
    small = [named for named in slices_in_state(slices, State.TOO_FEW) if named.record.units < FEWEST_UNITS]
    lower = [named for named in small if named.record.mean is not None and named.record.mean <= -WARNED_DROP]
    if not lower:
        return ()
    lowest = min(lower, key=lambda named: (named.record.mean or 0.0, named.full))
    if slice_name(lowest).text in known:
        return ()
    cases = counted(lowest.record.n, "case")
    rest = f", and {len(lower) - 1:,} more" if len(lower) > 1 else ""
    return (
        " Too few cases to decide, but lower: ",
        slice_name(lowest),
        f" {numbers.delta(lowest.record.mean)} ({cases}){rest}.",
    )


def _unseen(run: RunRecord) -> Text:
    """How large a drop would go undetected, where no change is shown overall; in several suites, in which."""
    still = [named.record.units for named in run_slices(run) if named.overall and is_unmoved(named)]
    if still and len(still) == len(run.suites):
        least = min(still)
        share, sure = undetected_share(least, run.method.alpha), numbers.share(1.0 - run.method.alpha)
        where = "" if len(still) == 1 else " in the smallest suite"
        upto = numbers.share(share)
        return (
            f" With 0 of {least:,} cases changed{where}, up to {upto} of all cases may change ({sure} confidence).",
        )
    quiet = [suite for suite in run.suites if suite.quality.overall.state is State.NOISE]
    known = [(mde, suite.name) for suite in quiet if (mde := suite.quality.overall.mde) is not None]
    if not known:
        return ()
    known.sort(key=lambda one: -one[0])
    size, suite = numbers.score(known[0][0]), Code(short_line(known[0][1]))
    if len(run.suites) == 1:
        return (f" An overall drop smaller than about {size} may go undetected.",)
    if len(known) == 1:
        return (" In ", suite, f" an overall drop smaller than about {size} may go undetected.")
    if len(known) > NAMES_SHOWN:
        return (f" Overall drops of up to about {size} may go undetected in {len(known):,} suites.",)
    told: list[str | Code] = []
    for mde, where in known:
        told += [", " if told else "", f"{numbers.score(mde)} in ", Code(short_line(where))]
    return (" Overall drops smaller than these may go undetected: ", *told, ".")
