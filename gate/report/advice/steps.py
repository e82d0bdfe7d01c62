"""What to do next, for each verdict."""

from collections.abc import Iterator
from math import inf

from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.domain.verdict import State, Verdict
from gate.domain.words import HELPS, UNREAD
from gate.report import numbers
from gate.report.advice.drafting import drafted
from gate.report.alone import check_words, rates
from gate.report.calls import endings
from gate.report.calls.cache import advice
from gate.report.cases.carriers import carriers
from gate.report.compared import floors
from gate.report.compared.tables import more_cases
from gate.report.parts.whole import Code, Text
from gate.report.promises import open_ones as open_promises
from gate.report.slices import LONGEST_SENTENCE, NAMES_SHOWN, Named, in_state, name, names, of_run, short
from gate.report.unfinished import ended_early as unfinished
from gate.report.unfinished.obstacle import nothing_scored

FLOOR = 30
"""Independent cases that a slice which should decide has at least."""

NOTABLE_FALL = 0.05
MOST_CASES = 200
"""More cases than that nobody adds to settle one slice."""
FAILURES_NAMED = 2
READ = "Read the cases above"
"""How a step begins that rests on cases which the report shows."""

_MERGING = (Verdict.HOLD, Verdict.PASS, Verdict.SHIP)
"""Where the next step may be to merge."""


def steps(run: RunRecord) -> tuple[Text, ...]:
    """Short instructions, in the order in which to follow them."""
    if run.kind == "check":
        return tuple(check_words.steps(run))
    makers = {
        Verdict.BLOCK: _block,
        Verdict.INCONCLUSIVE: _inconclusive,
        Verdict.HOLD: _hold,
        Verdict.PASS: _pass,
        Verdict.SHIP: _ship,
        Verdict.SKIPPED: _skipped,
    }
    asked = (*open_promises.steps(run), *_unread(run)) if run.verdict in _MERGING else ()
    return (*asked, *makers[run.verdict](run))


def _unread(run: RunRecord) -> Iterator[Text]:
    """Orders that changed where no score can move are for people to judge, whatever the scores say."""
    if _blind(run):
        yield ("Judge the changed orders named above yourself: no scorer reads them, so no score speaks of them.",)


def _blind(run: RunRecord) -> bool:
    return any(UNREAD in note for note in run.notes)


def _block(run: RunRecord) -> Iterator[Text]:
    yield from endings.advice(run)
    fallen = in_state((named for named in of_run(run) if named.record.blocking), State.REGRESSION)
    yield from rates.steps_block(run)
    again = "compare again" if run.suites else "run again"
    if fallen:
        mend = f"{READ}, mend" if carriers(run).cases else "Mend"
        whole = fallen[0].overall and not fallen[0].suite
        where: Text = () if whole else (" for ", name(fallen[0]))
        yield (f"{mend} the prompt or the model settings", *where, f", and {again}.")
    else:
        yield (f"Change the prompt, or the model settings, and {again}.",)
    if run.suites:
        yield ("If it is the old answers that were wrong, correct the cases first, in a change of their own.",)


def _inconclusive(run: RunRecord) -> Iterator[Text]:
    if run.kind == "base_mistake":
        yield ("If this change mends that, merge it as is said above. If not, mend the merge target, then run again.",)
        return
    if run.kind == "baseline":
        yield from unfinished.steps(run)
        return
    if not run.evaluated:
        yield (_mend(run),)
        return
    if run.unfinished is not None:
        yield from unfinished.steps(run)
    elif run.missing.samples:
        yield (f"Mend what made the samples fail, and compare again{_failures(run)}.",)
    elif wanting := [named for named in of_run(run) if _wanting(run, named)]:
        yield from (_adding(run, named) for named in wanting[:NAMES_SHOWN])
    else:
        yield ("Mend what is named above, and compare again.",)
    yield from endings.advice(run)


def _failures(run: RunRecord) -> str:
    """Why most of the samples that are missing have no score, after a colon; the rest stands among the facts.

    Nothing where the first line says it.
    """
    if nothing_scored(run) and len(run.missing.reasons) == 1:
        return ""
    told = "; ".join(short(reason).rstrip(".") for reason in run.missing.reasons[:FAILURES_NAMED])
    return f": {told}{'; and more' if len(run.missing.reasons) > FAILURES_NAMED else ''}" if told else ""


def remedy(run: RunRecord) -> str:
    """The reason that says what helps, where it is the next step; empty where there is none."""
    if run.evaluated or run.verdict is not Verdict.INCONCLUSIVE or run.kind not in ("", "setup"):
        return ""
    return next((reason for reason in run.reasons if reason.startswith(HELPS)), "")


def _mend(run: RunRecord) -> str:
    mistake = 2 in (run.exit_code, run.waived_code)
    if helps := short(remedy(run).removeprefix(HELPS), LONGEST_SENTENCE).rstrip("."):
        pushed = mistake and run.kind != "setup"
        return f"{helps}, then {'push' if pushed else 'run the gate'} again."
    if run.kind == "setup" and mistake:
        return "Mend what is named above, in the workflow or where it was started, and run it again."
    if run.kind == "setup":
        return "Do what helps, as named above; a push runs the gate again, and so does starting the job again."
    # A mistake is in the repository; the rest is outside of it, and nothing there waits for a push.
    return f"Mend what is named above, and {'push' if mistake else 'run'} again."


