"""Everything that a report of a run shows, with how the verdict was decided."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gate import numbers
from gate.errors import SHOWN, Interrupted
from gate.record.comparison import AxisComparison, State, Verdict
from gate.record.findings.catalogue import SKIPPING
from gate.record.findings.finding import Code, Finding, Text, capitalized
from gate.record.findings.notes import BudgetTooLow, ExamEdited
from gate.record.findings.quality import (
    AboveLimit,
    NoPromptChanged,
    NoRegression,
    OverallImproved,
    RequiredSliceEmpty,
)
from gate.record.findings.rates import PassRateMet, ThresholdUnset
from gate.record.findings.skipped import BaselineRecorded, SecretsMissing
from gate.record.findings.unfinished import InputError, SamplesMissing
from gate.record.parts import ArmRecord, ExamRecord
from gate.record.run import ExamChangeRecord, MethodRecord, NewSuiteRecord, RunRecord, SuiteRecord
from gate.report.sheet import Fact, Section, SheetTable
from gate.report.slices import (
    LONGEST_SENTENCE,
    Step,
    duration_change_interval,
    listed,
    run_slices,
    short_line,
    suite_label,
)
from gate.report.view import calls, exam, pass_rates
from gate.report.view.advice import next_steps
from gate.report.view.calls import (
    cache_facts,
    cache_findings,
    call_facts,
    ending_facts,
    reuse_facts,
    spending_text,
    usage_section,
)
from gate.report.view.cases import CaseView, case_views, telling_cases
from gate.report.view.comparisons import (
    CALLS_FOR_P95,
    AxesRow,
    SliceTable,
    axes_rows,
    p95_change,
    p95_is_trusted,
    slice_footnotes,
    slice_tables,
)
from gate.report.view.coverage import coverage_sentence
from gate.report.view.exam import PromiseTable, promise_tables
from gate.report.view.headline import (
    early_end_notes,
    exit_code_words,
    headline,
    nothing_scored,
    obstacle_in_full,
    override_notes,
    shown,
    summary_sentence,
    waived_by,
)
from gate.report.view.pass_rates import CheckTable, NewPrompt, new_prompts
from gate.report.view.scorers import dimension_sections, judge_fact, jury_facts, position_facts, scorer_sections
from gate.values import counted

MARGINS_NAMED = 5

PERCENTILE = "percentile"


def method_facts(run: RunRecord) -> Iterator[Fact]:
    """Method, false-block rate, margin and seed."""
    yield Fact("Method", _name(run.method))
    if run.method.samples_taken is not None:
        yield Fact("Early stopping", (_early(run),))
    yield Fact("False blocks", (_promise(run.method),))
    yield Fact("Margin", (_margins(run),))
    yield Fact("Seed", (Code(str(run.seed)),))


def _name(used: MethodRecord) -> Text:
    slices = counted(used.slices_tested, "slice")
    if used.name == PERCENTILE:
        return ("percentile bootstrap (", Code(used.name), f"), {slices} tested separately")
    flips = f", {counted(used.flips, 'sign flip')}" if used.flips else ""
    breakage = ", with the breakage channel (any changed case counts)" if used.breakage else ""
    return ("joint sign-flip test (", Code(used.name), f") of {slices} (overall included){flips}{breakage}")


def _early(run: RunRecord) -> str:
    """How many samples the comparison rests on, and why not more."""
    used = run.method
    planned, taken = used.samples_planned or 0, used.samples_taken or 0
    told = f"{counted(planned, 'sample')} per case planned"
    if taken >= planned:
        return f"{told}, all taken"
    regressed = any(named.record.blocking and named.record.state is State.REGRESSION for named in run_slices(run))
    why = "a regression was certain" if regressed else "no sign of a change"
    return f"{told}, {taken} taken: {why}; {counted(used.spared, 'sample')} saved"


def _promise(used: MethodRecord) -> str:
    rate = numbers.percent(used.alpha)
    if used.name == PERCENTILE:
        return f"about {rate} for one slice with many cases; more for small slices and over all slices"
    if used.breakage:
        return f"at most {rate} over all slices if the change alters no case, else higher"
    return f"at most {rate} over all slices if the change has no effect"


def _margins(run: RunRecord) -> str:
    slices = run_slices(run)
    margins = sorted({named.record.margin for named in slices})
    if not margins or margins == [0.0]:
        return "none; a slice is a regression if its whole interval lies below zero"
    means = "a slice is a regression if its whole interval lies below its margin"
    if len(margins) == 1:
        return f"{numbers.delta(-margins[0])} for every slice; {means}"
    counts = Counter(named.record.margin for named in slices)
    usual = max(margins, key=lambda margin: counts[margin])
    others = [named for named in slices if named.record.margin != usual]
    told = [f"{numbers.delta(-named.record.margin)} for {short_line(named.full)}" for named in others[:MARGINS_NAMED]]
    more = f" and {len(others) - MARGINS_NAMED:,} others" if len(others) > MARGINS_NAMED else ""
    return short_line(f"{numbers.delta(-usual)}, {', '.join(told)}{more}; {means}", LONGEST_SENTENCE)


def method_line(run: RunRecord) -> str:
    """Method and false-block rate: `joint test (maxt) of 6 slices with overall; at most 2.5 % wrong BLOCKs`."""
    used = run.method
    if not run.evaluated:
        return ""
    if run.kind == "check":
        return f"pass rates with {numbers.percent(1 - 2 * used.alpha)} Wilson intervals"
    if not any(suite.quality.overall.n for suite in run.suites):
        return "pass rates with Wilson intervals" if run.new else ""
    slices = counted(used.slices_tested, "slice")
    if not used.slices_tested:
        return "no slice has enough cases for a test"
    planned, taken = used.samples_planned or 0, used.samples_taken or 0
    early = f", stopped early after {taken} of {planned} samples" if taken < planned else ""
    if used.name == PERCENTILE:
        return f"percentile bootstrap ({used.name}), {slices} tested separately{early}"
    rate = numbers.percent(used.alpha)
    return f"joint test ({used.name}) of {slices} with overall; at most {rate} wrong BLOCKs{early}"


IDS_NAMED = 8
REASONS_IN_FULL = 20
DIGEST_SHOWN = 12


def facts_section(run: RunRecord) -> Section | None:
    """How the verdict was decided, the method first; None where nothing was."""
    found = tuple(facts(run))
    if not found:
        return None
    compared = any(suite.quality.overall.n for suite in run.suites)
    return Section(
        title=("How the verdict was decided",),
        brief=(),
        tables=(SheetTable("", (), (), items=found),),
        missing=("how the verdict was decided", ""),
        notes=(axes_note(run),) if compared else (),
    )


def facts(run: RunRecord) -> Iterator[Fact]:
    """All facts of a run, the method first."""
    if not run.evaluated:
        if run.verdict is not Verdict.SKIPPED:
            yield from _unevaluated(run)
        return
    if any(suite.quality.overall.n for suite in run.suites):
        yield from method_facts(run)
    yield from pass_rates.check_method(run) if run.kind == "check" else pass_rates.rate_method(run)
    for suite in run.suites:
        yield from _suite(run, suite)
    for new in run.new:
        yield from _new(run, new)
    yield from jury_facts(run)
    yield from reuse_facts(run)
    yield from ending_facts(run)
    yield from _ending(run)


def axes_note(run: RunRecord) -> str:
    """What the figures of the axes are."""
    p95 = ". p95: 95 % of the answers are faster" if any(one.latency.p95 for one in axes_rows(run)) else ""
    return f"Quality is a score from 0 to 1. Brackets: {numbers.percent(1 - 2 * run.method.alpha)} interval{p95}."


def reason_facts(run: RunRecord) -> Iterator[Fact]:
    """What decided the verdict, one by one."""
    for finding in run.deciding[:REASONS_IN_FULL]:
        yield Fact(finding.code, shown(finding.sentence), named=True)
    if (more := len(run.deciding) - REASONS_IN_FULL) > 0:
        yield Fact("Findings", (f"and {more:,} more in run.json",))


def _suite(run: RunRecord, suite: SuiteRecord) -> Iterator[Fact]:
    label = short_line(suite_label(run, suite))
    yield Fact("baseline", _arm(suite.baseline), label)
    yield Fact("candidate", _arm(suite.candidate), label)
    yield from _exam(label, suite.exam, _samples(run, suite))
    if suite.latency.compared:
        yield Fact("latency", (_latency(suite.latency),), label)
    yield from position_facts(label, suite)
    if suite.cache is not None:
        yield from cache_facts(label, suite.cache)
    if suite.cost_note:
        yield Fact("cost", (short_line(suite.cost_note, LONGEST_SENTENCE),), label)


def _samples(run: RunRecord, suite: SuiteRecord) -> str:
    """Empty where the line on early stopping has it."""
    told = suite.samples == run.method.samples_planned
    return "" if told else f", {counted(suite.samples, 'sample')} per case and arm"


def _new(run: RunRecord, suite: NewSuiteRecord) -> Iterator[Fact]:
    label = short_line(suite_label(run, suite))
    yield Fact("prompt" if run.kind == "check" else "new prompt", _arm(suite.candidate), label)
    yield from _exam(label, suite.exam, f", {counted(suite.samples, 'sample')} per case")
    if suite.cost_note:
        yield Fact("cost", (short_line(suite.cost_note, LONGEST_SENTENCE),), label)


def _exam(suite: str, exam: ExamRecord, samples: str) -> Iterator[Fact]:
    scorers = short_line(", ".join(exam.scorers), LONGEST_SENTENCE) or "none"
    size, digest = counted(exam.cases, "case"), Code(exam.digest[:DIGEST_SHOWN])
    kept: Text = (" of ", _code(exam.store)) if exam.store else ()
    told = (size, *kept, " at ", _code(exam.ref), ", digest ", digest, f"{samples}, scorers: {scorers}")
    yield Fact("eval set", told, suite)
    for judge in exam.judges:
        yield judge_fact(suite, judge)
    yield from _changes(suite, exam)


def _changes(suite: str, exam: ExamRecord | ExamChangeRecord) -> Iterator[Fact]:
    kinds = (
        ("added", exam.added),
        ("removed", exam.removed),
        ("edited", exam.edited),
        ("marked obsolete", exam.obsolete),
    )
    if told := "; ".join(f"{verb} {_counted_ids(ids)}" for verb, ids in kinds if ids):
        yield Fact("edited cases", (told,), suite)


def _arm(arm: ArmRecord) -> Text:
    out: list[str | Code] = [_code(arm.path), " at ", _code(arm.ref)]
    if arm.sha and arm.sha != arm.ref:
        out += [" (", Code(arm.sha[:DIGEST_SHOWN]), ")"]
    out += [", prompt digest ", Code(arm.digest[:DIGEST_SHOWN]), ", model ", _code(arm.model)]
    others = [name for name in arm.returned_models if not arm.model.endswith(f":{name}")]
    if others:
        out += [", answered by ", _code(", ".join(map(short_line, others[:IDS_NAMED])))]
    if arm.params:
        out += [", with ", _code(", ".join(f"{name}={value}" for name, value in arm.params.items()))]
    return tuple(out)


def _code(text: str) -> Code:
    return Code(short_line(text, LONGEST_SENTENCE))


def _unevaluated(run: RunRecord) -> Iterator[Fact]:
    for change in run.exam_changes:
        yield from _changes(short_line(change.suite), change)
    yield Fact("Exit code", exit_code_words(run))
    yield from _made_by(run)


def _ending(run: RunRecord) -> Iterator[Fact]:
    missing = run.missing
    if missing.samples:
        reasons = [f"{one.samples:,} × {short_line(one.reason, LONGEST_SENTENCE)}" for one in missing.reasons]
        reasons += [f"other reasons for {counted(missing.others, 'sample')}"] if missing.others else []
        why = f": {'; '.join(reasons)}" if reasons else ""
        yield Fact("Missing", (f"{missing.samples:,} of {counted(missing.total, 'sample')}{why}",))
        if missing.cases:
            yield Fact("Cases to run again", (_counted_ids(missing.cases),))
    if missing.samples and missing.best and missing.worst and run.unfinished is None:
        best = "best case"
        yield Fact("Possible verdicts", (f"{best}: {missing.best}; worst case: {missing.worst}",))
    ended: Text = (
        ("interrupted",) if run.exit_code == Interrupted.exit_code else (Code("fail_on"), f": {run.method.fail_on}")
    )
    yield Fact("Exit code", (*exit_code_words(run), " (", *ended, ")"))
    yield from _made_by(run)


def _made_by(run: RunRecord) -> Iterator[Fact]:
    if looked_at := coverage_sentence(run.coverage):
        yield Fact("Looked at", (looked_at,))
    commit: Text = (", commit ", Code(run.commit[:DIGEST_SHOWN])) if run.commit else ()
    yield Fact("Made by", (f"Prompt Gate {run.tool_version}, {run.created}", *commit))


def _latency(axis: AxisComparison) -> str:
    judged = f"decided by the mean ratio per case over {counted(axis.n, 'case')}; "
    if axis.p50_change is None or axis.p95_change is None:
        return f"{judged}p50 and p95 do not count, because p95 needs about 1,000 samples"
    p50 = f"p50 {duration_change_interval(axis.p50_change)}"
    shown = f"{judged}{p50} and {p95_change(axis.p95_change)} do not count"
    if p95_is_trusted(axis):
        return shown
    fewest = counted(min(axis.baseline.calls, axis.candidate.calls), "sample")
    return f"{shown}; p95 is rough: it needs about {CALLS_FOR_P95:,} samples per arm, not {fewest}"


def _counted_ids(ids: Sequence[str]) -> str:
    return f"{len(ids):,} ({listed(ids, IDS_NAMED)})"


MOST_STILL = 3
"""Suites without a shown change that are listed one by one."""


@dataclass(frozen=True, slots=True)
class ReportView:
    """A whole report.

    Args:
        headline: what follows the verdict in the first line.
        axes: one for each suite.
        confidence: `95 %`.
        tables: one for each suite.
        cases: those that explain the first line, the most telling first.
        steps: what to do next, in order.
        method: the method in one line; empty where nothing was evaluated.
        aside: why the verdict does not set the exit code, for the first line; else empty.
        results: by scorer, by dimension of a rubric, and what agents did, suite by suite.
        exam: the results with the edited tests.
        more_facts: for a report that has room for them: what decided the verdict, one by one.
        facts: how the verdict was decided.
        usage: what the calls took.
        cases_head, cases_brief: headings of `cases`, with and without how many are shown.
        spent: what the run spent, and what cached answers saved; empty without a call.
        new_answers: that no answer was reused, to follow `spent`; empty where one was.
    """

    verdict: Verdict
    headline: Text
    sentence: Text
    notes: tuple[str | Text, ...]
    axes: tuple[AxesRow, ...]
    confidence: str
    tables: tuple[SliceTable, ...]
    footnotes: tuple[str, ...]
    cases: tuple[CaseView, ...]
    steps: tuple[Step, ...]
    facts: Section | None = None
    usage: Section | None = None
    results: tuple[Section, ...] = ()
    exam: Section | None = None
    more_facts: tuple[Fact, ...] = ()
    method: str = ""
    left_out: tuple[str, ...] = ()
    new: tuple[NewPrompt, ...] = ()
    aside: Text = ()
    notice: Text = ()
    notice_in_short: Text = ()
    weighty: bool = False
    calm: bool = False
    checks: tuple[CheckTable, ...] = ()
    promises: tuple[PromiseTable, ...] = ()
    cases_head: Text = ()
    cases_brief: Text = ()
    spent: Text = ()
    new_answers: str = ""

    @property
    def still(self) -> frozenset[str]:
        """Suites in which nothing is shown to have moved, where they are too many to be listed one by one."""
        moved = {table.suite for table in self.tables if not table.quiet}
        quiet = frozenset(axes.suite for axes in self.axes if axes.suite and axes.quiet) - moved
        return quiet if len(quiet) > MOST_STILL else frozenset()

    @property
    def axes_note(self) -> str:
        """What the figures of the axes are; empty where nothing was compared."""
        return self.facts.notes[0] if self.facts and self.facts.notes else ""

    @property
    def lead(self) -> str | Text:
        """The text right below the first line: the sentence, or in an alert without one the first note."""
        return self.sentence or (self.notes[0] if self.alert and self.notes else ())

    @property
    def rest(self) -> tuple[str | Text, ...]:
        """The notes below `lead`."""
        return self.notes if self.sentence or not self.alert else self.notes[1:]

    @property
    def alert(self) -> str:
        """The kind of GitHub alert around the sentence; empty for verdicts that need no action."""
        return "WARNING" if self.verdict is Verdict.BLOCK and self.aside else _ALERTS.get(self.verdict, "")


NOTES_SHOWN = 6
REASONS_SHOWN = 8
"""As many as a run with missing samples has: possible verdicts, which cases, and why."""
ERRORS_SHOWN = SHOWN + 3
"""The number of errors, each of them, the number left out, and what to do."""


def report_view(run: RunRecord) -> ReportView:
    """Everything that a report says, in its order."""
    return ReportView(
        verdict=run.verdict,
        headline=headline(run),
        sentence=_sentence(run),
        notes=_notes(run),
        axes=axes_rows(run),
        confidence=numbers.percent(1 - 2 * run.method.alpha),
        tables=slice_tables(run),
        footnotes=(*slice_footnotes(run), *calls.reuse_footnote(run), *pass_rates.check_notes(run)),
        cases=case_views(run),
        usage=usage_section(run),
        facts=facts_section(run),
        more_facts=tuple(reason_facts(run) if run.evaluated else call_facts(run)),
        results=(*_conversation_sections(run), *scorer_sections(run), *dimension_sections(run)),
        steps=next_steps(run),
        method=method_line(run),
        new=() if run.kind == "check" else new_prompts(run),
        aside=waived_by(run),
        notice=exam.exam_notice(run),
        notice_in_short=exam.exam_notice_in_short(run),
        weighty=exam.is_weighty(run),
        calm=exam.is_calm(run),
        promises=promise_tables(run.promises),
        exam=exam.exam_section(run),
        checks=pass_rates.check_tables(run),
        cases_head=telling_cases(run).head,
        cases_brief=telling_cases(run).brief,
        spent=spending_text(run),
        new_answers=calls.new_answers(run),
    )


def _has_conversations(run: RunRecord) -> bool:
    held = any(suite.conversations or suite.tools for suite in run.suites)
    return held or any(suite.conversations for suite in run.new)


def _conversation_sections(run: RunRecord) -> Iterator[Section]:
    if _has_conversations(run):
        from gate.report.view.conversations import conversation_sections

        yield from conversation_sections(run)


def _conversation_findings(run: RunRecord) -> tuple[Text, ...]:
    if not _has_conversations(run):
        return ()
    from gate.report.view.conversations import conversation_findings

    return conversation_findings(run)


def _sentence(run: RunRecord) -> Text:
    """What did not fit in the first line, and how many slices regressed or improved."""
    if missing := next((finding for finding in run.findings if isinstance(finding, SecretsMissing)), None):
        return shown((f"{missing.cause}. ", *missing.more))
    if run.verdict is not Verdict.INCONCLUSIVE:
        return summary_sentence(run)
    told = [one for one in (obstacle_in_full(run), _neither(run), summary_sentence(run)) if one]
    return tuple(piece for place, one in enumerate(told) for piece in ((" ", *one) if place else one))


def _neither(run: RunRecord) -> Text:
    """What the lack of a verdict means."""
    if run.kind in ("check", "baseline"):
        return ()
    if not run.evaluated:
        return ("Nothing was evaluated, so the prompt may be better or worse.",)
    return ("There is no verdict on the prompt.",)


def _notes(run: RunRecord) -> tuple[str | Text, ...]:
    """The notes below the summary, the most important first.

    Label, missing samples, scores that cannot drop, tools that agents no longer call, the prompt cache, replies, cached
    answers, remarks, then the reasons.
    """
    most = REASONS_SHOWN if run.evaluated else ERRORS_SHOWN
    notes = [finding for finding in run.findings if finding.severity == "note" and not isinstance(finding, _ELSEWHERE)]
    reasons = _more_reasons(run)
    more, rest = len(notes) - NOTES_SHOWN, len(reasons) - most
    return (
        *override_notes(run),
        *early_end_notes(run),
        *exam.floor_findings(run),
        *_conversation_findings(run),
        *cache_findings(run),
        *calls.ending_findings(run),
        *calls.reuse_drifts(run),
        *([coverage_sentence(run.coverage)] if run.verdict is Verdict.SKIPPED and run.coverage else []),
        *(_note(run, note) for note in notes[:NOTES_SHOWN]),
        *((f"and {more} more remarks",) if more > 0 else ()),
        *reasons[:most],
        *((f"and {rest:,} more findings in run.json",) if rest > 0 else ()),
    )


def _note(run: RunRecord, note: Finding) -> Text:
    # Once a run did end early, what was foreseen goes without saying.
    if isinstance(note, BudgetTooLow) and run.unfinished:
        return (*capitalized(shown(note.headline)), ".")
    return shown(note.sentence)


_ELSEWHERE = (
    *SKIPPING,
    BaselineRecorded,
    ExamEdited,
    NoPromptChanged,
    NoRegression,
    OverallImproved,
    PassRateMet,
)
"""Findings that the first line, the tables or the notice of an edited eval set show."""


def _more_reasons(run: RunRecord) -> tuple[Text, ...]:
    """What the verdict rests on, as far as neither the first line nor a table shows it."""
    if run.verdict is Verdict.INCONCLUSIVE:
        first, *others = run.deciding
        # Where no sample has a score, which slices are affected says nothing new.
        others = [] if nothing_scored(run) else others
        own = first.problems if isinstance(first, InputError) and first.problems[0].file else []
        more: tuple[Text, ...] = (shown(first.more),) if isinstance(first, SamplesMissing) else ()
        return (*more, *(shown(problem.text) for problem in own), *(shown(finding.sentence) for finding in others))
    if run.verdict is Verdict.HOLD:
        told = (AboveLimit, ThresholdUnset)
        return tuple(shown(one.sentence) for one in run.deciding[1:] if not isinstance(one, told))
    if run.verdict is Verdict.BLOCK:
        return tuple(shown(one.sentence) for one in run.findings if isinstance(one, RequiredSliceEmpty))
    if run.verdict is Verdict.SKIPPED and run.deciding[0].more:
        return (shown(run.deciding[0].more),)
    return ()


_ALERTS = {Verdict.BLOCK: "CAUTION", Verdict.INCONCLUSIVE: "WARNING", Verdict.HOLD: "WARNING"}
