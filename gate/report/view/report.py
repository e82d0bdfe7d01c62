"""Everything that a report of a run shows, with how the verdict was decided."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.errors import SHOWN, Interrupted
from gate.record.comparison import ArmAxis, AxisComparison, State, Verdict
from gate.record.findings.catalogue import SKIPPING
from gate.record.findings.finding import Finding
from gate.record.findings.notes import BudgetTooLow, ExamEdited
from gate.record.findings.quality import AboveLimit, NoPromptChanged, NoRegression, OverallImproved
from gate.record.findings.rates import PassRateMet, ThresholdUnset
from gate.record.findings.skipped import BaselineRecorded
from gate.record.findings.unfinished import InputError, SamplesMissing
from gate.record.parts import ArmRecord, ExamRecord
from gate.record.run import ExamChangeRecord, MethodRecord, NewSuiteRecord, RunRecord, SuiteRecord
from gate.report import numbers
from gate.report.numbers import LONGEST_SENTENCE, Code, NamedNumber, Text, listed, run_slices, short_line, suite_label
from gate.report.view import calls, exam, pass_rates
from gate.report.view.advice import next_steps
from gate.report.view.calls import (
    UsageRow,
    cache_facts,
    cache_findings,
    cost_facts,
    ending_facts,
    per_answer,
    reuse_facts,
    spending_text,
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
from gate.report.view.exam import ExamTrial, PromiseTable, promise_tables
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
from gate.report.view.scorers import (
    DimensionTable,
    ScorerTable,
    dimension_tables,
    judge_fact,
    jury_facts,
    position_facts,
    scorer_tables,
)

if TYPE_CHECKING:
    from gate.report.view.conversations import ConversationTable


MARGINS_NAMED = 5

PERCENTILE = "percentile"


def method_facts(run: RunRecord) -> Iterator[NamedNumber]:
    """Method, false-block rate, margin and seed."""
    yield NamedNumber("Method", _name(run.method))
    if run.method.samples_taken is not None:
        yield NamedNumber("Early stopping", (_early(run),))
    yield NamedNumber("False blocks", (_promise(run.method),))
    yield NamedNumber("Margin", (_margins(run),))
    yield NamedNumber("Seed", (Code(str(run.seed)),))


def _name(used: MethodRecord) -> Text:
    slices = numbers.counted(used.slices_tested, "slice")
    if used.name == PERCENTILE:
        return ("percentile bootstrap (", Code(used.name), f"), {slices} tested separately")
    flips = f", {numbers.counted(used.flips, 'sign flip')}" if used.flips else ""
    breakage = ", with the breakage channel (any changed case counts)" if used.breakage else ""
    return ("joint sign-flip test (", Code(used.name), f") of {slices} (overall included){flips}{breakage}")


def _early(run: RunRecord) -> str:
    """How many samples the comparison rests on, and why not more."""
    used = run.method
    planned, taken = used.samples_planned or 0, used.samples_taken or 0
    told = f"{numbers.counted(planned, 'sample')} per case planned"
    if taken >= planned:
        return f"{told}, all taken"
    regressed = any(named.record.blocking and named.record.state is State.REGRESSION for named in run_slices(run))
    why = "a regression was certain" if regressed else "no sign of a change"
    return f"{told}, {taken} taken: {why}; {numbers.counted(used.spared, 'sample')} saved"


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
    slices = numbers.counted(used.slices_tested, "slice")
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


def facts(run: RunRecord) -> tuple[NamedNumber, ...]:
    """All facts of a run, the method first."""
    if not run.evaluated:
        return () if run.verdict is Verdict.SKIPPED else tuple(_unevaluated(run))
    compared = method_facts(run) if any(suite.quality.overall.n for suite in run.suites) else ()
    suites = (fact for suite in run.suites for fact in _suite(run, suite))
    new = (fact for suite in run.new for fact in _new(run, suite))
    answers = (*jury_facts(run), *reuse_facts(run), *ending_facts(run))
    alone = pass_rates.check_method(run) if run.kind == "check" else pass_rates.rate_method(run)
    return (*_reasons(run), *compared, *alone, *suites, *new, *answers, *_ending(run))


def usage_rows(run: RunRecord) -> tuple[UsageRow, ...]:
    """Tokens of each kind, money and time: two rows for each suite."""
    rows = []
    for suite in run.suites:
        label = short_line(suite_label(run, suite))
        prefix = f"{label}: " if label else ""
        rows.append(_usage_row(f"{prefix}baseline", suite.cost.baseline, suite.latency.baseline))
        rows.append(_usage_row(f"{prefix}candidate", suite.cost.candidate, suite.latency.candidate))
    mark = "" if run.kind == "check" else ": new"
    rows += [_usage_row(f"{short_line(suite.name)}{mark}", suite.cost, suite.latency) for suite in run.new]
    return tuple(rows)


def _reasons(run: RunRecord) -> Iterator[NamedNumber]:
    for finding in run.deciding[:REASONS_IN_FULL]:
        yield NamedNumber(finding.code, shown(finding.sentence), kind="reason")
    if (more := len(run.deciding) - REASONS_IN_FULL) > 0:
        yield NamedNumber("Findings", (f"and {more:,} more in run.json",), kind="reason")


def _suite(run: RunRecord, suite: SuiteRecord) -> Iterator[NamedNumber]:
    label = short_line(suite_label(run, suite))
    prefix = f"{label}: " if label else ""
    yield NamedNumber(f"{prefix}baseline", _arm(suite.baseline))
    yield NamedNumber(f"{prefix}candidate", _arm(suite.candidate))
    yield from _exam(prefix, suite.exam, _samples(run, suite))
    if suite.latency.compared:
        yield NamedNumber(f"{prefix}latency", (_latency(suite.latency),))
    yield from position_facts(prefix, suite)
    if suite.cache is not None:
        yield from cache_facts(prefix, suite.cache)
    if suite.cost_note:
        yield NamedNumber(f"{prefix}cost", (short_line(suite.cost_note, LONGEST_SENTENCE),))


def _samples(run: RunRecord, suite: SuiteRecord) -> str:
    """Empty where the line on early stopping has it."""
    told = suite.samples == run.method.samples_planned
    return "" if told else f", {numbers.counted(suite.samples, 'sample')} per case and arm"


def _new(run: RunRecord, suite: NewSuiteRecord) -> Iterator[NamedNumber]:
    prefix = f"{short_line(suite.name)}: "
    yield NamedNumber(f"{prefix}{'' if run.kind == 'check' else 'new '}prompt", _arm(suite.candidate))
    yield from _exam(prefix, suite.exam, f", {numbers.counted(suite.samples, 'sample')} per case")
    if suite.cost_note:
        yield NamedNumber(f"{prefix}cost", (short_line(suite.cost_note, LONGEST_SENTENCE),))


def _exam(prefix: str, exam: ExamRecord, samples: str) -> Iterator[NamedNumber]:
    scorers = short_line(", ".join(exam.scorers), LONGEST_SENTENCE) or "none"
    size, digest = numbers.counted(exam.cases, "case"), Code(exam.digest[:DIGEST_SHOWN])
    kept: Text = (" of ", _code(exam.store)) if exam.store else ()
    told = (size, *kept, " at ", _code(exam.ref), ", digest ", digest, f"{samples}, scorers: {scorers}")
    yield NamedNumber(f"{prefix}eval set", told)
    for judge in exam.judges:
        yield judge_fact(prefix, judge)
    yield from _changes(prefix, exam)


def _changes(prefix: str, exam: ExamRecord | ExamChangeRecord) -> Iterator[NamedNumber]:
    kinds = (
        ("added", exam.added),
        ("removed", exam.removed),
        ("edited", exam.edited),
        ("marked obsolete", exam.obsolete),
    )
    if told := "; ".join(f"{verb} {_counted_ids(ids)}" for verb, ids in kinds if ids):
        yield NamedNumber(f"{prefix}edited cases", (told,))


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


def _unevaluated(run: RunRecord) -> Iterator[NamedNumber]:
    for change in run.exam_changes:
        yield from _changes(f"{short_line(change.suite)}: ", change)
    if run.calls.made or run.calls.cached:
        yield from cost_facts(run)
    yield NamedNumber("Exit code", exit_code_words(run))
    yield from _made_by(run)


def _ending(run: RunRecord) -> Iterator[NamedNumber]:
    missing = run.missing
    if missing.samples:
        reasons = [f"{one.samples:,} × {short_line(one.reason, LONGEST_SENTENCE)}" for one in missing.reasons]
        reasons += [f"other reasons for {numbers.counted(missing.others, 'sample')}"] if missing.others else []
        why = f": {'; '.join(reasons)}" if reasons else ""
        yield NamedNumber("Missing", (f"{missing.samples:,} of {numbers.counted(missing.total, 'sample')}{why}",))
        if missing.cases:
            yield NamedNumber("Cases to run again", (_counted_ids(missing.cases),))
    if missing.samples and missing.best and missing.worst and run.unfinished is None:
        best = "best case"
        yield NamedNumber("Possible verdicts", (f"{best}: {missing.best}; worst case: {missing.worst}",))
    yield from cost_facts(run)
    ended: Text = (
        ("interrupted",) if run.exit_code == Interrupted.exit_code else (Code("fail_on"), f": {run.method.fail_on}")
    )
    yield NamedNumber("Exit code", (*exit_code_words(run), " (", *ended, ")"))
    yield from _made_by(run)


def _made_by(run: RunRecord) -> Iterator[NamedNumber]:
    if looked_at := coverage_sentence(run.coverage):
        yield NamedNumber("Looked at", (looked_at,))
    commit: Text = (", commit ", Code(run.commit[:DIGEST_SHOWN])) if run.commit else ()
    yield NamedNumber("Made by", (f"Prompt Gate {run.tool_version}, {run.created}", *commit))


def _latency(axis: AxisComparison) -> str:
    judged = f"decided by the mean ratio per case over {numbers.counted(axis.n, 'case')}; "
    if axis.p50_change is None or axis.p95_change is None:
        return f"{judged}p50 and p95 do not count, because p95 needs about 1,000 samples"
    p50 = f"p50 {numbers.duration_change_interval(axis.p50_change)}"
    shown = f"{judged}{p50} and {p95_change(axis.p95_change)} do not count"
    if p95_is_trusted(axis):
        return shown
    fewest = numbers.counted(min(axis.baseline.calls, axis.candidate.calls), "sample")
    return f"{shown}; p95 is rough: it needs about {CALLS_FOR_P95:,} samples per arm, not {fewest}"


def _usage_row(arm: str, cost: ArmAxis, latency: ArmAxis) -> UsageRow:
    spent = cost.usage
    kinds = (
        (spent.input_tokens, spent.cache_read_tokens, spent.cache_write_tokens, spent.output_tokens)
        if spent
        else (None, None, None, None)
    )
    read, cached, written, said = (numbers.NOTHING if kind is None else numbers.tokens(kind) for kind in kinds)
    return UsageRow(
        arm=arm,
        tokens=(read, cached, written, said),
        cost=numbers.dollars(cost.mean),
        p50=numbers.duration(latency.p50),
        p95=numbers.duration(latency.p95),
    )


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
        per: what money and time in `usage` are means over, `per call`.
        steps: what to do next, in order.
        method: the method in one line; empty where nothing was evaluated.
        aside: why the verdict does not set the exit code, for the first line; else empty.
        exam_scores: what the scores in `exam` are.
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
    usage: tuple[UsageRow, ...]
    per: str
    facts: tuple[NamedNumber, ...]
    steps: tuple[Text, ...]
    method: str = ""
    left_out: tuple[str, ...] = ()
    new: tuple[NewPrompt, ...] = ()
    aside: Text = ()
    notice: Text = ()
    weighty: bool = False
    calm: bool = False
    exam: tuple[ExamTrial, ...] = ()
    exam_scores: str = "score"
    checks: tuple[CheckTable, ...] = ()
    dimensions: tuple[DimensionTable, ...] = ()
    scorers: tuple[ScorerTable, ...] = ()
    conversations: "tuple[ConversationTable, ...]" = ()
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
        if not self.axes or not self.tables:
            return ""
        p95 = ". p95: 95 % of the answers are faster" if any("p95" in one.latency for one in self.axes) else ""
        return f"Quality is a score from 0 to 1. Brackets: {self.confidence} interval{p95}."

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
        usage=usage_rows(run),
        per=per_answer([*run.suites, *run.new]),
        facts=facts(run),
        steps=next_steps(run),
        method=method_line(run),
        new=() if run.kind == "check" else new_prompts(run),
        aside=waived_by(run),
        notice=exam.exam_notice(run),
        weighty=exam.is_weighty(run),
        calm=exam.is_calm(run),
        promises=promise_tables(run.promises),
        exam=exam.exam_trials(run),
        exam_scores=exam.scores_head(run),
        checks=pass_rates.check_tables(run),
        dimensions=dimension_tables(run),
        scorers=scorer_tables(run),
        conversations=_conversation_tables(run),
        cases_head=telling_cases(run).head,
        cases_brief=telling_cases(run).brief,
        spent=spending_text(run),
        new_answers=calls.new_answers(run),
    )


def _has_conversations(run: RunRecord) -> bool:
    held = any(suite.conversations or suite.tools for suite in run.suites)
    return held or any(suite.conversations for suite in run.new)


def _conversation_tables(run: RunRecord) -> "tuple[ConversationTable, ...]":
    if not _has_conversations(run):
        return ()
    from gate.report.view.conversations import conversation_tables

    return conversation_tables(run)


def _conversation_findings(run: RunRecord) -> tuple[Text, ...]:
    if not _has_conversations(run):
        return ()
    from gate.report.view.conversations import conversation_findings

    return conversation_findings(run)


def _sentence(run: RunRecord) -> Text:
    """What did not fit in the first line, and how many slices regressed or improved."""
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
        return (*shown(note.headline), ".")
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
    if run.verdict is Verdict.SKIPPED and (more := run.deciding[0].more):
        return (shown(more),)
    return ()


_ALERTS = {Verdict.BLOCK: "CAUTION", Verdict.INCONCLUSIVE: "WARNING", Verdict.HOLD: "WARNING"}
