"""Builds the view of a finished run that every renderer shows."""

from gate.errors import SHOWN
from gate.record.comparison import State, Verdict
from gate.record.run import RunRecord
from gate.report import numbers
from gate.report.view import calls, checks, conversations, exam, pass_rates, unfinished
from gate.report.view.advice import compare_command, next_steps, remedy
from gate.report.view.calls import cache_findings, per_answer, spending_text
from gate.report.view.cases import case_views, telling_cases
from gate.report.view.comparisons import axes_rows, is_axis_reason, slice_footnotes, slice_tables
from gate.report.view.facts import facts, usage_rows
from gate.report.view.headline import headline, set_aside, summary_sentence
from gate.report.view.headline import override_notes as aside_notes
from gate.report.view.parts import ReportView, Text
from gate.report.view.pass_rates import new_prompts
from gate.report.view.promises import promise_tables
from gate.report.view.scorers import dimension_tables, scorer_tables
from gate.report.view.slices import LONGEST_SENTENCE, run_slices, short_line

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
