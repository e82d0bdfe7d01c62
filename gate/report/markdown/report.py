"""The report, the comment on a pull request, one case and a sheet as Markdown."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from gate.record.comparison import PassState, State, Verdict
from gate.record.parts import CaseState
from gate.record.run import RunRecord
from gate.report import escape
from gate.report.differences import AnswerDiff, answer_diff
from gate.report.explain import CaseExplanation
from gate.report.markdown.folding import LEVELS, fold_view
from gate.report.numbers import unbroken
from gate.report.sheets.sheet import Sheet
from gate.report.side_by_side import AnswerPair
from gate.report.view.report import report_view
from gate.report.view.slices import Code, Text

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
        text = _within(limit, form.generate(view=fold_view(whole, level)))
        if text is not None:
            return text
    return form.render(view=fold_view(whole, LEVELS[-1]))


def _within(limit: int, pieces: Iterable[str]) -> str | None:
    """The pieces put together; None, and the rest unread, as soon as they are too long."""
    taken, left = [], limit
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            return None
        taken.append(piece)
    return "".join(taken)


@cache
def report_template(name: str) -> Template:
    """A Markdown template of this package; every value is escaped unless a filter made it safe in another way."""
    env = Environment(
        loader=PackageLoader("gate.report.markdown", "templates"),
        autoescape=True,
        finalize=_safe,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    env.filters.update(
        code=_filter(escape.code_span),
        fence=_filter(escape.code_block),
        html=_filter(escape.html_text),
        bar=_filter(_bar),
        nowrap=_filter(_nowrap),
        markdown=_markup,
    )
    env.globals.update(verdict_icon=_VERDICT_ICONS, state_icon=_STATE_ICONS, pass_icon=_PASS_ICONS)
    env.globals.update(case_icon=_CASE_ICONS)
    return env.get_template(name)


def _safe(value: object) -> Markup:
    """Running text by default: strings are escaped, names inside `Text` become code spans."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, Code):
        return _markup(escape.code_span(value.text))
    if isinstance(value, tuple):
        return _markup(_joined(value))
    return _markup(unbroken(escape.markdown_text(str(value))))


def _joined(pieces: tuple[object, ...]) -> str:
    """The spaces around each plain string are the sentence's own and stay."""
    out = []
    for piece in pieces:
        if isinstance(piece, str):
            lead = " " * piece.startswith(" ")
            tail = " " * (piece.endswith(" ") and len(piece) > 1)
            out.append(f"{lead}{unbroken(escape.markdown_text(piece))}{tail}")
        else:
            out.append(str(_safe(piece)))
    return "".join(out)


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
        head: the commit that was judged.
        base: the ref it was compared with.
        run_url: the workflow run; may be empty. Not escaped: it comes from the runner.
        config: path of the configuration; may be empty.
        pull: there is a pull request, which can have the label.
        comment: the report is a comment there, which later runs rewrite.
    """

    head: str
    base: str
    run_url: str
    skip_label: str
    config: str = ""
    pull: bool = True
    comment: bool = True


@dataclass(frozen=True, slots=True)
class CommentView:
    """What the template shows.

    Args:
        report: Markdown.
        about: which commit was compared with what.
        run_url: see `CommentContext`.
        way_out: how to merge all the same; empty where nothing blocks.
    """

    report: str
    about: Text
    run_url: str
    way_out: Text


def render_comment(run: RunRecord, context: CommentContext, *, limit: int = GITHUB_LIMIT) -> str:
    """The comment, without its marker, in at most `limit` characters."""
    template = report_template("comment.md.j2")
    by: Text = (" by ", Code(context.config)) if context.config else ()
    about: Text = ("Commit ", Code(context.head[:12]), " against ", Code(context.base), *by)
    way_out = _way_out(run, context)
    rest = template.render(comment=CommentView("", about, context.run_url, way_out))
    report = render_report(run, limit=limit - len(rest)).rstrip() + "\n"
    return template.render(comment=CommentView(report, about, context.run_url, way_out))


def _way_out(run: RunRecord, context: CommentContext) -> Text:
    label = Code(context.skip_label)
    if not run.exit_code:
        return ()
    if run.override is not None:
        return ("To merge all the same, the label ", label, " has to count; above is why it does not.")
    if not context.pull or run.kind == "setup":
        return ()
    then = "; this comment will then say who did." if context.comment else "."
    return ("To merge all the same, set the label ", label, then)


def render_case(shown: CaseExplanation) -> str:
    """One case as Markdown, with a line break at its end."""
    return report_template("explain.md.j2").render(view=shown, changed=_changed)


def _changed(pair: AnswerPair) -> AnswerDiff | None:
    """Both answers as one diff, as in a comment; None where there is nothing to compare."""
    before, after = pair.baseline, pair.candidate
    if pair.how in ("", "same", "texts") or before is None or after is None:
        return None
    return answer_diff(before.text or "", after.text or "")


def render_sheet(sheet: Sheet) -> str:
    """The whole sheet; every cell and sentence is escaped."""
    return report_template("sheet.md.j2").render(sheet=sheet)
