"""The whole report as one HTML file: it loads nothing, and is complete without its script."""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from difflib import SequenceMatcher
from functools import cache
from importlib import resources
from itertools import groupby

from jinja2 import Environment
from markupsafe import Markup, escape

from gate import numbers
from gate.record.comparison import ArmPrefix, CacheComparison
from gate.record.findings.finding import Code, Text, plain
from gate.record.parts import ArmRecord, CallsRecord, PromptTextRecord
from gate.record.run import RunRecord, SuiteRecord
from gate.report.differences import TextPiece, joined_marks, word_differences
from gate.report.escape import visible
from gate.report.explain import much_in_common
from gate.report.page.cases import CasesView, GatheredSamples, no_samples
from gate.report.page.charts import LONGEST_NAME, DistributionCurves, delta_histogram, distribution_curves, tradeoffs
from gate.report.page.forest import Forest, ForestLine, forests, rate_forests, state_tone
from gate.report.sheet import SheetTable
from gate.report.slices import LONGEST_SENTENCE, all_suites, placed, short_line, suite_label
from gate.report.view.comparisons import SliceRow
from gate.report.view.headline import plain_first_line
from gate.report.view.pass_rates import RateRow
from gate.report.view.report import ReportView, report_view
from gate.templates.rendering import packaged_templates
from gate.values import JsonValue, counted

LINES = 2_000
"""Longer texts are not compared, because that can take quadratic time."""
AROUND = 3
"""Unchanged lines shown on each side of a change."""
LONGEST_FOLD = 300
"""Unchanged lines in one fold; longer folds show only their number."""
ALL_BYTES = 1_200_000
"""Of all texts of both arms on the page, with their markup."""
LINE_BYTES = 120
"""Markup around one line: it makes a text of one-letter lines a hundred times as long."""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line.

    Args:
        old, new: line numbers; None where the arm does not have the line.
        kind: `same`, `gone` or `new`.
    """

    old: int | None
    new: int | None
    pieces: tuple[TextPiece, ...]
    kind: str
    ends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """Consecutive lines.

    Args:
        lines: empty where there are too many.
    """

    lines: tuple[DiffLine, ...]
    folded: bool
    count: int


@dataclass(frozen=True, slots=True)
class TextDiff:
    """The changes of one text of a prompt.

    Args:
        stretches: empty where the text cannot be shown.
        words: size of the change, `4 lines out, 5 lines in`.
    """

    title: str
    stretches: tuple[DiffHunk, ...]
    note: str
    words: str


@dataclass(frozen=True, slots=True)
class PromptView:
    """What differs between the arms of one suite.

    Args:
        suite: empty where there is only one.
        path: of the candidate's prompt, and of the baseline's where that has another.
        notes: where the caches end, in texts that are not shown.
    """

    suite: str
    path: str
    settings: tuple[tuple[str, str, str], ...]
    texts: tuple[TextDiff, ...]
    same: int
    known: bool
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Room:
    left: int = ALL_BYTES


def prompt_views(run: RunRecord) -> tuple[PromptView, ...]:
    """One for each compared suite, as far as there is room."""
    room = _Room()
    return tuple(_prompt(suite, suite_label(run, suite), room) for suite in run.suites)


def _prompt(suite: SuiteRecord, label: str, room: _Room) -> PromptView:
    before, after = suite.baseline, suite.candidate
    ends = _Ends(suite.cache)
    texts, same = [], 0
    old, new = _by_name(before.prompt), _by_name(after.prompt)
    for key in dict.fromkeys([*new, *old]):
        pair = old.get(key), new.get(key)
        one, other = pair
        if one is not None and other is not None and one.text == other.text and not (one.cut or other.cut):
            same += 1
            # What did not change is shown where a cache ends in it, and nowhere else.
            if not ends.within(key):
                continue
        texts.append(_text(key, pair, ends, room))
    path = (
        short_line(after.path) if before.path == after.path else f"{short_line(before.path)} → {short_line(after.path)}"
    )
    return PromptView(
        suite=short_line(label),
        path=path,
        settings=tuple(_settings(before, after)),
        texts=tuple(texts),
        same=same,
        known=bool(old or new),
        notes=tuple(ends.elsewhere({*old, *new})),
    )


def _by_name(texts: Sequence[PromptTextRecord]) -> dict[Key, PromptTextRecord]:
    """Texts by name: messages by their place, files by their path, built texts by their session."""
    found: dict[Key, PromptTextRecord] = {}
    place = 0
    for text in texts:
        place += text.kind == "message"
        found[text.kind, str(place) if text.kind == "message" else text.name] = text
    return found


def _settings(before: ArmRecord, after: ArmRecord) -> Iterator[tuple[str, str, str]]:
    if before.model != after.model:
        yield "model", short_line(before.model), short_line(after.model)
    for name in sorted({*before.params, *after.params}):
        old, new = _value(before.params.get(name)), _value(after.params.get(name))
        if old != new:
            yield short_line(name), old, new


def _value(value: JsonValue) -> str:
    return numbers.NOTHING if value is None else short_line(str(value), LONGEST_SENTENCE)


@dataclass(slots=True)
class _Ends:
    """Where the caches of the arms end."""

    cache: CacheComparison | None
    told: set[str] = field(default_factory=set)

    def _arms(self) -> Iterator[tuple[str, ArmPrefix]]:
        if self.cache is not None:
            arms = (("baseline", self.cache.baseline), ("candidate", self.cache.candidate))
            yield from ((name, arm) for name, arm in arms if arm.requests and arm.place is not None)

    @staticmethod
    def _key(arm: ArmPrefix) -> Key:
        if arm.place is None:
            return "message", ""
        return ("file", arm.place.file) if arm.place.file else ("message", str(arm.place.message))

    def within(self, key: Key) -> bool:
        """Whether a cache ends in this text."""
        return any(self._key(arm) == key for _, arm in self._arms())

    def at(self, key: Key, side: str, line: int) -> str:
        """The sentence on the arm's cache that ends in this line; may be empty."""
        for name, arm in self._arms():
            if name == side and self._key(arm) == key and arm.place is not None and arm.place.line == line:
                return _ending(name, arm)
        return ""

    def elsewhere(self, known: set[Key]) -> Iterator[str]:
        """Sentences on caches that end behind all texts of the prompt, in the input of the case."""
        behind = [(name, arm) for name, arm in self._arms() if self._key(arm) not in known]
        if len(behind) == 2:
            behind = behind[1:]
        for name, arm in behind:
            yield f"The {name}'s prompt is the same for every case. {_size(name, arm)}."


