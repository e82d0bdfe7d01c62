"""What to do next for each verdict, and the commands for it."""

from collections.abc import Iterator
from math import inf

from gate import numbers
from gate.cases.case import place_of
from gate.record.comparison import State, Verdict
from gate.record.findings.finding import Code, Text
from gate.record.findings.quality import (
    AboveLimit,
    JudgeBlind,
    ScorersOpposed,
    ScoresAllZero,
    TooFewCases,
    ToolUnknown,
)
from gate.record.findings.skipped import SecretsMissing
from gate.record.findings.unfinished import (
    BaselineIncomplete,
    ErrorInBase,
    ErrorWithHint,
    InputError,
    PromptDeleted,
)
from gate.record.parts import ArmRecord, CaseState
from gate.record.run import NewSuiteRecord, RunRecord, SuiteRecord
from gate.report.escape import shell_command
from gate.report.slices import (
    LONGEST_SENTENCE,
    NamedSlice,
    ShownCases,
    Step,
    run_slices,
    short_line,
    slice_name,
    slice_names,
    slices_in_state,
)
from gate.report.view import exam, pass_rates
from gate.report.view.calls import cache_advice, ending_advice
from gate.report.view.cases import AnyCase, telling_cases
from gate.report.view.comparisons import more_cases
from gate.report.view.exam import promise_steps
from gate.report.view.headline import early_end_steps, nothing_scored, suites_not_cached
from gate.values import NAMES_SHOWN, counted

_ENDINGS = (".md", ".txt", ".j2", ".yml", ".yaml", ".json", ".prompty")
"""Prompts that are text files; tests cannot be drafted from a prompt that a program builds."""
_HOSTED = ("openai:", "anthropic:")
"""Models that write good cases; a small local one does not."""
_LONGEST = 200


def draft_command(suite: SuiteRecord, named: NamedSlice) -> Text:
    """After a number of cases: the command that drafts them."""
    return (". Draft them: ", Code(_command(suite, named)))


def _command(suite: SuiteRecord, named: NamedSlice) -> str:
    path, model = suite.candidate.path, suite.candidate.model
    words = ["gate", "generate", path, "--model", model]
    if not path.endswith(_ENDINGS) or path.startswith("-") or not model.startswith(_HOSTED):
        return "gate generate"
    # The gate itself sorts the cases by length, so nobody can write cases of one length slice.
    if not named.overall and not named.local.startswith("length="):
        words += ["--instructions", f"tests=Only cases of {named.local}"]
    return shell_command(words, _LONGEST) or "gate generate"


FLOOR = 30
"""Independent cases that a slice needs to decide."""

NOTABLE_DROP = 0.05
MOST_CASES = 200
"""No advice to add more cases than this for one slice."""
FAILURES_NAMED = 2
STEPS_SHOWN = 3
_FAILING = ShownCases("the failing cases")

_MERGING = (Verdict.HOLD, Verdict.PASS, Verdict.SHIP)
"""Verdicts after which the next step may be to merge."""


def next_steps(run: RunRecord) -> tuple[Step, ...]:
    """At most `STEPS_SHOWN` instructions, each one sentence or a command, in the order to follow them."""
    return tuple(_steps(run))[:STEPS_SHOWN]


def _steps(run: RunRecord) -> Iterator[Step]:
    if run.kind == "check":
        yield from _check(run)
        return
    makers = {
        Verdict.BLOCK: _block,
        Verdict.INCONCLUSIVE: _inconclusive,
        Verdict.HOLD: _hold,
        Verdict.PASS: _pass,
        Verdict.SHIP: _ship,
        Verdict.SKIPPED: _skipped,
    }
    if run.verdict in _MERGING:
        yield from promise_steps(run)
    yield from makers[run.verdict](run)


def _check(run: RunRecord) -> Iterator[Step]:
    if run.verdict is Verdict.BLOCK:
        yield from ending_advice(run)
        yield ("Read ", _FAILING, ", fix the prompt or model settings, and run again.")
        yield ("If a test case expects the wrong thing, correct the test case.",)
    elif run.verdict is Verdict.INCONCLUSIVE:
        yield from early_end_steps(run)
        if run.unfinished is None:
            kept = "" if suites_not_cached(run) else "; cached answers cost nothing"
            yield (f"Fix the problem named above and run again{kept}.",)
        yield from ending_advice(run)
    elif run.verdict is Verdict.HOLD and not run.exit_code:
        yield ("Correct or remove what is named above, so that every check shows something.",)
    elif run.verdict is Verdict.HOLD:
        yield ("Add cases until the interval is narrow enough, or set ", Code("fail_on"), " to ", Code("block"), ".")
    elif any(check.state is CaseState.FAILED for suite in run.new for _, check in pass_rates.checked_cases(suite)):
        yield ("Nothing to do: enough cases pass. Read ", _FAILING, ".")
    else:
        yield ("Nothing to do. To compare two versions of the prompt, run ", Code("gate diff"), ".")


