"""Parts of a record that comparisons and new prompts have in common."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from gate.config.targets import ToolLoop, leads_itself
from gate.domain.absence import Failed, Unscored
from gate.domain.ending import STEP_LIMIT, Ending, ending, ending_of
from gate.domain.record_parts import (
    ArmRecord,
    CallsRecord,
    ExamRecord,
    OutputPartRecord,
    OutputRecord,
    SpendingRecord,
    SpentRecord,
)
from gate.domain.sample import ArmName, Reply, Sample, Score
from gate.domain.suite import Arm, Suite
from gate.domain.usage import FREE, UNPRICED, UNTOLD
from gate.engine.grid import Floats, Ints
from gate.engine.rows import Rows
from gate.engine.samples import DOLLARS, UNKNOWN
from gate.flows.exam import ExamChanges
from gate.flows.record_conversations import transcript_record
from gate.flows.record_prompts import prompt_texts
from gate.report.secrets import masked

INFORMATIVE_CASES = 20
"""Cases whose outputs are kept."""
LONGEST_TEXT = 20_000
"""Characters of one text in the record; `samples.jsonl` has the whole."""


def exam_record(suite: Suite, changes: ExamChanges) -> ExamRecord:
    """The exam, and how the change would have changed it."""
    return ExamRecord(
        ref=suite.exam.ref,
        digest=suite.exam.digest,
        cases=len(suite.exam.cases),
        scorers=[spec.name for spec in suite.exam.scorers],
        judges=list(suite.exam.judges),
        added=list(changes.added),
        removed=list(changes.removed),
        edited=list(changes.edited),
        obsolete=list(changes.obsolete),
        store=suite.exam.store,
        store_digest=suite.exam.store_digest,
    )


def arm_record(arm: Arm, rows: Rows, name: ArmName) -> ArmRecord:
    """One arm, with the models that its replies name, and how they ended."""
    models, endings = set(), Counter[Ending]()
    for (model_id, stop_reason, blank), count in rows.endings(name).items():
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


def calls_record(rows: Rows) -> CallsRecord:
    """Model calls of some samples: those of agents, step by step, of whoever talks with them, and of judges."""
    made = rows.scores("calls").sum() + rows.numbers("made").sum() + rows.numbers("aside").sum()
    return CallsRecord(
        made=int(made),
        cached=int(rows.scores("reused").sum() + rows.numbers("known").sum()),
        retried=int(rows.scores("retries").sum() + rows.numbers("again").sum()),
        failed=int(rows.flags("failed").sum()),
    )


def dollars_spent(rows: Rows, suite: Suite | None = None) -> tuple[float | None, str]:
    """Dollars of answers, of whoever talks with agents, and of judges; and why they are not known.

    Args:
        rows: samples.
        suite: whose they are; None where they are those of several.
    """
    prices = np.concatenate([rows.numbers("paid"), rows.numbers("aside_paid"), rows.scores("price")])
    if np.any(prices == UNKNOWN):
        silent = suite is not None and any(leads_itself(suite.arm(name).target) for name in suite.arms)
        return None, UNTOLD if silent and np.any(rows.numbers("paid") == UNKNOWN) else UNPRICED
    costs = np.concatenate([rows.figures("dollars"), rows.figures("aside_dollars"), rows.scores("cost")])
    total = _dollars(prices, costs)
    return total, "" if total is not None else FREE


def spending_record(rows: Rows) -> SpendingRecord:
    """Who made the calls of some samples, and what they cost."""
    return SpendingRecord(
        answers=_spent(rows.numbers("made"), rows.numbers("paid"), rows.figures("dollars")),
        aside=_spent(rows.numbers("aside"), rows.numbers("aside_paid"), rows.figures("aside_dollars")),
        judges=_spent(rows.scores("calls"), rows.scores("price"), rows.scores("cost")),
    )


def _spent(calls: Ints, prices: Ints, costs: Floats) -> SpentRecord:
    return SpentRecord(calls=int(calls.sum()), usd=_dollars(prices, costs))


def _dollars(prices: Ints, costs: Floats) -> float | None:
    """The sum; None where one price is not known, or there is none."""
    dollars = costs[prices == DOLLARS]
    return math.fsum(dollars) if dollars.size and not np.any(prices == UNKNOWN) else None


def output_record(sample: Sample) -> OutputRecord:
    """One output with its score and the scorers' reasons."""
    reply = sample.reply
    unscored = [sample.score.reason] if isinstance(sample.score, Unscored) and isinstance(reply, Reply) else []
    return OutputRecord(
        index=sample.index,
        text=shortened(reply.text) if isinstance(reply, Reply) else None,
        failure=reply.reason if isinstance(reply, Failed) else None,
        score=None if isinstance(sample.score, Unscored) else sample.score,
        reasons=_reasons(sample.scores) + unscored,
        ending=ending_of(reply) if isinstance(reply, Reply) else "",
        parts=[
            OutputPartRecord(scorer=one.scorer, kind=part.kind, name=part.name, value=part.value, weight=part.weight)
            for one in sample.scores
            for part in one.parts
        ],
        transcript=transcript_record(sample),
    )


def _reasons(scores: Sequence[Score]) -> list[str]:
    """What the scorers say, the lowest score first: where only some of it is shown, it is what the score fell by."""
    told = sorted((said for score in scores for said in _said(score)), key=lambda one: one[0])
    return [reason for _, reason in told]


def _said(score: Score) -> Iterator[tuple[float, str]]:
    """Values and what was said of them: of each round, where it is known."""
    rounds = [part for part in score.parts if part.reason]
    for part in rounds:
        yield part.value, f"{score.scorer}: {part.name}: {part.value:.3g}: {part.reason}"
    if score.reason and not rounds:
        yield -1.0 if isinstance(score.value, Unscored) else score.value, f"{score.scorer}: {score.reason}"


def shortened(text: str) -> str:
    """A text that the record may hold; where it is cut, keys are masked before: half of one is not known as one."""
    return text if len(text) <= LONGEST_TEXT else masked(text)[:LONGEST_TEXT] + f"… ({len(text)} characters)"
