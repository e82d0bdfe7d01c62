"""Converts promptfoo prompts to prompts of the gate. Files stay where they are, so that changes are tested.

Prompts inside the configuration, and files that the gate would read differently, are copied and reported: templates as
`.j2`, conversations as `.prompty`. Templates are Nunjucks, similar to Jinja2; compiling finds the differences.
"""

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gate.cases.losses import Losses
from gate.cases.promptfoo_assertions import model_of
from gate.cases.promptfoo_context import CODE, FILE, Context, items, parsed, value_at
from gate.cases.reading import YAML_ENDINGS
from gate.cases.tables import read_table
from gate.config.documents import Document, Problems, quoted
from gate.config.models import parse_params
from gate.config.values import Pointer, pointer_complaint
from gate.errors import GateError, InputErrors
from gate.limits import NEW_SUITES
from gate.messages import ROLES
from gate.prompts import reading
from gate.prompts.pointers import pointed_text
from gate.prompts.prompty import ROLE_MARK
from gate.prompts.version import TEMPLATE_ENDINGS
from gate.templates.nunjucks import to_jinja
from gate.templates.rendering import compile_template
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue, listed

ENDINGS = (".txt", ".md", ".j2", ".json", ".jsonl", ".csv", *YAML_ENDINGS)
_ONE_EACH = (".txt", ".md", ".j2", ".json", *YAML_ENDINGS)
"""Files that may be one prompt."""
_DELIMITER = re.compile(r"^[ \t]*---[ \t]*$", re.MULTILINE)
_DUMPED = re.compile(r"([:,\[]\s*)\{\{\s*(\w+)\s*\|\s*dump\s*\}\}")
PROGRAM = "exec:"
_FUNCTION = re.compile(
    rf"(?:{FILE})?(?P<path>[^:\n{{}}]+(?:{'|'.join(map(re.escape, CODE))})):(?P<name>[A-Za-z_$][\w$]*)"
)
_VARIABLE = re.compile(r"(?:[^\W_]+_)?vars_(?P<name>\w+)")
"""`context.vars.topic` of a function, as the name of a placeholder."""
_REMOTE = re.compile(r"(langfuse|portkey|helicone|https?)://\S+\Z")
_TRIES = 1_000
"""Copies that are named of one file."""
_OURS = ("expected", "id", "slices")
"""Names that mean something else in a prompt of the gate."""


@dataclass(frozen=True, slots=True)
class FoundPrompt:
    """One prompt.

    Args:
        path: its file.
        text: for a new file; None for an existing file.
        contents: the templates of its messages.
        names: its variables.
        template: the file is Jinja2 whatever its ending.
        function: its text is the whole message.
        sources: the variable of a test for each name in a function that differs from it.
        chat: it has messages with roles.
    """

    path: str
    text: str | None
    label: str
    contents: tuple[str, ...]
    names: frozenset[str]
    template: bool = False
    function: bool = False
    sources: Mapping[str, str] = field(default_factory=dict)
    chat: bool = False


