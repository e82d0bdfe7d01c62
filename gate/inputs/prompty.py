"""`.prompty`: front matter in YAML, then messages in Jinja2, each after a line that names its role.

The format's own parser takes every line for such a mark that holds a role and a colon and nothing else; `#` may stand
before it, and `[name="…"]` behind the role. Here the marks are found before anything is filled in, so that no value of
a case becomes one. A line that holds more than that, as `user: hello`, is text, and so is what a template makes:
`{{ "user:" }}` writes the line of a mark. https://www.prompty.ai
"""

import re
from dataclasses import dataclass

from gate.config.documents import Document, described, read_yaml
from gate.domain.jsonvalue import JsonValue
from gate.domain.message import Message
from gate.inputs.chat import ROLES
from gate.inputs.ownsettings import own_settings
from gate.inputs.problems import Problems, one_problem, quoted

ENDING = ".prompty"
SETTINGS = ("model", "tools", "outputs", "output", "outputSchema")
"""What the other tool sends with the messages."""

ROLE_MARK = re.compile(
    r"[ \t]*(?:#[ \t]*)?(system|developer|user|assistant|function|tools?)[ \t]*(?:\[[^\]]*\][ \t]*)?:[ \t]*",
    re.IGNORECASE,
)
"""A line that begins a message; each blank can belong to one part only, so that many of them take no square of time."""
_FENCE = re.compile(r"---[ \t]*")
_THREAD = "![thread]"
_ENGINES = ("jinja2",)


@dataclass(frozen=True, slots=True)
class Prompty:
    """What the gate takes out of the file.

    Args:
        messages: Jinja2, each with the line that its content begins on.
        settings: what the file says about the model.
    """

    messages: tuple[tuple[int, Message], ...]
    settings: tuple[tuple[str, str], ...]


def is_prompty(path: str) -> bool:
    """Is this such a file, by its name?"""
    return path.lower().endswith(ENDING)


def read_prompty(text: str, problems: Problems) -> Prompty:
    """The prompt; keys of the front matter that the gate does not know are let pass.

    Args:
        text: the file, with `\\n` for line ends.
        problems: gets every mistake.
    """
    lines = text.split("\n")
    begin = _body(lines, problems)
    front = _front(lines[1 : begin - 1] if begin else [], problems.file)
    _check_engine(front, problems)
    messages = _messages(lines, begin, problems)
    if not messages and not problems.found:
        problems.add(begin + 1, "holds no message", "write 'system:' on a line of its own, and the text below it")
    return Prompty(messages, own_settings(front.data if isinstance(front.data, dict) else {}, SETTINGS))


def _body(lines: list[str], problems: Problems) -> int:
    """Number of lines before the body; 0 where the file has no front matter."""
    if not _FENCE.fullmatch(lines[0]):
        return 0
    for number, line in enumerate(lines[1:], start=2):
        if _FENCE.fullmatch(line):
            return number
    problems.add(1, "the front matter does not end", "write '---' on the line after it")
    return len(lines)


def _front(lines: list[str], file: str) -> Document:
    front = read_yaml("\n".join(["", *lines]), file)
    if front.data is not None and not isinstance(front.data, dict):
        raise one_problem(file, front.line, f"the front matter must be a mapping, not {described(front.data)}")
    return front


def _check_engine(front: Document, problems: Problems) -> None:
    """Only Jinja2 is read: in another language the same signs mean something else."""
    template = front.get("template")
    engine = _ENGINES[0] if template is None else _engine(template.data)
    if template is not None and engine not in _ENGINES:
        hint = "other template languages are not read"
        problems.add(template.line, f"template must be jinja2, not {described(engine)}", hint)


def _engine(value: JsonValue) -> JsonValue:
    """`jinja2`, `{type: jinja2}`, `{format: jinja2}` and `{format: {kind: jinja2}}` mean the same."""
    while isinstance(value, dict):
        value = next((value[key] for key in ("format", "type", "kind") if value.get(key) is not None), _ENGINES[0])
    return value


def _messages(lines: list[str], begin: int, problems: Problems) -> tuple[tuple[int, Message], ...]:
    found: list[tuple[int, Message]] = []
    role, start = "system", begin
    for at in range(begin, len(lines) + 1):
        mark = ROLE_MARK.fullmatch(lines[at]) if at < len(lines) else None
        if at < len(lines) and mark is None:
            if lines[at].strip().startswith(_THREAD):
                problems.add(at + 1, f"{_THREAD} is not supported in this version", "cases hold the conversation")
            continue
        if content := "\n".join(lines[start:at]).strip("\n"):
            if content.strip():
                found.append((start + 1, Message(ROLES[role], content)))
        if mark is not None:
            role, start = _role(mark, at + 1, problems), at + 1
    return tuple(found)


def _role(mark: re.Match[str], line: int, problems: Problems) -> str:
    role = mark[1].lower()
    if role in ROLES:
        return role
    hint = f'where it is text, write {{{{ "{role}:" }}}}'
    problems.add(line, f"the line {quoted(mark[0].strip())} begins a part that is not supported in this version", hint)
    return "system"