def _size(name: str, arm: ArmPrefix) -> str:
    tokens, whole = numbers.rough_tokens(arm.tokens), numbers.rough_tokens(arm.request_tokens)
    return f"A prefix cache can keep about {tokens} of the {name}'s {whole} tokens"


def _ending(name: str, arm: ArmPrefix) -> str:
    variable = arm.place.variable if arm.place is not None else ""
    why = f"{{{{ {short_line(variable)} }}}} differs" if variable else "requests differ"
    return f"{_size(name, arm)}, up to the next line, from where on {why} between cases"


def _text(
    key: Key, pair: tuple[PromptTextRecord | None, PromptTextRecord | None], ends: _Ends, room: _Room
) -> TextDiff:
    one = pair[1] or pair[0]
    title = "" if one is None else _title(one)
    texts = tuple("" if text is None else visible(text.text) for text in pair)
    room.left -= sum(len(text.encode(errors="replace")) + LINE_BYTES * text.count("\n") for text in texts)
    cut = any(text is not None and text.cut for text in pair)
    note = "Only the beginning of this text is in the record." if cut else ""
    if room.left < 0:
        return TextDiff(title, (), "There is no room for this text on the page; the record of the run has it.", "")
    old, new = (text.splitlines() for text in texts)
    if max(len(old), len(new)) > LINES:
        return TextDiff(title, (), "This text has too many lines to be compared here.", "")
    lines = tuple(_marked(key, _lines(old, new), ends))
    gone, come = (sum(line.kind == kind for line in lines) for kind in ("gone", "new"))
    words = f"{counted(gone, 'line')} out, {counted(come, 'line')} in" if gone or come else "unchanged"
    return TextDiff(title, tuple(_stretches(lines)), note, words)


def _title(text: PromptTextRecord) -> str:
    if text.kind == "built":
        return f"Built for session {short_line(text.name)}"
    return short_line(text.name) if text.kind == "file" else f"Message: {short_line(text.name)}"


def _lines(old: list[str], new: list[str]) -> Iterator[DiffLine]:
    for tag, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            for place in range(b - a):
                yield DiffLine(a + place + 1, c + place + 1, _plain(old[a + place]), "same")
            continue
        before, after = _words(old[a:b], new[c:d])
        yield from (DiffLine(a + place + 1, None, pieces, "gone") for place, pieces in enumerate(before))
        yield from (DiffLine(None, c + place + 1, pieces, "new") for place, pieces in enumerate(after))


def _words(old: list[str], new: list[str]) -> tuple[list[tuple[TextPiece, ...]], list[tuple[TextPiece, ...]]]:
    """Lines with the words marked that differ, where they have enough in common."""
    found = word_differences("\n".join(old), "\n".join(new))
    if not old or not new or not much_in_common(found.before, found.after):
        return [_plain(line) for line in old], [_plain(line) for line in new]
    return _split(joined_marks(found.before), len(old)), _split(joined_marks(found.after), len(new))