def _block(run: RunRecord) -> Iterator[Step]:
    yield from ending_advice(run)
    fallen = slices_in_state((named for named in run_slices(run) if named.record.blocking), State.REGRESSION)
    yield from pass_rates.missed_rate_steps(run)
    command = _comparing(run)
    again = "" if command else " and compare again" if run.suites else " and run again"
    fix = "Fix the prompt or model settings"
    if fallen:
        whole = fallen[0].overall and not fallen[0].suite
        where: Text = () if whole else (" for ", slice_name(fallen[0]))
        if telling_cases(run).cases:
            yield ("Read ", ShownCases(), " and fix the prompt or model settings", *where, f"{again}.")
        else:
            yield (fix, *where, f"{again}.")
    else:
        yield (f"{fix}{again}.",)
    yield from command
    if run.suites:
        yield ("If the test cases are wrong, fix them first in another pull request.",)


def _comparing(run: RunRecord) -> tuple[Text, ...]:
    """The step with the command that compares again; empty where the run does not know it."""
    command = compare_command(run)
    return (("Compare again: ", Code(command)),) if command else ()


def _inconclusive(run: RunRecord) -> Iterator[Text]:
    first = run.deciding[0]
    if any(isinstance(finding, ErrorInBase) for finding in run.findings):
        yield ("If this change fixes that error, merge it. If not, fix the merge target first, then run again.",)
    elif run.kind == "baseline":
        yield from early_end_steps(run) if run.unfinished else [(BaselineIncomplete.remedy,)]
    elif isinstance(first, PromptDeleted):
        yield ("If a prompt moved, set its new path in its suite, or under ", Code("moved"), " in gate.yaml.")
        yield ("If it is no longer needed, merge with the override label.",)
    elif not run.evaluated:
        yield (_fix(run),)
    else:
        yield from _deciding_again(run)
        yield from ending_advice(run)


def _deciding_again(run: RunRecord) -> Iterator[Text]:
    """How to get a verdict where some of it was measured."""
    lacking = {finding.slice for finding in run.deciding if isinstance(finding, TooFewCases)}
    wanting = [named for named in run_slices(run) if named.record.slice in lacking]
    if run.unfinished is not None:
        yield from early_end_steps(run)
    elif run.missing.samples:
        yield (f"Fix what made the samples fail{_failures(run)}.",)
        yield from _comparing(run)
    elif wanting:
        yield from (_adding(run, named) for named in wanting[:NAMES_SHOWN])
        others = (finding for finding in run.deciding if not isinstance(finding, TooFewCases))
        yield from dict.fromkeys((finding.remedy,) for finding in others if finding.remedy)
    else:
        yield from dict.fromkeys((finding.remedy,) for finding in run.deciding if finding.remedy)
        yield from _comparing(run)


def _failures(run: RunRecord) -> str:
    """Why most of the missing samples have no score, after a colon; empty where the first line says it."""
    reasons = run.missing.reasons
    if nothing_scored(run) and len(reasons) == 1:
        return ""
    told = "; ".join(f"{one.samples:,} × {short_line(one.reason).rstrip('.')}" for one in reasons[:FAILURES_NAMED])
    return f": {told}{'; and more' if len(reasons) > FAILURES_NAMED or run.missing.others else ''}" if told else ""


def _fix(run: RunRecord) -> str:
    mistake = 2 in (run.exit_code, run.waived_code)
    first = run.deciding[0]
    hint = first.hint if isinstance(first, (ErrorWithHint, InputError)) else ""
    if hint := short_line(hint, LONGEST_SENTENCE).rstrip("."):
        pushed = mistake and run.kind != "setup"
        return f"{hint}, then {'push' if pushed else 'run the gate'} again."
    if run.kind == "setup" and mistake:
        return "Fix the problem named above, in the workflow or where it was started, and run it again."
    if run.kind == "setup":
        return "Fix the problem named above, then push or start the job again."
    # A configuration error is in the repository; anything else is outside of it, so a push does not fix it.
    return f"Fix {'the errors' if mistake else 'the problem'} named above and {'push' if mistake else 'run'} again."