@dataclass(slots=True)
class Reader:
    """Reads the prompts of one configuration.

    Args:
        taken: paths of the prompts.
        copies: what is copied, the copies, and the line that names it.
        names: what the configuration may call each prompt, by its path.
    """

    context: Context
    losses: Losses
    taken: set[str] = field(default_factory=set)
    copies: list[tuple[str, list[FoundPrompt], int]] = field(default_factory=list)
    names: dict[str, frozenset[str]] = field(default_factory=dict)
    _tried: int = field(default=0, init=False)

    def prompts(self, node: Document | None) -> list[FoundPrompt]:
        """All listed prompts."""
        if node is None:
            return self._raw("{{ prompt }}", "prompt", 0)
        if isinstance(node.data, dict) and not {"id", "raw", "label", "file"} & node.data.keys():
            pairs = [(value_at(path, label.line), str(label.data)) for path, label in node.entries().items()]
            return [one for path, label in pairs for one in self._one(path, label)]
        return [one for item in items(node) for one in self._one(item, "")]

    def _one(self, node: Document, label: str) -> list[FoundPrompt]:
        value = given = node.data
        if isinstance(given, dict):
            label = str(given.get("label") or label or (given.get("id", "") if "raw" in given else ""))
            if left := sorted(given.keys() - {"id", "raw", "label", "file"}):
                self.losses.add(node.line, f"{', '.join(left)} of the prompt {quoted(label)} are left out")
            value = given.get("raw") or given.get("file") or given.get("id")
        if not isinstance(value, str) or not value.strip():
            self.losses.add(node.line, "a prompt is neither a text nor a file; it is left out")
            return []
        found = self._all(value, label, node)
        own = {label, value, self.context.path(value), str(given.get("id", "")) if isinstance(given, dict) else ""}
        for one in found:
            # A pattern names several files, and each can be named by its path.
            self.names[one.path] = frozenset({*own, one.label, one.path} - {""})
        return found

    def _all(self, value: str, label: str, node: Document) -> list[FoundPrompt]:
        """All prompts of a text, or of what it names."""
        if value.startswith(PROGRAM):
            self.losses.add(node.line, f"a prompt is made by {quoted(value)}, which is not run", "write its text down")
            return []
        if function := _FUNCTION.fullmatch(value):
            return self._function(function, label, node.line)
        path = self.context.path(value)
        is_path = value.startswith(FILE) or ("\n" not in value and path.lower().endswith((*ENDINGS, *CODE)))
        if is_path:
            names = self.context.listed(value, node.line, "a prompt")
            own = label if len(names) == 1 else ""
            return [one for name in names for one in self._file(name, self.context.path(name), own, node.line)]
        if remote := _REMOTE.match(value):
            said = f"a prompt is kept elsewhere, at {quoted(remote[0])}; it is left out"
            self.losses.add(node.line, said, "put its text into a file")
            return []
        label = label or "prompt"
        found = self._raw(value, label, node.line)
        self.copies.append((f"the prompt {quoted(label)}, which stands in the configuration,", found, node.line))
        return found

    def _function(self, function: re.Match[str], label: str, line: int) -> list[FoundPrompt]:
        """The text that a function returns, read from its source: nothing is run."""
        pointer = Pointer(self.context.path(function["path"]), function["name"])
        try:
            names, sources = self._variables(pointer)
        except GateError as error:
            reason = error.problems[0].message if isinstance(error, InputErrors) else error.message
            said = f"a prompt is made by {quoted(function[0])}, which is not run; it is left out: {reason}"
            self.losses.add(line, said, "write its text down, or write a suite for it: docs/how-to/python-prompts.md")
            return []
        if not self._below_limit(line):
            return []
        return [FoundPrompt(str(pointer), None, label or pointer.name, (), names, function=True, sources=sources)]

    def _variables(self, pointer: Pointer) -> tuple[frozenset[str], dict[str, str]]:
        """The names in the text of a function, and the variables of a test that they stand for.

        Raises:
            GateError: the text cannot be read, or takes other values than variables.
        """
        if reason := pointer_complaint(pointer):
            raise GateError(f"{quoted(str(pointer))} {reason}")
        text = self.context.other(pointer.path)
        if text is None:
            raise GateError(f"{quoted(pointer.path)} is not a text file of the repository")
        pointed = pointed_text(text, pointer.path, pointer.name, pointer.path)
        if not pointed.text.strip():
            raise GateError("its text is empty")
        if "{{" in pointed.plain:  # promptfoo fills in what a function returns
            return frozenset(pointed.variables), {}
        sources = {name: found["name"] for name in pointed.variables if (found := _VARIABLE.fullmatch(name))}
        if others := sorted(set(pointed.variables) - sources.keys()):
            raise GateError(f"it uses {', '.join(others)}, which is no variable of a test")
        return frozenset(pointed.variables), sources

    def _file(self, named: str, path: str, label: str, line: int) -> Iterator[FoundPrompt]:
        text = self.context.text(named, line, "a prompt")
        if text is None:
            return
        text = text.replace("\r\n", "\n")
        stem = posixpath.basename(path).split(".")[0]
        ending = posixpath.splitext(path)[1].lower()
        label = label or stem
        parts = self._parts(text, path, ending)
        if len(parts) == 1 and ending in _ONE_EACH and (content := _read_there(path, text, parts[0])) is not None:
            if self._below_limit(line) and (found := self._checked(path, None, label, line, text)):
                if content != parts[0]:
                    self.losses.add(line, f"blank lines around the text of {path} are sent, too", "take them out of it")
                yield found
            return
        copies: list[FoundPrompt] = []
        for number, part in enumerate(parts, start=1):
            copies += self._raw(part, f"{label}-{number}" if len(parts) > 1 else label, line)
        self.copies.append((path, copies, line))
        yield from copies

    def add_copy_losses(self, written: Collection[str]) -> None:
        """Report copied files: the gate does not notice changes to the originals.

        Args:
            written: paths of all prompts that are converted.
        """
        for what, copies, line in self.copies:
            paths = [one.path for one in copies if one.path in written]
            said = f"{what} is copied to {listed(paths)}: only a change of the copy is noticed from now on"
            if paths:
                self.losses.add(line, said, "let the application read the copy")

    def _below_limit(self, line: int) -> bool:
        """Is the limit of prompts not reached? Each becomes a suite, and a file may list thousands."""
        self._tried += 1
        if self._tried == NEW_SUITES + 1:
            said = f"more than {NEW_SUITES} prompts: those after them are left out"
            self.losses.add(line, said, "convert them in parts")
        return self._tried <= NEW_SUITES

    def _parts(self, text: str, path: str, ending: str) -> list[str]:
        """The prompts of one file."""
        if ending == ".csv":
            table = read_table(text, path)
            problems = Problems(path)
            records = list(table.records(problems)) if table is not None else []
            problems.check()
            head = table.headings[0] if table is not None else ""
            cells = [record.cells.get("prompt", record.cells.get(head, "")) for record in records]
            return [head, *cells] if head and head != "prompt" and len(table.headings if table else ()) == 1 else cells
        if ending == ".jsonl":
            return [row for row in text.split("\n") if row.strip()]
        if ending == ".txt":
            return [part.strip() for part in _DELIMITER.split(text) if part.strip()]
        return [text.removesuffix("\n")]

    def _raw(self, text: str, label: str, line: int) -> list[FoundPrompt]:
        """A new file for a template; a conversation in JSON or YAML becomes a file with roles."""
        if not self._below_limit(line):
            return []
        messages = messages_in(text)
        try:
            content = to_jinja(text) if messages is None else prompty_text(messages)
        except BadTemplate as error:
            self.losses.add(line, f"the prompt {quoted(label)} is left out: {error.message}", "write it in Jinja2")
            return []
        path = self._free(label, ".j2" if messages is None else ".prompty", content + "\n")
        found = self._checked(path, content + "\n", label, line, content)
        return [found] if found is not None else []

    def _checked(self, path: str, text: str | None, label: str, line: int, content: str) -> FoundPrompt | None:
        """The prompt, if the gate can read it and uses its variables in the same way."""
        try:
            parsed = reading.parse(text or content, path, template=text is None)
        except InputErrors as errors:
            problem = errors.problems[0]
            said = f"the prompt {quoted(label)} is left out: {problem.message}"
            self.losses.add(line, said, "its templates are Nunjucks; write it in Jinja2")
            return None
        names = frozenset[str]().union(*(compile_template(one.content).names for one in parsed.messages))
        if "env" in names:
            said = f"the prompt {quoted(label)} is left out: it takes a value from the environment, {{{{ env.… }}}}"
            self.losses.add(line, said, "make it a variable, and give its value under vars of defaultTest")
            return None
        if ours := sorted(names & {*_OURS, "_conversation"}):
            said = f"the prompt {quoted(label)} is left out: {', '.join(ours)} means something else here, or nothing"
            self.losses.add(line, said, "give the variable another name, in the tests, too")
            return None
        self.taken.add(path)
        template = text is None and not path.lower().endswith(TEMPLATE_ENDINGS)
        contents = tuple(one.content for one in parsed.messages)
        return FoundPrompt(path, text, label, contents, names, template, chat=parsed.chat)

    def chat_file(self, prompt: FoundPrompt, text: str) -> FoundPrompt:
        """A file with roles, in place of a template that writes turns."""
        path = self._free(prompt.label, ".prompty", text)
        self.taken.add(path)
        chat = replace(prompt, path=path, text=text, template=False, chat=True)
        self.copies = [
            (what, [chat if one is prompt else one for one in copies], line) for what, copies, line in self.copies
        ]
        if prompt.text is None:
            self.copies.append((prompt.path, [chat], 0))
        return chat

    def _free(self, label: str, ending: str, text: str) -> str:
        """A free path, or one that already has this text from an earlier import."""
        name = re.sub(r"[^\w.-]+", "-", label.lower()).strip("-.")[:60] or "prompt"
        folder = posixpath.join(self.context.folder, "prompts")
        path, number = f"{folder}/{name}{ending}", 2
        while number <= _TRIES and (path in self.taken or self.context.other(path) not in (None, text)):
            path, number = f"{folder}/{name}-{number}{ending}", number + 1
        return path


