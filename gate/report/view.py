"""A finished run becomes one view, from which every renderer works."""

from gate.domain.record import RunRecord
from gate.domain.verdict import State, Verdict
from gate.errors import SHOWN
from gate.report import numbers
from gate.report.advice.again import compare_again
from gate.report.advice.steps import remedy, steps
from gate.report.alone import checks, rates
from gate.report.alone.newprompts import new_prompts
from gate.report.calls import endings, reuse
from gate.report.calls.cache import findings
from gate.report.calls.spending import per, spent
from gate.report.cases.carriers import carriers
from gate.report.cases.views import cases
from gate.report.compared import conversations, exam, floors
from gate.report.compared.axes import axes, of_an_axis
from gate.report.compared.tables import footnotes, tables
from gate.report.parts.whole import Text, View
from gate.report.promises.tables import promise_tables
from gate.report.scorers.dimensions import dimension_tables
from gate.report.scorers.tables import scorer_tables
from gate.report.slices import LONGEST_SENTENCE, of_run, short
from gate.report.unfinished import ended_early as unfinished
from gate.report.unfinished import obstacle
from gate.report.verdict.aside import aside
from gate.report.verdict.aside import notes as aside_notes
from gate.report.verdict.facts import facts, usage
from gate.report.verdict.headline import headline
from gate.report.verdict.summary import sentence

NOTES_SHOWN = 6
REASONS_SHOWN = 8
"""As many as there are where samples are missing: what they could change, which cases, and why."""
MISTAKES_SHOWN = SHOWN + 3
"""How many there are, each, the count of those beyond, and what to do."""


def view(run: RunRecord) -> View:
    """Everything that a report says, in the order in which it says it.

    Args:
        run: the whole record; the view needs nothing else.
    """
    return View(
        verdict=run.verdict,
        headline=headline(run),
        sentence=_sentence(run),
        notes=_notes(run),
        axes=axes(run),
        confidence=numbers.percent(1 - 2 * run.method.alpha),
        tables=tables(run),
        footnotes=(*footnotes(run), *reuse.footnote(run), *checks.notes(run)),
        cases=cases(run),
        usage=usage(run),
        per=per([*run.suites, *run.new]),
        facts=facts(run),
        steps=steps(run),
        command=compare_again(run),
        new=() if run.kind == "check" else new_prompts(run),
        aside=aside(run),
        notice=exam.notice(run),
        weighty=exam.weighty(run),
        calm=exam.calm(run),
        promises=promise_tables(run.promises),
        exam=exam.trials(run),
        exam_scores=exam.scores_head(run),
        checks=checks.check_tables(run),
        dimensions=dimension_tables(run),
        scorers=scorer_tables(run),
        conversations=conversations.tables(run),
        cases_head=carriers(run).head,
        spent=spent(run),
    )


def _sentence(run: RunRecord) -> Text:
    """What the first line had no room for, and the slices won and lost."""
    if run.verdict is not Verdict.INCONCLUSIVE:
        return sentence(run)
    told = [one for one in (obstacle.in_full(run), _neither(run), sentence(run)) if one]
    return tuple(piece for place, one in enumerate(told) for piece in ((" ", *one) if place else one))


def _neither(run: RunRecord) -> Text:
    """What no verdict means."""
    if run.kind in ("check", "baseline"):
        return ()
    if not run.evaluated:
        return ("Nothing was evaluated, so this says nothing about the change itself.",)
    what = "the prompt got worse" if run.suites else "the new prompt is good enough"
    return (f"This says neither that {what} nor that it {'did' if run.suites else 'is'} not.",)


def _notes(run: RunRecord) -> tuple[str | Text, ...]:
    """What a reader must see at once.

    Label, gaps, what could not fall, what agents do no longer, what became of the prompt cache, of replies and of known
    answers, remarks, then the reasons.
    """
    shown, reasons = REASONS_SHOWN if run.evaluated else MISTAKES_SHOWN, _reasons(run)
    told = tuple(short(unfinished.by_now(run, note), LONGEST_SENTENCE) for note in run.notes[:NOTES_SHOWN])
    more, rest = len(run.notes) - NOTES_SHOWN, len(reasons) - shown
    found: tuple[Text, ...] = (
        *floors.findings(run),
        *conversations.findings(run),
        *findings(run),
        *endings.findings(run),
        *reuse.drifts(run),
    )
    return (
        *aside_notes(run),
        *unfinished.notes(run),
        *found,
        *told,
        *((f"and {more} more remarks",) if more > 0 else ()),
        *reasons[:shown],
        *((f"and {rest:,} more reasons; the record of the run has them all",) if rest > 0 else ()),
    )


def _reasons(run: RunRecord) -> tuple[str, ...]:
    """The reasons, where neither the first line nor the table shows them."""
    slices = of_run(run)
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
    fresh = [reason for reason in reasons if not obstacle.said(run, reason) and reason not in known]
    told = [short(one, LONGEST_SENTENCE) for one in fresh if not rates.advised(run, one) and not of_an_axis(one)]
    return tuple(reason for reason in told if reason.rstrip(".") != first)
