"""The report, the comment on a pull request, one case and a sheet as Markdown."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, Template
from markupsafe import Markup

from gate.record.comparison import PassState, State, Verdict
from gate.record.findings.catalogue import DECIDING
from gate.record.parts import CaseState
from gate.record.run import RunRecord
from gate.report import escape, numbers
from gate.report.differences import AnswerDiff, answer_diff
from gate.report.escape import shorten
from gate.report.explain import AnswerPairView, CaseExplanation
from gate.report.numbers import Code, Text, unbroken
from gate.report.view.advice import READ
from gate.report.view.cases import Answer, CaseView, first_answers_diff
from gate.report.view.comparisons import AxesRow, SliceRow, SliceTable, folded_title
from gate.report.view.exam import fewer_rows
from gate.report.view.pass_rates import CheckedCaseRow, CheckTable, NewPrompt, RateRow
from gate.report.view.report import ReportView, report_view
from gate.report.view.scorers import ScorerTable
from gate.templates.rendering import packaged_templates

if TYPE_CHECKING:
    from gate.report.sheets.sheet import Sheet
    from gate.report.view.conversations import ConversationTable, ConversationView

_ALL = 1_000_000
_NEEDLESS = (State.NOISE, State.TOO_FEW)
OPEN_LINES = 15
"""Lines before the first fold, without blank ones."""
ROWS_OPEN = 5
"""Slices of one table."""
CHECKED_OPEN = 6
"""Cases of a check."""
NOTES_OPEN, ERRORS_OPEN = 2, 8
"""Notes of a run that was evaluated, and of one that was not."""
AXES_OPEN = 3
"""Suites in a run over several."""

_HEAD = 2
"""Lines of a table above its rows."""


@dataclass(frozen=True, slots=True)
class FoldLevel:
    """How much of a view is kept.

    Args:
        answer_chars: of each answer, question and reference; 0 leaves the answers out.
        reasons: all reasons of an answer, not only the first few.
        talks: the conversations before the answers.
        cases: how many of those that dropped most.
        folded: unremarkable rows under each table.
        rows: of each table, without `overall`.
        details: how the verdict was decided, and the tokens.
        bare: only the first line.
    """

    answer_chars: int
    reasons: bool = True
    talks: bool = True
    cases: int = _ALL
    folded: int = _ALL
    rows: int = _ALL
    suites: int = _ALL
    details: bool = True
    bare: bool = False


LEVELS = (
    FoldLevel(4_000),
    FoldLevel(1_500),
    FoldLevel(1_500, talks=False),
    FoldLevel(1_500, reasons=False, talks=False),
    FoldLevel(1_500, reasons=False, talks=False, folded=30),
    FoldLevel(1_500, reasons=False, talks=False, folded=30, suites=30),
    FoldLevel(400, reasons=False, talks=False, folded=30, suites=30),
    FoldLevel(400, reasons=False, talks=False, folded=0, suites=30),
    FoldLevel(0, folded=0, suites=30),
    FoldLevel(0, cases=0, folded=0, suites=30),
    FoldLevel(0, cases=0, folded=0, rows=40, suites=30),
    FoldLevel(0, cases=0, folded=0, rows=40, suites=30, details=False),
    FoldLevel(0, cases=0, folded=0, rows=15, suites=30, details=False),
    FoldLevel(0, cases=0, folded=0, rows=15, suites=10, details=False),
    FoldLevel(0, cases=0, folded=0, rows=5, suites=5, details=False),
    FoldLevel(0, cases=0, folded=0, rows=3, suites=1, details=False),
    FoldLevel(0, cases=0, folded=0, rows=0, suites=0, details=False),
    FoldLevel(0, cases=0, folded=0, rows=0, suites=0, details=False, bare=True),
)
"""From the fullest to the shortest.

