"""Findings that are good to know and decide nothing: on the configuration, the eval set, the models and the budget."""

from typing import ClassVar, Literal

from gate.numbers import dollars
from gate.record.findings.finding import Code, Finding, Text, names
from gate.values import Amount, Count, counted


class Note(Finding):
    """A finding that decides nothing."""

    severity: Literal["note"] = "note"


class ConfigurationNew(Note):
    """The change brings the first configuration, so cases, scorers and policy are its own."""

    code: Literal["configuration-new"] = "configuration-new"
    path: str
    base: str

    @property
    def headline(self) -> Text:
        none: Text = (" has none, so cases, scorers and policy are the change's own",)
        return (Code(self.path), " is new: ", Code(self.base), *none)


class PromptNew(Note):
    """A new prompt has nothing to be compared with, so its pass rate decides.

    Args:
        exam: where its cases and scorers are from; empty where they are the change's own.
    """

    code: Literal["prompt-new"] = "prompt-new"
    prompt: str
    base: str
    exam: str = ""
    remedy: ClassVar[str] = "Set min_pass_rate in its policy, so that a bad first version is not merged."
    settings: ClassVar[tuple[str, ...]] = ("suites[].policy.min_pass_rate",)

    @property
    def headline(self) -> Text:
        exam: Text = (
            ("the cases and scorers of ", Code(self.exam)) if self.exam else ("the change's own cases and scorers",)
        )
        compared: Text = (
            " is a new prompt: ",
            Code(self.base),
            " has nothing to compare it with, so the share of its ",
        )
        return (Code(self.prompt), *compared, "answers that pass ", *exam, " decides")


class PromptRenamed(Note):
    """A prompt was renamed; both versions are compared."""

    code: Literal["prompt-renamed"] = "prompt-renamed"
    old: str
    new: str

    @property
    def headline(self) -> Text:
        return (Code(self.old), " was renamed to ", Code(self.new), "; the two are compared")


class PromptUntested(Note):
    """Texts that look like prompts changed, and no suite tests them."""

    code: Literal["prompt-untested"] = "prompt-untested"
    paths: list[str]
    remedy: ClassVar[str] = "Add a suite for the prompt: gate init --prompt PATH."

    @property
    def headline(self) -> Text:
        looks = "looks like a prompt" if len(self.paths) == 1 else "look like prompts"
        return ("no suite tests ", *names(self.paths), f", which {looks} and changed")


class SuiteNew(Note):
    """The change adds a suite, whose cases and scorers are its own.

    Args:
        counts: it has a part in the verdict; where the base has suites, it has none.
    """

    code: Literal["suite-new"] = "suite-new"
    suite: str
    counts: bool

    @property
    def headline(self) -> Text:
        shown = "" if self.counts else "; because the base has suites, it is shown and does not decide"
        return (Code(self.suite), f" is a new suite, so its cases and scorers are the change's own{shown}")


class SuiteRemoved(Note):
    """The change removes a suite, which still tests the prompt until the merge."""

    code: Literal["suite-removed"] = "suite-removed"
    prompt: str

    @property
    def headline(self) -> Text:
        return ("the change removes the suite for ", Code(self.prompt), "; until the merge, it still tests it")


class SuiteUnfilled(Note):
    """The case file of a suite is still the form that `gate init` wrote."""

    code: Literal["suite-unfilled"] = "suite-unfilled"
    cases: str
    prompt: str
    remedy: ClassVar[str] = "Fill in the cases."

    @property
    def headline(self) -> Text:
        return (Code(self.cases), " is not filled in yet, so nothing tests ", Code(self.prompt))


class SuiteNotEvaluated(Note):
    """A suite could not be evaluated at this commit."""

    code: Literal["suite-not-evaluated"] = "suite-not-evaluated"
    reason: str

    @property
    def headline(self) -> Text:
        return ("not evaluated",)

    @property
    def cause(self) -> str:
        return self.reason