def _hold(run: RunRecord) -> Iterator[Step]:
    yield from ending_advice(run)
    suspects = slices_in_state((named for named in run_slices(run) if named.record.blocking), State.SUSPECT)
    if suspects:
        read: Step = ("Read ", ShownCases(), " and decide") if telling_cases(run).cases else ("Decide",)
        yield (*read, " whether the drop in ", *slice_names(suspects), " is real: it may be chance.")
        yield from _settling(run, suspects[0])
    for finding in run.deciding:
        if isinstance(finding, ScorersOpposed):
            better, worse = Code(short_line(finding.better)), Code(short_line(finding.worse))
            yield ("Read some answers and decide whether the rise of ", better, " is worth the drop of ", worse, ".")
        elif isinstance(finding, JudgeBlind):
            yield ("Improve the criteria of ", Code(short_line(finding.scorer)), ", or use another model as judge.")
        elif isinstance(finding, (ScoresAllZero, ToolUnknown)):
            yield (finding.remedy,)
    yield from cache_advice(run)
    for axis in dict.fromkeys(finding.axis for finding in run.deciding if isinstance(finding, AboveLimit)):
        option = Code(f"max_{axis}_increase")
        yield (f"Merge if the change is worth the higher {axis}; to allow it always, raise ", option, ".")
    small = [named for named in run_slices(run) if named.overall and named.record.state is State.TOO_FEW]
    if not any(isinstance(finding, ScoresAllZero) for finding in run.deciding):
        yield from (_adding(run, named) for named in small[:1])
    yield from pass_rates.doubtful_rate_steps(run)
    if suspects:
        yield from _comparing(run)


def _pass(run: RunRecord) -> Iterator[Text]:
    yield from ending_advice(run)
    if run.kind == "baseline":
        yield ("Nothing to do: later runs compare with these cached answers.",)
        return
    if not run.evaluated:
        yield ("Review the changed cases, scorers and policy: after the merge they apply to every prompt.",)
        return
    if stuck := exam.suites_at_floor(run):
        where: Text = (" of ", Code(short_line(stuck[0].suite))) if stuck[0].suite else ()
        yield (
            "Before you rely on this, read some answers",
            *where,
            f": the score could not get worse. {exam.REMEDY}.",
        )
    found = "nothing is shown to be worse" if run.suites else "the new prompt reaches its thresholds"
    yield (f"Merge if you want the change: {found}.",)
    for named in _lower(run)[:1]:
        yield from _settling(run, named)


def _lower(run: RunRecord) -> list[NamedSlice]:
    """Slices that are notably lower, though not significantly; only those that a few more cases would decide."""
    quiet = slices_in_state((named for named in run_slices(run) if named.record.blocking), State.NOISE)
    found = [named for named in quiet if (named.record.mean or 0.0) <= -NOTABLE_DROP and _lacking(named) <= MOST_CASES]
    return sorted(found, key=lambda named: (named.record.mean or 0.0, named.full))


def _lacking(named: NamedSlice) -> float:
    needed = named.record.cases_needed
    return inf if needed is None or needed <= named.record.n else needed - named.record.n


def _settling(run: RunRecord, named: NamedSlice) -> Iterator[Text]:
    """How many more cases would show whether a drop is real; empty where unknown."""
    if not (more := more_cases(named)):
        return
    size = numbers.score(abs(named.record.mean or 0.0))
    ask = draft_command(_suite_of(run, named), named)
    yield (
        f"Add {more} to ",
        slice_name(named),
        f" to see whether its drop of {size} is real",
        *ask,
    )


def _adding(run: RunRecord, named: NamedSlice) -> Text:
    """How many cases a slice needs before it can decide anything."""
    lacking = FLOOR - named.record.units
    where: Text = (" to ", slice_name(named)) if named.suite or not named.overall else ()
    harder = "more and harder cases"
    count = f"at least {counted(lacking, 'more case')}" if lacking > 0 else harder
    rule = f". A slice needs at least {FLOOR} cases, better 100"
    return (f"Add {count}", *where, rule, *draft_command(_suite_of(run, named), named))


def _suite_of(run: RunRecord, named: NamedSlice) -> SuiteRecord:
    return next(suite for suite in run.suites if named.suite in ("", suite.name))


def _ship(run: RunRecord) -> Iterator[Text]:
    yield from ending_advice(run)
    count = counted(run.method.slices_tested, "tested slice")
    yield (f"Merge: it is better overall, and nothing is shown to be worse ({count}).",)