Rows that are folded anyway, and suites beyond a number, go before the answers that explain the verdict.
"""


def fold_view(view: ReportView, level: FoldLevel) -> ReportView:
    """The view with no more than `level` allows, and a note of what was left out."""
    gone = _gone(view, level)
    short = replace(
        view,
        cases=tuple(_case(case, level) for case in view.cases[: level.cases]),
        tables=tuple(_table(table, level) for table in _kept(view, level)),
        axes=tuple(axes for axes in view.axes if axes.suite not in gone)[: level.suites],
        usage=tuple(row for row in view.usage if _of_kept(row.arm, gone)) if level.details else (),
        facts=tuple(fact for fact in view.facts if _of_kept(fact.label, gone)) if level.details else (),
        dimensions=view.dimensions[: level.suites] if level.details else (),
        scorers=_scorers(view, level, gone),
        conversations=tuple(_conversations(table, level) for table in view.conversations[: level.suites]),
        new=tuple(_new(prompt, level) for prompt in view.new[: level.suites]),
        exam=view.exam[: level.rows],
        checks=tuple(_check(table, level) for table in view.checks[: level.suites]),
        promises=tuple(fewer_rows(table, level.rows) for table in view.promises[: level.suites]),
        steps=view.steps if level.cases else tuple(map(_elsewhere, view.steps)),
    )
    short = replace(short, left_out=tuple(_left_out(view, short, level)))
    if not level.bare:
        return short
    return replace(short, sentence=(), notes=(), footnotes=(), steps=(), new=(), checks=(), notice=_brief(view.notice))


def _elsewhere(step: Text) -> Text:
    """The step without `above` where the cases are left out."""
    first = step[0]
    return (first.replace(READ, "Read the cases in the full report", 1), *step[1:]) if isinstance(first, str) else step


def _kept(view: ReportView, level: FoldLevel) -> Sequence[SliceTable]:
    """The tables that fit, those that show something first."""
    return sorted(view.tables, key=_quiet)[: level.suites] if len(view.tables) > level.suites else view.tables


def _gone(view: ReportView, level: FoldLevel) -> set[str]:
    """The suites whose tables are not kept."""
    return {table.suite for table in view.tables} - {table.suite for table in _kept(view, level)}


def _of_kept(label: str, gone: Set[str]) -> bool:
    """Whether the label does not begin with the name of a suite whose table is left out."""
    return label.partition(": ")[0] not in gone


def _brief(notice: Text) -> Text:
    """The shortest form of the notice."""
    if not notice:
        return ()
    subject = str(notice[0]).partition(" edits ")[0]
    return (f"{subject} edits its own tests; run.json lists the edits.",)


def _quiet(table: SliceTable) -> bool:
    return all(row.state in _NEEDLESS for row in table.rows)


def _table(table: SliceTable, level: FoldLevel) -> SliceTable:
    return replace(table, rows=table.rows[: level.rows + 1], folded=table.folded[: level.folded])


def _scorers(view: ReportView, level: FoldLevel, gone: Set[str]) -> tuple[ScorerTable, ...]:
    """Those of the suites that are kept."""
    kept = [table for table in view.scorers if table.suite not in gone][: level.suites]
    cut = (max(0, len(table.rows) - level.rows) for table in kept)
    return tuple(
        replace(table, rows=table.rows[: level.rows], more=table.more + less)
        for table, less in zip(kept, cut, strict=True)
    )


def _new(prompt: NewPrompt, level: FoldLevel) -> NewPrompt:
    kept = (_case(case, level) for case in prompt.cases[: level.cases])
    return replace(
        prompt,
        rows=prompt.rows[: level.rows + 1],
        folded=prompt.folded[: level.folded],
        cases=tuple(kept),
    )


def _check(table: CheckTable, level: FoldLevel) -> CheckTable:
    gone = len(table.rows) + len(table.folded) - min(level.rows, len(table.rows)) - min(level.folded, len(table.folded))
    return replace(
        table,
        rows=table.rows[: level.rows],
        folded=table.folded[: level.folded],
        more=table.more + gone,
        rates=table.rates[: level.rows + 1],
        cases=tuple(_case(case, level) for case in table.cases[: level.cases]),
    )


def _case(case: CaseView, level: FoldLevel) -> CaseView:
    chars = level.answer_chars
    if not chars:
        return replace(case, question=None, expected=None, baseline=(), candidate=(), diff=None)
    baseline = tuple(_answer(answer, level) for answer in case.baseline)
    candidate = tuple(_answer(answer, level) for answer in case.candidate)
    return replace(
        case,
        question=None if case.question is None else shorten(case.question, chars),
        expected=None if case.expected is None else shorten(case.expected, chars),
        baseline=baseline,
        candidate=candidate,
        diff=first_answers_diff(baseline, candidate),
    )


def _answer(answer: Answer, level: FoldLevel) -> Answer:
    text = None if answer.text is None else shorten(answer.text, level.answer_chars)
    answer = replace(answer, text=text, talk=_talk(answer.talk, level))
    if level.reasons or not answer.folded:
        return answer
    more = f"and {len(answer.folded):,} more, from scorers that scored as high or higher; run.json has them"
    return replace(answer, reasons=(*answer.reasons, more), folded=())


def _talk(talk: "ConversationView | None", level: FoldLevel) -> "ConversationView | None":
    if talk is None or not level.talks:
        return None
    return replace(
        talk,
        turns=tuple(
            replace(
                turn,
                said=shorten(turn.said, level.answer_chars),
                answer=None if turn.answer is None else shorten(turn.answer, level.answer_chars),
            )
            for turn in talk.turns
        ),
    )


def _conversations(table: "ConversationTable", level: FoldLevel) -> "ConversationTable":
    gone = max(0, len(table.tools) - level.rows)
    changed = table.changed if level.cases else ()
    return replace(table, tools=table.tools[: level.rows], more=table.more + gone, changed=changed)


def _shown_answers(view: ReportView, level: FoldLevel) -> list[tuple[Answer, ...]]:
    """The answers of each case that is kept."""
    tables: tuple[ReportView | NewPrompt | CheckTable, ...] = (view, *view.new, *view.checks)
    return [(*case.baseline, *case.candidate) for table in tables for case in table.cases[: level.cases]]


_PARTS = {
    "exam": ("{} with the edited tests", "result"),
    "new": ("the pass rates of {}", "new prompt"),
    "checks": ("the cases of {}", "suite"),
    "scorers": ("the scorers of {}", "suite"),
    "promises": ("the rules of {}", "prompt"),
    "conversations": ("the conversations of {}", "suite"),
    "dimensions": ("the dimensions of {}", "rubric"),
}
"""Parts of a view, with the words for those that were left out."""


def _left_out(view: ReportView, short: ReportView, level: FoldLevel) -> Iterator[str]:
    answers = _shown_answers(view, level)
    with_answers, talks = sum(map(bool, answers)), sum(any(one.talk for one in found) for found in answers)
    if with_answers and not level.answer_chars:
        yield f"the answers of {numbers.counted(with_answers, 'case')}"
    elif not level.talks and talks:
        yield f"the conversations of {numbers.counted(talks, 'case')}"
    if cases := len(view.cases) - len(short.cases):
        yield f"{numbers.counted(cases, 'case')} that dropped"
    if failing := 0 if level.cases else sum(len(prompt.cases) for prompt in view.new):
        yield f"{numbers.counted(failing, 'failing case')} of new prompts"
    shown: tuple[SliceTable | NewPrompt, ...] = (*view.tables, *view.new)
    rows = sum(max(0, len(table.rows) - 1 - level.rows) + max(0, len(table.folded) - level.folded) for table in shown)
    if rows:
        yield numbers.counted(rows, "slice")
    if suites := len(view.tables) - len(short.tables):
        yield f"the tables of {numbers.counted(suites, 'suite')}" if len(view.tables) > 1 else "the slice table"
    for name, (words, noun) in _PARTS.items():
        if gone := len(getattr(view, name)) - len(getattr(short, name)):
            yield words.format(numbers.counted(gone, noun))
    if not level.details:
        yield "how the verdict was decided"


GITHUB_LIMIT = 65_536
"""Characters that GitHub takes in one comment."""

SHORTEST = 4_096
"""The verdict, with what was left out, fits in this many characters for every run."""

_NBSP = "\N{NO-BREAK SPACE}"


def render_report(run: RunRecord, *, limit: int = GITHUB_LIMIT) -> str:
    """The whole report, or as much of it as fits.

    Args:
        limit: in characters, `SHORTEST` or more; whole parts are left out, the least important first, and named.

    Raises:
        ValueError: `limit` is below `SHORTEST`.
    """
    if limit < SHORTEST:
        raise ValueError(f"a report needs at least {SHORTEST} characters, and {limit} are allowed")
    whole, form = report_view(run), report_template("report.md.j2")
    for level in LEVELS:
        short = fold_view(whole, level)
        text = _within(limit, form.generate(view=short, layout=markdown_layout(short)))
        if text is not None:
            return text.rstrip() + "\n"
    short = fold_view(whole, LEVELS[-1])
    return form.render(view=short, layout=markdown_layout(short)).rstrip() + "\n"


def _within(limit: int, pieces: Iterable[str]) -> str | None:
    """The pieces joined; None as soon as they are too long, with the rest unread."""
    taken, left = list[str](), limit
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            return None
        taken.append(piece)
    return "".join(taken)


def report_template(name: str) -> Template:
    """A Markdown template of this package; every value is escaped unless a filter made it safe in another way."""
    return environment().get_template(name)


@cache
def environment() -> Environment:
    """Loads and compiles this package's templates."""
    env = packaged_templates("gate.report.markdown", finalize=_safe)
    env.filters.update(
        code=_filter(escape.code_span),
        fence=_filter(escape.code_block),
        html=_html,
        bar=_filter(_bar),
        nowrap=_filter(_nowrap),
        markdown=_markup,
    )
    env.globals |= dict[str, Any](verdict_icon=_VERDICT_ICONS, state_icon=_STATE_ICONS, pass_icon=_PASS_ICONS)
    env.globals |= dict[str, Any](case_icon=_CASE_ICONS)
    return env


