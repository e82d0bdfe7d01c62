"""Parts of a record that comparisons and new prompts have in common."""

from collections import Counter
from collections.abc import Iterable

from gate.domain.absence import Failed, Unscored
from gate.domain.ending import ending_of
from gate.domain.record_parts import ArmRecord, CallsRecord, ExamRecord, OutputRecord
from gate.domain.sample import ArmName, Reply, Sample
from gate.domain.suite import Arm, Suite
from gate.domain.usage import Cost, Dollars, Unpriced
from gate.flows.exam import ExamChanges

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
        added=list(changes.added),
        removed=list(changes.removed),
        edited=list(changes.edited),
    )


def arm_record(arm: Arm, samples: Iterable[Sample], name: ArmName) -> ArmRecord:
    """One arm, with the models that its replies name, and how they ended."""
    replies = [s.reply for s in samples if s.arm is name and isinstance(s.reply, Reply)]
    endings = Counter(ending_of(reply) for reply in replies)
    return ArmRecord(
        ref=arm.version.ref,
        sha=arm.version.sha,
        path=arm.version.path,
        digest=arm.version.prompt.digest,
        model=str(arm.model),
        returned_models=sorted({reply.model_id for reply in replies}),
        params=arm.params.changed(),
        replies=len(replies),
        cut_off=endings["cut off"],
        refused=endings["refused"],
        empty=endings["empty"],
    )


def calls_record(samples: Iterable[Sample]) -> CallsRecord:
    """Model calls of some samples, judges included."""
    made = cached = retried = failed = 0
    for sample in samples:
        made += sum(score.calls for score in sample.scores)
        cached += sum(score.reused for score in sample.scores)
        retried += sum(score.retries for score in sample.scores)
        if isinstance(sample.reply, Reply) and sample.reply.origin.reused:
            cached += 1
            continue
        failed += isinstance(sample.reply, Failed)
        made += isinstance(sample.reply, Reply)
        retried += max(0, sample.reply.attempts - 1)
    return CallsRecord(made=made, cached=cached, retried=retried, failed=failed)


def dollars_spent(samples: Iterable[Sample]) -> tuple[float | None, str]:
    """Dollars of answers and judges together, and why they are not known where they are not."""
    costs: list[Cost] = []
    for sample in samples:
        if isinstance(sample.reply, Reply) and not sample.reply.origin.reused:
            costs.append(sample.reply.cost)
        costs += [score.cost for score in sample.scores if score.cost is not None]
    if any(isinstance(cost, Unpriced) and cost.why == "unknown" for cost in costs):
        return None, "the price of a model is unknown"
    dollars = [cost.amount for cost in costs if isinstance(cost, Dollars)]
    return (sum(dollars), "") if dollars else (None, "no model with a price was called")


def output_record(sample: Sample) -> OutputRecord:
    """One output with its score and the scorers' reasons."""
    reply = sample.reply
    unscored = [sample.score.reason] if isinstance(sample.score, Unscored) and isinstance(reply, Reply) else []
    return OutputRecord(
        index=sample.index,
        text=shortened(reply.text) if isinstance(reply, Reply) else None,
        failure=reply.reason if isinstance(reply, Failed) else None,
        score=None if isinstance(sample.score, Unscored) else sample.score,
        reasons=[f"{score.scorer}: {score.reason}" for score in sample.scores if score.reason] + unscored,
        ending=ending_of(reply) if isinstance(reply, Reply) else "",
    )


def shortened(text: str) -> str:
    """A text that the record may hold."""
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + f"… ({len(text)} characters)"
