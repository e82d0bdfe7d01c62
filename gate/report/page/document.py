"""The whole report as one HTML file: it loads nothing, and is complete without its script."""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from gate.record.parts import CallsRecord
from gate.record.run import RunRecord
from gate.report import numbers
from gate.report.escape import visible
from gate.report.page.cases import CasesView, GatheredSamples, SampleSource, gather_samples
from gate.report.page.charts import LONGEST_NAME, DistributionCurves, delta_histogram, distribution_curves, tradeoffs
from gate.report.page.forest import Forest, ForestLine, forests, rate_forests, state_tone
from gate.report.page.prompts import PromptView, prompt_views
from gate.report.view.calls import UsageRow
from gate.report.view.comparisons import SliceRow
from gate.report.view.headline import plain_first_line
from gate.report.view.pass_rates import RateRow
from gate.report.view.report import ReportView, report_view
from gate.report.view.text import Code, Text, all_suites, short_line


def run_facts(run: RunRecord) -> Iterator[tuple[str, Text]]:
    """Facts of the run as names and values, in the order of the page."""
    if run.commit:
        yield "Commit", (Code(short_line(run.commit[:12])),)
    refs = tuple(dict.fromkeys(suite.baseline.ref for suite in run.suites))
    if len(refs) == 1:
        yield "Against", (Code(short_line(refs[0])),)
    models = tuple(dict.fromkeys(suite.candidate.model for suite in all_suites(run)))
    if len(models) == 1:
        yield "Model", (Code(short_line(models[0])),)
    if run.evaluated:
        cases = sum(suite.exam.cases for suite in all_suites(run))
        yield "Cases", (f"{cases:,}",)
        yield "Calls", (_calls(run.calls),)
    if run.spent_usd:
        yield "Spent", (numbers.dollars(run.spent_usd),)
    yield "Took", (numbers.duration(run.duration_s),)
    yield "Made", (_day(run.created),)
    yield "Exit code", (str(run.exit_code),)


def _calls(calls: CallsRecord) -> str:
    """How many calls were made, and what else is known of them."""
    also = ((calls.cached, "from a cache"), (calls.failed, "failed"))
    return ", ".join([f"{calls.made:,}", *(f"{count:,} {what}" for count, what in also if count)])


def _day(created: str) -> str:
    """A time as `20 November 2026, 09:30 UTC`; other text stays as it is."""
    try:
        when = datetime.fromisoformat(created).astimezone(UTC)
    except (ValueError, OverflowError):
        return short_line(created)
    return f"{when.day} {when:%B %Y, %H:%M} UTC"


LARGEST = 2_800_000
"""Bytes of the page, as far as leaving out answers can keep it to that."""
CURVES = 6
"""Charts of cost and latency; only for the first suites."""
DETAILED = 100
"""Suites with tables of scorers, tokens and money; those in which something moved come first."""
SHAPES = (
    ("regression", "got worse"),
    ("suspect", "suspect: it may have got worse"),
    ("improvement", "got better"),
    ("noise", "no change shown"),
    ("too-few", "too few cases"),
)
RATE_SHAPES = (
    ("regression", "missed"),
    ("suspect", "doubtful"),
    ("improvement", "reached"),
    ("noise", "nothing asked, or not proven"),
)
_OWN = frozenset(
    ("baseline", "candidate", "exam", "exam changes", "latency", "cost")
    + ("cacheable prefix", "not cached", "read from the prompt cache", "encoded anew")
)
"""Labels of facts that are our words and not names, and so begin with a capital letter."""


_INTERVAL = re.compile(r"\[[^\]\[ ]+, [^\]\[ ]+\]")


def render_page(run: RunRecord, samples: SampleSource | None = None, *, limit: int = LARGEST) -> str:
    """The whole report as one HTML page.

    Args:
        limit: bytes above which answers are left out, the least telling first.
    """
    gathered, whole = gather_samples(run, samples), report_view(run)
    cases = CasesView(run, gathered)
    env = _environment()
    page = env.get_template("page.html.j2")
    shown = _shown(run, whole, gathered)
    bare = page.render(shown | {"lists": cases.lists(0), "articles": (), "elsewhere": ()})
    articles = list(_articles(env, cases, limit - len(bare.encode(errors="replace"))))
    told = _elsewhere(run, gathered, len(articles), samples is not None)
    return page.render(shown | {"lists": cases.lists(len(articles)), "articles": articles, "elsewhere": told}) + "\n"