def _safe(value: object) -> Markup:
    """Running text by default: strings are escaped, names inside `Text` become code spans."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, Code):
        return _markup(escape.code_span(value.text))
    if isinstance(value, tuple):
        return _joined(value, _safe)
    return _markup(unbroken(escape.markdown_text(str(value))))


def _html(value: object) -> Markup:
    """The same for a line of HTML, such as `<summary>`, in which GitHub reads no Markdown."""
    if isinstance(value, Code):
        return _markup(f"<code>{escape.html_text(value.text)}</code>")
    if isinstance(value, tuple):
        return _joined(value, _html)
    return _markup(unbroken(escape.html_text(str(value))))


def _joined(pieces: tuple[object, ...], escaped: Callable[[object], Markup]) -> Markup:
    """The spaces around each plain string are the sentence's own and stay."""
    out = []
    for piece in pieces:
        sentence = isinstance(piece, str)
        lead = " " * (sentence and str(piece).startswith(" "))
        tail = " " * (sentence and str(piece).endswith(" ") and len(str(piece)) > 1)
        out.append(f"{lead}{escaped(piece)}{tail}")
    return _markup("".join(out))


def _bar(drawn: str) -> str:
    return f"`{drawn.replace(' ', _NBSP)}`"


def _nowrap(text: str) -> str:
    return escape.markdown_text(text).replace(" ", _NBSP)


