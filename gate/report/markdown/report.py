"""The report, the comment on a pull request, one case and a sheet as Markdown."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, Template
from markupsafe import Markup

from gate.numbers import unbroken
from gate.record.comparison import State, Verdict
from gate.record.findings.catalogue import DECIDING
from gate.record.findings.finding import Code, Text
from gate.record.parts import CaseState
from gate.record.run import RunRecord
from gate.report import escape
from gate.report.differences import AnswerDiff, answer_diff
from gate.report.escape import shorten
from gate.report.explain import AnswerPairView, CaseExplanation
from gate.report.sheet import Section, Sheet, SheetTable, Tone
from gate.report.slices import placed
from gate.report.view.cases import Answer, CaseView, first_answers_diff
from gate.report.view.comparisons import AxesRow, SliceRow, SliceTable, folded_title
from gate.report.view.exam import fewer_rows
from gate.report.view.pass_rates import CheckedCaseRow, CheckTable, NewPrompt, rate_table
from gate.report.view.report import ReportView, report_view
from gate.templates.rendering import packaged_templates
from gate.values import counted

if TYPE_CHECKING:
    from gate.report.view.conversations import ConversationView

_ALL = 1_000_000
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
class ReportSize:
    """How much of each part is kept.

    Args:
        chars: of each answer, question and reference; 0 leaves the answers out.
        rows: of each table, and as many that are folded, without `overall`.
        whole: all reasons of an answer, and the conversation before it.
        edits: the edits of the tests one by one.
    """

    chars: int
    rows: int = _ALL
    suites: int = _ALL
    whole: bool = False
    edits: bool = True


SIZES = (
    ReportSize(4_000, whole=True),
    ReportSize(1_500),
    ReportSize(1_500, rows=30, suites=30),
    ReportSize(400, rows=30, suites=30),
    ReportSize(0, rows=15, suites=30),
    ReportSize(0, rows=5, suites=10, edits=False),
)
"""The first one that fits is used; at the last one, whole parts that do not fit are left out."""

Missing = Counter[tuple[str, str]]
"""How often each kind of part is left out: its words, and what is counted in them; empty where there is only one."""


def shortened(view: ReportView, size: ReportSize) -> tuple[ReportView, Missing]:
    """The view with no more than `size` allows, and what it leaves out."""
    tables = view.tables
    if len(tables) > size.suites:
        tables = tuple(sorted(tables, key=lambda table: table.quiet)[: size.suites])
    gone = {table.suite for table in view.tables} - {table.suite for table in tables}
    results = [one for one in view.results if one.suite not in gone][: size.suites]
    short = replace(
        view,
        notice=view.notice if size.edits else view.notice_in_short,
        axes=tuple(axes for axes in view.axes if axes.suite not in gone),
        tables=tuple(_table(table, size) for table in tables),
        cases=tuple(_case(case, size) for case in view.cases),
        new=tuple(_new(prompt, size) for prompt in view.new[: size.suites]),
        checks=tuple(_check(table, size) for table in view.checks[: size.suites]),
        promises=tuple(fewer_rows(table, size.rows) for table in view.promises[: size.suites]),
        results=tuple(_section(one, size, gone) for one in results),
        exam=_section(view.exam, size, gone) if view.exam else None,
        facts=_section(view.facts, replace(size, rows=_ALL), gone) if view.facts else None,
        usage=_section(view.usage, replace(size, rows=_ALL), gone) if view.usage else None,
    )
    missing = Missing(_cut(view, size))
    missing += Missing({_tables(view): len(view.tables) - len(tables)})
    missing += Missing({_NEW: len(view.new) - len(short.new), _CHECK: len(view.checks) - len(short.checks)})
    missing += Missing({_RULES: len(view.promises) - len(short.promises)})
    missing += Missing(one.missing for one in view.results if one not in results)
    return short, missing


_NEW = ("the pass rates of {}", "new prompt")
_CHECK = ("the cases of {}", "suite")
_RULES = ("the rules of {}", "prompt")


def _tables(view: ReportView) -> tuple[str, str]:
    return ("the tables of {}", "suite") if len(view.tables) > 1 else ("the slice table", "")


def _cut(view: ReportView, size: ReportSize) -> Iterator[tuple[str, str]]:
    """What goes inside of the parts that are kept: a word for each thing."""
    owners: tuple[ReportView | NewPrompt | CheckTable, ...] = (view, *view.new, *view.checks)
    for case in (case for owner in owners for case in owner.cases):
        answers = (*case.baseline, *case.candidate)
        if answers and not size.chars:
            yield "the answers of {}", "case"
        elif not size.whole and any(answer.talk for answer in answers):
            yield "the conversations of {}", "case"
    shown: tuple[SliceTable | NewPrompt, ...] = (*view.tables, *view.new)
    for table in shown:
        yield from [("{}", "slice")] * (len(table.rows[size.rows + 1 :]) + len(table.folded[size.rows :]))


def _table(table: SliceTable, size: ReportSize) -> SliceTable:
    return replace(table, rows=table.rows[: size.rows + 1], folded=table.folded[: size.rows])


def _section(section: Section, size: ReportSize, gone: set[str]) -> Section:
    return replace(section, tables=tuple(table.without(gone).shortened(size.rows) for table in section.tables))


def _new(prompt: NewPrompt, size: ReportSize) -> NewPrompt:
    return replace(
        prompt,
        rows=prompt.rows[: size.rows + 1],
        folded=prompt.folded[: size.rows],
        cases=tuple(_case(case, size) for case in prompt.cases),
    )


def _check(table: CheckTable, size: ReportSize) -> CheckTable:
    return replace(
        table,
        rows=table.rows[: size.rows],
        folded=table.folded[: size.rows],
        more=table.more + len(table.rows[size.rows :]) + len(table.folded[size.rows :]),
        rates=table.rates[: size.rows + 1],
        cases=tuple(_case(case, size) for case in table.cases),
    )


def _case(case: CaseView, size: ReportSize) -> CaseView:
    if not size.chars:
        return replace(case, question=None, expected=None, baseline=(), candidate=(), diff=None)
    baseline = tuple(_answer(answer, size) for answer in case.baseline)
    candidate = tuple(_answer(answer, size) for answer in case.candidate)
    return replace(
        case,
        question=None if case.question is None else shorten(case.question, size.chars),
        expected=None if case.expected is None else shorten(case.expected, size.chars),
        baseline=baseline,
        candidate=candidate,
        diff=first_answers_diff(baseline, candidate),
    )


def _answer(answer: Answer, size: ReportSize) -> Answer:
    text = None if answer.text is None else shorten(answer.text, size.chars)
    if size.whole:
        return replace(answer, text=text, talk=_talk(answer.talk, size))
    more = f"and {len(answer.folded):,} more, from scorers that scored as high or higher; run.json has them"
    reasons = (*answer.reasons, more) if answer.folded else answer.reasons
    return replace(answer, text=text, talk=None, reasons=reasons, folded=())


def _talk(talk: "ConversationView | None", size: ReportSize) -> "ConversationView | None":
    if talk is None:
        return None
    turns = tuple(
        replace(
            turn,
            said=shorten(turn.said, size.chars),
            answer=None if turn.answer is None else shorten(turn.answer, size.chars),
        )
        for turn in talk.turns
    )
    return replace(talk, turns=turns)


@dataclass(frozen=True, slots=True)
class ReportPart:
    """A part that is kept or left out as a whole.

    Args:
        form: name of its template.
        shown: what the template shows.
        missing: its words where it is left out, and what is counted in them.
    """

    form: str
    shown: object = None
    missing: tuple[str, str] = ("", "")


def report_parts(view: ReportView, layout: "MarkdownLayout") -> Iterator[ReportPart]:
    """The parts in the order in which they are read, which is that of their weight."""
    yield ReportPart("first")
    yield ReportPart("opening", missing=("the summary", ""))
    tables, cases = _tables(view), counted(len(view.cases), "case")
    yield from (ReportPart("slices", part, tables) for part in layout.open)
    yield from (ReportPart("check", part, _CHECK) for part in layout.checks)
    yield from (ReportPart("new_prompt", part, _NEW) for part in layout.new)
    if view.cases:
        yield ReportPart("cases", missing=(f"{cases} that dropped", ""))
    if view.steps:
        yield ReportPart("steps", view.steps, ("what to do next", ""))
    if layout.more_notes:
        yield ReportPart("notes", layout.more_notes, ("more notes", ""))
    yield from (ReportPart("slices", part, tables) for part in layout.folded)
    if layout.more_axes:
        yield ReportPart("suites", missing=("quality, cost and latency of {}", "more suite"))
    yield from (ReportPart("specdiff", table, _RULES) for table in view.promises)
    for section in (*view.results, view.exam, view.facts, view.usage):
        if section is not None:
            yield ReportPart("section", section, section.missing)
    if view.spent and not view.usage:
        yield ReportPart("spent", missing=("what the run spent", ""))


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
    whole = report_view(run)
    sizes = (_written(whole, size, limit, leave_out=size is SIZES[-1]) for size in SIZES)
    return next(text for text in sizes if text is not None).rstrip() + "\n"


def _written(whole: ReportView, size: ReportSize, limit: int, *, leave_out: bool) -> str | None:
    """The report at this size; None where it is too long, and nothing may be left out."""
    view, missing = shortened(whole, size)
    layout = markdown_layout(view)
    parts = list(report_parts(view, layout))
    every = missing + Missing(part.missing for part in parts[1:])
    room, texts, shows_cases = limit - len(_left_out(every if leave_out else missing)), list[str](), False
    for part in parts:
        shown = part.shown
        if part.form == "steps":
            shown = tuple(placed(step, "above" if shows_cases else "in the full report") for step in view.steps)
        text = report_template(f"{part.form}.md.j2").render(view=view, layout=layout, part=shown)
        if len(text) <= room:
            texts.append(text)
            room -= len(text)
            shows_cases |= part.form in ("cases", "check") and size.chars > 0
        elif leave_out:
            missing[part.missing] += 1
        else:
            return None
    return "".join(texts) + _left_out(missing)


def _left_out(missing: Missing) -> str:
    """The last line; empty where nothing is missing."""
    told = [words.format(counted(count, noun)) for (words, noun), count in missing.items()]
    return report_template("left_out.md.j2").render(part=told) if told else ""


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
    env.globals |= dict[str, Any](verdict_icon=_VERDICT_ICONS, state_icon=_STATE_ICONS)
    env.globals |= dict[str, Any](case_icon=_CASE_ICONS, tone_icon=_TONE_ICONS)
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
    """The same for a line of HTML, such as `<summary>`, in which GitHub reads no Markdown; names are bold."""
    if isinstance(value, Code):
        return _markup(f"<b>{escape.html_text(value.text)}</b>")
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

_TONE_ICONS: dict[Tone, Markup] = {
    "bad": Markup("🔴&nbsp;"),
    "doubtful": Markup("🟡&nbsp;"),
    "good": Markup("🟢&nbsp;"),
    "dim": Markup(""),
    "": Markup(""),
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


def render_sheet(sheet: Sheet) -> str:
    """The whole sheet; every cell and sentence is escaped."""
    return report_template("sheet.md.j2").render(sheet=sheet).rstrip() + "\n"


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
    shown: SheetTable
    folded: SheetTable
    rate: str


@dataclass(frozen=True, slots=True)
class CheckLayout:
    """The cases of one suite of a check; without open rows the suite is folded."""

    table: CheckTable
    shown: tuple[CheckedCaseRow, ...]
    folded: tuple[CheckedCaseRow, ...]

    @property
    def rates(self) -> SheetTable:
        """All pass rates of the suite."""
        return rate_table(self.table.rates, "passed [interval]")

    @property
    def rates_in_short(self) -> str:
        """`overall 50 % [9 %, 91 %], 50 % needed`."""
        overall = self.table.rates[0]
        return f"{overall.name} {overall.rate}{f', {overall.wanted} needed' if overall.has_threshold else ''}"


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
    quiet: frozenset[str]

    @property
    def open(self) -> tuple[SlicesLayout, ...]:
        """The tables with open rows."""
        return tuple(part for part in self.tables if part.shown)

    @property
    def folded(self) -> tuple[SlicesLayout, ...]:
        """The tables without, except those of suites in which nothing moved."""
        return tuple(part for part in self.tables if not part.shown and part.table.suite not in self.quiet)

    @property
    def still(self) -> tuple[SlicesLayout, ...]:
        """The tables of suites in which nothing moved, which are folded together."""
        return tuple(part for part in self.tables if not part.shown and part.table.suite in self.quiet)

    @property
    def footed(self) -> SlicesLayout | CheckLayout | None:
        """The part that the footnotes follow."""
        parts = self.checks or self.open
        return parts[-1] if parts else None


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
        quiet=view.still,
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
    shown, folded = (rate_table(part, "answers that pass [interval]") for part in (rows[:count], rows[count:]))
    return NewLayout(prompt, shown, folded, rows[0].rate)


def _check_layout(table: CheckTable, room: _Room, *, titled: bool) -> CheckLayout:
    rows = (*table.rows, *table.folded)
    telling = sum(row.state is not CaseState.PASSED for row in rows)
    count = room.rows(min(telling, CHECKED_OPEN), _HEAD + 1 + titled) if telling else 0
    return CheckLayout(table, rows[:count], rows[count:])