class ExamEdited(Note):
    """The change edits its own eval set: cases, scorers or policy. The verdict rests on those of the merge target.

    Args:
        suite: empty for settings of the whole run.
        rules: settings that it edits, such as scorers.judge.
        added, removed, edited, obsolete: numbers of cases.
    """

    code: Literal["exam-edited"] = "exam-edited"
    suite: str
    rules: list[str]
    added: Count = 0
    removed: Count = 0
    edited: Count = 0
    obsolete: Count = 0
    remedy: ClassVar[str] = "Review the edits of the eval set: after the merge they apply to every prompt."

    @property
    def headline(self) -> Text:
        kinds = ((self.added, "added"), (self.removed, "removed"), (self.edited, "edited"), (self.obsolete, "obsolete"))
        counts = ", ".join(f"{counted(count, 'case')} {word}" for count, word in kinds if count)
        rules: Text = (", " if counts else "", *names(self.rules)) if self.rules else ()
        of: Text = ("the eval set of ", Code(self.suite)) if self.suite else ("settings of the whole run",)
        return ("the change edits ", *of, ": ", counts, *rules)


class CasesObsolete(Note):
    """Cases that are marked obsolete were left out."""

    code: Literal["cases-obsolete"] = "cases-obsolete"
    suite: str
    count: Count

    @property
    def headline(self) -> Text:
        return (f"{counted(self.count, 'obsolete case')} of ", Code(self.suite), " left out")


class CasesSelected(Note):
    """Only some of the cases were run.

    Args:
        suite: empty for all suites together.
    """

    code: Literal["cases-selected"] = "cases-selected"
    suite: str = ""
    selected: Count
    total: Count

    @property
    def headline(self) -> Text:
        suite: Text = (Code(self.suite), ": ") if self.suite else ()
        return (*suite, f"{self.selected:,} of {counted(self.total, 'case')} selected")


class DimensionsEmpty(Note):
    """Dimensions of slices that no case has, such as one that is misspelt: nothing is tested there."""

    code: Literal["dimensions-empty"] = "dimensions-empty"
    suite: str
    dimensions: list[str]
    remedy: ClassVar[str] = "Correct the name under slices, or give cases a value."
    settings: ClassVar[tuple[str, ...]] = ("suites[].slices",)

    @property
    def headline(self) -> Text:
        return ("slices of ", Code(self.suite), " include ", *names(self.dimensions), ", which no case has")


class SettingsUnused(Note):
    """A prompt file has settings that the gate does not use: the suite's model and params apply."""

    code: Literal["settings-unused"] = "settings-unused"
    path: str
    unused: list[str]

    @property
    def headline(self) -> Text:
        apply = ", which the gate does not use: the suite's model and params apply"
        return (Code(self.path), " sets ", *names(self.unused), apply)


class SettingsEdited(Note):
    """The change edits settings in a prompt file.

    Args:
        overridden: the options of the command count instead.
    """

    code: Literal["settings-edited"] = "settings-edited"
    path: str
    edited: list[str]
    overridden: bool

    @property
    def headline(self) -> Text:
        how = (
            "which the options of the command override" if self.overridden else "and each version is called as it says"
        )
        return (Code(self.path), " edits ", *names(self.edited), f", {how}")


class IncludesChanged(Note):
    """A prompt changed only through files that it includes."""

    code: Literal["includes-changed"] = "includes-changed"
    path: str
    files: list[str]

    @property
    def headline(self) -> Text:
        return (Code(self.path), " itself did not change; ", *names(self.files), ", which it includes, did")


class PromptNotBuilt(Note):
    """A function could not build its prompt for some sessions."""

    code: Literal["prompt-not-built"] = "prompt-not-built"
    path: str
    ref: str
    failed: Count
    total: Count
    reason: str
    remedy: ClassVar[str] = "Fix the function, or the cases that it cannot build a prompt for."

    @property
    def headline(self) -> Text:
        return (Code(self.path), " at ", Code(self.ref), f" has no text for {self.failed:,} of {self.total:,} sessions")

    @property
    def cause(self) -> str:
        return self.reason


