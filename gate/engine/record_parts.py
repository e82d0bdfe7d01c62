"""Parts of `run.json`: arms, cases with outputs, prompts, conversations, changes of the eval set."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import fsum
from typing import Literal, TypeAlias

import numpy as np

from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.config.targets import ToolLoop, calls_own_models
from gate.engine.samples import DOLLARS, UNKNOWN, Columns, SampleTable
from gate.prompts.version import Prompt
from gate.record.findings.notes import ExamEdited
from gate.record.parts import (
    ArmRecord,
    AskedModel,
    CallsRecord,
    ExamRecord,
    JudgeQuote,
    ObservationRecord,
    OutputPartRecord,
    OutputRecord,
    PromptTextRecord,
    ReasonRecord,
    SpendingRecord,
    SpentRecord,
    ToolUseRecord,
    TranscriptRecord,
    TurnRecord,
)
from gate.record.run import ExamChangeRecord, ExamTrialRecord, RunRecord
from gate.record.transcript import (
    STEP_LIMIT,
    UNPRICED,
    UNTOLD,
    ArmName,
    Cost,
    Dollars,
    Ending,
    Failed,
    Observation,
    Reply,
    Sample,
    Score,
    Turn,
    Unscored,
    added,
    effort_of,
    ending,
    ending_of,
    masked,
)
from gate.resolve.exam import ExamChanges, ExamEdit, Trial
from gate.resolve.resolved import Resolved
from gate.suite import Arm, Suite

TURNS_KEPT = 50
"""Messages of one conversation; later ones of a longer case rarely add anything."""
TOOLS_KEPT = 50
"""Calls of tools in one turn."""
ALL_CHARS = 40_000
"""Characters of one conversation; `samples.jsonl` has the whole."""
SAID_CHARS = 4_000
"""Of one message or answer."""
USED_CHARS = 1_000
"""Of the arguments, and of the result, of one call of a tool."""
FOUND_CHARS = 400
"""Of the database content."""
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
        notes=[room.cut(note, USED_CHARS) for note in kept.notes],
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
    """The characters that may still be written of one conversation."""

    left: int = ALL_CHARS

    def cut(self, text: str, limit: int) -> str:
        """A text of at most `limit` characters; keys are masked before the cut, as half a key is not recognised."""
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


_Kind: TypeAlias = Literal["message", "file", "built"]

TEXTS_KEPT = 20
"""Messages and files of one prompt."""
BUILT_KEPT = 3
"""Sessions of a prompt that a function builds: its texts differ where the cases do."""
TEXT_CHARS = 40_000
"""Of one text."""
PROMPT_CHARS = 100_000
"""Of one prompt."""


def prompt_texts(prompt: Prompt) -> tuple[list[PromptTextRecord], int]:
    """The texts of a prompt with keys masked, as many of them as fit; and how many more there are.

    They are as the prompt's file has them, without a case, unless a function has built them.
    """
    found, kept, room = list(_texts(prompt)), list[PromptTextRecord](), PROMPT_CHARS
    for kind, name, text in found[:TEXTS_KEPT]:
        limit = min(TEXT_CHARS, room)
        if not limit:
            break
        whole = masked(text)
        kept.append(PromptTextRecord(kind=kind, name=name, text=whole[:limit], cut=len(whole) > limit))
        room -= min(len(whole), limit)
    built = () if prompt.built is None else prompt.built.texts
    return kept, len(prompt.messages) + len(prompt.parts.files) + len(built) - len(kept)


def _texts(prompt: Prompt) -> Iterator[tuple[_Kind, str, str]]:
    for message in prompt.messages:
        yield "message", message.role, message.content
    for part in prompt.parts.files:
        yield "file", part.path, part.text
    if prompt.built is not None:
        built = sorted(prompt.built.texts.items())
        for number, (_, text) in enumerate(built[:BUILT_KEPT], 1):
            # Why a session has no text stands among the failures.
            if isinstance(text, str):
                yield "built", str(number), text


IN_PARTS = "a run in parts does not try it"


def untried(resolved: Resolved) -> list[ExamChangeRecord]:
    """The changes of the eval set, where none of them was tried."""
    return [change(edit, [trial_record(trial, IN_PARTS) for trial in edit.trials]) for edit in resolved.edits]


def exam_findings(resolved: Resolved) -> Iterator[ExamEdited]:
    """How the change edits its own eval sets, and the settings of the whole run."""
    for edit in resolved.edits:
        changes = edit.changes
        yield ExamEdited(
            suite=edit.suite,
            rules=[rule.place for rule in edit.rules],
            added=len(changes.added),
            removed=len(changes.removed),
            edited=len(changes.edited),
            obsolete=len(changes.obsolete),
        )
    if resolved.run_edits:
        yield ExamEdited(suite="", rules=[edit.place for edit in resolved.run_edits])


def change(edit: ExamEdit, trials: Sequence[ExamTrialRecord]) -> ExamChangeRecord:
    """The changes of one eval set."""
    return ExamChangeRecord(
        suite=edit.suite,
        rules=list(edit.rules),
        added=list(edit.changes.added),
        removed=list(edit.changes.removed),
        edited=list(edit.changes.edited),
        obsolete=list(edit.changes.obsolete),
        trials=list(trials),
    )


def trial_record(trial: Trial, reason: str) -> ExamTrialRecord:
    """A trial without a result; `reason` is why, unless the trial has its own."""
    asked = len(trial.suite.exam.cases)
    return ExamTrialRecord(kind=trial.kind, asked=asked, left_out=trial.left_out, reason=trial.reason or reason)


def with_trials(run: RunRecord, changes: Sequence[ExamChangeRecord]) -> RunRecord:
    """The record with its trials: their cost is counted, and nothing else changes."""
    spent = [run.spent_usd, *(one.spent_usd for one in changes)]
    known = [amount for amount in spent if amount is not None]
    total = fsum(known) if len(known) == len(spent) else None
    calls = added_up([run.calls, *(one.calls for one in changes)])
    # A call with a price costs something: where calls cost nothing, money means nothing, and no suite has a price.
    free = not run.evaluated and calls.made > 0 and total == 0.0
    update: Mapping[str, object] = {
        "exam_changes": list(changes),
        "calls": calls,
        "spent_usd": None if free else total,
        "priced": run.priced and not free,
    }
    return run.model_copy(update=update)


def added_up(calls: Sequence[CallsRecord]) -> CallsRecord:
    """The calls of several parts of a run."""
    return CallsRecord(
        made=sum(one.made for one in calls),
        cached=sum(one.cached for one in calls),
        retried=sum(one.retried for one in calls),
        failed=sum(one.failed for one in calls),
    )


INFORMATIVE_CASES = 20
"""Cases whose outputs are saved."""
LONGEST_TEXT = 20_000
"""Characters of one text in the record; `samples.jsonl` has the whole."""


Members: TypeAlias = Callable[[ScorerSpec], Sequence[tuple[ModelRef, Params]]]
"""The judges of a scorer, with their parameters."""


def _judges(suite: Suite, members: Members | None) -> Iterator[JudgeQuote]:
    specs = {spec.name: spec for spec in suite.exam.scorers if spec.judged} if members else {}
    for judge in suite.exam.judges:
        spec = specs.get(judge.scorer)
        if spec is None or members is None:
            yield judge
            continue
        asked = [
            AskedModel(
                model=str(model),
                temperature=params.temperature,
                params={name: value for name, value in params.changed().items() if name != "temperature"},
            )
            for model, params in members(spec)
        ]
        combine = spec.options.get("combine")
        combined = combine if isinstance(combine, str) else ""
        yield judge.model_copy(update={"kind": spec.kind, "combine": combined, "asked": asked})


def exam_record(suite: Suite, changes: ExamChanges, members: Members | None = None) -> ExamRecord:
    """The eval set, and how the change edits it."""
    return ExamRecord(
        ref=suite.exam.ref,
        digest=suite.exam.digest,
        cases=len(suite.exam.cases),
        scorers=[spec.name for spec in suite.exam.scorers],
        judges=list(_judges(suite, members)),
        added=list(changes.added),
        removed=list(changes.removed),
        edited=list(changes.edited),
        obsolete=list(changes.obsolete),
        store=suite.exam.store,
        store_digest=suite.exam.store_digest,
    )


def arm_record(arm: Arm, table: SampleTable, name: ArmName) -> ArmRecord:
    """One arm, with the models that its replies name, and how they ended."""
    models, endings = set(), Counter[Ending]()
    for (model_id, stop_reason, blank), count in table.endings(name).items():
        models.add(model_id)
        endings[ending(stop_reason, blank=blank)] += count
    texts, more = prompt_texts(arm.version.prompt)
    return ArmRecord(
        ref=arm.version.ref,
        sha=arm.version.sha,
        path=arm.version.path,
        digest=arm.version.prompt.digest,
        model=str(arm.model),
        returned_models=sorted(models),
        params=arm.params.changed(),
        replies=endings.total(),
        cut_off=endings["cut off"],
        refused=endings["refused"],
        empty=endings["empty"],
        step_limited=endings[STEP_LIMIT],
        max_steps=arm.target.max_steps if isinstance(arm.target, ToolLoop) else None,
        remembered=arm.remembered,
        prompt=texts,
        more_prompt=more,
    )


def calls_record(table: SampleTable) -> CallsRecord:
    """Model calls of some samples: those of agents, step by step, of simulated users, and of judges."""
    samples, scores = table.samples, table.scores
    return CallsRecord(
        made=int(samples["calls"].sum()) + int(samples["aside_calls"].sum()) + int(scores["calls"].sum()),
        cached=int(samples["reused_calls"].sum()) + int(scores["reused"].sum()),
        retried=int(samples["retries"].sum()) + int(scores["retries"].sum()),
        failed=int(samples["failed"].sum()),
    )


def dollars_spent(table: SampleTable, suite: Suite | None = None) -> tuple[float | None, str]:
    """Dollars of answers, simulated users and judges, and why they are not known.

    Without a reason there are none, because no model with a price was called. `suite` is None where the samples are
    those of several.
    """
    samples, scores = table.samples, table.scores
    prices = np.concatenate([samples["paid_price"], samples["aside_price"], scores["price"]])
    if np.any(prices == UNKNOWN):
        silent = suite is not None and any(calls_own_models(suite.arm(name).target) for name in suite.arms)
        return None, UNTOLD if silent and np.any(samples["paid_price"] == UNKNOWN) else UNPRICED
    total = _dollars(prices, np.concatenate([samples["paid"], samples["aside_paid"], scores["cost"]]))
    return total, ""


def spending_record(table: SampleTable) -> SpendingRecord:
    """Who made the calls of some samples, and what they cost."""
    samples, scores = table.samples, table.scores
    return SpendingRecord(
        answers=_spent(samples["calls"], samples["paid_price"], samples["paid"]),
        aside=_spent(samples["aside_calls"], samples["aside_price"], samples["aside_paid"]),
        judges=_spent(scores["calls"], scores["price"], scores["cost"]),
    )


def _spent(calls: Columns, prices: Columns, costs: Columns) -> SpentRecord:
    return SpentRecord(calls=int(calls.sum()), usd=_dollars(prices, costs))


def _dollars(prices: Columns, costs: Columns) -> float | None:
    """The sum; None where one price is not known, or there is none."""
    dollars = costs[prices == DOLLARS]
    return math.fsum(dollars) if dollars.size and not np.any(prices == UNKNOWN) else None


def output_record(sample: Sample) -> OutputRecord:
    """One output with its score and the scorers' reasons."""
    reply = sample.reply
    no_score = sample.score.reason if isinstance(sample.score, Unscored) and isinstance(reply, Reply) else None
    return OutputRecord(
        index=sample.index,
        text=shortened(reply.text) if isinstance(reply, Reply) else None,
        failure=reply.reason if isinstance(reply, Failed) else None,
        score=None if isinstance(sample.score, Unscored) else sample.score,
        reasons=[*_reasons(sample.scores), *([] if no_score is None else [ReasonRecord(scorer="", text=no_score)])],
        ending=ending_of(reply) if isinstance(reply, Reply) else "",
        parts=[
            OutputPartRecord(scorer=one.scorer, kind=part.kind, name=part.name, value=part.value, weight=part.weight)
            for one in sample.scores
            for part in one.parts
        ],
        transcript=transcript_record(sample),
        thinking=shortened(reply.thinking) if isinstance(reply, Reply) else "",
    )


def _reasons(scores: Sequence[Score]) -> list[ReasonRecord]:
    """The scorers' reasons, the lowest score first: where only some are shown, these explain the score."""
    told = sorted((said for score in scores for said in _said(score)), key=lambda one: one[0])
    return [reason for _, reason in told]


def _said(score: Score) -> Iterator[tuple[float, ReasonRecord]]:
    """Values with their reasons: of each round, where that is known."""
    rounds = [part for part in score.parts if part.reason]
    for part in rounds:
        text = f"{part.name}: {part.value:.3g}: {part.reason}"
        yield part.value, ReasonRecord(scorer=score.scorer, text=text)
    if score.reason and not rounds:
        value = -1.0 if isinstance(score.value, Unscored) else score.value
        yield value, ReasonRecord(scorer=score.scorer, text=score.reason)


def shortened(text: str) -> str:
    """A text that the record may hold; keys are masked before the cut, as half a key is not recognised."""
    return text if len(text) <= LONGEST_TEXT else masked(text)[:LONGEST_TEXT] + f"… ({len(text)} characters)"