def _filter(make: Callable[..., str]) -> Callable[..., Markup]:
    return lambda value, *options: _markup(make(str(value), *options))


def _markup(text: str) -> Markup:
    """Mark text as escaped; only what `gate.report.escape` made comes here."""
    return Markup(text)  # noqa: S704


_VERDICT_ICONS = {
    Verdict.BLOCK: Markup("🔴"),
    Verdict.INCONCLUSIVE: Markup("⚪"),
    Verdict.HOLD: Markup("🟡"),
    Verdict.PASS: Markup("🟢"),
    Verdict.SHIP: Markup("🚀"),
    Verdict.SKIPPED: Markup("⏭️"),
}

_STATE_ICONS = {
    State.REGRESSION: Markup("🔴&nbsp;"),
    State.SUSPECT: Markup("🟡&nbsp;"),
    State.IMPROVEMENT: Markup("🟢&nbsp;"),
    State.NOISE: Markup(""),
    State.TOO_FEW: Markup(""),
}

_CASE_ICONS = {
    CaseState.FAILED: Markup("🔴&nbsp;"),
    CaseState.UNSCORED: Markup("⚪&nbsp;"),
    CaseState.PASSED: Markup("🟢&nbsp;"),
}

_PASS_ICONS = {
    PassState.MISSED: Markup("🔴&nbsp;"),
    PassState.UNPROVEN: Markup("🟡&nbsp;"),
    PassState.MET: Markup("🟢&nbsp;"),
    PassState.TOO_FEW: Markup(""),
    PassState.NO_THRESHOLD: Markup(""),
}


