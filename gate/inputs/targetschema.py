"""The JSON Schema of `target`, `conversation` and `placeholders`, from the words and ranges of their readers."""

from gate.domain.jsonvalue import JsonValue
from gate.inputs import targets
from gate.inputs.builders import FUNCTION_PATTERN
from gate.inputs.limits import NAME_CHARS, PATH_CHARS
from gate.inputs.placeholders import NAME
from gate.inputs.schemaparts import Schema, integer, mapping, model, number, optional, params, string

_VARIABLE = f"^{targets.VARIABLE.pattern}$"


def target() -> Schema:
    """One agent, of one of the kinds."""
    timeout, headers = number(targets.TIMEOUT_S), _variables_by(f"^{targets.HEADER.pattern}$", _variable())
    function: Schema = {**string(PATH_CHARS), "pattern": FUNCTION_PATTERN}
    code: dict[str, JsonValue] = {"env": _variables(), "timeout_s": timeout, "files": _texts()}
    return {
        **mapping(
            {
                "tools": _tools(headers),
                "python": _spelled("function", function, code),
                "command": _spelled("run", _words(), code),
                "http": _spelled("url", _url(), {"headers": headers, "timeout_s": timeout, "version": _version()}),
            }
        ),
        "minProperties": 1,
        "maxProperties": 1,
    }


def conversation() -> Schema:
    """How conversations are led and scored."""
    asked: Schema = {**mapping({"model": model(), "params": optional(params())}), "dependentRequired": _WITH_MODEL}
    whole = mapping(
        {
            "score": {"enum": list(targets.RULES)},
            "max_followups": integer(targets.FOLLOWUPS),
            "followups": optional(asked),
            "user": optional(asked),
        }
    )
    return optional({**whole, "dependentRequired": {"max_followups": ["followups"]}})


_WITH_MODEL: Schema = {"params": ["model"]}


def placeholders() -> Schema:
    """Name to text."""
    value: Schema = {"type": ["string", "number"], "maxLength": NAME_CHARS}
    names: Schema = {"pattern": f"^{NAME.pattern}$"}
    return {"type": ["object", "null"], "propertyNames": names, "additionalProperties": value}


def _tools(headers: Schema) -> Schema:
    servers: Schema = {
        "type": ["object", "null"],
        "maxProperties": targets.SERVERS,
        "propertyNames": {"pattern": f"^{targets.SERVER_NAME.pattern}$"},
        "additionalProperties": _server(headers),
    }
    given: Schema = {"type": "object", "properties": {"servers": {"type": "object", "minProperties": 1}}}
    injected: Schema = {"anyOf": [_variable(), {"const": targets.SESSION}]}
    properties: dict[str, JsonValue] = {
        "servers": servers,
        "fixtures": {**string(PATH_CHARS), "pattern": r"\.([yY][aA]?[mM][lL]|[jJ][sS][oO][nN])$"},
        "only": _texts(),
        "inject": _variables_by("", injected),
        "max_steps": integer(targets.STEPS),
        "timeout_s": number(targets.TIMEOUT_S),
        "parallel": {"type": "boolean"},
        "files": _texts(),
    }
    return {**mapping(properties), "anyOf": [{**given, "required": ["servers"]}, {"required": ["fixtures"]}]}


def _server(headers: Schema) -> Schema:
    started = mapping({"command": _words(), "env": _variables()}, required=("command",))
    transport: Schema = {"enum": list(targets.TRANSPORTS)}
    places: dict[str, JsonValue] = {"url": _url(), "transport": transport, "headers": headers, "version": _version()}
    asked = mapping(places, required=("url",))
    return {"anyOf": [started, asked]}


def _spelled(key: str, main: Schema, more: dict[str, JsonValue]) -> Schema:
    """The main key alone, or a mapping."""
    return {"anyOf": [main, mapping({key: main, **more}, required=(key,))]}


def _words() -> Schema:
    word: Schema = {"type": "string", "minLength": 1}
    first: list[JsonValue] = [{**word, "pattern": r"\S"}]
    return {"type": "array", "minItems": 1, "maxItems": targets.WORDS, "prefixItems": first, "items": word}


def _variable() -> Schema:
    return {**string(NAME_CHARS), "pattern": _VARIABLE}


def _variables() -> Schema:
    return {"type": "array", "uniqueItems": True, "items": {"type": "string", "pattern": _VARIABLE}}


def _variables_by(names: str, value: Schema) -> Schema:
    found: Schema = {"type": ["object", "null"], "additionalProperties": value}
    return {**found, "propertyNames": {"pattern": names}} if names else found


def _texts() -> Schema:
    return {"type": "array", "uniqueItems": True, "items": {"type": "string", "pattern": r"\S"}}


def _version() -> Schema:
    return string(NAME_CHARS)


def _url() -> Schema:
    return {**string(PATH_CHARS), "pattern": r"^https?://[^\s/?#@]+([/?#]|$)"}
