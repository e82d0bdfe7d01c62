"""A whole `gate.yaml`, changes of it, and whether its JSON Schema and its parser take them."""

import copy
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from gate.errors import InputErrors
from gate.inputs.config import read
from gate.inputs.nodes import plain, wrap
from gate.inputs.problems import Problems
from gate.inputs.schema import config_schema
from gate.inputs.yamltext import parse_yaml
from tests.unit.inputs.texts import GOOD

FULL = (
    GOOD
    + """\
  - name: all
    prompt: p.yaml
    cases: c.ndjson
    model: fake:x
    slices: []
    template: false
    params:
      max_output_tokens: 1
      temperature: 1.5
      top_p: 1
      stop: END
      seed: 0
      reasoning_effort: low
      prompt_cache: true
      chat_template: passthrough
      base_url: https://x/v1
      timeout_s: 0.5
    policy: {}
    promises: {model: fake:x, params: {seed: 1}, judge: fake:y, tests: 0, spec: s.yaml}
    scorers:
      - exact: {value: a, ignore_case: true, strip: false, name: n, weight: 0.5, required: true}
      - contains
      - contains: text
        weight: 3
      - exact:
      - regex: {pattern: a, ignore_case: true}
      - json_schema: {schema: {type: object}, fence: false}
      - judge: {criteria: c, model: fake:y, threshold: 0.1, calibration: a.json, params: {temperature: 0}}
      - judge: polite
      - judge: {models: [fake:a, fake:b], combine: mean, template: j.md, sees_input: false, sees_expected: false}
      - rubric: r.yaml
      - rubric:
          scale: [0, 10]
          threshold: 7
          dimensions: [{name: a, description: b, weight: 1, anchors: {0: c}}]
      - contains: {any: [a, b], all: c, none: ["{{ id }}"], value: v, ignore_case: false}
      - starts_with: {value: a, ignore_case: true, strip: false}
      - ends_with: {value: a, ignore_case: true, strip: false}
      - starts_with
      - json: {fence: false}
      - json_path: {path: "$.a[0]", one_of: [1, null, {a: b}]}
      - json_path: {path: $.a, equals: {b: [1]}}
      - json_path: {path: $.a, exists: false, fence: false}
      - json_path: $.a
      - number: {value: "{{ expected }}", tolerance: 0.5, which: last, decimal: comma}
      - number: {value: -3, percent: 5}
      - number: 42
      - words: {min: 1, max: 2}
      - sentences: {min: 0, max: 2}
      - characters: {min: 0, max: 9}
      - forbidden_words: {words: [a, b c], inflections: true, negate: true}
      - forbidden_words: [a]
      - asks: {about: [name], words: {name: [moniker, title]}, max_questions: 2}
      - asks: zip
      - language: {is: de}
      - language: "{{ slices.lang }}"
      - similarity: {value: a, metric: edit, threshold: 0.5}
      - similarity
      - latency: {max_s: 0.5}
      - latency: 3
      - cost: {max_usd: 0.01}
      - paraphrases: {n: 4, max_copied: 0.1}
      - python: {function: evals.checks:polite, threshold: 0.5}
      - python: checks:polite
      - paraphrases
      - refusal: {negate: true}
      - refusal
      - tools: {all: [a, b], any: [c], in_order: [a, b], exact: [a, b], forbidden: [d], min_calls: 1, max_calls: 9}
      - tools: {max_errors: 0, arguments: {a: {subset: {city: Rome}}, b: {schema: {type: object}}}}
      - database: {url: DATABASE_URL, conversation: {table: conversations, key: id}}
      - database: {url: DATABASE_URL, messages: {table: public.messages, key: thread_id, min: 2}}
      - database: {url: DATABASE_URL, query: SELECT 1, rows: {min: 1, max: 2}, equals: 1, match: {n: 1}}
    placeholders: {today: 2026-11-22, locale: en, limit: 3}
    conversation:
      score: min
      max_followups: 1
      followups: {model: fake:x, params: {temperature: 0}}
      user: {model: fake:y}
    target:
      tools:
        servers:
          property: {command: [python, server.py], env: [PROPERTY_DB]}
          weather: {url: https://x/mcp, transport: sse, headers: {Authorization: WEATHER_AUTH}}
        fixtures: evals/tools.yaml
        only: [get_listings]
        inject: {token: PROPERTY_TOKEN, session_id: $session}
        max_steps: 12
        timeout_s: 30
        parallel: true
"""
)


def as_json(text: str) -> object:
    root = parse_yaml(text, Problems("f"))
    assert root is not None
    return plain(root)


SCHEMA = Draft202012Validator(config_schema())


def in_schema(value: object) -> bool:
    return bool(SCHEMA.is_valid(value))


def in_parser(value: object) -> bool:
    try:
        # To parse a text takes ten times as long as to read what was parsed.
        read(wrap(value, 1), Problems("gate.yaml"))
    except InputErrors:
        return False
    return True


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every mapping inside `value` whose keys the format fixes."""
    if isinstance(value, dict):
        free = {"schema", "subset", "equals", "one_of", "match", "arguments", "inject", "placeholders", "headers"}
        if not free & set(path):
            yield path
            for key, item in value.items():
                yield from places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def changed(value: object, path: tuple[str | int, ...], key: str | int, new: object) -> object:
    """What is narrowed to a place, with one entry there changed."""
    value, steps = narrowed(value, path)
    spot: Any = value
    for step in steps:
        spot = spot[step]
    spot[key] = new
    return value


def narrowed(value: Any, path: tuple[str | int, ...]) -> tuple[Any, tuple[str | int, ...]]:
    """Of each list on the way to a place only what leads there, and one of many scorers, with the new way.

    What stands beside it is judged with the whole file, and would take most of the time.
    """
    if not path:
        return _with_few_scorers(value), ()
    step, *rest = path
    inner, steps = narrowed(value[step], tuple(rest))
    if isinstance(step, int):
        return [inner], (0, *steps)
    return {**_with_few_scorers({**value, step: None}), step: inner}, (step, *steps)


def _with_few_scorers(value: Any) -> Any:
    value = copy.deepcopy(value)
    if isinstance(value, dict) and isinstance(value.get("scorers"), list):
        value["scorers"] = value["scorers"][:1]
    return value


FULL_JSON = as_json(FULL)
SUITE = ("suites", 2)
"""The suite of `FULL` that has everything."""