def _read_there(path: str, text: str, prompt: str) -> str | None:
    """The text that the gate reads from a file, if it is the same prompt as in promptfoo; else None."""
    try:
        parsed = reading.parse(text, path, template=True)
        if any(to_jinja(message.content) != message.content for message in parsed.messages):
            return None
    except (BadTemplate, InputErrors):
        return None
    turns, found = messages_in(text), [message.content for message in parsed.messages]
    if turns is not None:
        return prompt if parsed.chat and found == [turn["content"] for turn in turns] else None
    return found[0] if not parsed.chat and found[0].strip() == prompt.strip() else None


def messages_in(text: str) -> list[dict[str, str]] | None:
    """The turns of a prompt that is a list of turns; else None."""
    if not re.match(r"\s*(\[|-\s|messages:)", text):
        return None
    value: JsonValue
    try:
        value = json.loads(_DUMPED.sub(r'\1"{{ \2 }}"', text))
    except (ValueError, RecursionError):
        found = parsed(text, "prompt")
        value = found.data if found is not None else None
    if isinstance(value, dict):
        value = value.get("messages")
    if not isinstance(value, list) or not value:
        return None
    turns = [{"role": one.get("role"), "content": one.get("content")} for one in value if isinstance(one, dict)]
    good = [
        {"role": str(turn["role"]), "content": turn["content"]}
        for turn in turns
        if turn["role"] in ROLES and isinstance(turn["content"], str)
    ]
    return good if len(good) == len(value) else None


