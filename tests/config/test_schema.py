"""The JSON Schema of `gate.yaml` accepts what the reader accepts, and describes each key."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gate.config.documents import read_yaml
from gate.config.gatefile import ID, config_schema, load
from gate.config.scorer_options import KINDS
from tests.config.texts import GOOD, errors

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
WHOLE = config_schema()
SCHEMA = Draft202012Validator(WHOLE)
PROVIDERS = """\
version: 1
providers: {groq: {api: openai, base_url: "https://api.groq.com/openai/v1", api_key_env: GROQ_API_KEY}}
suites: [{name: a, prompt: p.md, cases: "store:a@12", model: "groq:llama", scorers: [judge: {model: "groq:x"}]}]
"""


@pytest.mark.parametrize("text", [GOOD, FULL, PROVIDERS])
def test_good_files_are_good_in_both(text: str) -> None:
    assert list(SCHEMA.iter_errors(read_yaml(text, "gate.yaml").data)) == []
    assert load(text, "gate.yaml").suites


def test_the_schema_is_one_and_knows_every_scorer() -> None:
    Draft202012Validator.check_schema(WHOLE)
    assert WHOLE["$id"] == ID
    entries = WHOLE["$defs"]["Scorer"]["anyOf"][1:]
    assert [entry["required"] for entry in entries] == [[kind] for kind in KINDS]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("samples: 3", "samples: 0"),
        ("version: 1", "version: 2"),
        ("- contains:", "- contans:"),
    ],
)
def test_bad_files_are_bad_in_both(old: str, new: str) -> None:
    text = GOOD.replace(old, new, 1)
    assert text != GOOD
    assert not SCHEMA.is_valid(read_yaml(text, "gate.yaml").data)
    assert errors(lambda: load(text, "gate.yaml"))


def test_every_key_has_a_description() -> None:
    def keys(node: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(node, list):
            for one in node:
                yield from keys(one)
        elif isinstance(node, dict):
            found = node.get("properties")
            yield from found.items() if isinstance(found, dict) else ()
            for key, value in node.items():
                if key not in ("const", "enum", "default", "examples"):
                    yield from keys(value)

    for key, about in keys(WHOLE):
        # A reference has the description of what it leads to, unless it says something else.
        assert about.get("description") or "$ref" in about, key


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("groq: {api: openai", "openai: {api: openai", "providers.openai is a built-in provider"),
        ("https://api", "http://api", "providers.groq.base_url must begin with https:// (a key is sent there"),
        ("https://api", "https://me:pw@api", "providers.groq.base_url must not contain a user name or password"),
        ("GROQ_API_KEY}", "sk-1234}", "providers.groq.api_key_env must be the name of an environment variable, not"),
        ('model: "groq:llama"', 'model: "grok:llama"', "suites[0].model is not valid: unknown provider 'grok'"),
    ],
)
def test_a_custom_server(old: str, new: str, told: str) -> None:
    assert f"gate.yaml:{3 if 'llama' in old else 2}: {told}" in errors(
        lambda: load(PROVIDERS.replace(old, new, 1), "gate.yaml")
    )


def test_without_a_key_http_is_for_any_machine() -> None:
    text = PROVIDERS.replace(", api_key_env: GROQ_API_KEY", "").replace("https://api", "http://api")
    assert load(text, "gate.yaml").providers["groq"].api_key_env == ""
