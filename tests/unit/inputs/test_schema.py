"""The JSON Schema of `gate.yaml` agrees with the parser."""

import copy
import json
from collections.abc import Iterator

import pytest
from jsonschema import Draft202012Validator

from gate.errors import InputErrors
from gate.inputs.config import load
from gate.inputs.nodes import plain
from gate.inputs.problems import Problems
from gate.inputs.schema import ID, config_schema
from gate.inputs.scorers.kinds import KINDS
from gate.inputs.scorers.validators import VALIDATORS
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
    scorers:
      - exact: {value: a, ignore_case: true, strip: false, name: n, weight: 0.5, required: true}
      - contains
      - contains: text
        weight: 3
      - exact:
      - regex: {pattern: a, ignore_case: true}
      - json_schema: {schema: {type: object}}
      - judge: {criteria: c, model: fake:y, threshold: 0.1, calibration: a.json, params: {temperature: 0}}
      - judge: polite
      - judge: {models: [fake:a, fake:b], combine: mean, template: j.md, sees_input: false, sees_expected: false}
      - rubric: r.yaml
      - rubric:
          scale: [0, 10]
          threshold: 7
          dimensions: [{name: a, description: b, weight: 1, anchors: {0: c}}]
      - contains: {any: [a, b], all: c, none: ["{{ id }}"], value: v, ignore_case: false}
      - starts_with: {value: a, ignore_case: true}
      - ends_with: {value: a, ignore_case: true}
      - starts_with
      - json: {fence: false}
      - json_path: {path: "$.a[0]", one_of: [1, null, {a: b}]}
      - json_path: {path: $.a, equals: {b: [1]}}
      - json_path: {path: $.a, exists: false}
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
      - tools: {all: [a, b], any: [c], in_order: [a, b], exact: [a], forbidden: [d], min_calls: 1, max_calls: 9}
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
AGENTS = """\
version: 1
suites:
  - {name: a, prompt: p.md, cases: c.yaml, model: fake:x, scorers: [contains], target: {python: "agents.shop:Agent"}}
  - name: b
    prompt: p.md
    cases: c.yml
    model: fake:x
    scorers: [contains]
    target: {python: {function: shop:answer, env: [KEY], timeout_s: 3}}
    conversation: {user: null, followups: {}}
    placeholders:
  - name: c
    prompt: p.md
    cases: c.json
    model: fake:x
    scorers: [contains]
    target: {command: [python, agent.py]}
  - name: d
    prompt: p.md
    cases: c.json
    model: fake:x
    scorers: [contains]
    target: {command: {run: [python, agent.py], env: [KEY], timeout_s: 3}}
  - name: e
    prompt: p.md
    cases: c.json
    model: fake:x
    scorers: [contains]
    target: {http: "https://agent.example/chat"}
  - name: f
    prompt: p.md
    cases: c.json
    model: fake:x
    scorers: [contains]
    target: {http: {url: "http://localhost:8000/chat", headers: {X-Key: KEY}, timeout_s: 3}}
"""


def as_json(text: str) -> object:
    root = parse_yaml(text, Problems("f"))
    assert root is not None
    return plain(root)


SCHEMA = Draft202012Validator(config_schema())


def in_schema(value: object) -> bool:
    return bool(SCHEMA.is_valid(value))


def in_parser(value: object) -> bool:
    try:
        # JSON is YAML, and quick to write.
        load(json.dumps(value), "gate.yaml")
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
    value = copy.deepcopy(value)
    spot = value
    for step in path:
        spot = spot[step]  # type: ignore[index]
    spot[key] = new  # type: ignore[index]
    return value


FULL_JSON = as_json(FULL)
AGENTS_JSON = as_json(AGENTS)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(config_schema())
    assert config_schema()["$id"] == ID
    assert ID.endswith("/1")


@pytest.mark.parametrize("text", [GOOD, FULL, AGENTS])
def test_good_files_are_good_in_both(text: str) -> None:
    value = as_json(text)
    assert in_schema(value)
    assert in_parser(value)


@pytest.mark.parametrize("path", list(places(FULL_JSON)), ids=str)
def test_unknown_keys_are_refused_by_both(path: tuple[str | int, ...]) -> None:
    value = changed(FULL_JSON, path, "surprise", 1)
    assert not in_schema(value)
    assert not in_parser(value)


