"""Conversations with agents: figures of both arms, and the full text of single conversations."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import fsum

from gate import numbers
from gate.config.values import OVERALL
from gate.record.comparison import ArmConversations, ChangedCalls, Conversations, ToolChange, ToolDifference, ToolSlice
from gate.record.findings.finding import Code, Text
from gate.record.parts import ObservationRecord, OutputRecord, ToolUseRecord, TranscriptRecord, TurnRecord
from gate.record.run import RunRecord, SuiteRecord
from gate.record.transcript import BROKE_OFF, STEP_LIMIT
from gate.report.escape import visible
from gate.report.sheet import Section, SheetRow, SheetTable, figure_columns, text_columns
from gate.report.slices import LONGEST_SENTENCE, all_suites, in_suite, short_line, suite_label
from gate.values import counted


@dataclass(frozen=True, slots=True)
class ToolUseView:
    """One tool call, or several in a row that are alike.

    Args:
        call: `get_listings({"city": "Rome"})`.
        seconds: `120 ms`, of all calls; empty where unknown.
    """

    call: str
    result: str
    failed: bool
    seconds: str
    times: int


@dataclass(frozen=True, slots=True)
class TurnView:
    """One message to the agent, and what it did.

    Args:
        head: whose message, `Round 1, user`.
        by: who wrote it, where the case did not: `answered automatically`.
        about: how the agent got to its answer: `step limit, 3 calls of the model, 1.2 s`.
        answer: None where the report already shows it; empty where there is no text.
    """

    head: str
    by: str
    said: str
    uses: tuple[ToolUseView, ...]
    more: int
    about: str
    answer: str | None
    reopened: bool
    broken: bool = False


@dataclass(frozen=True, slots=True)
class ConversationView:
    """One conversation.

    Args:
        brief: `2 turns, 3 calls of tools (1 failed)`.
    """

    brief: str
    turns: tuple[TurnView, ...]
    notes: tuple[str, ...]


SUITES_SHOWN = 3
"""Suites that the notes mention."""
SENTENCES = 5
TOOLS_SHOWN = 20
CASES_SHOWN = 8
"""Cases with other calls than before."""
A_FEW = 3
"""No note unless more cases than this ask back, or no longer do."""
_SHRINKAGE = 2
"""Cases added to each slice before shares are compared: 1 of 1 says less than 7 of 12."""

_WHAT = (
    "Means over the cases with conversations in both arms. A case counts as calling a tool{} if more than half of "
    "its conversations do."
)
_ALONE = "Means over the cases with conversations."
_UNANSWERED = "Questions at the end are scored as answers; a model under conversation.followups would answer them."
_NO_TEST = "Not tested and not part of the verdict."


def conversation_sections(run: RunRecord) -> Iterator[Section]:
    """One for each suite with conversations."""
    for suite in all_suites(run):
        if suite.conversations is not None:
            tools = suite.tools if isinstance(suite, SuiteRecord) else None
            yield _section(short_line(suite_label(run, suite)), suite.conversations, tools)


def conversation_findings(run: RunRecord) -> tuple[Text, ...]:
    """Notes at the top: a tool that is no longer called, and more or fewer questions back."""
    several = len(run.suites) + len(run.new) > 1
    told = [(suite, [*_stopped(suite), *_asking(suite), *_unanswered(suite)]) for suite in run.suites]
    return tuple(
        ((Code(short_line(suite.name)), ": ", *text) if several else text)
        for suite, texts in [one for one in told if one[1]][:SUITES_SHOWN]
        for text in texts
    )


def _stopped(suite: SuiteRecord) -> Iterator[Text]:
    stopped = [] if suite.tools is None else _ranked(suite.tools, stopped=True)
    if stopped:
        more = f", and {counted(len(stopped) - 1, 'other tool')} in some" if len(stopped) > 1 else ""
        yield (*_sentence(stopped[0], stopped=True), f"{more}.")


def _asking(suite: SuiteRecord) -> Iterator[Text]:
    found = suite.conversations
    if (
        found is None
        or found.baseline is None
        or not _heard(found)
        or abs(found.more_asking - found.less_asking) <= A_FEW
    ):
        return
    verb = "more" if found.more_asking > found.less_asking else "less"
    yield (f"The candidate asks back {verb} often: {_shares(found)} of the conversations.",)


def _unanswered(suite: SuiteRecord) -> Iterator[Text]:
    talks = suite.conversations
    if talks is not None and _asked_last(talks) > A_FEW:
        yield (f"Last answers that look like questions: {_questions(talks)}. {_UNANSWERED}",)


def _asked_last(talks: Conversations) -> int:
    """Last answers that look like questions, of the arm with more."""
    arms = [arm for arm in (talks.baseline, talks.candidate) if arm is not None]
    return max(arm.last_questions[0] if arm.last_questions else 0 for arm in arms)


@dataclass(frozen=True, slots=True)
class _Place:
    """A tool, and the slice that says most about it."""

    tool: ToolChange
    slice: ToolSlice

    def net(self, *, stopped: bool) -> int:
        """Cases that changed in this direction, less those of the other."""
        lost = self.tool.stopped - self.tool.started
        return lost if stopped else -lost

    def weight(self, *, stopped: bool) -> tuple[float, int, bool]:
        """Sorts by the share of the slice, with small slices discounted; then more cases, then `overall`."""
        net = self.net(stopped=stopped)
        return (net / (self.slice.n + _SHRINKAGE), net, self.slice.slice == OVERALL)


def _ranked(tools: ToolDifference, *, stopped: bool) -> list[_Place]:
    """Each tool that stopped, or started, more than the reverse, in its most telling slice; the worst first."""
    best: dict[str, _Place] = {}
    for piece in tools.slices:
        for tool in piece.tools:
            place = _Place(tool, piece)
            if place.net(stopped=stopped) <= 0:
                continue
            known = best.get(tool.tool)
            if known is None or place.weight(stopped=stopped) > known.weight(stopped=stopped):
                best[tool.tool] = place
    return sorted(best.values(), key=lambda place: place.weight(stopped=stopped), reverse=True)


def _sentence(place: _Place, *, stopped: bool) -> Text:
    verb = "stopped" if stopped else "started"
    count = place.tool.stopped if stopped else place.tool.started
    many = f"{count:,} of {counted(place.slice.n, 'case')}"
    where: Text = () if place.slice.slice == OVERALL else (" of ", Code(short_line(place.slice.slice)))
    return (f"The candidate {verb} calling ", Code(short_line(place.tool.tool)), f" in {many}", *where)


def _section(suite: str, talks: Conversations, tools: ToolDifference | None) -> Section:
    compared = talks.baseline is not None
    scores = "baseline → candidate" if compared else "mean"
    head = (*text_columns(counted(talks.n, "case")), *figure_columns(scores))
    figures_table = SheetTable("", head, tuple(map(SheetRow, _figures(talks))))
    footnotes = (_WHAT.format(" or asking back" if _heard(talks) else ""), _NO_TEST) if compared else (_ALONE,)
    return Section(
        title=("Conversations", *in_suite(suite)),
        brief=(_brief(talks, tools),),
        tables=(figures_table,) if tools is None else (_tool_sentences(tools), figures_table, *_tool_tables(tools)),
        missing=("the conversations of {}", "suite"),
        suite=suite,
        notes=(*footnotes, *([_UNANSWERED] if _asked_last(talks) else [])),
    )


def _tool_sentences(tools: ToolDifference) -> SheetTable:
    """Which tools are no longer called, or newly called, and where most."""
    places = [(place, stop) for stop in (True, False) for place in _ranked(tools, stopped=stop)]
    told = tuple((*_sentence(place, stopped=stop), ".") for place, stop in places[:SENTENCES])
    return SheetTable("", (), (), items=told)


def _tool_tables(tools: ToolDifference) -> Iterator[SheetTable]:
    """All tools, those that stopped in most cases first, and single cases."""
    rows = [_row(tool) for piece in tools.slices if piece.slice == OVERALL for tool in piece.tools]
    head = (*text_columns("tool"), *figure_columns("cases that call it", "stopped", "started"))
    yield SheetTable("", head, tuple(rows)).shortened(TOOLS_SHOWN)
    changed = tuple(map(_calls, tools.cases[:CASES_SHOWN]))
    yield SheetTable("Cases with changed tool calls" if changed else "", (), (), items=changed)


def _brief(talks: Conversations, tools: ToolDifference | None) -> str:
    overall = next((piece for piece in tools.slices if piece.slice == OVERALL), None) if tools else None
    told = overall is not None and overall.changed
    asks = talks.candidate.asking or (talks.baseline is not None and talks.baseline.asking)
    pieces = [f"asks back: {_shares(talks)} of the conversations"] if asks or (_heard(talks) and not told) else []
    if _asked_last(talks):
        pieces.append(f"last answers that look like questions: {_questions(talks)}")
    if overall is not None and told:
        pieces.append(f"other tool calls in {overall.changed:,} of {counted(overall.n, 'case')}")
    return ", ".join(pieces) or f"{_both(talks, lambda arm: numbers.two_decimals(arm.turns))} turns"


def _heard(talks: Conversations) -> bool:
    """Whether it is known if the agent asks back."""
    return talks.candidate.asking is not None


def _shares(talks: Conversations) -> str:
    return _both(talks, lambda arm: numbers.share(arm.asking or 0.0))


def _figures(talks: Conversations) -> Iterator[tuple[str, str]]:
    if _heard(talks):
        yield "asks back", f"{_shares(talks)} of the conversations"
        yield "automatic answers to that", _both(talks, lambda arm: numbers.two_decimals(arm.followups or 0.0))
    if talks.candidate.last_questions is not None:
        yield "last answers that look like questions", _questions(talks)
    yield "turns", _both(talks, lambda arm: numbers.two_decimals(arm.turns))
    if talks.candidate.calls is None:
        yield "tool calls", "not reported by the agent"
        return
    yield "tool calls", _both(talks, lambda arm: numbers.two_decimals(arm.calls or 0.0))
    yield "tool calls that failed", _both(talks, lambda arm: numbers.two_decimals(arm.failed_calls or 0.0))


def _questions(talks: Conversations) -> str:
    """`2 of 40 → 12 of 40`."""
    counts = ((arm.last_questions or (0, 0)) for arm in (talks.baseline, talks.candidate) if arm is not None)
    return " → ".join(f"{asking:,} of {answers:,}" for asking, answers in counts)


def _both(talks: Conversations, told: Callable[[ArmConversations], str]) -> str:
    before = "" if talks.baseline is None else f"{told(talks.baseline)} → "
    return f"{before}{told(talks.candidate)}"


def _row(tool: ToolChange) -> SheetRow:
    calls = f"{tool.baseline:,} → {tool.candidate:,}"
    return SheetRow((short_line(tool.tool), calls, f"{tool.stopped:,}", f"{tool.started:,}"))


def _calls(one: ChangedCalls) -> Text:
    before, after = (
        (Code(short_line(", ".join(map(short_line, names)), LONGEST_SENTENCE)),) if names else ("no tool",)
        for names in (one.baseline, one.candidate)
    )
    return (Code(short_line(one.case)), ": ", *before, " → ", *after)


TURNS_SHOWN = 20
USES_SHOWN = 20
"""Tool calls in one turn."""
NOTES_SHOWN = 6
"""On databases, and on what was missed."""

_BY = {"case": "", "follow-up": "answered automatically", "simulated": "simulated user"}
_ENDED = ("", "stop", "end_turn", "completed")
"""What providers call a complete answer."""


def conversation_course(transcript: TranscriptRecord | None) -> tuple[object, ...]:
    """The conversation without times and costs; equal conversations are shown once."""
    if transcript is None:
        return ()
    return tuple((turn.said, turn.answer, turn.stop_reason, *map(_said, turn.tools)) for turn in transcript.turns)


def conversation_view(output: OutputRecord) -> ConversationView | None:
    """The conversation before an answer; None where there was only one reply."""
    found = output.transcript
    if found is None:
        return None
    rounds = len({turn.round for turn in found.turns})
    shown = found.turns[:TURNS_SHOWN]
    return ConversationView(
        brief=_brief_transcript(found),
        turns=tuple(
            _turn(turn, found, rounds, last=place == len(found.turns) - 1 and _told(turn.answer, output.text))
            for place, turn in enumerate(shown)
        ),
        notes=tuple(_notes(found, len(found.turns) - len(shown))),
    )


def _told(answer: str, text: str | None) -> bool:
    """Whether the report already shows this answer."""
    return text is not None and answer.strip() == text.strip()


def _brief_transcript(found: TranscriptRecord) -> str:
    uses = max(found.calls, sum(len(turn.tools) + turn.more_tools for turn in found.turns))
    failed = max(found.failed_calls, sum(use.failed for turn in found.turns for use in turn.tools))
    followups = max(found.followups, sum(turn.by == "follow-up" for turn in found.turns))
    pieces = [counted(len(found.turns) + found.more_turns, "turn"), counted(uses, "tool call")]
    pieces[-1] += f" ({failed:,} failed)" if failed else ""
    if not all(turn.tools_told for turn in found.turns):
        pieces[-1] += " (the agent does not report all)"
    pieces += [f"{followups:,} answered automatically"] if followups else []
    pieces += ["session reopened"] if found.revived else []
    pieces += [STEP_LIMIT] if any(turn.stop_reason == STEP_LIMIT for turn in found.turns) else []
    pieces += ["broke off"] if any(map(_broken, found.turns)) else []
    return ", ".join(pieces)


def _broken(turn: TurnRecord) -> bool:
    return turn.stop_reason == BROKE_OFF and not turn.answer.strip()


def _turn(turn: TurnRecord, found: TranscriptRecord, rounds: int, *, last: bool) -> TurnView:
    alike = [list(same) for _, same in groupby(turn.tools, key=_said)]
    after = [other for other in found.turns if other.round == turn.round]
    return TurnView(
        head=f"Round {turn.round + 1:,}, user" if rounds > 1 else "User",
        by=_BY[turn.by],
        said=visible(turn.said),
        uses=tuple(_use(same) for same in alike[:USES_SHOWN]),
        more=sum(map(len, alike[USES_SHOWN:])) + turn.more_tools,
        about=_about(turn),
        answer=None if last and turn.answer.strip() else visible(turn.answer).strip(),
        reopened=turn.round in found.revived and after[-1] is turn,
        broken=_broken(turn),
    )


def _said(use: ToolUseRecord) -> tuple[str, str, str, bool]:
    return use.name, use.arguments, use.result, use.failed


def _use(same: Sequence[ToolUseRecord]) -> ToolUseView:
    """One entry for consecutive calls that differ only in their time."""
    use, times = same[0], [one.latency_s for one in same if one.latency_s is not None]
    arguments = use.arguments.strip()
    inner = "" if arguments in ("", "{}") else short_line(arguments, LONGEST_SENTENCE)
    return ToolUseView(
        call=f"{short_line(use.name)}({inner})",
        result=short_line(use.result, LONGEST_SENTENCE) or "nothing",
        failed=use.failed,
        seconds=numbers.duration(fsum(times)) if times else "",
        times=len(same),
    )


def _about(turn: TurnRecord) -> str:
    pieces = [] if turn.stop_reason in _ENDED or _broken(turn) else [short_line(turn.stop_reason)]
    pieces += [counted(turn.steps, "model call")] if turn.steps else []
    if turn.input_tokens or turn.output_tokens:
        pieces.append(f"{numbers.tokens(turn.input_tokens)} → {numbers.tokens(turn.output_tokens)} tokens")
    pieces += [] if turn.latency_s is None else [numbers.duration(turn.latency_s)]
    return ", ".join(pieces)


def _notes(found: TranscriptRecord, hidden: int) -> Iterator[str]:
    if more := hidden + found.more_turns:
        yield f"{counted(more, 'more turn')} not shown; the samples of the run have them all."
    prices = (("the agent", found.agent_usd), ("judges", found.judge_usd))
    told = [f"{who} {numbers.dollars(usd)}" for who, usd in prices if usd is not None]
    if found.aside_calls:
        price = "" if found.aside_usd is None else f" {numbers.dollars(found.aside_usd)}"
        calls = counted(found.aside_calls, "call")
        told.insert(1, f"simulated users and automatic answers{price} ({calls})")
    if told:
        yield f"Cost: {', '.join(told)}."
    if found.user_end == "max_turns":
        yield "The simulated user stopped at its max_turns, before it was done."
    for note in found.notes[:NOTES_SHOWN]:
        yield short_line(note, LONGEST_SENTENCE)
    for one in found.observations[:NOTES_SHOWN]:
        yield _observed(one)
    for reason in found.missed[:NOTES_SHOWN]:
        yield f"Whether the agent asked back is unknown: {short_line(reason, LONGEST_SENTENCE)}"


def _observed(one: ObservationRecord) -> str:
    if one.rows is None:
        return f"Database, {short_line(one.scorer)}: not read ({short_line(one.error, LONGEST_SENTENCE)})"
    count, found = counted(one.rows, "row"), short_line(one.found, LONGEST_SENTENCE)
    if one.rows == 1 and found:
        return f"Database, {short_line(one.scorer)}: {found}"
    return f"Database, {short_line(one.scorer)}: {count}{f', the first {found}' if found else ''}"
