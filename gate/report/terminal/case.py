"""One case in a terminal: both answers beside each other where there is room, else one below the other."""

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from gate.report.differences import TextPiece, joined_marks
from gate.report.escape import terminal_text
from gate.report.explain import AnswerPairView, AnswerView, CaseExplanation, ScorerView

if TYPE_CHECKING:
    from gate.report.view.conversations import ConversationView


BESIDE = 100
"""Columns from which on two answers fit beside each other."""
ROOM_FOR_RANK = 76
LONGEST_SLICE = 20
"""Columns that a slice name keeps, however narrow the terminal is."""

_BAR = "  │ "
_MARKED = {
    "words": "marked: words that the other answer does not have",
    "lines": "marked: lines that the other answer does not have",
    "texts": "the answers differ too much to mark changes",
    "same": "both answers are the same",
}
_STYLES = {"baseline": "bold red", "candidate": "bold green"}
_SIGNS = {"baseline": ("[-", "-]"), "candidate": ("{+", "+}")}
"""As in `git diff --word-diff`, for terminals without colours."""


def _missing(shown: CaseExplanation, label: str) -> str:
    """Why a text is missing: a case whose question is in the record, without an expected answer, has none."""
    if label == "expected" and shown.case.question is not None:
        return "nothing: the case names no expected answer"
    return f"not in the record; see {terminal_text(shown.case.where)}" if shown.case.where else "not in the record"


def render_case(shown: CaseExplanation, console: Console) -> None:
    """Print one case, laid out for the width and colours of the console."""
    for part in _opening(shown):
        _print(console, part)
    for label, said in (("input", shown.case.question), ("expected", shown.case.expected)):
        _print(console, Text())
        _print(console, Text(label, "dim"))
        _block(
            console, Text(terminal_text(said, lines=True)) if said is not None else Text(_missing(shown, label), "dim")
        )
    for pair in shown.case.pairs:
        _pair(pair, console, alone=shown.case.alone)
    _print(console, Text())
    for note in shown.notes:
        _print(console, Text(terminal_text(note), "dim"))
    _print(
        console, _slices(shown, console.width) if shown.slices else Text("It is in no slice that was tested.", "dim")
    )
    if shown.again:
        _print(console, Text("\nTo ask it again alone (add --refresh for answers that are not known yet):"))
        console.print(Text("  " + terminal_text(shown.again), "bold"), highlight=False, soft_wrap=True)


def _opening(shown: CaseExplanation) -> Iterator[Text | Table]:
    case = shown.case
    scores = case.candidate if case.alone else f"{case.baseline} → {case.candidate} ({case.change})"
    yield Text.assemble((terminal_text(case.name), "bold"), f"  suite {terminal_text(shown.suite)}  ", (scores, "bold"))
    table = Table.grid(padding=(0, 2, 0, 0))
    rows = [("from", case.where), ("slices", case.slices), ("run", shown.verdict)]
    rows += [(arm.name, f"{arm.prompt}, {arm.model}: {arm.stability}") for arm in shown.arms]
    rows += [("check" if place == 0 else "", mark) for place, mark in enumerate(shown.results)]
    for label, said in rows:
        if said:
            table.add_row(Text(label, "dim"), Text(terminal_text(said)))
    yield table


def _pair(pair: AnswerPairView, console: Console, *, alone: bool) -> None:
    _print(console, Text())
    how = f"  {_MARKED[pair.how]}" if pair.how else ""
    _print(console, Text.assemble((f"sample {pair.number}", "bold"), (how, "dim")))
    sides = {"baseline": pair.baseline, "candidate": pair.candidate}
    if alone:
        del sides["baseline"]
    texts = {name: list(_given(name, one, pair, console)) for name, one in sides.items()}
    if len(texts) == 2 and console.width >= BESIDE:
        _beside(console, *texts.values())
        return
    for lines in texts.values():
        _print(console, lines[0])
        for line in lines[1:]:
            _block(console, line)


def _given(arm: str, one: AnswerView | None, pair: AnswerPairView, console: Console) -> Iterator[Text]:
    """Paragraphs of an answer: heading, text, what the scorers say, what it took."""
    if one is None:
        yield Text.assemble((arm, "dim"), "  not kept")
        return
    facts = f"  {terminal_text(one.facts)}" if one.facts else ""
    yield Text.assemble((arm, "dim"), "  score ", (one.score, "bold"), (facts, "dim"))
    if one.pieces is None:
        yield Text(terminal_text(one.failure or "no answer"), "red")
    elif not one.text:
        yield Text("(empty)", "dim")
    else:
        marked = pair.how in ("words", "lines")
        yield _marked(one.pieces, arm if marked else "", plain=console.no_color or not console.is_terminal)
    if one.thinking:
        yield Text(f"after {len(one.thinking):,} characters of thinking, which are in samples.jsonl", "dim")
    for scored in one.scores:
        yield from _scored(scored)
    if one.talk is not None:
        yield from _talk(one.talk)
    if one.long:
        yield Text("The middle of it is left out; samples.jsonl has the whole.", "dim")