SUITE = ("suites", 2)
PARAMS = (*SUITE, "params")
SCORER = (*SUITE, "scorers", 0, "exact")
JUDGE = (*SUITE, "scorers", 6, "judge")
JURY = (*SUITE, "scorers", 8, "judge")
RUBRIC = (*SUITE, "scorers", 10, "rubric")
_ONE = [{"name": "a", "description": "b", "weight": 1}]


def scorer(kind: str) -> tuple[str | int, ...]:
    """Where the options of the first scorer of a kind stand that writes them as a mapping."""
    scorers = FULL_JSON["suites"][2]["scorers"]  # type: ignore[index]
    of_kind = [i for i, item in enumerate(scorers) if isinstance(item, dict) and isinstance(item.get(kind), dict)]
    return (*SUITE, "scorers", of_kind[0], kind)


@pytest.mark.parametrize(
    ("path", "key", "values"),
    [
        ((), "version", [1, 1.0, 2, "1", True]),
        ((), "policy", [None, {}, [], "x"]),
        ((), "suites", [[], {}, None, [None]]),
        (("policy",), "confidence", [0.5, 0.51, 0.99, 1, "0.9", True, None]),
        (("policy",), "fail_on", ["block", "hold", "warn", None]),
        (("policy",), "method", ["maxt", "percentile", "t", 1]),
        (("budget",), "max_calls", [0, 1, 2.0, 2.5, 10_000_000, 10_000_001]),
        (("budget",), "max_usd", [-1, 0, 0.5]),
        (("budget",), "max_usd_per_month", [-1, 0, 0.5, 1_000_000, 1_000_001]),
        (("budget",), "max_minutes", [0, 0.1, 10_000]),
        (("budget",), "max_output_tokens", [0, 1, 2.5, 1_000_000, 1_000_001]),
        (("defaults",), "model", ["fake:x", "x", 3]),
        (SUITE, "samples", [0, 1, 100, 101, "3"]),
        (SUITE, "name", ["a", "a/b", "", " ", 3, "x" * 201]),
        (SUITE, "template", ["jinja2", True, False, "yes", None]),
        (SUITE, "slices", [[], ["a", "b"], ["a", "a"], "a", [3], [""]]),
        (SUITE, "scorers", [[], "exact", ["exact"], ["regex"], ["judge"], [3]]),
        (PARAMS, "max_output_tokens", [None, 0, 1, 1_000_001]),
        (PARAMS, "temperature", [None, -0.1, 0, 2, 2.1]),
        (PARAMS, "top_p", [None, 0, 0.1, 1, 1.1]),
        (PARAMS, "stop", [None, "", "\n", [], ["a"], ["a"] * 17, [""]]),
        (PARAMS, "seed", [None, -1, 0, 2**31 - 1, 2**31]),
        (PARAMS, "reasoning_effort", [None, "high", "High", ""]),
        (PARAMS, "prompt_cache", [None, True, "yes"]),
        (PARAMS, "chat_template", [None, "passthrough", "chatml"]),
        (PARAMS, "base_url", [None, "http://x", "ftp://x", "x"]),
        (PARAMS, "timeout_s", [None, 0, 0.1, 3600, 3601]),
        (SCORER, "value", ["a", "", 3]),
        (SCORER, "weight", [0, 0.1, 1000, 1001]),
        (SCORER, "required", [True, 1]),
        (JUDGE, "criteria", ["a", "", None]),
        (JUDGE, "threshold", [-0.1, 0, 1e-9, 1, 1.1]),
        (JUDGE, "params", [None, {}, {"seed": -1}]),
        (JUDGE, "model", ["fake:x", "x"]),
        (JUDGE, "sees_input", [True, "no"]),
        (JURY, "models", [["fake:a"], ["fake:a", "fake:b"], ["fake:a", "fake:a"], ["fake:a", "b"], "fake:a"]),
        (JURY, "combine", ["mean", "majority", "vote"]),
        (JURY, "template", ["a.md", "", 3]),
        (RUBRIC, "scale", [[1], [0, 10], [0, 10, 20], 5, ["a", "b"]]),
        (RUBRIC, "dimensions", [[], [{"name": "a"}], [{"name": "a", "description": "b"}], {}, ["a"]]),
        (
            RUBRIC[:-1],
            "rubric",
            [{"threshold": mark, "dimensions": _ONE} for mark in (-1, 0, 1, 1.1, 5, 5.1, "3")],
        ),
        ((*RUBRIC, "dimensions", 0), "weight", [1, 0, 1.1, "1"]),
        ((*RUBRIC, "dimensions", 0), "anchors", [None, {}, {"1": "a"}, {"1": ""}, [], "a"]),
        (scorer("contains"), "any", ["a", "", [], ["a", "a"], [1], ["a", ""], {}, None]),
        (scorer("json"), "fence", [True, "no", None]),
        (scorer("json_path"), "path", ["$", "", 3, None]),
        (scorer("json_path"), "equals", [1]),
        (scorer("json_path"), "exists", [False]),
        (scorer("json_path"), "one_of", [[], [None], "a", None, {}]),
        (scorer("number"), "value", [0, -1e15, 1e16, "{{ expected }}", "many", True, None]),
        (scorer("number"), "tolerance", [0, -1, "1", None]),
        (scorer("number"), "percent", [1]),
        (scorer("number"), "which", ["any", "first", "middle", None]),
        (scorer("number"), "decimal", ["point", "dot"]),
        (scorer("words"), "max", [1, 1.0, 1.5, 10_000_001, "3", None]),
        (scorer("characters"), "max", [0, -1]),
        (scorer("forbidden_words"), "words", ["a", ["a" * 201], ["a" * 200], [], None]),
        (scorer("forbidden_words"), "inflections", [False, 1]),
        (scorer("asks"), "about", ["a", [], ["a" * 201]]),
        (scorer("asks"), "words", [None, {}, {"a": "b"}, {"a": []}, {"-": ["b"]}, ["a"], {"a": [1]}]),
        (scorer("asks"), "max_questions", [0, 1, 1.5, 1_001]),
        (scorer("language"), "is", ["en", "", 3, None]),
        (scorer("similarity"), "metric", ["token_f1", "embedding", None]),
        (scorer("similarity"), "threshold", [-0.1, 0, 1, 1.1, None]),
        (scorer("paraphrases"), "n", [0, 1, 10, 11, "3"]),
        (scorer("paraphrases"), "max_copied", [-0.1, 0, 0.9, 1]),
        (scorer("python"), "function", ["a:b", "a.b:c", "a", "a:b:c", "a..b:c", ".a:b", "a/b:c", "python:a:b", "", 3]),
        (scorer("python"), "threshold", [-0.1, 0, 1, 1.1, "1"]),
        (scorer("latency"), "max_s", [0, 0.1, 86_400, 86_401, "1", None]),
        (scorer("cost"), "max_usd", [-1, 0, 1_000_001]),
        (
            (*SUITE, "scorers"),
            7,
            ["words", {"words": None}, {"words": {}}, {"sentences": 2}, "latency", "json", {"refusal": "x"}],
        ),
        ((*SUITE, "policy"), "max_cost_increase", [-0.1, 0, 10, 11, "10%"]),
        (SUITE, "threshold", [None, 0, 0.1, 1, 1.1, "0.8"]),
        ((*SUITE, "policy"), "min_pass_rate", [None, 0, 0.5, 1, "90%"]),
        ((*SUITE, "policy"), "slices", [None, {}, [], {"overall": {"min_pass_rate": 0.9}}, {"overall": 0.9}]),
        ((*SUITE, "policy"), "slices", [{"overall": None}, {"overall": {"min_rate": 0.9}}, {"tier": {}}, {"=a": {}}]),
    ],
    ids=str,
)
def test_ranges_and_types_agree(path: tuple[str | int, ...], key: str | int, values: list[object]) -> None:
    for value in values:
        whole = changed(FULL_JSON, path, key, value)
        assert in_schema(whole) == in_parser(whole), value


