"""Mistakes in the agent of a suite: each is told with its line and with what to write, all at once."""

from gate.config.gatefile import load
from tests.config.texts import errors

HEAD = "version: 1\nsuites:\n"
SUITE = "  - {name: s%d, prompt: p.md, cases: c.jsonl, model: 'fake:echo', scorers: [exact], target: %s}\n"
WRONG = [
    ("python", "suites[0].target must be a mapping, not 'python'", ""),
    (
        "{}",
        "suites[1].target is one of tools, python, command, http, and this one has none",
        "for example target: {tools",
    ),
    (
        "{tools: {fixtures: t.yaml}, http: 'https://x'}",
        "suites[2].target is one of tools, python, command, http, and this one has http a",
        "for example target: {tools",
    ),
    ("{comand: [a], python: 'a:b'}", "unknown key 'comand' in suites[3].target", "did you mean 'command'?"),
    (
        "{command: [a], timeout_s: 60}",
        "unknown key 'timeout_s' in suites[4].target",
        "known: tools, python, command, http",
    ),
    ("{python: 'a:b', env: [A]}", "unknown key 'env' in suites[5].target", "known: tools, python, command, http"),
    (
        "{http: 'https://x', headers: {A: B}}",
        "unknown key 'headers' in suites[6].target",
        "known: tools, python, command, http",
    ),
    (
        "{tools: {fixtures: t.yaml}, max_steps: 3}",
        "unknown key 'max_steps' in suites[0].target",
        "known: tools, python, command, http",
    ),
    ("{run: [a]}", "unknown key 'run' in suites[1].target", "did you mean 'command: [python, agent.py"),
    ("{timeout_s: 3}", "unknown key 'timeout_s' in suites[2].target", "known: tools, python, command, http"),
    (
        "{command: python agent.py}",
        "suites[3].target.command must be a list, not 'python agent.py'",
        "write it as [one, two]",
    ),
    ("{command: []}", "suites[4].target.command is empty", "[python, agent.py]"),
    ("{command: [1]}", "suites[5].target.command[0] must be text, not 1", "put it in quotes"),
    ("{command: {env: [A]}}", "'run' is missing in suites[6].target.command", "for example run: [python, agent.py]"),
    (
        "{command: {run: [a], timeout: 3}}",
        "unknown key 'timeout' in suites[0].target.command",
        "did you mean 'timeout_s'?",
    ),
    ("{command: {run: [a], timeout_s: 0}}", "timeout_s must be a number above 0 to 3,600, not 0", ""),
    ("{command: {run: [a], env: A}}", "suites[2].target.command.env must be a list, not 'A'", "write it as [one, two]"),
    ("{python: agents.shop}", "suites[3].target.python is not module:function", "for example evals.checks:polite"),
    ("{http: 'ftp://x'}", "suites[4].target.http is no address", "write http:// or https://"),
    (
        "{http: {url: 'https://x', env: [A]}}",
        "unknown key 'env' in suites[5].target.http",
        "known: url, headers, timeout_s",
    ),
    ("{tools: {}}", "tools needs servers or fixtures", "without tools no target is needed"),
    (
        "{tools: {servers: {shop: {}}}}",
        "target.tools.servers.shop needs command or url",
        "command: [python, server.py]",
    ),
    (
        "{tools: {servers: {shop: {command: [a], headers: {A: B}}}}}",
        "suites[1].target.tools.servers.shop.headers is for servers with a url",
        "",
    ),
    (
        "{tools: {servers: {shop: {url: 'https://x', env: [A]}}}}",
        "suites[2].target.tools.servers.shop.env is for servers with a command",
        "",
    ),
    ("{tools: {fixtures: tools.txt}}", "suites[3].target.tools.fixtures is neither YAML nor JSON", ""),
    ("{tools: {fixtures: ../t.yaml}}", "target.tools.fixtures '../t.yaml' leaves the repository", ""),
    ("{tools: {fixtures: t.yaml, max_steps: 0}}", "max_steps must be a whole number from 1 to 100, not 0", ""),
    (
        "{tools: {fixtures: t.yaml, only: look}}",
        "suites[6].target.tools.only must be a list, not 'look'",
        "write it as [one, two]",
    ),
]
SECRETS = [
    (
        "{command: {run: [a], env: ['KEY=hunter2']}}",
        "suites[0].target.command.env[0] must be the name of an environment variable",
    ),
    (
        "{http: {url: 'https://x', headers: {Auth: Bearer hunter2}}}",
        "suites[1].target.http.headers.Auth must be the name of an environment variable",
    ),
    ("{http: 'https://me:hunter2@x/'}", "suites[2].target.http holds a user's name or password"),
    (
        "{tools: {fixtures: t.yaml, inject: {token: hunter2!}}}",
        "suites[3].target.tools.inject.token must be the name of an environment variable",
    ),
]
AT_ONCE = 7
"""Suites in one file: an error lists so many mistakes and counts the rest."""


def told(targets: list[str]) -> str:
    return errors(lambda: load(HEAD + "".join(SUITE % one for one in enumerate(targets)), "gate.yaml"))


def test_each_mistake_is_told_with_its_line_and_what_to_write() -> None:
    for start in range(0, len(WRONG), AT_ONCE):
        rows = WRONG[start : start + AT_ONCE]
        lines = told([target for target, _, _ in rows]).splitlines()
        for line, (target, message, hint) in enumerate(rows, start=3):
            found = [one for one in lines if one.startswith(f"gate.yaml:{line}: ")]
            assert any(message in one and hint in one for one in found), (target, lines)


def test_what_may_be_a_secret_is_not_repeated() -> None:
    lines = told([target for target, _ in SECRETS])
    assert all(message in lines for _, message in SECRETS)
    assert "hunter2" not in lines
