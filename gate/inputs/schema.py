"""The JSON Schema of `gate.yaml`, built from the words and ranges that the parser itself uses.

Editors complete and check with it; `gate.inputs.config` stays the judge, since paths, model names, unique names and
templates are beyond a schema.
"""

from pydantic import TypeAdapter

from gate.config.scorers import Scorers
from gate.domain.jsonvalue import JsonValue
from gate.domain.suite import OVERALL
from gate.inputs import config, models, policies, promises, suites, targetschema
from gate.inputs.describing import described_schema
from gate.inputs.limits import PATH_CHARS
from gate.inputs.schemaparts import Schema, integer, mapping, model, number, optional, params, string
from gate.inputs.scorers.options import PASSING

ID = f"https://prompt-gate.dev/schemas/gate.yaml/{config.VERSION}"
"""A name, not an address that is fetched."""


def config_schema() -> Schema:
    """Draft 2020-12; a fresh copy that the caller may change."""
    whole = mapping(
        {
            "version": {"const": config.VERSION},
            "policy": optional(_run_policy()),
            "budget": optional(_budget()),
            "cache": optional(_cache()),
            "providers": optional(_servers()),
            "defaults": optional(mapping({key: _suite()[key] for key in suites.DEFAULTS})),
            "suites": {"type": "array", "minItems": 1, "items": mapping(_suite(), required=_NEEDED)},
        },
        required=("version", "suites"),
    )
    head: Schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": ID, "title": "gate.yaml"}
    return {**head, **described_schema(whole), "$defs": scorer_definitions()}


_NEEDED = ("name", "prompt", "cases", "scorers")


def _run_policy() -> Schema:
    return mapping(
        {
            "confidence": number(config.CONFIDENCE),
            "fail_on": {"enum": list(config.FAIL_ON)},
            "method": {"enum": list(config.METHODS)},
            "correction": {"enum": list(config.CORRECTIONS)},
            "breakage": {"type": "boolean"},
            "early_stop": {"type": "boolean"},
            "mode": {"enum": list(config.MODES)},
        }
    )


def _budget() -> Schema:
    return mapping(
        {
            "max_calls": integer(config.MAX_CALLS),
            "max_usd": number(config.MAX_USD),
            "max_minutes": number(config.MAX_MINUTES),
            "max_output_tokens": integer(models.MAX_OUTPUT_TOKENS),
        }
    )


def _cache() -> Schema:
    return mapping(
        {
            "max_age_days": number(config.MAX_AGE_DAYS),
            "same_model": {"type": "boolean"},
            "max_mb": integer(config.MAX_MB),
        }
    )


def _servers() -> Schema:
    server = mapping(
        {
            "api": {"enum": ["openai", "anthropic"]},
            "base_url": {"type": "string", "pattern": "^https?://"},
            "api_key_env": {"type": "string", "pattern": "^[A-Z_][A-Z0-9_]{0,99}$"},
        },
        required=("api", "base_url"),
    )
    built_in = "|".join(models.PROVIDERS)
    names: Schema = {"pattern": f"^(?!({built_in})$){models.PROVIDER}$"}
    return {"type": "object", "propertyNames": names, "additionalProperties": server}


def _suite() -> dict[str, JsonValue]:
    slices: Schema = {"type": "array", "items": string(), "uniqueItems": True}
    return {
        "name": {**string(), "pattern": r"^[^/\s]([^/]*[^/\s])?$"},
        "prompt": string(PATH_CHARS),
        "cases": _cases(),
        "slices": slices,
        "model": model(),
        "samples": integer(suites.SAMPLES),
        "params": optional(params()),
        "scorers": {"type": "array", "minItems": 1, "items": scorer()},
        "template": {"enum": list(suites.TEMPLATES)},
        "threshold": number(PASSING),
        "policy": optional(_policy(slices)),
        "target": targetschema.target(),
        "conversation": targetschema.conversation(),
        "placeholders": targetschema.placeholders(),
        "promises": optional(_promises()),
    }


def _cases() -> Schema:
    """A path, or a suite of a store."""
    own: Schema = {"pattern": r"^store:[^/@\s]([^/@]*[^/@\s])?(@[1-9][0-9]{0,8})?$"}
    return {**string(PATH_CHARS), "if": {"pattern": "^store:"}, "then": own}


def _promises() -> Schema:
    return mapping(
        {
            "model": model(),
            "params": optional(params()),
            "judge": model(),
            "tests": integer(promises.TESTS),
            "spec": string(PATH_CHARS),
        }
    )


def _policy(slices: Schema) -> Schema:
    own: dict[str, JsonValue] = {"margin": number(policies.MARGIN), "min_pass_rate": number(policies.PASS_RATE)}
    return mapping(
        {
            "max_cost_increase": number(policies.INCREASE),
            "max_latency_increase": number(policies.INCREASE),
            "required": slices,
            "advisory": slices,
            **own,
            "slices": {
                "type": ["object", "null"],
                "propertyNames": {"pattern": f"^({OVERALL}|[^=]+=.+)$"},
                "additionalProperties": optional(mapping(own)),
            },
        }
    )


def scorer() -> Schema:
    """One scorer, as a suite or a case has it; see `scorer_definitions`."""
    return {"$ref": "#/$defs/Scorer"}


def scorer_definitions() -> dict[str, JsonValue]:
    """What a schema with scorers needs among its definitions."""
    found: dict[str, JsonValue] = TypeAdapter(Scorers).json_schema()["$defs"]
    return found
