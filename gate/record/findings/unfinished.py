"""Findings about evaluations without a verdict: what ended them early, what is missing, and what cannot be read."""

from typing import ClassVar, Literal

from gate.record.comparison import Verdict
from gate.record.findings.finding import Code, Finding, Text, names, setting_name
from gate.values import Amount, Count, RecordPart, counted, exact_dollars

LimitName = Literal["max_calls", "max_usd", "max_minutes"]


class Unfinished(Finding):
    """What ended a run before its last sample."""

    severity: Literal["undecided"] = "undecided"


class BudgetReached(Unfinished):
    """A limit of the budget ended the run before its last sample.

    Args:
        limit: which one.
        value: what it allows.
        setting: what set it: a key of gate.yaml, an input, an option.
        spent_usd, next_usd: where the rest was not enough: dollars spent, and those that the next request may cost.
        request: what that request was.
        trouble: the error that used up the minutes, if there was one.
    """

    code: Literal["budget-reached"] = "budget-reached"
    limit: LimitName
    value: Amount
    setting: str
    spent_usd: Amount | None = None
    next_usd: Amount | None = None
    request: str = ""
    trouble: str = ""
    remedy: ClassVar[str] = "Raise the limit, or run again with the same limit: cached answers cost nothing."
    settings: ClassVar[tuple[str, ...]] = ("budget.max_calls", "budget.max_usd", "budget.max_minutes")

    @property
    def headline(self) -> Text:
        allowed = {
            "max_calls": counted(round(self.value), "call"),
            "max_usd": exact_dollars(self.value),
            "max_minutes": f"{self.value:g} minute{'' if self.value == 1 else 's'}",
        }[self.limit]
        if self.next_usd is None:
            return (f"the budget of {allowed} is used up",)
        spent = f"${self.spent_usd or 0.0:.4g} is spent, and the {self.request} may cost ${self.next_usd:.4g}"
        return (f"the budget of {allowed} is not enough for another {self.request}: {spent}",)

    @property
    def cause(self) -> str:
        return self.trouble

    @property
    def instead(self) -> str:
        """What to do rather than to raise the limit."""
        return "lower max_output_tokens" if self.request == "call" else "evaluate less"

    @property
    def more(self) -> Text:
        return ("Raise ", setting_name(self.setting), f", or {self.instead}.")

    @property
    def clause(self) -> str:
        return f"{self.phrase}; raise {self.setting}, or {self.instead}"


_ENDED_BY = {
    "SIGINT": "the run was interrupted (SIGINT)",
    "SIGTERM": "the process was stopped (SIGTERM)",
    "SIGKILL": "it ended without a word, as a process does that is killed",
    "": "the test run ended",
}


class RunInterrupted(Unfinished):
    """A signal, or the end of the test run that it belonged to, ended the run before its last sample.

    Args:
        signal: SIGKILL where it ended without a word, and empty where the test run ended.
        unreported, cases: of a test run, the cases that it did not come to, and all of them.
    """

    code: Literal["interrupted"] = "interrupted"
    signal: Literal["SIGINT", "SIGTERM", "SIGKILL", ""]
    unreported: Count = 0
    cases: Count = 0
    remedy: ClassVar[str] = "Run again: cached answers cost nothing."

    @property
    def headline(self) -> Text:
        if self.unreported:
            left = f"{self.unreported:,} of {counted(self.cases, 'case')} {'was' if self.unreported == 1 else 'were'}"
            return (f"the test run ended before {left} reported",)
        return (_ENDED_BY[self.signal],)


