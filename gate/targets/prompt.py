"""The plain target: a model called with the prompt and one case."""

import json
from dataclasses import dataclass

from gate.calls.port import Calls
from gate.domain.absence import Failed
from gate.domain.case import Case
from gate.domain.sample import Reply
from gate.domain.suite import Arm
from gate.inputs.render import NotBuilt, render
from gate.providers.base import Request


@dataclass(frozen=True, slots=True)
class Question:
    """One sample to be taken.

    Args:
        suite: name of the suite.
        arm: prompt, model and parameters.
        case: what is asked.
        index: sample index, 0 to k - 1.
    """

    suite: str
    arm: Arm
    case: Case
    index: int


@dataclass(frozen=True, slots=True)
class PromptTarget:
    """Answers a case for an arm.

    Args:
        calls: sends requests.
    """

    calls: Calls

    async def answer(self, question: Question, *, fresh: bool = False) -> Reply | Failed:
        """Render the arm's prompt with the case and call the arm's model.

        Args:
            question: who is asked what.
            fresh: ask even if an answer is known.
        """
        try:
            request = request_of(question)
        except NotBuilt as error:
            return error.failed
        return await self.calls.call(request, fresh=fresh)


def request_of(question: Question) -> Request:
    """What is sent for one sample.

    Raises:
        NotBuilt: the prompt has no text for the case.
    """
    arm, case = question.arm, question.case
    messages = render(arm.version.prompt, case)
    return Request(messages, arm.model, arm.params, question.index, about=json.dumps([question.suite, case.id]))