def _split(pieces: Sequence[TextPiece], count: int) -> list[tuple[TextPiece, ...]]:
    lines: list[list[TextPiece]] = [[] for _ in range(count)]
    place = 0
    for piece in pieces:
        for number, text in enumerate(piece.text.split("\n")):
            place += number > 0
            if text:
                lines[place].append(TextPiece(text, piece.differs))
    return [tuple(line) for line in lines]


def _plain(line: str) -> tuple[TextPiece, ...]:
    return (TextPiece(line, False),) if line else ()


def _marked(key: Key, lines: Iterator[DiffLine], ends: _Ends) -> Iterator[DiffLine]:
    for line in lines:
        told = [
            ends.at(key, side, number) for side, number in (("baseline", line.old), ("candidate", line.new)) if number
        ]
        yield DiffLine(line.old, line.new, line.pieces, line.kind, tuple(filter(None, told)))


def _stretches(lines: Sequence[DiffLine]) -> Iterator[DiffHunk]:
    """Changes with some lines around them; the lines between are folded."""
    near = set[int]()
    for place, line in enumerate(lines):
        if line.kind != "same" or line.ends:
            near.update(range(place - AROUND, place + AROUND + 1))
    for folded, run in groupby(enumerate(lines), key=lambda item: item[0] not in near):
        kept = tuple(line for _, line in run)
        if folded and len(kept) <= 2:
            folded = False
        yield DiffHunk(() if folded and len(kept) > LONGEST_FOLD else kept, folded, len(kept))


def run_facts(run: RunRecord) -> Iterator[tuple[str, Text]]:
    """Facts of the run as names and values, in the order of the page."""
    if run.commit:
        yield "Commit", (Code(short_line(run.commit[:12])),)
    refs = tuple(dict.fromkeys(suite.baseline.ref for suite in run.suites))
    if len(refs) == 1:
        yield "Against", (Code(short_line(refs[0])),)
    prompts = tuple(dict.fromkeys(suite.candidate.path for suite in all_suites(run)))
    if len(prompts) == 1:
        yield "Prompt", (Code(short_line(prompts[0])),)
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
    ("noise", "no threshold, or not proven"),
)


def render_page(run: RunRecord, samples: GatheredSamples | None = None, *, limit: int = LARGEST) -> str:
    """The whole report as one HTML page.

    Args:
        limit: bytes above which answers are left out, those of cases that changed least first.
    """
    gathered, whole = no_samples(run) if samples is None else samples, report_view(run)
    cases = CasesView(run, gathered)
    env = environment()
    page = env.get_template("page.html.j2")
    shown = _shown(run, whole, gathered)
    articles = list(_articles(env, cases, limit))
    while True:
        told = _elsewhere(run, gathered, len(articles), samples is not None)
        parts = {"lists": cases.lists(len(articles)), "articles": articles, "elsewhere": told}
        text = page.render(shown | parts) + "\n"
        excess = _bytes(text) - limit
        if excess <= 0 or not articles:
            return text
        while articles and excess > 0:
            excess -= _bytes(articles.pop())


def _shown(run: RunRecord, whole: ReportView, gathered: GatheredSamples) -> dict[str, object]:
    """Everything above the cases."""
    style, script = (_file(name) for name in ("page.css", "page.js"))
    compared, alone = forests(run), rate_forests(run)
    one_delta = delta_histogram([case.delta for suite in run.suites for case in suite.cases])
    points, spreads = tradeoffs(run, gathered), tuple(_curves(run, gathered))
    changed = _worth_showing(prompt_views(run))
    spread_title = "Quality, cost and latency" if points or spreads else "How cases changed"
    exam_title = (
        "Edited tests and rules"
        if whole.exam and whole.promises
        else "Edited tests"
        if whole.exam
        else "Rules of the prompt"
    )
    cases = any(suite.cases for suite in all_suites(run))
    view, left_out = _detailed(whole)
    facts = whole.facts.tables[0].items if whole.facts else ()
    details = whole.results or whole.facts or whole.usage
    sections = (
        (compared or alone, "slices", "Slices" if compared else "Pass rates"),
        (points or one_delta or spreads, "spread", spread_title),
        (changed, "prompt", "Prompt changes"),
        (whole.exam or whole.promises, "exam", exam_title),
        (cases, "cases", "Cases"),
        (details, "reached", "How the verdict was decided"),
    )
    return {
        "run": run,
        "view": view,
        "left_out": left_out,
        "decided": SheetTable("", (), (), items=(*whole.more_facts, *facts)),
        "hashes": {"style": _hash(style), "script": _hash(script)},
        "style": Markup(style),  # noqa: S704
        "script": Markup(script),  # noqa: S704
        "sections": tuple((id, title) for there, id, title in sections if there),
        "meta": tuple(run_facts(run)),
        "title": plain_first_line(run),
        "headline": _capital(whole.headline),
        "exam_title": exam_title,
        "spread_title": spread_title,
        "steps": tuple(placed(step, "below") for step in whole.steps),
        "forests": compared,
        "rates": alone,
        "shapes": _shapes(compared, alone),
        "lacking": any(one.lacking for one in compared),
        "endless": any(line.drawn.open_low or line.drawn.open_high for line in _document_lines(compared)),
        "banded": any(line.drawn.band for line in _document_lines(compared)),
        "deltas": one_delta,
        "tradeoffs": points,
        "longest_name": LONGEST_NAME,
        "curves": spreads[:CURVES],
        "more_curves": max(0, len(spreads) - CURVES),
        "shown_prompts": changed,
    }