def _shown(run: RunRecord, whole: ReportView, gathered: GatheredSamples) -> dict[str, object]:
    """Everything above the cases."""
    style, script = (_file(name) for name in ("page.css", "page.js"))
    compared, alone = forests(run), rate_forests(run)
    one_delta = delta_histogram([case.delta for suite in run.suites for case in suite.cases])
    points, spreads = tradeoffs(run, gathered), tuple(_curves(run, gathered))
    changed = _worth_showing(prompt_views(run))
    spread_title = "Quality, cost and latency" if points or spreads else "How cases moved"
    exam_title = "Exam and promises" if whole.exam and whole.promises else "Exam changes" if whole.exam else "Promises"
    cases = any(suite.cases for suite in all_suites(run))
    details = whole.scorers or whole.dimensions or whole.conversations or whole.facts or whole.usage
    sections = (
        (compared or alone, "slices", "Slices" if compared else "Pass rates"),
        (points or one_delta or spreads, "spread", spread_title),
        (changed, "prompt", "What was changed"),
        (whole.exam or whole.promises, "exam", exam_title),
        (cases, "cases", "Cases"),
        (details, "reached", "How the verdict was reached"),
    )
    return {
        "run": run,
        "view": _detailed(whole),
        "more_arms": max(0, len(whole.usage) - 2 * DETAILED),
        "more_scorers": max(0, len(whole.scorers) - DETAILED),
        "hashes": {"style": _hash(style), "script": _hash(script)},
        "style": Markup(style),  # noqa: S704
        "script": Markup(script),  # noqa: S704
        "sections": tuple((id, title) for there, id, title in sections if there),
        "meta": tuple(run_facts(run)),
        "title": plain_first_line(run),
        "headline": _capital(whole.headline),
        "exam_title": exam_title,
        "spread_title": spread_title,
        "steps": tuple(map(_below, whole.steps)),
        "forests": compared,
        "rates": alone,
        "shapes": _shapes(compared, alone),
        "lacking": any(one.lacking for one in compared),
        "endless": any(line.drawn.open_low or line.drawn.open_high for line in _lines(compared)),
        "banded": any(line.drawn.band for line in _lines(compared)),
        "deltas": one_delta,
        "tradeoffs": points,
        "longest_name": LONGEST_NAME,
        "curves": spreads[:CURVES],
        "more_curves": max(0, len(spreads) - CURVES),
        "shown_prompts": changed,
    }


def _lines(forests: Iterable[Forest]) -> Iterator[ForestLine]:
    return (line for one in forests for group in (*one.groups, *one.folded) for line in group.lines)


def _shapes(compared: tuple[Forest, ...], alone: tuple[Forest, ...]) -> tuple[tuple[str, str], ...]:
    """The shapes that occur, with their meanings."""
    met = {_tone(line.row) for line in _lines((*compared, *alone))}
    return tuple((name, words) for name, words in (SHAPES if compared else RATE_SHAPES) if name in met)


def _detailed(whole: ReportView) -> ReportView:
    """The view without the tables of suites that the page has no room for."""
    moved = {table.suite for table in whole.tables if not table.quiet}
    scorers = sorted(whole.scorers, key=lambda table: table.suite not in moved)
    return replace(whole, scorers=tuple(scorers[:DETAILED]), usage=tuple(filter(_known, whole.usage))[: 2 * DETAILED])


def _known(row: UsageRow) -> bool:
    return {*row.tokens, row.cost, row.p50, row.p95} != {numbers.NOTHING}


def _worth_showing(found: tuple[PromptView, ...]) -> tuple[PromptView, ...]:
    return tuple(one for one in found if one.known or one.settings or one.notes)


