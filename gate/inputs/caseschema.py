"""The JSON Schemas of cases and of rubrics, built from the words and ranges of their readers."""

from pydantic import TypeAdapter

from gate.config.rubrics import RubricFile
from gate.config.scorers import Scorers
from gate.domain.jsonvalue import JsonValue
from gate.inputs import agentcases, cases, golden
from gate.inputs.chat import ROLES
from gate.inputs.describing import described_schema
from gate.inputs.limits import CASES, LINE_CHARS, NAME_CHARS, PROMPT_CHARS, WORDS
from gate.inputs.schemaparts import Schema, integer, mapping, number, string
from gate.inputs.scorers.options import PASSING

ID = "https://prompt-gate.dev/schemas/cases/1"
RUBRIC_ID = "https://prompt-gate.dev/schemas/rubric/1"
"""Names, not addresses that are fetched."""
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def case_schema() -> Schema:
    """One case, of any of the three forms: a line of a `.jsonl` file."""
    return {"$schema": _DRAFT, "$id": f"{ID}/case", "title": "a case", **_case(), "$defs": _definitions()}


def cases_schema() -> Schema:
    """A list of cases, or a single one, in JSON or YAML."""
    listed: Schema = {"type": "array", "minItems": 1, "maxItems": CASES, "items": {"$ref": "#/$defs/case"}}
    whole: list[JsonValue] = [listed, {"$ref": "#/$defs/case"}]
    return {
        "$schema": _DRAFT,
        "$id": ID,
        "title": "cases",
        "anyOf": whole,
        "$defs": {**_definitions(), "case": _case()},
    }


def rubric_schema() -> Schema:
    """The file of a rubric."""
    return {"$schema": _DRAFT, "$id": RUBRIC_ID, **RubricFile.model_json_schema(), "title": "rubric"}


def _definitions() -> Schema:
    """The scorers, which stand in many places, once."""
    return {
        "scorers": {"type": "array", "items": {"$ref": "#/$defs/Scorer"}},
        **TypeAdapter(Scorers).json_schema()["$defs"],
    }


def _case() -> Schema:
    return {"anyOf": [_plain(), _transcript(), _agent()]}


def _plain() -> Schema:
    own: dict[str, JsonValue] = {
        "id": _label(),
        "input": string(LINE_CHARS),
        "messages": _messages(),
        "expected": {},
        "description": string(PROMPT_CHARS),
        **_common(),
    }
    given: list[JsonValue] = [{"required": [key]} for key in ("input", "messages", "vars")]
    return _form({key: own[key] for key in cases.KEYS}, {"required": ["id"], "anyOf": given})


def _transcript() -> Schema:
    expect: dict[str, JsonValue] = {
        "max_sentences": {"anyOf": [integer(golden.SENTENCES), {"type": "null"}]},
        "must_paraphrase": {"type": ["boolean", "null"]},
        "forbidden_words": _texts(),
        "should_ask": {"anyOf": [_texts(), string()]},
    }
    own: dict[str, JsonValue] = {
        "id": _label(),
        "state": string(),
        "session": _anything(),
        "conversation": _messages(),
        "expect": {"anyOf": [mapping({key: expect[key] for key in golden.EXPECT}), {"type": "null"}]},
        **_common(),
    }
    return _form({key: own[key] for key in golden.KEYS}, {"required": ["id", "state", "conversation"]})


def _agent() -> Schema:
    text, mark = string(PROMPT_CHARS), number(PASSING)
    tools: Schema = {"anyOf": [{"type": "array"}, {"type": "object"}, {"type": "null"}]}
    told: dict[str, JsonValue] = {
        "prompt": string(LINE_CHARS), "expected_tools": tools, "judge_prompt": text, "judge_threshold": mark
    }  # fmt: skip
    rounds = mapping({key: told[key] for key in agentcases.ROUND}, required=("prompt",))
    person: dict[str, JsonValue] = {"persona": text, "goal": text, "max_turns": integer(agentcases.TURNS)}
    own: dict[str, JsonValue] = {
        **told,
        "name": _label(),
        "description": text,
        "rounds": {"type": "array", "minItems": 1, "maxItems": agentcases.ROUNDS, "items": rounds},
        "test_agent_revival": {"type": "boolean"},
        "facts": {"anyOf": [text, {"type": "object"}]},
        "user": mapping({key: person[key] for key in agentcases.USER}, required=("goal",)),
    }
    keys = {key: own[key] for key in agentcases.KEYS}
    named: list[JsonValue] = [{"required": ["name"]}, {"required": ["id"]}]
    given: list[JsonValue] = [{"required": [key]} for key in ("prompt", "rounds", "user")]
    both: list[JsonValue] = [{"anyOf": named}, {"anyOf": given}]
    return _form({**keys, "id": _label(), "expected": {}, **_common()}, {"allOf": both})


def _common() -> dict[str, JsonValue]:
    scorers: Schema = {"$ref": "#/$defs/scorers"}
    own: dict[str, JsonValue] = {
        "slices": {"type": ["object", "null"], "additionalProperties": _label()},
        "slice": _label(),
        "cluster": _label(),
        "vars": _anything(),
        "scorers": {**scorers, "minItems": 1},
        "extra_scorers": scorers,
        "criteria": string(PROMPT_CHARS),
        "threshold": number(PASSING),
        "obsolete": {"type": "boolean"},
    }
    return {key: own[key] for key in golden.OPTIONAL}


def _form(properties: dict[str, JsonValue], more: Schema) -> Schema:
    return {**described_schema(mapping(properties), "case"), **more}


def _messages() -> Schema:
    roles: Schema = {"enum": [*ROLES]}
    return {"type": "array", "minItems": 1, "items": mapping({"role": roles, "content": string(PROMPT_CHARS)},
                                                             required=("role", "content"))}  # fmt: skip


def _label() -> Schema:
    """A short text; numbers and booleans become text."""
    return {"type": ["string", "number", "boolean"], "maxLength": NAME_CHARS}


def _texts() -> Schema:
    return {"type": ["array", "null"], "maxItems": WORDS, "uniqueItems": True, "items": string()}


def _anything() -> Schema:
    return {"type": ["object", "null"]}
