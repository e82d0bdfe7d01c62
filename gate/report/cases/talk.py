"""One conversation with an agent: what was said, which tools were called with what result, and what it took."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import fsum

from gate.domain.ending import BROKE_OFF, STEP_LIMIT
from gate.domain.record_parts import ObservationRecord, OutputRecord, ToolUseRecord, TranscriptRecord, TurnRecord
from gate.report import numbers
from gate.report.escape import visible
from gate.report.parts.conversations import TalkView, TurnView, UseView
from gate.report.slices import LONGEST_SENTENCE, short

TURNS_SHOWN = 20
USES_SHOWN = 20
"""Calls of tools in one turn."""
NOTES_SHOWN = 6
"""Of databases, and of what was missed."""

_BY = {"case": "", "follow-up": "answered automatically", "simulated": "simulated user"}
_ENDED = ("", "stop", "end_turn", "completed")
"""What providers call an answer that came to its end."""


def course(transcript: TranscriptRecord | None) -> tuple[object, ...]:
    """What was said and done, times and costs left out: conversations of the same course are shown once."""
    if transcript is None:
        return ()
    return tuple((turn.said, turn.answer, turn.stop_reason, *map(_said, turn.tools)) for turn in transcript.turns)


def talk(output: OutputRecord) -> TalkView | None:
    """The conversation that an answer ended; None where it was one reply."""
    found = output.transcript
    if found is None:
        return None
    rounds = len({turn.round for turn in found.turns})
    shown = found.turns[:TURNS_SHOWN]
    return TalkView(
        brief=_brief(found),
        turns=tuple(
            _turn(turn, found, rounds, last=place == len(found.turns) - 1 and _told(turn.answer, output.text))
            for place, turn in enumerate(shown)
        ),
        notes=tuple(_notes(found, len(found.turns) - len(shown))),
    )


def _told(answer: str, text: str | None) -> bool:
    """The report has shown this answer already."""
    return text is not None and answer.strip() == text.strip()


def _brief(found: TranscriptRecord) -> str:
    uses = max(found.calls, sum(len(turn.tools) + turn.more_tools for turn in found.turns))
    failed = max(found.failed_calls, sum(use.failed for turn in found.turns for use in turn.tools))
    followups = max(found.followups, sum(turn.by == "follow-up" for turn in found.turns))
    pieces = [numbers.counted(len(found.turns) + found.more_turns, "turn"), numbers.counted(uses, "tool call")]
    pieces[-1] += f" ({failed:,} failed)" if failed else ""
    if not all(turn.tools_told for turn in found.turns):
        pieces[-1] += ", and not all told"
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


def _use(same: Sequence[ToolUseRecord]) -> UseView:
    """Calls in a row that differ in their time alone."""
    use, times = same[0], [one.latency_s for one in same if one.latency_s is not None]
    arguments = use.arguments.strip()
    inner = "" if arguments in ("", "{}") else short(arguments, LONGEST_SENTENCE)
    return UseView(
        call=f"{short(use.name)}({inner})",
        result=short(use.result, LONGEST_SENTENCE) or "nothing",
        failed=use.failed,
        seconds=numbers.duration(fsum(times)) if times else "",
        times=len(same),
    )


def _about(turn: TurnRecord) -> str:
    pieces = [] if turn.stop_reason in _ENDED or _broken(turn) else [short(turn.stop_reason)]
    pieces += [numbers.counted(turn.steps, "model call")] if turn.steps else []
    if turn.input_tokens or turn.output_tokens:
        pieces.append(f"{numbers.tokens(turn.input_tokens)} → {numbers.tokens(turn.output_tokens)} tokens")
    pieces += [] if turn.latency_s is None else [numbers.duration(turn.latency_s)]
    return ", ".join(pieces)


def _notes(found: TranscriptRecord, hidden: int) -> Iterator[str]:
    if more := hidden + found.more_turns:
        yield f"{numbers.counted(more, 'more turn')} not shown; the samples of the run have them all."
    prices = (("the agent", found.agent_usd), ("judges", found.judge_usd))
    told = [f"{who} {numbers.dollars(usd)}" for who, usd in prices if usd is not None]
    if found.aside_calls:
        price = "" if found.aside_usd is None else f" {numbers.dollars(found.aside_usd)}"
        calls = numbers.counted(found.aside_calls, "call")
        told.insert(1, f"whoever talked with it in the place of a person{price} ({calls})")
    if told:
        yield f"Cost: {', '.join(told)}."
    if found.user_end == "max_turns":
        yield "The simulated user was not done: it had said all that its max_turns allow."
    for one in found.observations[:NOTES_SHOWN]:
        yield _observed(one)
    for reason in found.missed[:NOTES_SHOWN]:
        yield f"Nobody knows whether the agent asked back: {short(reason, LONGEST_SENTENCE)}"


def _observed(one: ObservationRecord) -> str:
    if one.rows is None:
        return f"Database, {short(one.scorer)}: not read ({short(one.error, LONGEST_SENTENCE)})"
    count, found = numbers.counted(one.rows, "row"), short(one.found, LONGEST_SENTENCE)
    if one.rows == 1 and found:
        return f"Database, {short(one.scorer)}: {found}"
    return f"Database, {short(one.scorer)}: {count}{f', the first {found}' if found else ''}"