def _skipped(run: RunRecord) -> Iterator[Text]:
    if any(isinstance(finding, SecretsMissing) for finding in run.findings):
        yield (SecretsMissing.remedy,)
    elif run.override is None or not run.skipped_by_label:
        yield ("Nothing to do.",)
    else:
        yield ("To evaluate the change, remove the label ", Code(short_line(run.override.label)), ".")


FILE_MODE = "file"
"""The ref of an arm that was read from a file, not from git."""

DEFAULT_CONFIG = "gate.yaml"

LONGEST_COMMAND = 500

LONGEST_REF = 250

FOLDER = ".gate/case"
"""Output folder of a run of one case."""


def compare_command(run: RunRecord) -> str:
    """The command that compares again; empty where it needs more than the run knows.

    In git mode the candidate is the working tree, because the next thing to compare is the corrected prompt.
    """
    if not run.suites or run.verdict in (Verdict.SHIP, Verdict.PASS, Verdict.SKIPPED):
        return ""
    suite = run.suites[0]
    if suite.baseline.ref == FILE_MODE:
        where = next((case.where for case in suite.cases if case.where), "")
        words = _two_files(suite, where)
        return _line([*words, "--samples", str(suite.samples)]) if words else ""
    # A clone has no merge commit of the pull request; its author has the branch checked out.
    named = suite.candidate.sha and not suite.candidate.ref.startswith("refs/pull/")
    head = ["--head", _ref(suite.candidate)] if named else []
    return _line(["gate", "diff", "--base", _ref(suite.baseline), *head, *_config(run)])


def run_again_command(run: RunRecord, suite: str, case: AnyCase) -> str:
    """The command that runs one case again; empty where it needs more than the run knows."""
    compared = next((one for one in run.suites if one.name == suite), None)
    if compared is not None:
        words = _compared(run, compared, case)
    else:
        words = _alone(run, next(one for one in run.new if one.name == suite), case)
    if not words:
        return ""
    # --case takes a pattern, so the special characters of an id are escaped.
    pattern = "".join(f"[{char}]" if char in "*?[" else char for char in case.id)
    return _line([*words, "--case", pattern, "--out", FOLDER])


def _compared(run: RunRecord, suite: SuiteRecord, case: AnyCase) -> list[str]:
    before, after = suite.baseline, suite.candidate
    if before.ref != FILE_MODE:
        base = _commit(before) or before.ref
        head = ["--head", _commit(after)] if after.sha else []
        return ["gate", "diff", "--base", base, *head, *_config(run), "--suite", suite.name, "--all"]
    return _two_files(suite, case.where)


def _two_files(suite: SuiteRecord, where: str) -> list[str]:
    before, after, path = suite.baseline, suite.candidate, place_of(where)[0]
    if not where or not _plain(suite.exam.scorers):
        return []
    words = ["gate", "diff", before.path, after.path, "--cases", path]
    if before.model == after.model:
        words += ["--model", before.model]
    else:
        words += ["--models", before.model, after.model]
    return [*words, *_scorers(suite.exam.scorers)]


def _alone(run: RunRecord, suite: NewSuiteRecord, case: AnyCase) -> list[str]:
    arm = suite.candidate
    if arm.ref != FILE_MODE:
        return ["gate", "check", *(["--ref", _commit(arm)] if arm.sha else []), *_config(run), "--suite", suite.name]
    path = place_of(case.where)[0]
    if not path or not _plain(suite.exam.scorers):
        return []
    words = ["gate", "check", arm.path, "--cases", path, "--model", arm.model]
    return [*words, *_scorers(suite.exam.scorers)]


def _line(words: list[str]) -> str:
    return shell_command(words, LONGEST_COMMAND)


def _ref(arm: ArmRecord) -> str:
    """The ref by which git finds an arm, or its commit where no ref of git can have this name."""
    possible = arm.ref.isprintable() and " " not in arm.ref and len(arm.ref) < LONGEST_REF
    return arm.ref if possible or not arm.sha else arm.sha


def _commit(arm: ArmRecord) -> str:
    """Shortened."""
    return (arm.sha or "")[:12]


def _config(run: RunRecord) -> list[str]:
    return ["--config", run.config] if run.config not in ("", DEFAULT_CONFIG) else []


def _plain(scorers: list[str]) -> bool:
    """Whether the command line can name them; a record does not hold the criteria of a judge."""
    return all(name in ("exact", "contains", "regex") for name in scorers)


def _scorers(scorers: list[str]) -> list[str]:
    return [word for name in scorers for word in ("--scorer", name)]
