"""A model that compares the answers of both arms: which of them is better, shown in either order."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from gate.calls.interface import Calls, Request, together
from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.record.sample import Part, Reply, Score
from gate.record.transcript import Unscored
from gate.scoring.interface import Subject
from gate.scoring.judge import JudgeOpinion, JudgeQuestion, ask_judge
from gate.scoring.judge_prompt import AnswerPair, fences_of, is_shown, pair_messages, shown_besides
from gate.scoring.judge_reply import read_object, read_preference
from gate.scoring.verdict import ScoredReason, Verdict, echo_complaint
from gate.values import JsonValue

WORTH = {"first": 1.0, "tie": 0.5, "second": 0.0}
"""Value of the answer shown first, by the judge's word."""
SHOWN_FIRST, SHOWN_SECOND = "shown first", "shown second"
"""Names of the parts of a score: the answer's value in each place."""

SCHEMA: Mapping[str, JsonValue] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "better": {"type": "string", "enum": list(WORTH)}},
    "required": ["reason", "better"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class PairwiseJudge:
    """One pairwise judge of one suite.

    Each pair is shown in both orders, so that a judge that likes one place better prefers nobody: the candidate's
    score is the mean of the two, 1 for a win, 0.5 for a tie, 0 for a loss, and the baseline's is what is left to 1.
    Their difference lies in [-1, 1]. (On the bias, and on swapping the places: L. Zheng et al., "Judging LLM-as-a-Judge
    with MT-Bench and Chatbot Arena", 2023, section 3.4.)

    Args:
        spec: a scorer of kind `pairwise`.
    """

    spec: ScorerSpec
    model: ModelRef
    params: Params
    calls: Calls

    async def compare(self, baseline: Subject, candidate: Subject, index: int) -> tuple[Score, Score]:
        """The scores of both answers; `Unscored` where one of the two orders has no verdict.

        Args:
            baseline, candidate: answers to the same case, untrusted.
            index: of the sample, so that equal pairs of different samples are judged apart.
        """
        blank = Score(self.spec.name, Unscored("not judged"), "", self.spec.weight)
        pair = AnswerPair.of(baseline, candidate)
        if pair.texts[0] == pair.texts[1]:
            same = replace(
                blank, value=WORTH["tie"], reason=f"both {'conversations' if pair.turn else 'answers'} are the same"
            )
            return same, same
        orders = pair, pair.swapped
        baseline_first, candidate_first = await together(self._opinion(order, index) for order in orders)
        # The two judgements were paid for once: each score has the cost of the one that showed its answer first.
        paid = _paid(blank, baseline_first), _paid(blank, candidate_first)
        found = baseline_first.verdict, candidate_first.verdict
        for verdict in found:
            if isinstance(verdict, Unscored):
                return replace(paid[0], value=verdict), replace(paid[1], value=verdict)
        first, second = (verdict for verdict in found if isinstance(verdict, Verdict))
        return (
            _scored(paid[0], (first.value, 1.0 - second.value), first.reason),
            _scored(paid[1], (second.value, 1.0 - first.value), second.reason),
        )

    async def _opinion(self, pair: AnswerPair, index: int) -> JudgeOpinion:
        """The value of the answer shown first."""
        case, texts = pair.case, pair.texts
        about = json.dumps([self.spec.name, case.id])

        def request(problem: str = "") -> Request:
            asked = pair_messages(self.spec, pair, problem)
            return Request(asked, self.model, self.params, index, SCHEMA, about=about)

        def repeats(verdict: Verdict) -> Unscored | None:
            seen = (*texts, case.question) if is_shown(self.spec, "sees_input") else texts
            return echo_complaint(verdict, seen, shown_besides(self.spec, case))

        return await ask_judge(self.calls, JudgeQuestion(request(), request, _read, repeats, fences_of(texts)))


def _read(reply: Reply) -> Verdict:
    reason, better = read_preference(read_object(reply), tuple(WORTH))
    return Verdict(WORTH[better], reason, (ScoredReason(reason, WORTH[better], word=better),))


def _paid(blank: Score, opinion: JudgeOpinion) -> Score:
    return replace(blank, calls=opinion.calls, retries=opinion.retries, cost=opinion.cost, reused=opinion.reused)


def _scored(paid: Score, worth: tuple[float, float], reason: str) -> Score:
    parts = tuple(Part("order", name, value) for name, value in zip((SHOWN_FIRST, SHOWN_SECOND), worth, strict=True))
    return replace(paid, value=sum(worth) / 2, reason=f"with this answer shown first: {reason}", parts=parts)
