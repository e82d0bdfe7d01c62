"""Is a user's JSON Schema one that answers can be checked against?"""

from gate.domain.jsonvalue import JsonValue

_PROBES: tuple[JsonValue, ...] = (None, "", 0, [], {})


def schema_complaint(schema: dict[str, JsonValue]) -> str:
    """What is wrong with a JSON Schema (draft 2020-12, or the one that `$schema` names); empty when nothing is.

    References must stay inside the schema: nothing is ever fetched.
    """
    # Imported late: the library costs more than all other inputs together, and few suites use it.
    import jsonschema
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing.exceptions import Unresolvable

    if not isinstance(schema.get("$schema", ""), str):
        return "$schema must be text"
    if outside := _outside(schema):
        return f"the reference {outside[:100]!r} leaves the schema; only '#…' is followed"
    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
        for probe in _PROBES:
            kind(schema).is_valid(probe)
    except jsonschema.SchemaError as error:
        place = "/".join(str(part) for part in error.absolute_path)
        return f"{error.message[:200]}" + (f" (at {place[:100]})" if place else "")
    except Unresolvable as error:
        return f"the reference {str(error.ref)[:100]!r} leads nowhere"
    except RecursionError:
        return "it refers to itself without end"
    return ""


def _outside(schema: dict[str, JsonValue]) -> str:
    """The first reference that is not a fragment of this schema."""
    stack: list[JsonValue] = [schema]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            for key in ("$ref", "$dynamicRef", "$recursiveRef"):
                target = item.get(key)
                if isinstance(target, str) and not target.startswith("#"):
                    return target
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return ""
