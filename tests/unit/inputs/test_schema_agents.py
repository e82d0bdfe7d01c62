"""Schema and parser agree on targets, conversations and placeholders."""

import pytest

from tests.unit.inputs.schemas import FULL_JSON, SUITE, as_json, changed, in_parser, in_schema, places

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
AGENTS_JSON = as_json(AGENTS)

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
    for value in values:
        whole = changed(FULL_JSON, path, key, value)
        assert in_schema(whole) == in_parser(whole), value


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


def test_a_good_file_is_good_in_both() -> None:
    assert in_schema(AGENTS_JSON)
    assert in_parser(AGENTS_JSON)


@pytest.mark.parametrize("path", [path for path in places(AGENTS_JSON) if "target" in path], ids=str)
def test_unknown_keys_of_agents_are_refused_by_both(path: tuple[str | int, ...]) -> None:
    value = changed(AGENTS_JSON, path, "surprise", 1)
    assert not in_schema(value)
    assert not in_parser(value)
