"""Is a user's JSON Schema one that answers can be checked against?"""

from collections.abc import Iterator

from gate.domain.jsonvalue import JsonValue
from gate.inputs.boundedschema import Work, bounded, draft_of, regex_format
from gate.inputs.patterns import TooSlow

_PROBES: tuple[JsonValue, ...] = (None, "", 0, [], {})
_READING = 200_000
"""Steps to hold a schema against its draft: enough for some thousand properties."""
_PROBING = 20_000
"""Steps for the smallest answers there are; a schema that needs more for these has no end for a true one."""
_SECONDS = 60.0
"""A last net only: steps decide, because the speed of the machine should not."""


def schema_complaint(schema: dict[str, JsonValue]) -> str:
    """What is wrong with a JSON Schema (draft 2020-12, or the one that `$schema` names); empty when nothing is.

    References must stay inside the schema: nothing is ever fetched.
    """
    # Imported late: the library costs more than all other inputs together, and few suites use it.
    from referencing.exceptions import Unresolvable

    if not isinstance(schema.get("$schema", ""), str):
        return "$schema must be text"
    if complaint := _outside(schema) or _untimed(schema):
        return complaint
    try:
        if mistake := _mistake(schema):
            return mistake
        validator = bounded(schema, Work(_PROBING, _SECONDS))
        for probe in _PROBES:
            validator.is_valid(probe)
    except TooSlow as slow:
        return f"{slow}; make it smaller, with fewer references inside each other"
    except Unresolvable as error:
        return f"the reference {str(error.ref)[:100]!r} leads nowhere"
    except RecursionError:
        return "it refers to itself without end"
    # The library raises whatever it stumbles over in parts that the draft does not name but a reference leads to.
    except Exception as error:
        return f"it cannot be applied ({type(error).__name__})"
    return ""


def _mistake(schema: dict[str, JsonValue]) -> str:
    """Where the schema is not what its draft asks for."""
    work = Work(_READING, _SECONDS)
    error = next(bounded(draft_of(schema).META_SCHEMA, work, regex_format(work)).iter_errors(schema), None)
    if error is None:
        return ""
    place = "/".join(str(part) for part in error.absolute_path)
    # The library quotes the value first and says what is wrong with it last.
    message = error.message if len(error.message) <= 200 else f"{error.message[:100]}…{error.message[-100:]}"
    return message + (f" (at {place[:100]})" if place else "")


def _outside(schema: dict[str, JsonValue]) -> str:
    """Complains about the first reference that is not a fragment of this schema."""
    for item in _objects(schema):
        for key in ("$ref", "$dynamicRef", "$recursiveRef"):
            target = item.get(key)
            if isinstance(target, str) and not target.startswith("#"):
                return f"the reference {target[:100]!r} leaves the schema; only '#…' is followed"
    return ""


def _untimed(schema: dict[str, JsonValue]) -> str:
    """Complains about the one use of a pattern that the library searches for by itself, without a time limit."""
    used = {key for item in _objects(schema) for key in ("unevaluatedProperties", "patternProperties") if key in item}
    if len(used) == 2:
        return "unevaluatedProperties does not go with patternProperties here; use additionalProperties instead"
    return ""


def _objects(schema: dict[str, JsonValue]) -> Iterator[dict[str, JsonValue]]:
    stack: list[JsonValue] = [schema]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
