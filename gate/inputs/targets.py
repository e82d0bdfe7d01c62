"""`target` and `conversation` of a suite: which agent answers, with which tools, and how one talks to it."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast
from urllib.parse import urlsplit

from gate.domain.model import Params
from gate.domain.target import (
    CommandAgent,
    Conversing,
    HttpAgent,
    PythonAgent,
    RoundRule,
    Server,
    Target,
    ToolLoop,
    Transport,
)
from gate.inputs.builders import FUNCTION_PATTERN
from gate.inputs.fields import Fields, Range
from gate.inputs.limits import NAME_CHARS, PATH_CHARS
from gate.inputs.models import read_model, read_params
from gate.inputs.nodes import Node, described
from gate.inputs.paths import complaint as path_complaint
from gate.inputs.paths import normal
from gate.inputs.problems import did_you_mean, quoted

TOOLS = ("servers", "fixtures", "only", "inject", "max_steps", "timeout_s", "parallel", "files")
SERVER = ("command", "url", "transport", "env", "headers", "version")
PYTHON = ("function", "env", "timeout_s", "files")
COMMAND = ("run", "env", "timeout_s", "files")
HTTP = ("url", "headers", "timeout_s", "version")
KINDS = ("tools", "python", "command", "http")
CONVERSATION = ("score", "max_followups", "followups", "user")
ASKED = ("model", "params")
TRANSPORTS = ("streamable-http", "sse")
RULES = ("mean", "min", "last")
STEPS = Range(1, 100)
TIMEOUT_S = Range(0, 3600, above=True)
FOLLOWUPS = Range(0, 10)
WORDS = 100
"""Of one command."""
SERVERS = 20
SESSION = "$session"
"""In place of an environment variable: the id of the session."""
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
FIXTURE_ENDINGS = (".yaml", ".yml", ".json")
HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}", re.ASCII)
SERVER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)

_OPTIONS = {"tools": TOOLS, "python": PYTHON, "command": COMMAND, "http": HTTP}
_COMMAND = "for example [python, agent.py]"


def read_target(fields: Fields) -> Target | None:
    """The agent of a suite; None where the model is called with the prompt alone.

    Args:
        fields: of the suite.
    """
    if not fields.has("target"):
        return None
    node = fields.entries["target"]
    target = Fields(node if isinstance(node.value, Mapping) else None, "target", fields.problems)
    given = [kind for kind in KINDS if target.has(kind)]
    _check_keys(target, given)
    if len(given) != 1:
        has = f"this one has {' and '.join(given)}" if given else "this one has none"
        found = has if isinstance(node.value, Mapping | None) else f"this one is {described(node.value)}"
        hint = "for example target: {tools: {servers: {shop: {command: [python, server.py]}}}}"
        target.problems.add(node.line, f"a target is one of {', '.join(KINDS)}, and {found}", hint)
        return None
    return _READERS[given[0]](target)


def _check_keys(target: Fields, given: Sequence[str]) -> None:
    """What belongs inside an agent and stands beside it is told where it goes."""
    for key in (key for key in target.entries if key not in KINDS):
        # What several kinds have says nothing of which one is meant.
        kinds = [kind for kind in given or KINDS if key in _OPTIONS[kind]]
        kind = kinds[0] if len(kinds) == 1 else None
        if kind is None:
            target.problems.add(target.line_of(key), f"unknown key {quoted(key)} in target", did_you_mean(key, KINDS))
            continue
        main = _OPTIONS[kind][0]
        inside = f"{key}: …" if key == main else f"{main}: …, {key}: …"
        said = f"{quoted(key)} belongs inside {kind}, and stands in target itself"
        target.problems.add(target.line_of(key), said, f"write target: {{{kind}: {{{inside}}}}}")


def _tools(target: Fields) -> Target:
    tools = target.mapping("tools")
    tools.only(TOOLS)
    servers = tools.mapping("servers")
    if not servers.entries and not tools.has("fixtures"):
        tools.problems.add(tools.line, "tools needs servers or fixtures", "without tools no target is needed")
    if len(servers.entries) > SERVERS:
        servers.problems.add(servers.line, f"a suite has at most {SERVERS} servers")
    return ToolLoop(
        servers=tuple(_server(name, servers.mapping(name)) for name in list(servers.entries)[:SERVERS]),
        fixtures=_fixtures(tools),
        only=tuple(str(node.value) for node in tools.texts("only")),
        inject=_pairs(tools, "inject", session=True),
        max_steps=tools.integer("max_steps", 12, STEPS),
        tool_timeout_s=tools.number("timeout_s", 30.0, TIMEOUT_S),
        parallel=tools.flag("parallel", True),
        files=_files(tools),
    )


def _server(name: str, fields: Fields) -> Server:
    fields.only(SERVER)
    if not SERVER_NAME.fullmatch(name):
        message = f"the server name {quoted(name)} may have letters, digits, '.', '_' and '-' only"
        fields.problems.add(fields.line, message)
    started, asked = fields.has("command"), fields.has("url")
    if started == asked:
        message = f"{fields.name} needs {'one of command and url, not both' if started else 'command or url'}"
        fields.problems.add(fields.line, message, "command: [python, server.py], or url: https://…/mcp")
    if asked and fields.has("env"):
        fields.problems.add(fields.line_of("env"), f"{fields.name}.env is for servers with a command", "use headers")
    for key in ("headers", "transport", "version"):
        if started and fields.has(key):
            hint = "use env" if key == "headers" else ""
            fields.problems.add(fields.line_of(key), f"{fields.name}.{key} is for servers with a url", hint)
    transport = fields.choice("transport", TRANSPORTS[0], TRANSPORTS)
    return Server(
        name=name,
        transport="stdio" if started else cast(Transport, transport),
        command=_words(fields, "command") if started else (),
        url=_url(fields) if asked else "",
        env=_variables(fields),
        headers=_pairs(fields, "headers"),
        version=fields.text("version", most=NAME_CHARS),
    )


def _python(target: Fields) -> Target:
    fields = _spelled(target, "python", "function")
    fields.only(PYTHON)
    function = fields.text("function", most=PATH_CHARS) if fields.require("function", "agents.shop:Agent") else ""
    if function and not re.fullmatch(FUNCTION_PATTERN, function, re.ASCII):
        message = f"{quoted(function)} is not module:name"
        fields.problems.add(fields.line_of("function"), message, "write target: {python: agents.shop:Agent}")
    return PythonAgent(function, _variables(fields), fields.number("timeout_s", 120.0, TIMEOUT_S), _files(fields))


def _command(target: Fields) -> Target:
    fields = _spelled(target, "command", "run")
    fields.only(COMMAND)
    run = _words(fields, "run") if fields.require("run", "[python, agent.py]") else ()
    return CommandAgent(run, _variables(fields), fields.number("timeout_s", 120.0, TIMEOUT_S), _files(fields))


def _http(target: Fields) -> Target:
    fields = _spelled(target, "http", "url")
    fields.only(HTTP)
    url = _url(fields) if fields.require("url", "https://agent.example/chat") else ""
    timeout_s, version = fields.number("timeout_s", 120.0, TIMEOUT_S), fields.text("version", most=NAME_CHARS)
    return HttpAgent(url, _pairs(fields, "headers"), timeout_s, version)


_READERS: Mapping[str, Callable[[Fields], Target]] = {
    "tools": _tools,
    "python": _python,
    "command": _command,
    "http": _http,
}


def _spelled(target: Fields, kind: str, key: str) -> Fields:
    """What stands under a kind; what is no mapping is short for its main key."""
    node = target.entries[kind]
    short = isinstance(node.value, (str, tuple))
    return Fields(Node({key: node}, node.line) if short else node, f"{target.name}.{kind}", target.problems)


def _words(fields: Fields, key: str) -> tuple[str, ...]:
    """A command, word by word: no shell reads it."""
    node = fields.entries[key]
    if not isinstance(node.value, tuple) or not node.value:
        found = "an empty list" if node.value == () else described(node.value)
        message = f"{fields.name}.{key} must be a list of words, not {found}"
        fields.problems.add(node.line, message, f"no shell reads it; {_COMMAND}")
        return ()
    words = [item.value for item in node.value]
    bad = next((word for word in words if not isinstance(word, str) or not word or "\0" in word), None)
    if bad is not None or not isinstance(words[0], str) or not words[0].strip() or len(words) > WORDS:
        fields.problems.add(node.line, f"{fields.name}.{key} must be up to {WORDS} words of text", _COMMAND)
        return ()
    return tuple(str(word) for word in words)


def _variables(fields: Fields) -> tuple[str, ...]:
    names = [(str(node.value), node.line) for node in fields.texts("env")]
    for name, line in names:
        if not VARIABLE.fullmatch(name):
            # What is no name may be a value, which nobody should read in a log.
            hint = "name the variables; their values stay in the environment"
            fields.problems.add(line, f"{fields.name}.env holds what is no name of a variable", hint)
    return tuple(name for name, _ in names)


def _pairs(fields: Fields, key: str, *, session: bool = False) -> tuple[tuple[str, str], ...]:
    """What gets the value of which environment variable."""
    found = []
    inner = fields.mapping(key)
    for name in inner.entries:
        if not session and not HEADER.fullmatch(name):
            inner.problems.add(inner.line_of(name), f"{inner.name}: {quoted(name)} is no name of a header")
        variable = inner.text(name)
        if variable and not (VARIABLE.fullmatch(variable) or (session and variable == SESSION)):
            hint = "name a variable, whose value stays in the environment" + (f", or {SESSION}" if session else "")
            inner.problems.add(inner.line_of(name), f"{inner.name}.{name} is no name of a variable", hint)
        found.append((name, variable))
    return tuple(found)


def _files(fields: Fields) -> tuple[str, ...]:
    """Patterns of what the programs of an agent depend on."""
    if isinstance(fields.get("files") and fields.entries["files"].value, str):
        fields.problems.add(fields.line_of("files"), "files must be a list of patterns", "files: [agents/**]")
        return ()
    return tuple(str(node.value) for node in fields.texts("files"))


def _url(fields: Fields) -> str:
    text = fields.text("url", most=PATH_CHARS)
    parts = urlsplit(text)
    if text and (parts.username or parts.password):
        hint = "put keys into headers, which name the variables that hold them"
        fields.problems.add(fields.line_of("url"), f"{fields.name}.url holds a user's name or password", hint)
    elif text and (parts.scheme not in ("http", "https") or not parts.hostname):
        said = f"{fields.name}.url {quoted(text)} is no address"
        fields.problems.add(fields.line_of("url"), said, "write http:// or https://")
    return text


def _fixtures(fields: Fields) -> str:
    text = fields.text("fixtures", most=PATH_CHARS)
    if not text:
        return ""
    reason = path_complaint(text)
    if not reason and not text.lower().endswith(FIXTURE_ENDINGS):
        reason = "is neither YAML nor JSON"
    if reason:
        fields.problems.add(fields.line_of("fixtures"), f"{fields.name}.fixtures {quoted(text)} {reason}")
    return "" if reason else normal(text)


def read_conversing(fields: Fields) -> Conversing:
    """How a suite's conversations are led and scored.

    Args:
        fields: of the suite.
    """
    talk = fields.mapping("conversation")
    talk.only(CONVERSATION)
    detector, user = talk.mapping("followups"), talk.mapping("user")
    for asked in (detector, user):
        asked.only(ASKED)
        if asked.entries:
            asked.require("model", "model: openai:gpt-5-mini")
    if talk.has("max_followups") and not talk.has("followups"):
        hint = "followups: {model: openai:gpt-5-mini} finds the agent's questions, and answers them"
        talk.problems.add(talk.line_of("max_followups"), "max_followups needs a model under followups", hint)
    return Conversing(
        score=cast(RoundRule, talk.choice("score", "mean", RULES)),
        max_followups=talk.integer("max_followups", 2, FOLLOWUPS),
        detector=read_model(detector, "model"),
        detector_params=read_params(detector.mapping("params"), Params()),
        user=read_model(user, "model"),
        user_params=read_params(user.mapping("params"), Params()),
    )
