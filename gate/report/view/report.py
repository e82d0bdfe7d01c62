"""Builds the view of a finished run that every renderer shows."""

from dataclasses import dataclass

from gate.errors import SHOWN
from gate.record.comparison import State, Verdict
from gate.record.run import RunRecord
from gate.report import numbers
from gate.report.view import calls, checks, conversations, exam, pass_rates, unfinished
from gate.report.view.advice import compare_command, next_steps, remedy
from gate.report.view.calls import UsageRow, cache_findings, per_answer, spending_text
from gate.report.view.cases import CaseView, case_views, telling_cases
from gate.report.view.checks import CheckTable
from gate.report.view.comparisons import AxesRow, SliceTable, axes_rows, is_axis_reason, slice_footnotes, slice_tables
from gate.report.view.conversations import ConversationTable
from gate.report.view.exam import ExamTrial
from gate.report.view.facts import facts, usage_rows
from gate.report.view.headline import headline, set_aside, summary_sentence
from gate.report.view.headline import override_notes as aside_notes
from gate.report.view.pass_rates import NewPrompt, new_prompts
from gate.report.view.promises import PromiseTable, promise_tables
from gate.report.view.scorers import DimensionTable, ScorerTable, dimension_tables, scorer_tables
from gate.report.view.slices import LONGEST_SENTENCE, Fact, Text, run_slices, short_line

MOST_STILL = 3
"""Suites without a shown change that are listed one by one."""


@dataclass(frozen=True, slots=True)
class ReportView:
    """A whole report.

    Args:
        headline: what follows the verdict in the first line.
        sentence: slices that improved or fell.
        notes: what a reader must see at once.
        axes: one for each suite.
        confidence: `95 %`.
        tables: one for each suite.
        cases: those that explain the first line, the most telling first.
        usage: two rows for each suite.
        per: what money and time in `usage` are means over, `per call`.
        steps: what to do next, in order.
        command: compares again; empty where that needs more than the run knows.
        left_out: what was left out to limit the length.
        new: prompts that the change adds, which were compared with nothing.
        aside: what sets the verdict aside, for the first line; empty where it decides.
        notice: what the change does to its own exam; directly below the verdict.
        weighty: the notice is about more than new cases.
        calm: the notice is about cases that went with their promise, and new ones.
        exam: results of the edited exam.
        dimensions: one table for each rubric.
        scorers: one table for each compared suite with several scorers.
        exam_scores: what the scores in `exam` are.
        conversations: one table for each suite with agents.
        promises: one table for each prompt whose promises differ.
        cases_head: heading of `cases`.
        spent: what the run spent, and what known answers saved; empty where nothing was asked.
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
    facts: tuple[Fact, ...]
    steps: tuple[Text, ...]
    command: str
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
    conversations: tuple[ConversationTable, ...] = ()
    promises: tuple[PromiseTable, ...] = ()
    cases_head: Text = ()
    spent: Text = ()

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
        p95 = "; p95: 95 % of the answers are faster" if any("p95" in one.latency for one in self.axes) else ""
        return f"Quality is a score from 0 to 1. In brackets: {self.confidence} interval{p95}."

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
"""As many as a run with missing samples has: what they could change, which cases, and why."""
MISTAKES_SHOWN = SHOWN + 3
"""The number of mistakes, each of them, the number left out, and what to do."""


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
        footnotes=(*slice_footnotes(run), *calls.reuse_footnote(run), *checks.check_notes(run)),
        cases=case_views(run),
        usage=usage_rows(run),
        per=per_answer([*run.suites, *run.new]),
        facts=facts(run),
        steps=next_steps(run),
        command=compare_command(run),
        new=() if run.kind == "check" else new_prompts(run),
        aside=set_aside(run),
        notice=exam.exam_notice(run),
        weighty=exam.is_weighty(run),
        calm=exam.is_calm(run),
        promises=promise_tables(run.promises),
        exam=exam.exam_trials(run),
        exam_scores=exam.scores_head(run),
        checks=checks.check_tables(run),
        dimensions=dimension_tables(run),
        scorers=scorer_tables(run),
        conversations=conversations.conversation_tables(run),
        cases_head=telling_cases(run).head,
        spent=spending_text(run),
    )


def _sentence(run: RunRecord) -> Text:
    """What did not fit in the first line, and the slices that improved or fell."""
    if run.verdict is not Verdict.INCONCLUSIVE:
        return summary_sentence(run)
    told = [one for one in (unfinished.obstacle_in_full(run), _neither(run), summary_sentence(run)) if one]
    return tuple(piece for place, one in enumerate(told) for piece in ((" ", *one) if place else one))


def _neither(run: RunRecord) -> Text:
    """What the lack of a verdict means."""
    if run.kind in ("check", "baseline"):
        return ()
    if not run.evaluated:
        return ("Nothing was evaluated, so this says nothing about the change itself.",)
    what = "the prompt got worse" if run.suites else "the new prompt is good enough"
    return (f"This says neither that {what} nor that it {'did' if run.suites else 'is'} not.",)


def _notes(run: RunRecord) -> tuple[str | Text, ...]:
    """What a reader must see at once.

    Label, gaps, what could not fall, what agents no longer do, changes of the prompt cache, of replies and of known
    answers, remarks, then the reasons.
    """
    shown, reasons = REASONS_SHOWN if run.evaluated else MISTAKES_SHOWN, _reasons(run)
    told = tuple(short_line(unfinished.note_after_run(run, note), LONGEST_SENTENCE) for note in run.notes[:NOTES_SHOWN])
    more, rest = len(run.notes) - NOTES_SHOWN, len(reasons) - shown
    found: tuple[Text, ...] = (
        *exam.floor_findings(run),
        *conversations.conversation_findings(run),
        *cache_findings(run),
        *unfinished.ending_findings(run),
        *calls.reuse_drifts(run),
    )
    return (
        *aside_notes(run),
        *unfinished.early_end_notes(run),
        *found,
        *told,
        *((f"and {more} more remarks",) if more > 0 else ()),
        *reasons[:shown],
        *((f"and {rest:,} more reasons; the record of the run has them all",) if rest > 0 else ()),
    )


def _reasons(run: RunRecord) -> tuple[str, ...]:
    """The reasons that neither the first line nor the table shows."""
    slices = run_slices(run)
    if run.verdict is Verdict.BLOCK:
        plain = bool(run.new) or any(named.record.state is State.REGRESSION for named in slices)
    else:
        improved = any(named.overall and named.record.state is State.IMPROVEMENT for named in slices)
        plain = (
            run.verdict is Verdict.SHIP
            or run.verdict is Verdict.SKIPPED
            or (run.verdict is Verdict.PASS and not improved)
        )
    if plain:
        return ()
    # On HOLD the first line says the first reason in its own words.
    reasons = run.reasons[1:] if run.verdict is Verdict.HOLD else run.reasons
    first = headline(run)[0]
    known = (*run.notes, remedy(run))
    fresh = [reason for reason in reasons if not unfinished.obstacle_says(run, reason) and reason not in known]
    told = [
        short_line(one, LONGEST_SENTENCE)
        for one in fresh
        if not pass_rates.advises_rate(run, one) and not is_axis_reason(one)
    ]
    return tuple(reason for reason in told if reason.rstrip(".") != first)


_ALERTS = {Verdict.BLOCK: "CAUTION", Verdict.INCONCLUSIVE: "WARNING", Verdict.HOLD: "WARNING"}