class ServiceFailed(Unfinished):
    """A service did not answer, so that no more requests were sent.

    Args:
        calls: that all failed, from the first one; null where time decided.
        judged: the calls were answered, and no answer was a judgement.
        seconds: of attempts that failed.
        since: when it stopped responding; empty where it never responded.
        error: the last one.
    """

    code: Literal["service-failed"] = "service-failed"
    calls: Count | None = None
    judged: bool = False
    seconds: Amount | None = None
    since: str = ""
    error: str
    remedy: ClassVar[str] = "Fix the problem that the error names, and run again: cached answers cost nothing."

    @property
    def headline(self) -> Text:
        if self.calls is not None:
            what = "judgements gave no score" if self.judged else "calls all failed"
            return (f"the first {self.calls:,} {what}",)
        seconds = f"{self.seconds or 0.0:.0f} s"
        if self.since:
            return (f"the service stopped responding at {self.since}, and {seconds} of attempts failed",)
        return (f"the service has not responded once in {seconds}",)

    @property
    def cause(self) -> str:
        return self.error


class CannotSave(Unfinished):
    """Answers or samples cannot be written down, so that they would not count."""

    code: Literal["cannot-save"] = "cannot-save"
    what: Literal["answers", "samples", "judgements"]
    reason: str
    remedy: ClassVar[str] = "Free disk space or name another folder, and run again: cached answers cost nothing."

    @property
    def headline(self) -> Text:
        return (f"the {self.what} cannot be saved",)

    @property
    def cause(self) -> str:
        return self.reason


class ShardsIncomplete(Unfinished):
    """Shards of the run are missing, or ended early.

    Args:
        missing: such as 2/4.
        ended: why those that ended early did, by name.
    """

    code: Literal["shards-incomplete"] = "shards-incomplete"
    missing: list[str]
    ended: dict[str, str]
    remedy: ClassVar[str] = "Run the missing shards again, and merge all of them."

    @property
    def headline(self) -> Text:
        pieces: Text = ()
        if self.missing:
            noun, verb = ("shard", "is") if len(self.missing) == 1 else ("shards", "are")
            pieces = (f"{noun} ", *names(self.missing), f" {verb} missing")
        if self.ended:
            noun = "shard" if len(self.ended) == 1 else "shards"
            pieces = (*pieces, "; " if pieces else "", f"{noun} ", *names(list(self.ended)), " ended early")
        return pieces

    @property
    def cause(self) -> str:
        return next(iter(self.ended.values()), "")


class SamplesMissing(Finding):
    """Samples have no score, and the verdict depends on what they would have shown.

    Args:
        best, worst: the verdicts, had all of them gone for, or against, the candidate; null where they were not needed.
        between: a third verdict that is possible.
    """

    code: Literal["samples-missing"] = "samples-missing"
    severity: Literal["undecided", "note"]
    samples: Count
    total: Count
    best: Verdict | None = None
    worst: Verdict | None = None
    between: Verdict | None = None
    remedy: ClassVar[str] = "Fix what made the samples fail, and run again: cached answers cost nothing."

    @property
    def headline(self) -> Text:
        one = self.samples == 1
        missing = f"{self.samples:,} of {counted(self.total, 'sample')} {'has' if one else 'have'} no score"
        if self.best is None or self.best is self.worst:
            return (missing,)
        return (f"{missing}, and {'it' if one else 'they'} could change the verdict",)

    @property
    def more(self) -> Text:
        if self.best is None or self.worst is None:
            return ()
        between = f", {self.between} between" if self.between else ""
        return (f"{self.best} in the best case for the candidate, {self.worst} in the worst{between}.",)


class ProblemRecord(RecordPart):
    """One error in one file; `line` is 0 where it is about all of it, and `file` empty where it is about none."""

    file: str
    line: Count
    message: str
    hint: str = ""

    @property
    def text(self) -> Text:
        """The place, the message and the hint."""
        where: Text = (Code(f"{self.file}:{self.line}" if self.line else self.file), ": ") if self.file else ()
        return (*where, self.message, f" ({self.hint})" if self.hint else "")