class AddressesNew(Note):
    """An agent uses addresses or variables that the merge target does not."""

    code: Literal["addresses-new"] = "addresses-new"
    suite: str
    addresses: list[str]
    remedy: ClassVar[str] = "Make sure that the agent may send data there."

    @property
    def headline(self) -> Text:
        return (Code(self.suite), " uses ", *names(self.addresses), " in this change, which the merge target does not")


class ServersEdited(Note):
    """The change edits providers or prices; this run uses those of the merge target."""

    code: Literal["servers-edited"] = "servers-edited"
    what: Literal["providers", "prices"]
    edited: list[str]
    base: str

    @property
    def headline(self) -> Text:
        mine: Text = ("; this run uses those of ", Code(self.base), ", and the edit counts after the merge")
        return (f"the change edits {self.what} (", *names(self.edited), ")", *mine)


class PlaceholdersFilled(Note):
    """Placeholders of prompts and cases were filled, for both versions alike.

    Args:
        values: by name.
    """

    code: Literal["placeholders-filled"] = "placeholders-filled"
    suite: str
    values: dict[str, str]

    @property
    def headline(self) -> Text:
        pairs = ", ".join(f"{{{name}}} is {value}" for name, value in self.values.items())
        return (Code(self.suite), f": in prompts and cases of both versions {pairs}")


class SamplesRepeat(Note):
    """Several samples of a model at temperature 0 cost calls and show almost nothing: it repeats its answer."""

    code: Literal["samples-repeat"] = "samples-repeat"
    suite: str
    samples: Count
    remedy: ClassVar[str] = "Set samples: 1, or add cases."
    settings: ClassVar[tuple[str, ...]] = ("suites[].samples", "suites[].params")

    @property
    def headline(self) -> Text:
        return (Code(self.suite), f": {self.samples} samples at temperature 0, where a model repeats its answer")

    @property
    def more(self) -> Text:
        return (self.remedy,)


class JudgeRelated(Note):
    """A judge is the model that it judges, or a weaker relative: judges prefer answers of similar models."""

    code: Literal["judge-related"] = "judge-related"
    suite: str
    scorer: str
    judge: str
    model: str
    relation: Literal["the same model", "the same model of another date", "a weaker model of its family"]
    remedy: ClassVar[str] = "Use a stronger model as judge, or one of another family."
    settings: ClassVar[tuple[str, ...]] = ("suites[].scorers",)

    @property
    def headline(self) -> Text:
        return (Code(self.suite), ": the judge ", Code(self.scorer), " calls ", Code(self.judge), ", ", *self._relation)

    @property
    def _relation(self) -> Text:
        if self.relation == "the same model":
            return ("the model that it judges (self-preference)",)
        if self.relation == "the same model of another date":
            return ("which is ", Code(self.model), " of another date, and judges it (self-preference)")
        return ("a weaker relative of ", Code(self.model), ", which it judges (self-preference)")

    @property
    def more(self) -> Text:
        return (self.remedy,)


class CacheUnused(Note):
    """Answers of earlier runs could not be read, so that they were paid for again."""

    code: Literal["cache-unused"] = "cache-unused"
    path: str
    reason: str

    @property
    def headline(self) -> Text:
        return ("the answer cache ", Code(self.path), " was not used")

    @property
    def cause(self) -> str:
        return self.reason


class CostUncounted(Note):
    """A limit in dollars cannot count all calls: the price of a model is unknown, or an agent does not report it.

    Args:
        models: of unknown price; empty where it is an agent.
        setting: what sets the limit.
        calls_setting: what limits the number of calls, or would.
        calls_limited: it does.
    """

    code: Literal["cost-uncounted"] = "cost-uncounted"
    models: list[str]
    setting: str
    calls_setting: str
    calls_limited: bool
    remedy: ClassVar[str] = "Set the price under prices in gate.yaml, or let the agent return cost_usd."
    settings: ClassVar[tuple[str, ...]] = ("prices", "budget.max_usd", "budget.max_calls")

    @property
    def headline(self) -> Text:
        subject: Text = (
            ("the price of ", *names(self.models), " is unknown")
            if self.models
            else ("an agent does not report what its answers cost",)
        )
        return (*subject, ", so ", Code(self.setting), " does not count them")

    @property
    def more(self) -> Text:
        calls: Text = (
            (Code(self.calls_setting), " still limits them. ")
            if self.calls_limited
            else ("Set ", Code(self.calls_setting), " to limit them. ")
        )
        price: Text = (
            ("Set the price under ", Code("prices"), ".") if self.models else ("Let it return ", Code("cost_usd"), ".")
        )
        return (*calls, *price)


