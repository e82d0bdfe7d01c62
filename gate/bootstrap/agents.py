"""Makes the agents of a run, and lets go of what they share when it ends."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from gate.calls.caller import Caller
from gate.calls.port import Memory
from gate.domain.case import Case
from gate.domain.suite import Exam
from gate.domain.transcript import Observation
from gate.errors import GateError
from gate.store.sessions import SessionFiles
from gate.targets.conversation import Company, ConversationTarget
from gate.targets.loop import Equipment, LoopAgent
from gate.targets.port import Agent, Question, Reader, Target
from gate.targets.prompt import PromptTarget
from gate.targets.route import Route


@dataclass(frozen=True, slots=True)
class AgentMaker:
    """Makes an agent for each conversation; see `gate.targets.port.Agents`.

    Args:
        equipment: calls, sessions and a clock.
    """

    equipment: Equipment

    def agent(self, question: Question, *, fresh: bool) -> Agent:
        target = question.arm.target
        if target is None:
            return LoopAgent(question, self.equipment, fresh=fresh)
        raise GateError(f"there is no agent of the kind {type(target).__name__} in this version")


class _Nobody:
    """Looks at no database."""

    async def observe(self, exam: Exam, case: Case, session: str) -> tuple[Observation, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class Crew:
    """What the conversations of a run share.

    Args:
        sessions: conversations that are closed and opened again.
    """

    sessions: SessionFiles

    def target(self, caller: Caller, memory: Memory) -> Target:
        """What answers the cases of a run.

        Args:
            caller: sends requests.
            memory: known conversations.
        """
        company = Company(self._detector, self._user, _Nobody())
        maker = AgentMaker(Equipment(caller, self.sessions))
        conversation = ConversationTarget(maker, company, memory, lambda: uuid.uuid4().hex)
        return Route(PromptTarget(caller), conversation)

    def _detector(self, exam: Exam) -> Reader | None:
        return None

    def _user(self, exam: Exam) -> Reader | None:
        return None


@asynccontextmanager
async def crew_of(out: Path) -> AsyncIterator[Crew]:
    """What conversations share, for as long as a run lasts.

    Args:
        out: folder of the run.
    """
    crew = Crew(SessionFiles(out / "sessions"))
    try:
        yield crew
    finally:
        crew.sessions.clear()