class InputError(Finding):
    """The configuration, a file or the command has errors, so that nothing could be evaluated.

    Args:
        count: of errors.
        problems: the first of them.
    """

    code: Literal["input-error"] = "input-error"
    severity: Literal["undecided"] = "undecided"
    count: Count
    problems: list[ProblemRecord]
    remedy: ClassVar[str] = "Correct what each error names, and push again."

    @property
    def hint(self) -> str:
        """What to do about the only error, where it is about no file."""
        return "" if self._several else self.problems[0].hint

    @property
    def _several(self) -> bool:
        return len(self.problems) != 1 or bool(self.problems[0].file)

    @property
    def headline(self) -> Text:
        if not self._several:
            return (self.problems[0].message,)
        verb = "keeps" if self.count == 1 else "keep"
        return (f"{'one error' if self.count == 1 else counted(self.count, 'error')} {verb} the gate from running",)

    @property
    def more(self) -> Text:
        if not self._several:
            return (f"Hint: {self.hint}.",) if self.hint else ()
        return tuple(piece for place, one in enumerate(self.problems) for piece in (*(["; "] * bool(place)), *one.text))


class ErrorWithHint(Finding):
    """An error, and what to do about it."""

    message: str
    hint: str = ""

    @property
    def headline(self) -> Text:
        return (self.message,)

    @property
    def more(self) -> Text:
        return (f"Hint: {self.hint}.",) if self.hint else ()


class EvaluationFailed(ErrorWithHint):
    """The evaluation could not be carried out, for a reason outside of the files of the change."""

    code: Literal["cannot-evaluate"] = "cannot-evaluate"
    severity: Literal["undecided"] = "undecided"
    remedy: ClassVar[str] = "Fix the problem, and run again."


class KeyMissing(ErrorWithHint):
    """The key of a provider is not in the environment."""

    code: Literal["key-missing"] = "key-missing"
    severity: Literal["undecided"] = "undecided"
    remedy: ClassVar[str] = "Store the key as a secret, and pass it to the gate's step under env."


class ErrorInBase(Finding):
    """The merge target already has the error, so that no change can be evaluated."""

    code: Literal["error-in-base"] = "error-in-base"
    severity: Literal["undecided"] = "undecided"
    base: str
    label: str
    remedy: ClassVar[str] = "Merge a change that fixes it with the override label."

    @property
    def headline(self) -> Text:
        return (Code(self.base), " already has this error")

    @property
    def more(self) -> Text:
        return ("Set the label ", Code(self.label), " to merge a change that fixes it.")


class PromptDeleted(Finding):
    """A prompt that the merge target tests is gone, and the change names no successor.

    Args:
        ref: the merge target.
        cases: how many its eval set has; null where they cannot be read.
        likely: a new file of the change that is like it; may be empty.
    """

    code: Literal["prompt-deleted"] = "prompt-deleted"
    severity: Literal["undecided"] = "undecided"
    prompt: str
    ref: str
    cases: Count | None
    likely: str = ""
    remedy: ClassVar[str] = (
        "If it moved, set its new path in its suite, or under moved in gate.yaml; "
        "if it is no longer needed, merge with the override label."
    )
    settings: ClassVar[tuple[str, ...]] = ("moved",)

    @property
    def headline(self) -> Text:
        many = "" if self.cases is None else f" with {counted(self.cases, 'case')}"
        like: Text = ("; ", Code(self.likely), " is like it") if self.likely else ()
        tested: Text = (", which ", Code(self.ref), f" tests{many}, is gone, and gate.yaml names no successor")
        return (Code(self.prompt), *tested, *like)


class BaselineIncomplete(Finding):
    """The answers of a branch, which later runs compare with, could not all be recorded."""

    code: Literal["baseline-incomplete"] = "baseline-incomplete"
    severity: Literal["undecided"] = "undecided"
    branch: str
    reason: str
    remedy: ClassVar[str] = "Fix the problem, and run again: cached answers cost nothing."

    @property
    def headline(self) -> Text:
        return ("the baseline ", Code(self.branch), " was not fully recorded")

    @property
    def cause(self) -> str:
        return self.reason
