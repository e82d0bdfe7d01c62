"""`.prompty`, in both generations of the format: front matter, messages as Jinja2, inputs, and places of conversations.

The first generation has `model: {api, configuration, parameters}` and `sample`, the second
`model: {id, provider, apiType, connection, options}` and inputs with `kind`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gate.config.documents import (
    Document,
    Problems,
    decode,
    described,
    one_problem,
    quoted,
    read_json,
    read_yaml,
)
from gate.errors import GateError
from gate.messages import ROLES, Message, Part
from gate.prompts.version import ForeignPrompt, Library, own_settings
from gate.templates.nunjucks import check_as_jinja
from gate.templates.rendering import resolved
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue

_NOT_SENT = (
    *("name", "description", "displayName", "version", "authors", "tags", "metadata"),
    *("inputs", "sample", "template"),
)
"""Keys that the gate reads, or that are for readers; every other is a setting that the other tool may send."""

ROLE_MARK = re.compile(
    r"[ \t]*(?:#[ \t]*)?(system|developer|user|assistant|function|tool)[ \t]*(?:\[[^\]]*\][ \t]*)?:[ \t]*",
    re.IGNORECASE,
)
"""A line that begins a message; each blank matches one part only, to avoid quadratic time."""
_FENCE = re.compile(r"(?:---|\+\+\+)[ \t]*")
_LOOP = re.compile(
    r"\{%-?\s*for\s+(?P<item>\w{1,80})\s+in\s+(?P<name>\w{1,80})\s*-?%\}\s*"
    r"(?:\#\s*)?\{\{-?\s*(?P=item)\.role\s*-?\}\}[ \t]*:[ \t]*\n\s*"
    r"\{\{-?\s*(?P=item)\.content\s*-?\}\}\s*\{%-?\s*endfor\s*-?%\}"
)
"""A loop that writes each turn of a conversation as a separate message."""
_ENGINES = ("jinja2", "nunjucks", "mustache")
"""Of Nunjucks, what Jinja2 reads alike; of Mustache, plain names."""
_MUSTACHE = re.compile(r"\{\{\{|\{\{\s*[#^/>!&=]|\{[%#]")
_TEXT_APIS = ("chat", "completion", "responses", "response", "agent")
_RICH = ("image", "audio", "file")
_PROPERTY = frozenset(
    "type kind name title description default sample example required is_required enum enumValues items properties "
    "strict json_schema".split()
)
_TELLING = frozenset("type kind description default sample example required is_required".split())
_REFERENCE = re.compile(r"\$\{(file|env):([^${}]+)\}", re.IGNORECASE)
_BARE_FILE = re.compile(r"[^${}\s]+\.(?:json|ya?ml)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Input:
    """A declared input.

    Args:
        kind: `thread`, `image`, `string`, …; empty where none is declared.
        value: what holds where a case sets nothing; None where there is none.
        example: for readers and tests, in the second generation.
    """

    name: str
    kind: str
    value: JsonValue
    example: JsonValue


@dataclass(slots=True)
class References:
    """Replaces `${file:…}` and `${env:…}` in front matter.

    Args:
        library: where files are read; None where none can be.
        files: that were read.
        lost: that could not be.
    """

    library: Library | None
    files: list[Part] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def value(self, data: JsonValue) -> JsonValue:
        """The data with its references replaced: by what a file holds, or by an environment variable's default."""
        if isinstance(data, dict):
            return {key: self.value(inner) for key, inner in data.items()}
        if isinstance(data, list):
            return [self.value(inner) for inner in data]
        found = _REFERENCE.fullmatch(data.strip()) if isinstance(data, str) else None
        if found is None:
            return data
        return self.file(found[2]) if found[1].lower() == "file" else env_default(found[2])

    def files_in(self, data: JsonValue) -> JsonValue:
        """The data with what files hold; environment variables stay as they are named."""
        if isinstance(data, dict):
            return {key: self.files_in(inner) for key, inner in data.items()}
        if isinstance(data, list):
            return [self.files_in(inner) for inner in data]
        found = _REFERENCE.fullmatch(data.strip()) if isinstance(data, str) else None
        return self.file(found[2]) if found is not None and found[1].lower() == "file" else data

    def values(self, data: JsonValue) -> JsonValue:
        """The same for `sample` and `inputs`, which older files give as only a file name."""
        bare = isinstance(data, str) and _BARE_FILE.fullmatch(data.strip())
        return self.file(data.strip()) if bare and isinstance(data, str) else self.value(data)

    def file(self, name: str) -> JsonValue:
        """The content of a file next to the prompt; None if it cannot be read."""
        text = self._text(name.strip())
        if text is None:
            self.lost.append(name)
            return None
        lower = name.lower()
        if not lower.endswith((".json", ".yaml", ".yml")):
            return text
        try:
            return (read_json if lower.endswith(".json") else read_yaml)(text, name).data
        except GateError:
            self.lost.append(name)
            return None

    def _text(self, name: str) -> str | None:
        if self.library is None:
            return None
        path, reason = resolved(self.library.path, name)
        try:
            data = None if reason else self.library.read(path)
            text = None if data is None else decode(data, path)
        except GateError:
            return None
        if text is not None and all(part.path != path for part in self.files):
            self.files.append(Part(path, text))
        return text