def _document_lines(forests: Iterable[Forest]) -> Iterator[ForestLine]:
    return (line for one in forests for group in (*one.groups, *one.folded) for line in group.lines)


def _shapes(compared: tuple[Forest, ...], alone: tuple[Forest, ...]) -> tuple[tuple[str, str], ...]:
    """The shapes that occur, with their meanings."""
    met = {_tone(line.row) for line in _document_lines((*compared, *alone))}
    return tuple((name, words) for name, words in (SHAPES if compared else RATE_SHAPES) if name in met)


def _detailed(whole: ReportView) -> tuple[ReportView, tuple[str, ...]]:
    """The view without the sections and arms of suites that the page has no room for, and a note on each kind."""
    moved = {table.suite for table in whole.tables if not table.quiet}
    results = sorted(whole.results, key=lambda section: section.suite not in moved)
    counts = Counter(section.missing for section in results[DETAILED:])
    notes = [words.format(counted(count, noun)) for (words, noun), count in counts.items()]
    usage = whole.usage
    if usage is not None:
        usage = replace(usage, tables=tuple(_told(table).shortened(2 * DETAILED) for table in usage.tables))
    return replace(whole, results=tuple(results[:DETAILED]), usage=usage), tuple(notes)


def _told(table: SheetTable) -> SheetTable:
    """The rows that have any figure."""
    return replace(table, lines=tuple(line for line in table.lines if {*line.cells[1:]} != {numbers.NOTHING}))


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
    return (first[:1].upper() + first[1:], *text[1:]) if isinstance(first, str) else text


def _articles(env: Environment, cases: CasesView, room: int) -> Iterator[Markup]:
    """Cases with their answers, as far as there is room."""
    template = env.get_template("case.html.j2")
    for one in cases.opened():
        text = template.render(one=one)
        room -= _bytes(text)
        if room < 0:
            return
        yield Markup(text)  # noqa: S704


def _bytes(text: str) -> int:
    return len(text.encode(errors="replace"))


def _elsewhere(run: RunRecord, gathered: GatheredSamples, shown: int, asked: bool) -> Text:
    """Where to find the answers that the page leaves out."""
    total = sum(len(suite.cases) for suite in all_suites(run))
    told: list[str | Code] = []
    if shown < total:
        told += [f"The answers of {shown:,} of {counted(total, 'case')} are on this page: those that changed most. "]
        if gathered.seen:
            told += ["All are in ", Code("samples.jsonl"), " next to ", Code("run.json"), "; "]
            told += [Code("gate explain run.json CASE"), " shows one. "]
        elif asked:
            told += ["There are no samples of this run to show more. "]
        else:
            told += ["The samples of the run were not found; ", Code("run.json"), " has only these answers. "]
    if gathered.seen and (lost := _scored(run) - gathered.scored) > 0:
        told += [f"{counted(lost, 'sample')} of the run could not be read from ", Code("samples.jsonl"), ". "]
    if gathered.strange:
        told += [
            f"{counted(gathered.strange, 'sample')} in ",
            Code("samples.jsonl"),
            " did not belong to this run. ",
        ]
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
def environment() -> Environment:
    """Loads and compiles this package's templates."""
    env = packaged_templates("gate.report.page", finalize=_safe)
    env.filters.update(tone=_tone, counted=counted, together=_together, headed=_headed, plain=plain)
    return env


def _tone(row: SliceRow | RateRow) -> str:
    return state_tone(row.state, doubtful=isinstance(row, RateRow) and row.doubtful)


def _headed(name: str) -> str:
    return name[:1].upper() + name[1:]


def _together(piece: object) -> object:
    """Keeps numbers and their units on one line."""
    return numbers.unbroken(piece) if isinstance(piece, str) else piece


def _safe(value: object) -> Markup:
    """Names in running text become code; what could be invisible, or a key, is escaped."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, Code):
        return Markup("<code>{}</code>").format(visible(value.text))
    if isinstance(value, tuple):
        return Markup("").join(_safe(_together(piece)) for piece in value)
    return escape(visible(value) if isinstance(value, str) else value)
