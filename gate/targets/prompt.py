"""The plain target: a model called with the prompt and one case."""

import json
from dataclasses import dataclass

from gate.calls.port import Calls
from gate.domain.absence import Failed
from gate.domain.sample import Reply
from gate.inputs.render import NotBuilt, render
from gate.providers.base import Request
from gate.targets.port import Question


@dataclass(frozen=True, slots=True)
class PromptTarget:
    """Answers a case for an arm.

    Args:
        calls: sends requests.
    """

    calls: Calls

    async def answer(self, question: Question, *, fresh: bool = False) -> Reply | Failed:
        """Render the arm's prompt with the case and call the arm's model; see `gate.targets.port.Target`."""
        try:
            request = request_of(question)
        except NotBuilt as error:
            return error.failed
        return await self.calls.call(request, fresh=fresh)

    def request_of(self, question: Question) -> Request:
        """What is sent; see `gate.targets.port.Target`."""
        return request_of(question)


def request_of(question: Question) -> Request:
    """What is sent for one sample.

    Raises:
        NotBuilt: the prompt has no text for the case.
    """
    arm, case = question.arm, question.case
    messages = render(arm.version.prompt, case)
    return Request(messages, arm.model, arm.params, question.index, about=about(question))


def about(question: Question) -> str:
    """Names the suite and the case of a request, so that equal questions of two cases stay two samples."""
    return json.dumps([question.suite, question.case.id])
