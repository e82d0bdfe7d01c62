"""Tools that answer from a file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from gate.config.toolfile import RecordedTool
from gate.domain.jsonvalue import JsonValue
from gate.domain.subset import is_subset
from gate.domain.tools import Tool
from gate.targets.tools.port import Given

NOT_RECORDED = "there is no recorded answer for these arguments"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A source of tools; see `gate.targets.tools.port`. It is always ready, and knows nothing of conversations.

    Args:
        tools: in the file's order.
        answers: by tool, each with the arguments that it answers; the first that fits is given.
    """

    tools: tuple[Tool, ...]
    answers: Mapping[str, tuple[tuple[JsonValue, Given], ...]]

    @classmethod
    def of(cls, tools: tuple[RecordedTool, ...]) -> "Recorded":
        """What a file holds."""
        told = (Tool(one.name, one.description, json.dumps(one.parameters, ensure_ascii=False)) for one in tools)
        answers = {
            tool.name: tuple((one.arguments, Given(one.text, one.error)) for one in tool.answers) for tool in tools
        }
        return cls(tuple(told), answers)

    @property
    def label(self) -> str:
        return "the recorded tools"

    async def open(self) -> "Recorded":
        return self

    async def call(self, name: str, arguments: dict[str, JsonValue]) -> Given:
        fitting = (given for wanted, given in self.answers[name] if is_subset(wanted, arguments))
        return next(fitting, Given(NOT_RECORDED, failed=True))
