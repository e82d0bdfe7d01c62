"""Errors in the agent of a suite: each has a line and a hint."""

import pytest

from gate.config.gatefile import load
from tests.config.texts import errors

HEAD = "version: 1\nsuites:\n"
SUITE = "  - {name: s, prompt: p.md, cases: c.jsonl, model: 'fake:echo', scorers: [exact], target: %s}\n"
WRONG = [
    ("python", "target must be a mapping, not 'python'", ""),
    (
        "{tools: {fixtures: t.yaml}, http: 'https://x'}",
        "target needs exactly one of tools, python, command, http, not http a",
        "for example target: {tools",
    ),
    ("{comand: [a], python: 'a:b'}", "unknown key 'comand' in suites[0].target", "did you mean 'command'?"),
    (
        "{command: [a], timeout_s: 60}",
        "unknown key 'timeout_s' in suites[0].target",
        "known: tools, python, command, http",
    ),
    ("{run: [a]}", "unknown key 'run' in suites[0].target", "did you mean 'command: [python, agent.py"),
    (
        "{command: python agent.py}",
        "target.command must be a list, not 'python agent.py'",
        "write it as [one, two]",
    ),
    ("{command: []}", "target.command is empty", "[python, agent.py]"),
    (
        "{command: {run: [a], timeout: 3}}",
        "unknown key 'timeout' in suites[0].target.command",
        "did you mean 'timeout_s'?",
    ),
    ("{python: agents.shop}", "target.python is not module:function", "for example evals.checks:polite"),
    ("{http: 'ftp://x'}", "target.http is not an address", "write http:// or https://"),
    ("{tools: {}}", "tools needs servers or fixtures", "without tools no target is needed"),
    (
        "{tools: {servers: {shop: {}}}}",
        "target.tools.servers.shop needs command or url",
        "command: [python, server.py]",
    ),
    (
        "{tools: {servers: {shop: {command: [a], headers: {A: B}}}}}",
        "target.tools.servers.shop.headers is for servers with a url",
        "",
    ),
    ("{tools: {fixtures: tools.txt}}", "target.tools.fixtures is neither YAML nor JSON", ""),
    ("{tools: {fixtures: ../t.yaml}}", "target.tools.fixtures '../t.yaml' leaves the repository", ""),
]
SECRETS = [
    (
        "{command: {run: [a], env: ['KEY=hunter2']}}",
        "target.command.env[0] must be the name of an environment variable",
    ),
    (
        "{http: {url: 'https://x', headers: {Auth: Bearer hunter2}}}",
        "target.http.headers.Auth must be the name of an environment variable",
    ),
    ("{http: 'https://me:hunter2@x/'}", "target.http contains a user name or password"),
    (
        "{tools: {fixtures: t.yaml, inject: {token: hunter2!}}}",
        "target.tools.inject.token must be the name of an environment variable",
    ),
]


def told(target: str) -> str:
    return errors(lambda: load(HEAD + SUITE % target, "gate.yaml"))


@pytest.mark.parametrize(("target", "message", "hint"), WRONG)
def test_each_error_is_reported_with_line_and_hint(target: str, message: str, hint: str) -> None:
    lines = told(target).splitlines()
    assert any(one.startswith("gate.yaml:3: ") and message in one and hint in one for one in lines), lines


@pytest.mark.parametrize(("target", "message"), SECRETS)
def test_possible_secrets_are_not_repeated(target: str, message: str) -> None:
    said = told(target)
    assert message in said
    assert "hunter2" not in said
