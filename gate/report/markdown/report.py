"""The report as Markdown, for a comment on a pull request."""

from collections.abc import Callable, Iterable
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from gate.domain.checked import CaseState
from gate.domain.passrate import PassState
from gate.domain.record import RunRecord
from gate.domain.verdict import State, Verdict
from gate.report import escape
from gate.report.markdown.folding import LEVELS, fold
from gate.report.numbers import unbroken
from gate.report.parts.whole import Code
from gate.report.view import view

GITHUB_LIMIT = 65_536
"""Characters that GitHub takes in one comment."""

SHORTEST = 4_096
"""The verdict, with what was left out, fits in this many characters whatever the run holds."""

_NBSP = "\N{NO-BREAK SPACE}"


def render(run: RunRecord, *, limit: int = GITHUB_LIMIT) -> str:
    """The whole report, or as much of it as fits.

    Args:
        run: a finished run.
        limit: characters at most, `SHORTEST` or more. Whole parts are left out, the least telling first, and named.

    Raises:
        ValueError: `limit` is below `SHORTEST`.
    """
    if limit < SHORTEST:
        raise ValueError(f"a report needs at least {SHORTEST} characters, and {limit} are allowed")
    whole, form = view(run), template("report.md.j2")
    for level in LEVELS:
        text = _within(limit, form.generate(view=fold(whole, level)))
        if text is not None:
            return text
    return form.render(view=fold(whole, LEVELS[-1]))


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
def template(name: str) -> Template:
    """A Markdown template, where every value is escaped unless a filter made it safe in another way.

    Args:
        name: of a file in `gate/report/markdown/templates`.
    """
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
        code=_filter(escape.code),
        fence=_filter(escape.fence),
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
        return _markup(escape.code(value.text))
    if isinstance(value, tuple):
        return _markup(_joined(value))
    return _markup(unbroken(escape.inline(str(value))))


def _joined(pieces: tuple[object, ...]) -> str:
    """The spaces around each plain string are the sentence's own and stay."""
    out = []
    for piece in pieces:
        if isinstance(piece, str):
            lead = " " * piece.startswith(" ")
            tail = " " * (piece.endswith(" ") and len(piece) > 1)
            out.append(f"{lead}{unbroken(escape.inline(piece))}{tail}")
        else:
            out.append(str(_safe(piece)))
    return "".join(out)


def _bar(drawn: str) -> str:
    return f"`{drawn.replace(' ', _NBSP)}`"


def _nowrap(text: str) -> str:
    return escape.inline(text).replace(" ", _NBSP)


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
