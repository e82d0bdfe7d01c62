"""What to do next, for each verdict."""

import re
import shlex
from collections.abc import Iterator

from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.domain.record_parts import ArmRecord
from gate.domain.verdict import State, Verdict
from gate.report import check_words, endings, numbers, open_promises, rates, unfinished
from gate.report.cache import advice
from gate.report.parts import Code, Text
from gate.report.slices import in_state, name, names, of_run, short
from gate.report.tables import more_cases

FILE_MODE = "file"
"""The ref of an arm that was read from a file instead of git."""

DEFAULT_CONFIG = "gate.yaml"

LONGEST_COMMAND = 500

_MERGING = (Verdict.HOLD, Verdict.PASS, Verdict.SHIP)
"""Where the next step may be to merge."""

_WORDS = re.compile(r"(?=.{1,60}\Z)[a-z]+(?: [a-z]+)+")
"""A name of ours for a side that has no ref, as a merge group: no ref of git has a space."""


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
    asked = open_promises.steps(run) if run.verdict in _MERGING else ()
    return (*asked, *makers[run.verdict](run))


def command(run: RunRecord) -> str:
    """The command that compares again; empty where it needs more than the run knows.

    In git mode the candidate is the working tree, because the next thing to compare is the mended prompt.
    """
    if not run.suites or run.verdict in (Verdict.SHIP, Verdict.PASS, Verdict.SKIPPED):
        return ""
    suite = run.suites[0]
    if suite.baseline.ref != FILE_MODE:
        # Nobody has the merge of a pull request in a clone; its author has the branch checked out.
        named = suite.candidate.sha and not suite.candidate.ref.startswith("refs/pull/")
        head = ["--head", _ref(suite.candidate)] if named else []
        config = ["--config", run.config] if run.config not in ("", DEFAULT_CONFIG) else []
        found = shlex.join(["gate", "diff", "--base", _ref(suite.baseline), *head, *config])
    else:
        found = _file_command(suite)
    return found if len(found) <= LONGEST_COMMAND and found.isprintable() else ""


def _ref(arm: ArmRecord) -> str:
    """What git finds the commit by."""
    return arm.sha if arm.sha and _WORDS.fullmatch(arm.ref) else arm.ref


def _file_command(suite: SuiteRecord) -> str:
    where = next((case.where for case in suite.cases if case.where), "")
    path = where.rpartition(":")[0] or where
    if not path or any(scorer == "judge" for scorer in suite.exam.scorers):
        return ""
    words = ["gate", "diff", "--baseline", suite.baseline.path, "--candidate", suite.candidate.path, "--cases", path]
    if suite.baseline.model == suite.candidate.model:
        words += ["--model", suite.baseline.model]
    else:
        words += ["--baseline-model", suite.baseline.model, "--candidate-model", suite.candidate.model]
    for scorer in suite.exam.scorers:
        words += ["--scorer", scorer]
    return shlex.join([*words, "--samples", str(suite.samples)])


def _block(run: RunRecord) -> Iterator[Text]:
    yield from endings.advice(run)
    fallen = in_state((named for named in of_run(run) if named.record.blocking), State.REGRESSION)
    if fallen:
        yield ("Read the cases above that fell most, first those of ", name(fallen[0]), ".")
    yield from rates.steps_block(run)
    again = "compare again" if run.suites else "run again"
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
    what = "the prompt got worse" if run.suites else "the new prompt is good enough"
    yield (f"This says neither that {what} nor that it {'did' if run.suites else 'is'} not.",)
    if run.unfinished is not None:
        yield from unfinished.steps(run)
    elif run.missing.samples:
        yield ("Mend what made the samples fail, and compare again.",)
    else:
        yield ("Mend what is named above, and compare again.",)
    yield from endings.advice(run)


def _mend(run: RunRecord) -> str:
    mistake = 2 in (run.exit_code, run.waived_code)
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
        yield ("Read the cases above, then decide: ", *names(suspects), " may be worse, and may be chance.")
        more = more_cases(suspects[0])
        if more:
            yield (f"To settle it, add cases: {more} would show a fall of this size in ", name(suspects[0]), ".")
    yield from advice(run)
    for axis in ("cost", "latency"):
        if any(getattr(suite, axis).exceeded for suite in run.suites):
            option = Code(f"max_{axis}_increase")
            yield (f"Merge if the change is worth its {axis}; if it always will be, raise ", option, " in the policy.")
    if any(suite.quality.overall.state is State.TOO_FEW for suite in run.suites):
        yield ("Add cases: 30 are the floor for a slice that should decide, 100 are comfortable.",)
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
    found = "nothing is shown to be worse" if run.suites else "the new prompt is as good as its policy asks"
    yield (f"Merge when you are content with the change: {found}.",)


def _ship(run: RunRecord) -> Iterator[Text]:
    yield from endings.advice(run)
    count = numbers.counted(run.method.slices_tested, "tested slice")
    yield (f"Merge: it is better overall, and nothing is shown to be worse ({count}).",)


def _skipped(run: RunRecord) -> Iterator[Text]:
    if run.kind == "unjudged":
        yield ("Read the change with care before you merge it: no answer was compared, and people have to judge it.",)
    elif run.override is None or not run.skipped_by_label:
        yield ("Nothing to do.",)
    else:
        yield ("To have the change evaluated, take the label ", Code(short(run.override.label)), " off.")