def env_default(inner: str) -> str | None:
    """The default of `${env:NAME:default}`; None where it has none. Variables themselves are not read."""
    _, colon, default = inner.partition(":")
    return default if colon else None


def read_prompty(text: str, problems: Problems, library: Library | None = None) -> ForeignPrompt:
    """The prompt; unknown keys of the front matter are ignored.

    Args:
        text: with `\\n` for line ends.
        problems: gets every error.
        library: reads files that the front matter refers to.
    """
    front, begin = front_matter(text, problems)
    lines = text.split("\n")
    references = References(library)
    inputs = inputs_of(front, references)
    if reason := no_text_prompt(front, inputs, "\n".join(lines[begin:])):
        problems.add(0, reason)
        return ForeignPrompt((), ())
    _check_engine(front, "\n".join(lines[begin:]), problems)
    pieces = _pieces(lines, begin, _first_role(front), [one.name for one in inputs if one.kind == "thread"], problems)
    if not pieces and not problems.found:
        problems.add(begin + 1, "contains no message", "write 'system:' on its own line, and the text below it")
    threads = {at: name for at, (_, _, name) in enumerate(pieces) if name}
    entries = front.data if isinstance(front.data, dict) else {}
    settings = {str(key): references.files_in(value) for key, value in entries.items() if key not in _NOT_SENT}
    if isinstance(base := settings.get("base"), str):
        settings["base"] = references.file(base)
    return ForeignPrompt(
        tuple((line, message) for line, message, _ in pieces),
        own_settings(settings, settings),
        {**dict.fromkeys(threads.values(), ""), **defaults_of(front, inputs, references)},
        threads,
        tuple(references.files),
    )


def front_matter(text: str, problems: Problems) -> tuple[Document, int]:
    """The text between two lines of `---`, and the number of lines before the body."""
    lines = text.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    begin = 0
    if _FENCE.fullmatch(lines[first].strip()):
        begin = next((at for at in range(first + 1, len(lines)) if _FENCE.fullmatch(lines[at])), -1) + 1
        if not begin:
            problems.add(first + 1, "the front matter does not end", "write '---' on the line after it")
            return Document(problems.file, None), len(lines)
    inside = lines[first + 1 : begin - 1] if begin else []
    front = read_yaml("\n".join([*[""] * (first + 1), *inside]), problems.file)
    if front.data is not None and not isinstance(front.data, dict):
        raise one_problem(problems.file, front.line, f"the front matter must be a mapping, not {described(front.data)}")
    return front, begin