_TARGET, _TALK = (*SUITE, "target"), (*SUITE, "conversation")
_TOOLS = (*_TARGET, "tools")
_SERVERS = (*_TOOLS, "servers")


@pytest.mark.parametrize(
    ("path", "key", "values"),
    [
        (SUITE, "target", [None, {}, [], "python", {"tools": {"fixtures": "a.json"}, "http": "http://x"}]),
        (SUITE, "conversation", [None, {}, [], {"score": "mean"}]),
        (SUITE, "placeholders", [None, {}, [], {"a": ""}, {"a": None}, {"a": [1]}, {"a": "x" * 201}, {"a": "x" * 200}]),
        (SUITE, "placeholders", [{"a b": "c"}, {"1a": "c"}, {"a": True}, {"a": 1.5}, {"a" * 65: 1}, {"a" * 64: 1}]),
        (_TARGET, "tools", [None, {}, {"servers": {}}, {"servers": None}, {"fixtures": "a.yml"}, {"max_steps": 1}]),
        (_TARGET, "tools", [{"servers": {}, "fixtures": "a.JSON"}, {"fixtures": "a.txt"}, {"fixtures": 3}]),
        (_TOOLS, "servers", [[], "a", {"a": None}, {"a": {}}, {"a b": {"url": "http://x"}}]),
        (_TOOLS, "servers", [{f"s{n}": {"url": "http://x"} for n in range(count)} for count in (20, 21)]),
        ((*_SERVERS, "property"), "command", [[], ["a", ""], [" "], ["a", " "], "a", [1], ["a"] * 100, ["a"] * 101]),
        ((*_SERVERS, "property"), "env", [[], ["A", "A"], ["A-B"], [3], "A", ["9A"], [""], None]),
        ((*_SERVERS, "property"), "url", ["http://x"]),
        ((*_SERVERS, "property"), "headers", [{"A": "B"}]),
        ((*_SERVERS, "weather"), "env", [["A"]]),
        ((*_SERVERS, "weather"), "url", ["http://x", "https://x:8/a?b", "ftp://x", "x", "http://", "https://a:b@x/c"]),
        ((*_SERVERS, "weather"), "transport", ["sse", "streamable-http", "stdio", None]),
        (
            (*_SERVERS, "weather"),
            "headers",
            [None, {}, {"A B": "C"}, {"A": "c d"}, {"A": ""}, {"A": 3}, {"A": "$session"}],
        ),
        (_TOOLS, "only", [[], ["a"], ["a", "a"], "a", [3], [" "], None]),
        (_TOOLS, "inject", [None, {}, {"a": "$session"}, {"a": "$other"}, {"a": "A"}, {"a": 3}]),
        (_TOOLS, "max_steps", [0, 1, 100, 101, 1.5, None]),
        (_TOOLS, "timeout_s", [0, 0.1, 3600, 3601, "3"]),
        (_TOOLS, "parallel", [True, "yes", None]),
        (_TALK, "score", ["mean", "min", "last", "max", None]),
        (_TALK, "max_followups", [-1, 0, 10, 11, None]),
        (_TALK, "followups", [None, {}, {"params": {}}, {"model": "x"}, {"model": "fake:x"}, "fake:x"]),
        (_TALK, "user", [None, {}, {"params": None}, {"model": "fake:x", "params": {"seed": -1}}]),
        (SUITE, "conversation", [{"max_followups": 1}, {"max_followups": 1, "followups": {"model": "fake:x"}}]),
    ],
    ids=str,
)
def test_targets_and_conversations_agree(path: tuple[str | int, ...], key: str | int, values: list[object]) -> None:
    test_ranges_and_types_agree(path, key, values)


