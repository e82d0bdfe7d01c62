"""The output is JSON: a document, an object with keys, an array of something."""

import json
import re
from collections.abc import Mapping

from gate.domain.jsonvalue import JsonValue
from gate.testgen.compile.check import Check, Checks
from gate.testgen.compile.clause import Clause
from gate.testgen.compile.listed import listed, literal, quoted
from gate.testgen.compile.numbers import number, quantity
from gate.testgen.compile.text import LITERAL

_BE = r"be (?:only |exactly |just |solely )?"
_A = (
    r"(?:(?:in|as) )?(?:(?:a|an|one) )?(?:single |one )?"
    r"(?:valid |well-formed |syntactically valid |parse?able |strict )?"
)
_END = r"(?:,? and nothing else| only)?"
_ANY = re.compile(
    rf"{_BE}(?:{_A}JSON(?: format| document| text| string| value)?|parse?able as (?:valid )?JSON){_END}", re.IGNORECASE
)
_BARE = re.compile(rf"{_BE}{_A}JSON (object|array|list|dictionary){_END}", re.IGNORECASE)
_OF = re.compile(
    rf"{_BE}{_A}(?:JSON )?(?:array|(?<=JSON )list) of (strings|numbers|integers|booleans|objects|arrays){_END}",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    rf"{_BE}(?:as )?(?:(?:a|an) )?(?:JSON )?(?:array|list)?(?: of strings)?,? ?"
    rf"(?:formatted as|(?:in|of|with) the (?:format|form)):? "
    rf"(?:(?P<quoted>{LITERAL})|\[(?P<inside>{LITERAL}(?:, ?{LITERAL})*(?:, ?\.\.\.)?)\]){_END}",
    re.IGNORECASE,
)
_WITH = r"(?:with|containing|having|(?:that|which) (?:contains|has|includes)|including)"
_SIZED = re.compile(
    rf"{_BE}{_A}(?:JSON )?(?:array|(?<=JSON )list) (?:of|with|containing) (?P<size>.+?) "
    rf"(?P<of>strings|numbers|integers|booleans|objects|items|elements|entries|values){_END}",
    re.IGNORECASE,
)
_COUNT = r"(?:(?P<many>one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|a single|a|an) )?"
_KEY = r"(?:keys?|fields?|propert(?:y|ies)|attributes?)"
_OBJECT = rf"{_BE}{_A}JSON(?: object)? {_WITH} (?P<only>exactly |only )?(?P<the>the |these )?(?:following |required )?"
_KEYED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_OBJECT}{_COUNT}(?:following |required )?{_KEY}(?P<named> named| called)?(?P<colon>:)? (?P<list>.+?){_END}",
        rf"{_OBJECT}{_COUNT}(?P<list>{LITERAL}.*?) {_KEY}{_END}",
    )
)
_NAME = re.compile(r"[A-Za-z_][\w-]{0,63}")
_QUALITY = re.compile(
    r"(?:case|cased|ful|ical|ized|ised|ered|oted|ated|ented|ly|ive|ble|ent|ise|rt|strings?|numbers?|numeric|english|"
    r"unique|valid|clear|simple|plain)$",
    re.IGNORECASE,
)
"""How words end that may say how keys are, and name none."""
_TYPES: Mapping[str, str] = {
    "strings": "string",
    "numbers": "number",
    "integers": "integer",
    "booleans": "boolean",
    "objects": "object",
    "arrays": "array",
}


def json_shape(clause: Clause) -> Checks:
    """Valid JSON, a JSON object with the keys …, a JSON array of strings."""
    if clause.negated:
        return ()
    bare = clause.alone == clause.said
    if clause.said == "be JSON and nothing else":
        return (Check("json", "JSON and nothing else", {"fence": False}),)
    if _ANY.fullmatch(clause.alone):
        return (Check("json", "valid JSON", {"fence": bare}),)
    shape = _shape(clause)
    # A fence is text beside the JSON; a schema alone would let it pass.
    return shape if bare or not shape else (Check("json", "JSON and nothing else", {"fence": False}), *shape)


def _shape(clause: Clause) -> Checks:
    if (bare := _BARE.fullmatch(clause.alone)) is not None:
        kind = "object" if bare[1].lower() in ("object", "dictionary") else "array"
        return _schema({"type": kind}, f"a JSON {kind}")
    if (of := _OF.fullmatch(clause.alone)) is not None:
        items: JsonValue = {"type": _TYPES[of[1].lower()]}
        return _schema({"type": "array", "items": items}, f"a JSON array of {of[1].lower()}")
    return _as_shown(clause) or _sized(clause) or _keyed(clause)


def _sized(clause: Clause) -> Checks:
    """An array of so many items, of one type or of any."""
    found = _SIZED.fullmatch(clause.alone)
    size = quantity(f"{found['size']} items") if found is not None else None
    if found is None or size is None or size.of != "items":
        return ()
    of = found["of"].lower()
    bounds = {"minItems": size.low, "maxItems": size.high}
    schema: dict[str, JsonValue] = {"type": "array", **{key: many for key, many in bounds.items() if many is not None}}
    if of in _TYPES:
        schema["items"] = {"type": _TYPES[of]}
    return _schema(schema, f"a JSON array, {size.told(of.removesuffix('s') if of != 'entries' else 'item')}")


def _as_shown(clause: Clause) -> Checks:
    """An array as the rule shows one: `["name"]` stands for an array of texts."""
    found = _SHOWN.fullmatch(clause.alone)
    if found is None or not (found["inside"] or _array_of_texts(literal(clause, found["quoted"]))):
        return ()
    return _schema({"type": "array", "items": {"type": "string"}}, "a JSON array of strings")


def _array_of_texts(text: str) -> bool:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _keyed(clause: Clause) -> Checks:
    for pattern in _KEYED:
        found = pattern.fullmatch(clause.alone)
        if found is None:
            continue
        keys = _keys(clause, found.groupdict())
        many = number(found["many"]) if found["many"] else None
        if not keys or many not in (None, len(keys)):
            return ()
        schema: dict[str, JsonValue] = {"type": "object", "required": [*keys]}
        if found["only"]:
            schema |= {"properties": {key: {} for key in keys}, "additionalProperties": False}
        return _schema(schema, f"a JSON object with {'only ' if found['only'] else ''}the keys {', '.join(keys)}")
    return ()


def _keys(clause: Clause, groups: Mapping[str, str | None]) -> tuple[str, ...]:
    """The names of the keys; words that are not quoted may describe keys, unless it says `the keys` or `keys:`."""
    text, colon = groups["list"] or "", bool(groups.get("colon"))
    if " or " in text:
        return ()
    keys = quoted(clause, text)
    if keys:
        return keys
    sure = bool(groups["the"]) or colon
    plain = listed(clause, text, sure=not colon)
    return plain if all(_NAME.fullmatch(key) and (sure or not _QUALITY.search(key)) for key in plain) else ()


def _schema(schema: dict[str, JsonValue], told: str) -> Checks:
    return (Check("json_schema", told, {"schema": schema, "fence": True}),)
