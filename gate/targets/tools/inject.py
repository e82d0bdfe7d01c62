"""Arguments that the harness puts in: the model neither sees nor writes them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gate.domain.jsonvalue import JsonValue
from gate.domain.tools import Tool

SESSION = "$session"
"""In place of the name of an environment variable: the id of the session."""


@dataclass(frozen=True, slots=True)
class Injection:
    """What is put in.

    Args:
        values: argument to its value.
        sessions: arguments that get the id of the session.
        apart: by the label of a source, what its tools alone get.
    """

    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    sessions: frozenset[str] = frozenset()
    apart: "Mapping[str, Injection]" = field(default_factory=dict)

    def at(self, label: str) -> "Injection":
        """What tools of a source get."""
        own = self.apart.get(label, Injection())
        return Injection({**self.values, **own.values}, (self.sessions - own.values.keys()) | own.sessions)

    @property
    def tells_session(self) -> bool:
        """Does any tool get to know the id of the session?"""
        return bool(self.sessions) or any(own.sessions for own in self.apart.values())

    @property
    def names(self) -> frozenset[str]:
        """All arguments."""
        return self.sessions | self.values.keys()

    def of(self, tool: Tool) -> frozenset[str]:
        """Those that a tool takes."""
        properties = tool.parameters.get("properties")
        return self.names & properties.keys() if isinstance(properties, dict) else frozenset()

    def hidden(self, tool: Tool) -> Tool:
        """The tool as a model is told of it."""
        mine = self.of(tool)
        if not mine:
            return tool
        schema = tool.parameters
        properties, required = schema["properties"], schema.get("required")
        assert isinstance(properties, dict)  # noqa: S101 or none would be among them
        schema["properties"] = {key: value for key, value in properties.items() if key not in mine}
        if isinstance(required, list):
            schema["required"] = [key for key in required if key not in mine]
        return replace(tool, schema=json.dumps(schema, ensure_ascii=False))

    def without(self, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """What a model wrote, without what it has no business with."""
        return {key: value for key, value in arguments.items() if key not in self.names}

    def filled(self, tool: Tool, arguments: Mapping[str, JsonValue], session: str) -> dict[str, JsonValue]:
        """All arguments of a call.

        Args:
            tool: with all that it takes.
            arguments: as `without` gives them.
            session: id of the session.
        """
        properties = tool.parameters.get("properties")
        known = properties if isinstance(properties, dict) else {}
        put = {
            key: session if key in self.sessions else _typed(self.values[key], known[key])
            for key in sorted(self.of(tool))
        }
        return {**arguments, **put}


def _typed(value: str, schema: JsonValue) -> JsonValue:
    """The value of a variable as the number that an argument has to be; text where it is none."""
    wanted = schema.get("type") if isinstance(schema, dict) else None
    try:
        if wanted == "integer":
            return int(value)
        return float(value) if wanted == "number" else value
    except ValueError:
        return value
