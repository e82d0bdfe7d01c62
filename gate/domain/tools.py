"""Tools that a model may call, and its calls of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue, too_deep


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as a model is told of it.

    Args:
        name: unique among the tools of a request.
        description: what it does, for the model.
        schema: JSON Schema of its arguments, as JSON text.
    """

    name: str
    description: str
    schema: str

    @property
    def parameters(self) -> dict[str, JsonValue]:
        """The schema as a JSON object."""
        found: dict[str, JsonValue] = json.loads(self.schema)
        return found


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a model wants to be called; all of it is a stranger's text.

    Args:
        id: the interface's name for this call; its result is sent back under it.
        name: of the tool, which need not exist.
        arguments: as the model wrote them: JSON text of an object, or not even that.
    """

    id: str
    name: str
    arguments: str

    @property
    def parsed(self) -> Mapping[str, JsonValue] | None:
        """The arguments as an object; None where they are something else, or nested too deeply to be worked with."""
        try:
            found = json.loads(self.arguments)
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) and not too_deep(found) else None
