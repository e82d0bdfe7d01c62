"""Finds out whether an agent asks back instead of answering, and answers for the person."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gate.domain.case import Case
from gate.targets.listening import Form, Listener
from gate.targets.port import Said

FORM = Form("followup_system", "asks", True, "answer")

_ASKING = re.compile(
    r"[?？؟;՞]"
    r"|\b(please|kindly|could you|can you|would you|let me know|tell me|which|clarify|specify|provide|share|confirm"
    r"|bitte|welche|nennen|angeben|teilen sie|veuillez|précise|quel|por favor|indique|cuál|qual|favor|prego|quale)",
    re.IGNORECASE,
)


def may_ask(answer: str) -> bool:
    """Could a reply be a question? One without a question mark and without words of asking is not looked at further.

    Args:
        answer: of the agent.
    """
    return not answer.isascii() or _ASKING.search(answer) is not None


@dataclass(frozen=True, slots=True)
class FollowUps:
    """See `gate.targets.port.Reader`.

    Args:
        listener: the model that is asked.
    """

    listener: Listener

    async def reply(self, said: Sequence[tuple[str, str]], case: Case, index: int) -> Said:
        """The person's answer; empty where the agent has asked for nothing."""
        if not said or not said[-1][1].strip() or not may_ask(said[-1][1]):
            return Said()
        return await self.listener.ask(FORM, said, {"facts": case.facts}, (f"follow-up {case.id}", index))