class BudgetTooLow(Note):
    """A limit of the budget is too low for the run, which would then end INCONCLUSIVE.

    Args:
        setting, value: of the limit, such as `budget.max_calls` and `40`.
        need: what the run needs, such as `needs 60 calls`.
        certain: whether it will end so, or is likely to.
        early: it may be spared by stopping early.
        cached: the answers are cached, and the next run continues from there.
    """

    code: Literal["budget-too-low"] = "budget-too-low"
    setting: str
    value: str
    need: str
    certain: bool
    early: bool
    cached: bool
    remedy: ClassVar[str] = "Raise the limit, or evaluate less."
    settings: ClassVar[tuple[str, ...]] = ("budget.max_calls", "budget.max_usd", "budget.max_minutes")

    @property
    def headline(self) -> Text:
        return (Code(self.setting), f" is {self.value}, and this run {self.need}")

    @property
    def more(self) -> Text:
        ends = "it will end INCONCLUSIVE" if self.certain else "it is likely to end INCONCLUSIVE"
        unless = f"unless it can stop early, {ends}" if self.early else ends
        cached = " The answers are cached, and the next run continues from there." if self.cached else ""
        return (f"{unless[:1].upper()}{unless[1:]}.{cached}",)


class FormatUnchecked(Note):
    """A JSON Schema of a scorer names a format that is not checked."""

    code: Literal["format-unchecked"] = "format-unchecked"
    suite: str
    scorer: str
    format: str
    remedy: ClassVar[str] = "Use pattern in the schema."

    @property
    def headline(self) -> Text:
        return (Code(self.suite), ", scorer ", Code(self.scorer), ": the format ", Code(self.format), " is not checked")

    @property
    def more(self) -> Text:
        return ("Use ", Code("pattern"), ".")


class MergedByGate(Note):
    """The gate merged the change into its target itself, since GitHub's merge commit could not be used."""

    code: Literal["merged-by-gate"] = "merged-by-gate"
    base: str
    reason: str

    @property
    def headline(self) -> Text:
        return ("the gate merged the change into ", Code(self.base), f" itself, because {self.reason}")


class PromptCacheUncompared(Note):
    """What the change does to the prompt cache of its provider could not be found out."""

    code: Literal["prompt-cache-uncompared"] = "prompt-cache-uncompared"
    suite: str

    @property
    def headline(self) -> Text:
        return ("what the change does to the prompt cache of ", Code(self.suite), " could not be found out")


class CallsUnreported(Note):
    """Calls were made in advance for cases that were not reported; the answers are cached.

    Args:
        spent_usd: null where it is not known.
    """

    code: Literal["calls-unreported"] = "calls-unreported"
    cases: Count
    calls: Count
    spent_usd: Amount | None

    @property
    def headline(self) -> Text:
        spent = "" if self.spent_usd is None else f", {dollars(self.spent_usd)},"
        cases = "a case that was" if self.cases == 1 else f"{self.cases:,} cases that were"
        were = "was" if self.calls == 1 else "were"
        return (f"{counted(self.calls, 'call')}{spent} {were} made in advance for {cases} not reported",)

    @property
    def more(self) -> Text:
        return ("The answers are cached, and not counted here.",)


class Remark(Note):
    """What a server, a tool or a file said, or was done without.

    Args:
        message: a sentence.
    """

    code: Literal["remark"] = "remark"
    message: str

    @property
    def headline(self) -> Text:
        return (self.message,)

    @property
    def cause(self) -> str:
        return ""

    @property
    def sentence(self) -> Text:
        return (self.message,)
