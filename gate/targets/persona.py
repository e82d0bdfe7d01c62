"""A simulated user: a model that plays a person who wants something of the agent."""

from collections.abc import Sequence
from dataclasses import dataclass

from gate.domain.case import Case
from gate.targets.listening import Form, Listener
from gate.targets.port import Said

FORM = Form("persona_system", "done", False, "message")


@dataclass(frozen=True, slots=True)
class SimulatedUser:
    """See `gate.targets.port.Reader`.

    Args:
        listener: the model that plays.
    """

    listener: Listener

    async def reply(self, said: Sequence[tuple[str, str]], case: Case, index: int) -> Said:
        """What the person says next; empty where the person is done."""
        if case.user is None:
            return Said()
        view = {"persona": case.user.persona, "goal": case.user.goal, "facts": case.facts}
        return await self.listener.ask(FORM, said, view, (f"user {case.id}", index))