def _curves(run: RunRecord, gathered: GatheredSamples) -> Iterator[DistributionCurves]:
    for suite in all_suites(run):
        label = short_line(suite.name) if len(run.suites) + len(run.new) > 1 else ""
        for what, spreads, text in (
            ("Latency", gathered.seconds, numbers.duration),
            ("Cost", gathered.dollars, numbers.dollars),
        ):
            spread = spreads.get(suite.name)
            if spread is not None and (found := distribution_curves(label, what, spread, text)) is not None:
                yield found


def _capital(text: Text) -> Text:
    """With a capital letter, as a heading begins; a name stays as it is."""
    first = text[0] if text else ""
    return (_begun(first), *text[1:]) if isinstance(first, str) else text


def _sentence(note: str | Text) -> str | Text:
    return _begun(note) if isinstance(note, str) else _capital(note)


def _begun(text: str) -> str:
    """With a capital letter, unless it begins with a name such as `openai:m` or `gate.yaml`."""
    word = text.partition(" ")[0].rstrip(",.:;")
    return text[:1].upper() + text[1:] if word.isalpha() else text


def _below(step: Text) -> Text:
    """A step reworded for a page that shows the cases below the steps."""
    return tuple(piece.replace("cases above", "cases below") if isinstance(piece, str) else piece for piece in step)


def _articles(env: Environment, cases: CasesView, room: int) -> Iterator[Markup]:
    """Cases with their answers, as far as there is room."""
    template = env.get_template("case.html.j2")
    for one in cases.opened():
        text = template.render(one=one)
        room -= len(text.encode(errors="replace"))
        if room < 0:
            return
        yield Markup(text)  # noqa: S704


def _elsewhere(run: RunRecord, gathered: GatheredSamples, shown: int, asked: bool) -> Text:
    """Where to find the answers that the page leaves out."""
    total = sum(len(suite.cases) for suite in all_suites(run))
    told: list[str | Code] = []
    if shown < total:
        told += [
            f"The answers of {shown:,} of {numbers.counted(total, 'case')} are on this page: those that tell most. "
        ]
        if gathered.seen:
            told += ["All are in ", Code("samples.jsonl"), " beside ", Code("run.json"), "; "]
            told += [Code("gate explain run.json CASE"), " shows one. "]
        elif asked:
            told += ["There were no samples of this run to take more from. "]
        else:
            told += ["The samples of the run were not at hand; the record keeps answers of those cases. "]
    if gathered.seen and (lost := _scored(run) - gathered.scored) > 0:
        told += [f"{numbers.counted(lost, 'sample')} of the run could not be read from ", Code("samples.jsonl"), ". "]
    if gathered.strange:
        told += [f"{numbers.counted(gathered.strange, 'sample')} in ", Code("samples.jsonl"), " did not belong to it. "]
    return tuple(told)


def _scored(run: RunRecord) -> int:
    """Samples with a score."""
    compared = (scores for suite in run.suites for case in suite.cases for scores in (case.baseline, case.candidate))
    alone = (case.scores for suite in run.new for case in suite.cases)
    return sum(score is not None for scores in (*compared, *alone) for score in scores)


def _file(name: str) -> str:
    return resources.files("gate.report.page").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _environment() -> Environment:
    env = Environment(
        loader=PackageLoader("gate.report.page", "templates"),
        autoescape=True,
        finalize=_safe,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    env.filters.update(begun=_sentence, tone=_tone, counted=numbers.counted, together=_together, headed=_headed)
    return env


def _tone(row: SliceRow | RateRow) -> str:
    return state_tone(row.state, doubtful=isinstance(row, RateRow) and row.doubtful)


def _headed(label: str) -> str:
    return label[:1].upper() + label[1:] if label in _OWN else label


def _together(piece: object) -> object:
    """Keeps numbers and their units, and intervals, on one line."""
    if not isinstance(piece, str):
        return piece
    return _INTERVAL.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), numbers.unbroken(piece))


def _safe(value: object) -> Markup:
    """Names in running text become code; what could be invisible, or a key, is escaped."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, Code):
        return Markup("<code>{}</code>").format(visible(value.text))
    if isinstance(value, tuple):
        return Markup("").join(_safe(_together(piece)) for piece in value)
    return escape(visible(value) if isinstance(value, str) else value)