def _marked(pieces: Sequence[TextPiece], arm: str, *, plain: bool) -> Text:
    out = Text()
    for piece in joined_marks(pieces):
        said = terminal_text(piece.text, lines=True)
        if not (arm and piece.differs):
            out.append(said)
        elif plain:
            opening, closing = _SIGNS[arm]
            out.append(f"{opening}{said}{closing}")
        else:
            out.append(said, _STYLES[arm])
    return out


def _scored(one: ScorerView) -> Iterator[Text]:
    name = f"{one.scorer} {one.value}".strip() + (" (required)" if one.required else "")
    reason = one.reason and f": {one.reason}" if name else one.reason
    if name or reason:
        yield Text("- " + terminal_text(f"{name}{reason}"), "dim")
    for group in one.groups:
        figures = ", ".join(f"{name} {figure}" for name, figure in group.figures)
        yield Text("    " + terminal_text(f"{group.kind}: {figures}"), "dim")
    for said in one.rounds:
        yield Text("    " + terminal_text(f"{said.name} {said.value}: {said.reason}"), "dim")


def _talk(talk: "ConversationView") -> Iterator[Text]:
    yield Text(f"conversation: {terminal_text(talk.brief)}", "bold")
    for turn in talk.turns:
        by = f" ({turn.by})" if turn.by else ""
        yield Text.assemble((f"{turn.head}{by}: ", "dim"), terminal_text(turn.said, lines=True))
        for use in turn.uses:
            times = f", {use.times} times in a row" if use.times > 1 else ""
            arrow = " failed: " if use.failed else " → "
            seconds = f" ({use.seconds})" if use.seconds else ""
            told = terminal_text(f"{use.call}{arrow}{use.result}{times}{seconds}")
            yield Text(f"  · {told}", "red" if use.failed else "cyan")
        if turn.more:
            yield Text(f"  · and {turn.more} more tool calls", "dim")
        said = "no answer came" if turn.broken else "the answer above" if turn.answer is None else turn.answer
        about = f" ({terminal_text(turn.about)})" if turn.about else ""
        yield Text.assemble((f"Agent{about}: ", "dim"), terminal_text(said or "no words", lines=True))
        if turn.reopened:
            yield Text("The session was closed here, and opened again.", "dim")
    for note in talk.notes:
        yield Text("- " + terminal_text(note), "dim")


def _slices(shown: CaseExplanation, width: int) -> Table:
    """The table of slices; without the rank where there is little room, because the share says nearly the same."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    places = [place for place, head in enumerate(shown.heads) if width >= ROOM_FOR_RANK or head != "rank"]
    name = min(LONGEST_SLICE, max((cell_len(terminal_text(one[0])) for one in shown.slices), default=0))
    for place in places:
        justify: JustifyMethod = "right" if 0 < place < len(shown.heads) - 1 else "left"
        table.add_column(shown.heads[place], overflow="fold", justify=justify, min_width=0 if place else name)
    for one in shown.slices:
        table.add_row(*(Text(terminal_text(one[place])) for place in places))
    return table


def _beside(console: Console, left: Sequence[Text], right: Sequence[Text]) -> None:
    width = (console.width - len(_BAR) - 3) // 2
    wrap = _wrapped(console, width)
    for first, second in zip_longest(wrap(left), wrap(right), fillvalue=Text()):
        line = Text.assemble(_BAR, first, " " * (width - first.cell_len), " │ ", second)
        console.print(line, highlight=False, no_wrap=True, overflow="ignore", crop=False)


def _block(console: Console, text: Text) -> None:
    """Text from outside: every line behind a bar, so that none looks like ours."""
    for line in _wrapped(console, max(20, console.width - len(_BAR)))([text]):
        console.print(Text.assemble(_BAR, line), highlight=False, no_wrap=True, overflow="ignore", crop=False)


def _wrapped(console: Console, width: int) -> Callable[[Sequence[Text]], Iterator[Text]]:
    def lines(texts: Sequence[Text]) -> Iterator[Text]:
        for text in texts:
            for line in text.wrap(console, width, overflow="fold"):
                line.rstrip()
                yield line

    return lines


def _print(console: Console, text: Text | Table) -> None:
    console.print(text, highlight=False)
