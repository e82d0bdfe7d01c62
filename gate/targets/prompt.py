"""The plain target: a model called with the prompt and one case."""

from dataclasses import dataclass

from gate.calls.port import Calls
from gate.domain.absence import Failed
from gate.domain.case import Case
from gate.domain.sample import Reply
from gate.domain.suite import Arm
from gate.inputs.render import render
from gate.providers.base import Request


@dataclass(frozen=True, slots=True)
class PromptTarget:
    """Answers a case for an arm.

    Args:
        calls: sends requests.
    """

    calls: Calls

    async def answer(self, arm: Arm, case: Case, index: int) -> Reply | Failed:
        """Render the arm's prompt with the case and call the arm's model.

        Args:
            arm: prompt, model and parameters.
            case: what is asked.
            index: sample index, 0 to k - 1.
        """
        return await self.calls.call(Request(render(arm.version.prompt, case), arm.model, arm.params, index))
