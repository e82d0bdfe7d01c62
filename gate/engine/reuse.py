"""Known answers: which pairs are still asked side by side, and whether known answers still hold."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Protocol

from gate.agents.interface import Question, Target
from gate.calls.interface import Memory
from gate.cases.rendering import NotBuilt
from gate.config.models import Params
from gate.engine.arrays import WANTED
from gate.engine.cost_latency import drifted
from gate.engine.plan import Pair, Schedule
from gate.record.sample import ArmName, Reply, Sample
from gate.record.transcript import Unscored
from gate.scoring.interface import Subject
from gate.scoring.panel import Panel
from gate.scoring.pass_rule import combine_scores
from gate.suite import Suite

Key = tuple[str, str, int]

_ASKED = WANTED + 1
"""The pair that warms up does not count."""


def question_of(suite: Suite, pair: Pair, arm: ArmName, *, apart: bool) -> Question:
    """The question to one arm of a pair; `apart` numbers the candidate's samples on from the baseline's."""
    shift = suite.samples if apart and arm is ArmName.CANDIDATE else 0
    return Question(suite.name, suite.arm(arm), pair.case, pair.index + shift, suite.exam)


def same_arms(suite: Suite) -> bool:
    """Would both arms send the same requests?"""
    # How long an answer is waited for is not sent.
    usual = Params().timeout_s
    arms = {
        (arm.version.prompt.digest, arm.model, arm.params.model_copy(update={"timeout_s": usual}), arm.target)
        for arm in suite.arms.values()
    }
    return suite.baseline is not None and len(arms) == 1


@dataclass(slots=True)
class Known:
    """What is known of one suite before anything is asked.

    Args:
        calls: not needed for known samples, counted as a plan counts them.
        beside: pairs that are, or will be, of one sitting.
        chosen: pairs whose baseline is asked again beside the candidate, and its earlier answer.
    """

    calls: int = 0
    beside: int = 0
    chosen: list[tuple[Pair, Reply]] = field(default_factory=list)


class Knows(Protocol):
    """Earlier answers, and the requests that they are kept under."""

    @property
    def memory(self) -> Memory: ...

    @property
    def target(self) -> Target: ...


def survey(schedules: Iterable[Schedule], tools: Knows, apart: Mapping[str, bool], *, early: bool) -> dict[str, Known]:
    """Look up every sample of a run, and choose the baselines that are asked again.

    Quality may rest on answers of earlier runs; cost, latency and drift may not. So where a baseline is known and its
    candidate is not, the baseline of some pairs, the first in the random order, is asked again beside the candidate.

    Args:
        apart: for each suite, whether the candidate's samples are numbered on from the baseline's.
        early: the run may stop after any repeat, so only the first one is sure to be asked.

    Returns:
        For each suite what is known; nothing where the cache is empty.
    """
    found: dict[str, Known] = {}
    if tools.memory.empty:
        return found
    for schedule in schedules:
        for pair in schedule.all_pairs():
            known = found.setdefault(pair.suite.name, Known())
            replies = {
                arm: _earlier(tools, question_of(pair.suite, pair, arm, apart=apart[pair.suite.name]))
                for arm in pair.order
            }
            _count(known, pair, replies, sure=not early or pair.index == 0)
    for known in found.values():
        known.chosen = known.chosen[: max(0, _ASKED - known.beside)]
    return found


def _earlier(tools: Knows, question: Question) -> Reply | None:
    try:
        return tools.memory.earlier(tools.target.request_of(question))
    except NotBuilt:
        return None


def _count(known: Known, pair: Pair, replies: Mapping[ArmName, Reply | None], *, sure: bool) -> None:
    there = [reply for reply in replies.values() if reply is not None]
    known.calls += len(there) * pair.case.turns
    sittings = {reply.origin.sitting for reply in there}
    if not there:
        known.beside += sure
        return
    if len(there) == len(replies) and len(sittings) == 1:
        known.beside += 1
        return
    baseline = replies.get(ArmName.BASELINE)
    if baseline is not None and len(there) < len(replies) and len(known.chosen) < _ASKED:
        known.chosen.append((pair, baseline))


@dataclass(frozen=True, slots=True)
class Drift:
    """The result of the drift test on one suite.

    Args:
        pairs: how many could be compared.
        reason: why the known answers of the baseline no longer hold; empty while they do.
    """

    pairs: int
    reason: str = ""


async def look_for_drift(
    chosen: Sequence[tuple[Pair, Reply]], fresh: Mapping[Key, Sample], panel: Panel, seed: int, *, same_model: bool
) -> Drift:
    """Compare the baseline's new answers with its earlier ones to the same requests.

    Args:
        chosen: pairs with the earlier answer.
        fresh: the baseline's samples of this sitting.
        panel: the suite's scorers, which score the earlier answer again.
        same_model: False is drift of its own: another model answers under the name.
    """
    before: list[float] = []
    after: list[float] = []
    models: set[str] = set()
    for pair, reply in chosen:
        sample = fresh.get(pair.key)
        if sample is None or not isinstance(sample.reply, Reply):
            continue
        if same_model and sample.reply.model_id != reply.model_id:
            models.add(f"{reply.model_id} became {sample.reply.model_id}")
        old, new = await _scored(panel, pair, reply, sample)
        if not isinstance(old, Unscored) and not isinstance(new, Unscored):
            before.append(old)
            after.append(new)
    if models:
        return Drift(len(before), f"the model behind the name changed: {min(models)}")
    if drifted(before, after, seed):
        fell = fmean(after) - fmean(before)
        return Drift(len(before), f"the scores of the same requests moved by {fell:+.3f}")
    return Drift(len(before))


async def _scored(panel: Panel, pair: Pair, reply: Reply, sample: Sample) -> tuple[float | Unscored, float | Unscored]:
    """Scores of the earlier and the new answer; scorers that compare get both."""
    case, now = pair.case, sample.reply
    old = await panel.scores(Subject.of(case, reply), pair.index)
    if not panel.compares(case) or not isinstance(now, Reply):
        return combine_scores(old), sample.score
    more = await panel.compared(Subject.of(case, reply), Subject.of(case, now), pair.index)
    alone = sample.scores[: len(old)]
    return combine_scores((*old, *more[0])), combine_scores((*alone, *more[1]))