def _hold(run: RunRecord) -> Iterator[Text]:
    yield from endings.advice(run)
    suspects = in_state((named for named in of_run(run) if named.record.blocking), State.SUSPECT)
    if suspects:
        read = f"{READ}, then decide: " if carriers(run).cases else "Decide: "
        yield (read, *names(suspects), " may be worse, and may be chance.")
        yield from _settling(run, suspects[0])
    yield from advice(run)
    for axis in ("cost", "latency"):
        if any(getattr(suite, axis).exceeded for suite in run.suites):
            option = Code(f"max_{axis}_increase")
            yield (f"Merge if the change is worth its {axis}; if it always will be, raise ", option, " in the policy.")
    small = [named for named in of_run(run) if named.overall and named.record.state is State.TOO_FEW]
    yield from (_adding(run, named) for named in small[:1])
    yield from rates.steps_hold(run)
    if run.deleted:
        which = "the prompt is" if len(run.deleted) == 1 else "the prompts are"
        yield (f"Merge if {which} not needed any more. One that moved, and changed a lot: name it in its old suite.",)
    if run.exit_code:
        yield ("The run fails because ", Code("fail_on"), " is ", Code("hold"), ".")


def _pass(run: RunRecord) -> Iterator[Text]:
    yield from endings.advice(run)
    if run.kind == "baseline":
        yield ("Nothing to do: later runs compare with these answers, and need not ask for them again.",)
        return
    if not run.evaluated:
        yield ("Read what changes in the exam: from the merge on it is what every prompt has to pass.",)
        return
    if stuck := floors.whole(run):
        where: Text = (" of ", Code(short(stuck[0].suite))) if stuck[0].suite else ()
        yield (
            "Before you rely on this, read some answers",
            *where,
            f": nothing could have got worse. {floors.REMEDY}.",
        )
    found = f"{_nothing(run)} is shown to be worse" if run.suites else "the new prompt is as good as its policy asks"
    yield (f"Merge when you are content with the change: {found}.",)
    for named in _lower(run)[:1]:
        yield from _settling(run, named)


def _lower(run: RunRecord) -> list[Named]:
    """Slices that are notably lower, which is not shown to be more than chance; those that few cases would decide."""
    quiet = in_state((named for named in of_run(run) if named.record.blocking), State.NOISE)
    found = [named for named in quiet if (named.record.mean or 0.0) <= -NOTABLE_FALL and _lacking(named) <= MOST_CASES]
    return sorted(found, key=lambda named: (named.record.mean or 0.0, named.full))


def _lacking(named: Named) -> float:
    needed = named.record.cases_needed
    return inf if needed is None or needed <= named.record.n else needed - named.record.n


def _settling(run: RunRecord, named: Named) -> Iterator[Text]:
    """How many cases would tell a fall from chance; nothing where that is not known."""
    if not (more := more_cases(named)):
        return
    size = numbers.score(abs(named.record.mean or 0.0))
    ask = drafted(_suite_of(run, named), named)
    yield (
        f"{more[0].upper()}{more[1:]} in ",
        name(named),
        f" would tell whether its fall of {size} is real",
        *ask,
        ".",
    )


def _wanting(run: RunRecord, named: Named) -> bool:
    """Is it for want of its cases that there is no verdict?"""
    return any(reason.startswith(f"{named.record.slice} is required and has too few cases") for reason in run.reasons)


def _adding(run: RunRecord, named: Named) -> Text:
    """How many cases a slice lacks to decide anything."""
    lacking = FLOOR - named.record.units
    where: Text = (" to ", name(named)) if named.suite or not named.overall else ()
    harder = f"more cases, and harder ones{',' if where else ''}"
    count = f"at least {numbers.counted(lacking, 'more case')}" if lacking > 0 else harder
    rule = f". {FLOOR} are the floor for a slice that should decide, 100 comfortable."
    return (f"Add {count}", *where, *drafted(_suite_of(run, named), named), rule)


def _suite_of(run: RunRecord, named: Named) -> SuiteRecord:
    return next(suite for suite in run.suites if named.suite in ("", suite.name))


def _ship(run: RunRecord) -> Iterator[Text]:
    yield from endings.advice(run)
    count = numbers.counted(run.method.slices_tested, "tested slice")
    when = "Merge when you are content with them" if _blind(run) else "Merge"
    yield (f"{when}: it is better overall, and {_nothing(run)} is shown to be worse ({count}).",)


def _nothing(run: RunRecord) -> str:
    return "nothing that is scored" if _blind(run) else "nothing"


def _skipped(run: RunRecord) -> Iterator[Text]:
    if run.kind == "unjudged":
        yield ("Read the change with care before you merge it: no answer was compared, and people have to judge it.",)
    elif run.override is None or not run.skipped_by_label:
        yield ("Nothing to do.",)
    else:
        yield ("To have the change evaluated, take the label ", Code(short(run.override.label)), " off.")
