"""Who answers which case: the model, called once, or an agent, in a conversation."""

from dataclasses import dataclass

from gate.domain.absence import Failed
from gate.domain.sample import Reply
from gate.domain.suite import Suite
from gate.providers.base import Request
from gate.targets.port import Question, Target


def converses(question: Question) -> bool:
    """Is a case more than one question to a model?"""
    case, exam = question.case, question.exam
    asks_back = exam is not None and exam.conversing.followups.model is not None
    return question.arm.target is not None or bool(case.rounds) or case.user is not None or asks_back


def suite_converses(suite: Suite) -> bool:
    """Is any sample of a suite a conversation?"""
    asked = (Question(suite.name, arm, case, 0, suite.exam) for arm in suite.arms.values() for case in suite.exam.cases)
    return any(map(converses, asked))


@dataclass(frozen=True, slots=True)
class Route:
    """Both; see `gate.targets.port.Target`.

    Args:
        plain: a model, called once.
        conversation: an agent.
    """

    plain: Target
    conversation: Target

    async def answer(self, question: Question, *, fresh: bool = False) -> Reply | Failed:
        return await self._of(question).answer(question, fresh=fresh)

    def request_of(self, question: Question) -> Request:
        return self._of(question).request_of(question)

    def _of(self, question: Question) -> Target:
        return self.conversation if converses(question) else self.plain
