"""The JSON Schema of `gate.yaml`, built from the words and ranges that the parser itself uses.

Editors complete and check with it; `gate.inputs.config` stays the judge, since paths, model names, unique names and
templates are beyond a schema.
"""

from collections.abc import Mapping, Sequence

from gate.domain.jsonvalue import JsonValue
from gate.domain.suite import OVERALL
from gate.inputs import config, models, policies, scorers, suites
from gate.inputs.fields import Range
from gate.inputs.limits import NAME_CHARS, PATH_CHARS, PATTERN_CHARS, PROMPT_CHARS

ID = f"https://prompt-gate.dev/schemas/gate.yaml/{config.VERSION}"
"""A name, not an address that is fetched."""

Schema = dict[str, JsonValue]


def config_schema() -> Schema:
    """Draft 2020-12; a fresh copy that the caller may change."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "gate.yaml",
        **_object(
            {
                "version": {"const": config.VERSION},
                "policy": _optional(_run_policy()),
                "budget": _optional(_budget()),
                "cache": _optional(_cache()),
                "defaults": _optional(_object({key: _suite()[key] for key in suites.DEFAULTS})),
                "suites": {"type": "array", "minItems": 1, "items": _object(_suite(), required=_NEEDED)},
            },
            required=("version", "suites"),
        ),
    }


_NEEDED = ("name", "prompt", "cases", "scorers")


def _run_policy() -> Schema:
    return _object(
        {
            "confidence": _number(config.CONFIDENCE),
            "fail_on": {"enum": list(config.FAIL_ON)},
            "method": {"enum": list(config.METHODS)},
            "correction": {"enum": list(config.CORRECTIONS)},
            "breakage": {"type": "boolean"},
            "early_stop": {"type": "boolean"},
            "mode": {"enum": list(config.MODES)},
        }
    )


def _budget() -> Schema:
    return _object(
        {
            "max_calls": _integer(config.MAX_CALLS),
            "max_usd": _number(config.MAX_USD),
            "max_minutes": _number(config.MAX_MINUTES),
            "max_output_tokens": _integer(models.MAX_OUTPUT_TOKENS),
            "max_usd_per_month": _number(config.MAX_USD),
        }
    )


def _cache() -> Schema:
    return _object(
        {
            "max_age_days": _number(config.MAX_AGE_DAYS),
            "same_model": {"type": "boolean"},
            "max_mb": _integer(config.MAX_MB),
        }
    )


def _suite() -> dict[str, JsonValue]:
    slices: Schema = {"type": "array", "items": _text(), "uniqueItems": True}
    return {
        "name": {**_text(), "pattern": r"^[^/\s]([^/]*[^/\s])?$"},
        "prompt": _text(PATH_CHARS),
        "cases": _text(PATH_CHARS),
        "slices": slices,
        "model": _model(),
        "samples": _integer(suites.SAMPLES),
        "params": _optional(_params()),
        "scorers": {"type": "array", "minItems": 1, "items": _scorer()},
        "template": {"enum": list(suites.TEMPLATES)},
        "threshold": _number(suites.PASSING),
        "policy": _optional(_policy(slices)),
    }


def _policy(slices: Schema) -> Schema:
    own: dict[str, JsonValue] = {"margin": _number(policies.MARGIN), "min_pass_rate": _number(policies.PASS_RATE)}
    return _object(
        {
            "max_cost_increase": _number(policies.INCREASE),
            "max_latency_increase": _number(policies.INCREASE),
            "required": slices,
            "advisory": slices,
            **own,
            "slices": {
                "type": ["object", "null"],
                "propertyNames": {"pattern": f"^({OVERALL}|[^=]+=.+)$"},
                "additionalProperties": _optional(_object(own)),
            },
        }
    )


def _params() -> Schema:
    stop: Schema = {"type": "string", "minLength": 1, "maxLength": NAME_CHARS}
    properties: dict[str, JsonValue] = {
        "max_output_tokens": _integer(models.MAX_OUTPUT_TOKENS),
        "temperature": _number(models.TEMPERATURE),
        "top_p": _number(models.TOP_P),
        "stop": {"anyOf": [stop, {"type": "array", "maxItems": models.STOPS, "items": stop}]},
        "seed": _integer(models.SEED),
        "reasoning_effort": {"type": "string", "pattern": models.EFFORT},
        "prompt_cache": {"type": "boolean"},
        "chat_template": {"enum": list(models.CHAT_TEMPLATES)},
        "base_url": {"type": "string", "pattern": "^https?://"},
        "timeout_s": _number(models.TIMEOUT_S),
    }
    # An empty value takes a setting of the defaults back.
    return _object({key: {"anyOf": [value, {"type": "null"}]} for key, value in properties.items()})


def _scorer() -> Schema:
    one_kind: list[JsonValue] = [_kind(kind) for kind in scorers.OPTIONS]
    return {"anyOf": [{"enum": ["exact", "contains"]}, *one_kind]}


def _kind(kind: str) -> Schema:
    common = _common()
    needed = {"regex": ("pattern",), "json_schema": ("schema",), "judge": ("criteria",)}.get(kind, ())
    options = {key: _option(kind, key) for key in scorers.OPTIONS[kind]}
    forms: list[JsonValue] = [_object({**options, **common}, required=needed)]
    if kind in scorers.SHORTHAND:
        forms.append(_option(kind, scorers.SHORTHAND[kind]))
    if not needed:
        forms.append({"type": "null"})
    return _object({kind: {"anyOf": forms}, **common}, required=(kind,))


def _common() -> dict[str, JsonValue]:
    return {"name": _text(), "weight": _number(scorers.WEIGHT), "required": {"type": "boolean"}}


def _option(kind: str, key: str) -> JsonValue:
    found: Mapping[str, JsonValue] = {
        "value": _text(PROMPT_CHARS),
        "criteria": _text(PROMPT_CHARS),
        "pattern": _text(PATTERN_CHARS),
        "schema": {"type": "object"},
        "model": _model(),
        "threshold": _number(scorers.THRESHOLD),
        "params": _optional(_params()),
        "ignore_case": {"type": "boolean"},
        "strip": {"type": "boolean"},
    }
    return found[key]


def _model() -> Schema:
    return {**_text(), "pattern": f"^({'|'.join(models.PROVIDERS)}):\\S"}


def _object(properties: Mapping[str, JsonValue], required: Sequence[str] = ()) -> Schema:
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": dict(properties)}
    if required:
        schema["required"] = list(required)
    return schema


def _optional(schema: Schema) -> Schema:
    return {**schema, "type": ["object", "null"]}


def _text(most: int = NAME_CHARS) -> Schema:
    return {"type": "string", "pattern": r"\S", "maxLength": most}


def _number(allowed: Range) -> Schema:
    low = "exclusiveMinimum" if allowed.above else "minimum"
    high = "exclusiveMaximum" if allowed.below else "maximum"
    return {"type": "number", low: _plain(allowed.low), high: _plain(allowed.high)}


def _integer(allowed: Range) -> Schema:
    return {**_number(allowed), "type": "integer"}


def _plain(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value