@dataclass(frozen=True, slots=True)
class CommentContext:
    """What a comment refers to.

    Args:
        run_url: the workflow run; may be empty. Not escaped: it comes from the runner, like the next.
        docs_url: folder of the documentation; may be empty.
        config: path of the configuration; may be empty.
    """

    head: str
    base: str
    run_url: str
    skip_label: str
    config: str = ""
    pull: bool = True
    comment: bool = True
    docs_url: str = ""


def render_comment(run: RunRecord, context: CommentContext, *, limit: int = GITHUB_LIMIT) -> str:
    """The comment, without its marker, in at most `limit` characters."""
    template = report_template("comment.md.j2")
    by: Text = (" by ", Code(context.config)) if context.config else ()
    about: Text = ("Commit ", Code(context.head[:12]), " against ", Code(context.base), *by)
    way_out = _way_out(run, context)
    code = run.deciding[0].code if run.verdict in DECIDING else ""
    shown = {"about": about, "run_url": context.run_url, "way_out": way_out, "finding": code}
    shown["docs_url"] = context.docs_url
    rest = template.render(report="", **shown)
    report = render_report(run, limit=limit - len(rest)).rstrip() + "\n"
    return template.render(report=report, **shown)


def _way_out(run: RunRecord, context: CommentContext) -> Text:
    label = Code(context.skip_label)
    if not run.exit_code:
        return ()
    if run.override is not None:
        return ("To merge anyway, the label ", label, " has to count. The reason why it does not is above.")
    if not context.pull or run.kind == "setup":
        return ()
    then = ". This comment will then show who set it." if context.comment else "."
    return ("To merge anyway, set the label ", label, then)


def render_case(shown: "CaseExplanation") -> str:
    """One case as Markdown, with a line break at its end."""
    return report_template("explain.md.j2").render(view=shown, changed=_changed)


def _changed(pair: "AnswerPairView") -> AnswerDiff | None:
    """Both answers as one diff, as in a comment; None where there is nothing to compare."""
    before, after = pair.baseline, pair.candidate
    if pair.how in ("", "same", "texts") or before is None or after is None:
        return None
    return answer_diff(before.text or "", after.text or "")


def render_sheet(sheet: "Sheet") -> str:
    """The whole sheet; every cell and sentence is escaped."""
    return report_template("sheet.md.j2").render(sheet=sheet)


@dataclass(frozen=True, slots=True)
class SlicesLayout:
    """The slices of one suite.

    Args:
        shown: open rows; empty where the whole table is folded.
        title: of the fold; empty where nothing is folded.
    """

    table: SliceTable
    shown: tuple[SliceRow, ...]
    folded: tuple[SliceRow, ...]
    title: str