_PYTHON: list[object] = [None, "a", "a:b", "a.b:c", "a b:c", ["a"], {"function": "a:b"}, {}, {"url": "x"}]
_COMMAND: list[object] = [None, "python a.py", ["python"], [], [3], {"run": ["a"]}, {"env": ["A"]}]
_HTTP: list[object] = [None, "x", "http://x", {"url": "http://x", "env": ["A"]}, {"headers": {}}]


@pytest.mark.parametrize(
    "target",
    [
        *({"python": one} for one in _PYTHON),
        *({"command": one} for one in _COMMAND),
        *({"http": one} for one in _HTTP),
        {"http": {"url": "http://x", "headers": {"A": "B"}, "timeout_s": 0}},
        {"grpc": "x"},
    ],
    ids=str,
)
def test_all_kinds_of_agents_agree(target: object) -> None:
    whole = changed(FULL_JSON, SUITE, "target", target)
    assert in_schema(whole) == in_parser(whole)


@pytest.mark.parametrize("path", [path for path in places(AGENTS_JSON) if "target" in path], ids=str)
def test_unknown_keys_of_agents_are_refused_by_both(path: tuple[str | int, ...]) -> None:
    value = changed(AGENTS_JSON, path, "surprise", 1)
    assert not in_schema(value)
    assert not in_parser(value)


def test_every_kind_and_every_option_is_in_the_full_file() -> None:
    written = [item for item in FULL_JSON["suites"][2]["scorers"] if isinstance(item, dict)]  # type: ignore[index]
    for kind in VALIDATORS:
        given = [item[kind] for item in written if isinstance(item.get(kind), dict)]
        assert set(KINDS[kind].options) <= {key for options in given for key in options}, kind
