"""Sources of tools that do as a test wants them to."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from gate.agents.conversation_tools import ToolOutput
from gate.agents.interface import AgentFailed
from gate.messages import Tool
from gate.values import JsonValue


def tool(name: str, description: str = "Does it.", **properties: JsonValue) -> Tool:
    return Tool(name, description, json.dumps({"type": "object", "properties": dict(properties)}))


@dataclass
class Scripted:
    """A source whose answers are a function of the arguments; with a fault it cannot be had, before a door opens."""

    tools: tuple[Tool, ...]
    answer: Callable[[dict[str, JsonValue]], ToolOutput] = lambda arguments: ToolOutput(json.dumps(arguments))
    label: str = "the shop"
    unusable: tuple[tuple[str, str], ...] = ()
    pause_s: float = 0.0
    fault: str = ""
    door: asyncio.Event | None = None
    opened: int = 0
    called: list[tuple[str, dict[str, JsonValue]]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.label.removeprefix("the ")

    async def open(self) -> "Scripted":
        if self.door is not None:
            await self.door.wait()
        if self.fault:
            raise AgentFailed(self.fault, attempts=0)
        self.opened += 1
        return self

    async def call(self, name: str, arguments: dict[str, JsonValue]) -> ToolOutput:
        self.called.append((name, arguments))
        await asyncio.sleep(self.pause_s)
        return self.answer(arguments)