def prompty_text(messages: list[dict[str, str]]) -> str:
    """A `.prompty` file with the messages, in Jinja2; one without a role is a loop that writes some.

    Raises:
        BadTemplate: a word that only Jinja2 knows.
    """
    parts = []
    for message in messages:
        if not message["role"]:
            parts.append(message["content"])
            continue
        lines = [_escaped(line) for line in to_jinja(message["content"].replace("\r\n", "\n")).split("\n")]
        parts.append("\n".join([f"{message['role']}:", *lines]))
    # Every version of the format accepts this; the newest rejects a plain name.
    return "---\ntemplate: {format: jinja2, parser: prompty}\n---\n" + "\n\n".join(parts)


def _escaped(line: str) -> str:
    """Escape a line of text that looks like a role marker."""
    return f"{{{{ {json.dumps(line)} }}}}" if ROLE_MARK.fullmatch(line) else line


_DATA = (".yaml", ".yml", ".json")
_OF_PROVIDER = frozenset({"id", "label", "config", "prompts", "delay"})
_PARAMS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "max_output_tokens": "max_output_tokens",
    "maxTokens": "max_output_tokens",
    "maxOutputTokens": "max_output_tokens",
    "maxCompletionTokens": "max_output_tokens",
    "topP": "top_p",
    "seed": "seed",
    "stop": "stop",
    "stopSequences": "stop",
    "reasoning_effort": "reasoning_effort",
    "reasoningEffort": "reasoning_effort",
}


