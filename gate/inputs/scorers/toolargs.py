"""What the arguments of an agent's calls of its tools have to be, tool by tool."""

from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue
from gate.inputs.fields import Fields
from gate.inputs.nodes import described, plain
from gate.inputs.schemacheck import schema_complaint
from gate.inputs.scorers.options import Option

_KEYS = ("subset", "schema")
_EXAMPLE = "get_bookings: {subset: {listing_id: 3}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolArguments(Option):
    """By tool `subset`, what one call has among its arguments, or `schema`, which those of each call satisfy."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        tools = fields.mapping(key)
        return {name: self._of(tools.mapping(name)) for name in tools.entries} or None

    def _of(self, wanted: Fields) -> JsonValue:
        wanted.only(_KEYS)
        given = [key for key in _KEYS if wanted.has(key)]
        if not given:
            wanted.problems.add(wanted.line, f"{wanted.name} needs subset or schema", f"for example {_EXAMPLE}")
        found: dict[str, JsonValue] = {}
        for key in given:
            node = wanted.entries[key]
            value = plain(node)
            if not isinstance(value, dict):
                wanted.problems.add(node.line, f"{wanted.name}.{key} must be a mapping, not {described(node.value)}")
            elif key == "schema" and (reason := schema_complaint(value)):
                wanted.problems.add(node.line, f"{wanted.name}.schema is not a usable JSON Schema: {reason}")
            else:
                found[key] = value
        return found

    def schema(self) -> JsonValue:
        one: JsonValue = {
            "type": "object",
            "properties": {key: {"type": "object"} for key in _KEYS},
            "additionalProperties": False,
            "minProperties": 1,
        }
        return {"type": "object", "additionalProperties": one, "minProperties": 1}
