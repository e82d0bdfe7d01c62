"""Single conversations become a part of the record, cut where they are long."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from gate.domain.record_parts import ObservationRecord, ToolUseRecord, TranscriptRecord, TurnRecord
from gate.domain.sample import Reply, Sample, effort_of
from gate.domain.transcript import Observation, Turn
from gate.domain.usage import Cost, Dollars, added
from gate.report.secrets import masked

TURNS_KEPT = 50
"""Messages of one conversation; a case of more says little that the first ones do not."""
TOOLS_KEPT = 50
"""Calls of tools in one turn."""
ALL_CHARS = 40_000
"""Characters of one conversation; `samples.jsonl` has the whole."""
SAID_CHARS = 4_000
"""Of one message or answer."""
USED_CHARS = 1_000
"""Of the arguments, and of the result, of one call of a tool."""
FOUND_CHARS = 400
"""Of what a database held."""
NAME_CHARS = 200


def transcript_record(sample: Sample) -> TranscriptRecord | None:
    """The conversation of one sample, with long texts cut; None where there was none."""
    reply = sample.reply
    if reply.transcript is None:
        return None
    kept, room, outline = reply.transcript, _Room(), reply.transcript.outline
    return TranscriptRecord(
        turns=[_turn(turn, room) for turn in kept.turns[:TURNS_KEPT]],
        more_turns=max(0, len(kept.turns) - TURNS_KEPT),
        calls=outline.calls,
        failed_calls=outline.failures,
        followups=outline.followups,
        revived=list(kept.revived),
        agent_usd=_usd([reply.cost if isinstance(reply, Reply) else effort_of(reply).cost]),
        aside_calls=kept.aside.calls,
        aside_usd=_usd([kept.aside.cost]),
        judge_usd=_usd(score.cost for score in sample.scores),
        missed=[room.cut(reason, NAME_CHARS) for reason in kept.aside.missed],
        observations=[
            ObservationRecord(
                scorer=one.scorer,
                rows=None if one.rows is None else len(one.rows),
                found=room.cut(_found(one), FOUND_CHARS),
                error=room.cut(one.error, USED_CHARS),
            )
            for one in kept.observations
        ],
        user_end=kept.user_end,
    )


def _found(seen: Observation) -> str:
    """The only value, or the first row, as JSON text."""
    if not seen.rows:
        return ""
    row = seen.rows[0]
    named = dict(zip(seen.columns, row, strict=False)) if seen.columns else list(row)
    return json.dumps(row[0] if len(seen.rows) == len(row) == 1 else named, ensure_ascii=False)


@dataclass(slots=True)
class _Room:
    """What may still be written of one conversation."""

    left: int = ALL_CHARS

    def cut(self, text: str, limit: int) -> str:
        """A text of at most so many characters, keys masked before it is cut: half of one would not be known as one."""
        text = masked(text)
        most = min(limit, self.left)
        self.left -= min(len(text), most)
        return text if len(text) <= most else text[:most] + f"… ({len(text):,} characters)"


def _turn(turn: Turn, room: _Room) -> TurnRecord:
    return TurnRecord(
        round=turn.round,
        said=room.cut(turn.said, SAID_CHARS),
        by=turn.by,
        tools=[
            ToolUseRecord(
                name=room.cut(use.name, NAME_CHARS),
                arguments=room.cut(use.arguments, USED_CHARS),
                result=room.cut(use.result, USED_CHARS),
                failed=use.failed,
                latency_s=use.latency_s,
            )
            for use in turn.tools[:TOOLS_KEPT]
        ],
        more_tools=max(0, len(turn.tools) - TOOLS_KEPT),
        answer=room.cut(turn.answer, SAID_CHARS),
        steps=turn.steps,
        input_tokens=turn.usage.total_input,
        output_tokens=turn.usage.output_tokens,
        usd=_usd([turn.cost]),
        latency_s=turn.latency_s,
        stop_reason=room.cut(turn.stop_reason, NAME_CHARS),
        tools_told=turn.tools_told,
    )


def _usd(costs: Iterable[Cost | None]) -> float | None:
    whole = reduce(added, costs, None)
    return whole.amount if isinstance(whole, Dollars) else None