def inputs_of(front: Document, references: References) -> list[Input]:
    """The declared inputs: a mapping, or a list of named ones."""
    node = front.get("inputs")
    data = references.values(node.data) if node is not None else None
    if isinstance(data, dict):
        if isinstance(data.get("properties"), dict) and set(data) <= _PROPERTY:
            data = data["properties"]  # a whole JSON Schema
        return [_input(str(name), inner) for name, inner in data.items()] if isinstance(data, dict) else []
    named = [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    return [_input(name, one) for one in named if isinstance(name := one.get("name"), str)]


def _input(name: str, told: JsonValue) -> Input:
    """A declaration, or the plain value of an input."""
    if not (isinstance(told, dict) and set(told) <= _PROPERTY and set(told) & _TELLING):
        return Input(name, "", told, None)
    value = next((told[key] for key in ("default", "sample") if told.get(key) is not None), None)
    return Input(name, str(told.get("kind", told.get("type", ""))), value, told.get("example"))


def sample_values(front: Document, references: References) -> dict[str, JsonValue]:
    """The values of `sample`, by the names of the inputs."""
    node = front.get("sample")
    data = references.values(node.data) if node is not None else None
    return dict(data) if isinstance(data, dict) else {}


def defaults_of(front: Document, inputs: Iterable[Input], references: References) -> dict[str, JsonValue]:
    """What holds for a variable that a case does not set: the sample, else the input's own value, else nothing."""
    own: dict[str, JsonValue] = {one.name: "" if one.value is None else one.value for one in inputs}
    return {**own, **sample_values(front, references)}


def no_text_prompt(front: Document, inputs: Iterable[Input], body: str) -> str:
    """Why this is no prompt for a text; empty where it is one."""
    model = front.data.get("model") if isinstance(front.data, dict) else None
    api = model.get("apiType", model.get("api")) if isinstance(model, dict) else None
    if isinstance(api, str) and api.lower() not in _TEXT_APIS:
        return f"is not a text prompt: the interface of its model is {quoted(api)}"
    for one in inputs:
        if one.kind in _RICH and re.search(rf"\{{\{{-?\s*{re.escape(one.name)}\b", body):
            return f"is not a text prompt: its input {quoted(one.name)} has the kind {one.kind}"
    return ""


def _first_role(front: Document) -> str:
    """The role of text before any mark: models for completion have no other message."""
    model = front.data.get("model") if isinstance(front.data, dict) else None
    return "user" if isinstance(model, dict) and model.get("api") == "completion" else "system"


def _check_engine(front: Document, body: str, problems: Problems) -> None:
    """Refuse other template languages than Jinja2, where the same signs mean something else."""
    template = front.get("template")
    engine = _ENGINES[0] if template is None else _engine(template.data)
    if template is not None and engine == "nunjucks":
        try:
            check_as_jinja(body)
        except BadTemplate as error:
            said = f"template is nunjucks, which is read as Jinja2: {error.message}"
            problems.add(template.line, said, "write it in Jinja2, and set template: jinja2")
    if template is None or engine in _ENGINES and not (engine == "mustache" and _MUSTACHE.search(body)):
        return
    hint = "other template languages are not supported, except plain {{names}} of Mustache"
    problems.add(template.line, f"template must be jinja2, not {described(engine)}", hint)


def _engine(value: JsonValue) -> JsonValue:
    """`jinja2`, `{type: jinja2}`, `{format: jinja2}` and `{format: {kind: jinja2}}` mean the same."""
    while isinstance(value, dict):
        value = next((value[key] for key in ("format", "type", "kind") if value.get(key) is not None), _ENGINES[0])
    return value


def _pieces(
    lines: list[str], begin: int, first: str, threads: list[str], problems: Problems
) -> list[tuple[int, Message, str]]:
    """The messages, each with its line, and the variable whose turns replace it."""
    found: list[tuple[int, Message, str]] = []
    role, start = first, begin
    places = _places(threads)
    for at in range(begin, len(lines) + 1):
        mark = ROLE_MARK.fullmatch(lines[at]) if at < len(lines) else None
        if at < len(lines) and mark is None:
            continue
        for line, text, name in _split("\n".join(lines[start:at]), places):
            content = text.strip("\n")
            if content.strip():
                before = len(text) - len(text.lstrip("\n"))
                found.append((start + 1 + line + before, Message("user" if name else ROLES[role], content), name))
        if mark is not None:
            role, start = _role(mark, at + 1, problems), at + 1
    return found


def _places(threads: list[str]) -> re.Pattern[str]:
    """The forms of a whole conversation: a loop over its turns, `![thread]`, or a declared thread by its name."""
    names = "|".join(re.escape(name) for name in threads)
    alone = rf"|\{{\{{-?\s*(?P<alone>{names})\s*-?\}}\}}" if names else ""
    return re.compile(rf"{_LOOP.pattern}|(?m:^[ \t]*(?P<line>!\[thread\])[^\n]*$){alone}")


def _split(text: str, places: re.Pattern[str]) -> Iterator[tuple[int, str, str]]:
    """The parts of a message: its line within the text, its own text, and the variable of a conversation."""
    at = 0
    for found in places.finditer(text):
        groups = found.groupdict()
        name = groups["name"] or groups.get("alone") or "thread"
        yield text.count("\n", 0, at), text[at : found.start()], ""
        yield text.count("\n", 0, found.start()), f"{{{{ {name} }}}}", name
        at = found.end()
    yield text.count("\n", 0, at), text[at:], ""


def _role(mark: re.Match[str], line: int, problems: Problems) -> str:
    role = mark[1].lower()
    if role in ROLES:
        return role
    hint = f'if it is plain text, write {{{{ "{role}:" }}}}'
    problems.add(
        line, f"the line {quoted(mark[0].strip())} begins a section that is not supported in this version", hint
    )
    return "system"
