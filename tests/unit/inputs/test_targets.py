"""Mistakes in the agent of a suite: each is told with its line and with what to write, all at once."""

from gate.inputs.config import load
from tests.unit.inputs.texts import errors

HEAD = "version: 1\nsuites:\n"
SUITE = "  - {name: s%d, prompt: p.md, cases: c.jsonl, model: 'fake:echo', scorers: [exact], target: %s}\n"
WRONG = [
    ("python", "a target is one of tools, python, command, http, and this one is 'python'", "for example target: {"),
    ("{}", "a target is one of tools, python, command, http, and this one has none", "for example target: {tools"),
    ("{tools: {fixtures: t.yaml}, http: 'https://x'}", "this one has tools and http", "for example target: {tools"),
    ("{comand: [a], python: 'a:b'}", "unknown key 'comand' in target", "did you mean 'command'?"),
    ("{command: [a], timeout_s: 60}", "'timeout_s' belongs inside command", "{command: {run: …, timeout_s: …}}"),
    ("{python: 'a:b', env: [A]}", "'env' belongs inside python", "write target: {python: {function: …, env: …}}"),
    ("{http: 'https://x', headers: {A: B}}", "'headers' belongs inside http", "{http: {url: …, headers: …}}"),
    ("{tools: {fixtures: t.yaml}, max_steps: 3}", "'max_steps' belongs inside tools", "{servers: …, max_steps: …}"),
    ("{run: [a]}", "'run' belongs inside command", "write target: {command: {run: …}}"),
    ("{timeout_s: 3}", "unknown key 'timeout_s' in target", "known: tools, python, command, http"),
    ("{command: python agent.py}", "command.run must be a list of words, not 'python agent.py'", "no shell reads it"),
    ("{command: []}", "target.command.run must be a list of words, not an empty list", "[python, agent.py]"),
    ("{command: [1]}", "target.command.run must be up to 100 words of text", "for example [python, agent.py]"),
    ("{command: {env: [A]}}", "'run' is missing in target.command", "for example [python, agent.py]"),
    ("{command: {run: [a], timeout: 3}}", "unknown key 'timeout' in target.command", "did you mean 'timeout_s'?"),
    ("{command: {run: [a], timeout_s: 0}}", "timeout_s must be a number above 0 to 3,600, not 0", ""),
    ("{command: {run: [a], env: A}}", "target.command.env must be a list of texts", "write it as [one, two]"),
    ("{python: agents.shop}", "'agents.shop' is not module:name", "write target: {python: agents.shop:Agent}"),
    ("{http: 'ftp://x'}", "target.http.url 'ftp://x' is no address", "write http:// or https://"),
    ("{http: {url: 'https://x', env: [A]}}", "unknown key 'env' in target.http", "known: url, headers, timeout_s"),
    ("{tools: {}}", "tools needs servers or fixtures", "without tools no target is needed"),
    (
        "{tools: {servers: {shop: {}}}}",
        "target.tools.servers.shop needs command or url",
        "command: [python, server.py]",
    ),
    ("{tools: {servers: {shop: {command: [a], headers: {A: B}}}}}", "headers is for servers with a url", "use env"),
    ("{tools: {servers: {shop: {url: 'https://x', env: [A]}}}}", "env is for servers with a command", "use headers"),
    ("{tools: {fixtures: tools.txt}}", "target.tools.fixtures 'tools.txt' is neither YAML nor JSON", ""),
    ("{tools: {fixtures: ../t.yaml}}", "target.tools.fixtures '../t.yaml' leaves the repository", ""),
    ("{tools: {fixtures: t.yaml, max_steps: 0}}", "max_steps must be a whole number from 1 to 100, not 0", ""),
    ("{tools: {fixtures: t.yaml, only: look}}", "only must be a list of texts, not 'look'", "write it as [one, two]"),
]
SECRETS = [
    ("{command: {run: [a], env: ['KEY=hunter2']}}", "target.command.env holds what is no name of a variable"),
    ("{http: {url: 'https://x', headers: {Auth: Bearer hunter2}}}", "headers.Auth is no name of a variable"),
    ("{http: 'https://me:hunter2@x/'}", "target.http.url holds a user's name or password"),
    ("{tools: {fixtures: t.yaml, inject: {token: hunter2!}}}", "inject.token is no name of a variable"),
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