@dataclass(slots=True)
class Provider:
    """An entry of `providers`.

    Args:
        settings: empty for a name alone.
        model: None if it is not a model of the gate.
        chosen, missed: labels of the prompts that it answers, and of those that an earlier one answers.
    """

    name: str
    settings: Mapping[str, JsonValue]
    line: int
    model: str | None
    chosen: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    params: dict[str, JsonValue] = field(default_factory=dict)

    def answers(self, names: Collection[str]) -> bool:
        """Does its filter `prompts` let a prompt with these names through?"""
        allowed = self.settings.get("prompts")
        if not isinstance(allowed, list):
            return True
        return any(_is_named(str(one), names) for one in allowed)


def _is_named(wanted: str, names: Collection[str]) -> bool:
    """Is it one of the names, or `group:*` for names that begin with the group?"""
    group = wanted.removesuffix("*").removesuffix(":")
    return any(name in (wanted, group) or name.startswith(f"{group}:") for name in names)


def providers_of(node: Document | None, losses: Losses, context: Context) -> list[Provider]:
    """All providers; those that are not models of the gate become losses."""
    found: list[Provider] = []
    for item in _providers(node, context):
        name, settings = _parts(item.data)
        found.append(Provider(name, settings, item.line, model_of(name)))
        if found[-1].model is None:
            said = f"the provider {quoted(name or 'without an id')} is not a model of the gate"
            losses.add(
                item.line, said, "name a model: openai:…, anthropic:…, or one of a server under providers: in gate.yaml"
            )
    return found


def choose_provider(
    providers: Sequence[Provider], label: str, names: Collection[str], losses: Losses
) -> Provider | None:
    """The first model that answers a prompt, without a model if only others do; None and a loss if none does.

    Args:
        names: what a filter may call the prompt.
    """
    answering = [one for one in providers if one.answers(names)]
    if providers and not answering:
        losses.add(0, f"the prompt {quoted(label)} is left out: no provider answers it", "name it in its prompts:")
        return None
    models = [one for one in answering if one.model is not None]
    for one in models[1:]:
        one.missed.append(label)
    if not models:
        return Provider("", {}, 0, None)
    models[0].chosen.append(label)
    return models[0]


def set_params(providers: Sequence[Provider], losses: Losses) -> None:
    """Read the parameters of each chosen provider; what is left out becomes a loss."""
    for one in providers:
        if one.missed:
            where = f" for {listed([quoted(name) for name in one.missed])}" if one.chosen else ""
            said = f"the provider {quoted(one.name)} is left out{where}: a suite has one model"
            losses.add(one.line, said, "gate diff --model")
        if one.chosen:
            one.params = params_of(one.settings.get("config"), one.line, losses)
            if left := sorted(one.settings.keys() - _OF_PROVIDER):
                losses.add(one.line, f"{', '.join(left)} of the provider {quoted(one.name)} are left out")


def _providers(node: Document | None, context: Context) -> Iterator[Document]:
    """The providers, also those of named files."""
    for item in items(node):
        named = item.data
        if not isinstance(named, str) or not named.startswith(FILE) or not named.endswith(_DATA):
            yield item
            continue
        text = context.text(named, item.line, "a provider")
        found = parsed(text, named) if text is not None else None
        yield from (replace(one, line=item.line) for one in items(found))


def params_of(config: JsonValue, line: int, losses: Losses) -> dict[str, JsonValue]:
    """The supported parameters; the others become losses."""
    found: dict[str, JsonValue] = {}
    for key, value in config.items() if isinstance(config, dict) else ():
        if key not in _PARAMS:
            hint = "name its server under providers: in gate.yaml" if key == "apiBaseUrl" else ""
            losses.add(line, f"{quoted(key)} of the model is left out", hint)
            continue
        try:
            parse_params({_PARAMS[key]: value}, "params")
        except InputErrors as errors:
            losses.add(line, f"{quoted(key)} of the model is left out: {errors.problems[0].message}")
        else:
            found[_PARAMS[key]] = value
    return found


def _parts(value: JsonValue) -> tuple[str, Mapping[str, JsonValue]]:
    """Id and settings of a provider."""
    if isinstance(value, str):
        return value, {}
    if not isinstance(value, dict):
        return "", {}
    if "id" in value:
        return str(value["id"]), value
    name, inner = next(iter(value.items()), ("", None))
    return (name, inner) if len(value) == 1 and isinstance(inner, dict) else ("", {})