@dataclass(frozen=True, slots=True)
class NewLayout:
    """The pass rates of one new prompt; without open rows it is folded with its path and its rate."""

    prompt: NewPrompt
    shown: tuple[RateRow, ...]
    folded: tuple[RateRow, ...]


@dataclass(frozen=True, slots=True)
class CheckLayout:
    """The cases of one suite of a check; without open rows the suite is folded."""

    table: CheckTable
    shown: tuple[CheckedCaseRow, ...]
    folded: tuple[CheckedCaseRow, ...]


@dataclass(frozen=True, slots=True)
class MarkdownLayout:
    """The parts of a report, by where they stand."""

    notes: tuple[str | Text, ...]
    more_notes: tuple[str | Text, ...]
    axes: tuple[AxesRow, ...]
    more_axes: tuple[AxesRow, ...]
    tables: tuple[SlicesLayout, ...]
    new: tuple[NewLayout, ...]
    checks: tuple[CheckLayout, ...]

    @property
    def open(self) -> tuple[SlicesLayout, ...]:
        """The tables with open rows."""
        return tuple(part for part in self.tables if part.shown)


def markdown_layout(view: ReportView) -> MarkdownLayout:
    """Give the open lines to the parts in the order of their importance."""
    room = _Room(OPEN_LINES - 1 - bool(view.notice) - bool(view.lead) - bool(view.alert) - bool(view.footnotes))
    # The heading of the cases, and the steps where no fold stands before them.
    room.left -= 1 if view.cases else 0 if not view.steps else 1 + len(view.steps) * (len(view.steps) > 1)
    details = view.tables or view.new or view.checks
    most = NOTES_OPEN if details else ERRORS_OPEN
    notes = view.rest if len(view.rest) <= most + 1 else view.rest[:most]
    room.left -= len(notes)
    several = any(axes.suite for axes in view.axes)
    listed = [axes for axes in view.axes if axes.suite not in view.still]
    ordered = sorted(listed, key=lambda axes: axes.quiet) if len(listed) > AXES_OPEN else listed
    axes = tuple(ordered[: AXES_OPEN if several else 1])
    room.left -= len(axes)
    return MarkdownLayout(
        notes=tuple(notes),
        more_notes=tuple(view.rest[len(notes) :]),
        axes=axes,
        more_axes=tuple(one for one in view.axes if one not in axes),
        tables=tuple(_slices_layout(table, room) for table in view.tables),
        new=tuple(_new_layout(prompt, room) for prompt in view.new),
        checks=tuple(_check_layout(table, room, titled=len(view.checks) > 1) for table in view.checks),
    )


@dataclass(slots=True)
class _Room:
    left: int

    def rows(self, most: int, fixed: int) -> int:
        """Take the lines of a table with `fixed` other lines; 0 where not even one row has room."""
        found = min(most, self.left - fixed)
        if found < 1:
            return 0
        self.left -= found + fixed
        return found


def _slices_layout(table: SliceTable, room: _Room) -> SlicesLayout:
    rows = (*table.rows[1:], *table.folded)
    telling = [row for row in rows if row.matters]
    count = room.rows(min(len(telling), ROWS_OPEN), _HEAD + bool(table.suite)) if telling else 0
    shown = tuple(telling[:count])
    folded = tuple(row for row in rows if row not in shown)
    title = folded_title(folded, more=bool(shown)) if folded else ""
    return SlicesLayout(table, shown, folded, title)


def _new_layout(prompt: NewPrompt, room: _Room) -> NewLayout:
    rows = (*prompt.rows, *prompt.folded)
    count = room.rows(min(len(prompt.rows), ROWS_OPEN), _HEAD + 3)
    return NewLayout(prompt, rows[:count], rows[count:])


def _check_layout(table: CheckTable, room: _Room, *, titled: bool) -> CheckLayout:
    rows = (*table.rows, *table.folded)
    telling = sum(row.state != "passed" for row in rows)
    count = room.rows(min(telling, CHECKED_OPEN), _HEAD + 1 + titled) if telling else 0
    return CheckLayout(table, rows[:count], rows[count:])
