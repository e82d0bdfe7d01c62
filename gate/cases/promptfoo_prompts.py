"""Prompts of promptfoo. Each stays where it is: a file, one text of a file, or one of the configuration."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from gate.cases.promptfoo_files import CODE, FILE, PromptfooFile, items
from gate.cases.reading import YAML_ENDINGS
from gate.config.documents import Document, quoted
from gate.config.values import Pointer, pointer_complaint
from gate.errors import GateError, InputErrors
from gate.limits import NEW_SUITES
from gate.prompts.pointers import pointed_text, pointed_texts
from gate.prompts.promptfoo import PromptText, parse_promptfoo
from gate.templates.rendering import compile_template

_ENDINGS = (".txt", ".md", ".j2", ".json", ".jsonl", ".csv", *YAML_ENDINGS, *CODE)
_TABLES = (".jsonl", ".csv")
_PROGRAM = "exec:"
_FUNCTION = re.compile(
    rf"(?:{FILE})?(?P<path>[^:\n{{}}]+(?:{'|'.join(map(re.escape, CODE))})):(?P<name>[A-Za-z_$][\w$]*)"
)
_VARIABLE = re.compile(r"(?:[^\W_]+_)?vars_(?P<name>\w+)")
"""`context.vars.topic` of a function, as the name of a placeholder."""
_REMOTE = re.compile(r"(langfuse|portkey|helicone|https?)://\S+\Z")
_RESERVED = frozenset({"expected", "id", "slices", "_conversation"})
"""Names that mean something else in a prompt of the gate, or nothing."""
_KEYS = frozenset({"id", "raw", "label", "file"})


@dataclass(frozen=True, slots=True)
class PromptfooPrompt:
    """One prompt.

    Args:
        path: its file, or the text inside a file, as gate.yaml names it.
        contents: the templates of its messages, in Jinja2; empty for a function.
        variables: that it uses.
        aliases: what the configuration may call it.
        sources: for a function, the variable of a test for each of its names that differs from it.
        chat: it has messages with roles.
        thread: the variable whose turns are all of its messages; empty for none.
    """

    path: str
    label: str
    contents: tuple[str, ...]
    variables: frozenset[str]
    aliases: frozenset[str] = frozenset()
    sources: Mapping[str, str] = field(default_factory=dict)
    chat: bool = False
    thread: str = ""

    @property
    def is_function(self) -> bool:
        """Is its text what a function returns?"""
        return not self.contents


def read_prompts(node: Document | None, file: PromptfooFile) -> list[PromptfooPrompt]:
    """The prompts of a configuration, at most as many as one change can add suites; what is left out is a loss."""
    prompts: list[PromptfooPrompt] = []
    if node is None:
        file.losses.add(0, "has no prompts of its own", "write prompts: ['{{ prompt }}'] for the one of promptfoo")
    elif isinstance(node.data, dict) and not _KEYS & node.data.keys():
        file.losses.add(node.line, "prompts is a mapping of files to labels; it is left out", "write a list")
        return []
    for prompt in (prompt for item in items(node) for prompt in _prompts_of_item(item, file)):
        if len(prompts) == NEW_SUITES:
            message = f"more than {NEW_SUITES} prompts: those after them are left out"
            file.losses.add(node.line if node else 0, message, "convert them in parts")
            break
        prompts.append(prompt)
    return prompts


def _prompts_of_item(item: Document, file: PromptfooFile) -> Iterator[PromptfooPrompt]:
    """The prompts of one entry of `prompts`."""
    node, label, name = item, "", ""
    if isinstance(item.data, dict):
        key = next((key for key in ("raw", "file", "id") if item.data.get(key)), "")
        name = str(item.data.get("id", ""))
        label = str(item.data.get("label") or (name if key == "raw" else ""))
        if others := sorted(item.data.keys() - _KEYS):
            file.losses.add(item.line, f"{', '.join(others)} of the prompt {quoted(label)} are left out")
        node = item.get(key) or item
    if not isinstance(node.data, str) or not node.data.strip():
        file.losses.add(item.line, "a prompt is neither a text nor a file; it is left out")
        return
    aliases = {label, name, node.data, file.path_of(node.data)}
    for prompt in _prompts_named(node, node.data, label, file):
        # A pattern names several files, and each can be named by its path.
        yield replace(prompt, aliases=frozenset({*aliases, prompt.label, prompt.path} - {""}))


def _prompts_named(node: Document, name: str, label: str, file: PromptfooFile) -> Iterator[PromptfooPrompt]:
    """The prompts of a text of the configuration, or of what it names."""
    path = file.path_of(name)
    if name.startswith(_PROGRAM):
        message = f"a prompt is made by {quoted(name)}, which is not run"
        file.losses.add(node.line, message, "write its text down")
    elif function := _FUNCTION.fullmatch(name):
        yield from _function_prompt(function, label, node.line, file)
    elif name.startswith(FILE) or ("\n" not in name and path.lower().endswith(_ENDINGS)):
        names = file.names_matching(name, node.line, "a prompt")
        for one in names:
            yield from _file_prompts(one, label if len(names) == 1 else "", node.line, file)
    elif remote := _REMOTE.match(name):
        message = f"a prompt is kept elsewhere, at {quoted(remote[0])}; it is left out"
        file.losses.add(node.line, message, "put its text into a file")
    else:
        pointer = Pointer(file.losses.file, ".".join(map(str, node.path)))
        yield from _prompt(str(pointer), PromptText(name, node.line), label or "prompt", node.line, file)


def _file_prompts(name: str, label: str, line: int, file: PromptfooFile) -> Iterator[PromptfooPrompt]:
    """The prompts of a file; a text file may have several, between lines of three dashes."""
    path, text = file.path_of(name), file.text(name, line, "a prompt")
    if text is None:
        return
    label = label or posixpath.basename(path).split(".")[0]
    ending = posixpath.splitext(path)[1].lower()
    if ending in _TABLES:
        message = f"the prompts in {path} are left out: a {ending} file has no names for them"
        file.losses.add(line, message, "write them into a .txt file, with --- between them")
        return
    parts = pointed_texts(text, path) if ending == ".txt" else []
    if len(parts) > 1:
        for number, part in enumerate(parts, start=1):
            pointer = str(Pointer(path, part.name))
            yield from _prompt(pointer, PromptText(part.plain, part.line), f"{label}-{number}", line, file)
    else:
        content = text.strip() if ending == ".txt" else text.replace("\r\n", "\n").removesuffix("\n")
        yield from _prompt(path, PromptText(content, 0), label, line, file)


def _prompt(path: str, text: PromptText, label: str, line: int, file: PromptfooFile) -> Iterator[PromptfooPrompt]:
    """The prompt, if the gate can read it and uses its variables in the same way; else a loss."""
    try:
        parsed = parse_promptfoo(text, path)
    except InputErrors as errors:
        message = f"the prompt {quoted(label)} is left out: {errors.problems[0].message}"
        file.losses.add(line, message, "its templates are Nunjucks; write it in Jinja2")
        return
    contents = tuple(message.content for message in parsed.messages)
    variables = frozenset[str]().union(*(compile_template(content).names for content in contents))
    if "env" in variables:
        message = f"the prompt {quoted(label)} is left out: it takes a value from the environment, {{{{ env.… }}}}"
        file.losses.add(line, message, "make it a variable, and give its value under vars of defaultTest")
    elif reserved := sorted(variables & _RESERVED):
        message = f"the prompt {quoted(label)} is left out: {', '.join(reserved)} means something else here, or nothing"
        file.losses.add(line, message, "give the variable another name, in the tests, too")
    else:
        thread = parsed.threads.get(0, "")
        yield PromptfooPrompt(path, label, contents, variables, chat=parsed.chat, thread=thread)


def _function_prompt(function: re.Match[str], label: str, line: int, file: PromptfooFile) -> Iterator[PromptfooPrompt]:
    """The text that a function returns, read from its source: nothing is run."""
    pointer = Pointer(file.path_of(function["path"]), function["name"])
    try:
        variables, sources = _function_variables(pointer, file)
    except GateError as error:
        reason = error.problems[0].message if isinstance(error, InputErrors) else error.message
        message = f"a prompt is made by {quoted(function[0])}, which is not run; it is left out: {reason}"
        hint = "write its text down, or write a suite for it: docs/how-to/python-prompts.md"
        file.losses.add(line, message, hint)
    else:
        yield PromptfooPrompt(str(pointer), label or pointer.name, (), variables, sources=sources)


def _function_variables(pointer: Pointer, file: PromptfooFile) -> tuple[frozenset[str], dict[str, str]]:
    """The names in the text of a function, and the variables of a test that they stand for.

    Raises:
        GateError: the text cannot be read, or takes other values than variables.
    """
    if reason := pointer_complaint(pointer):
        raise GateError(f"{quoted(str(pointer))} {reason}")
    text = file.read(pointer.path)
    if text is None:
        raise GateError(f"{quoted(pointer.path)} is not a text file of the repository")
    pointed = pointed_text(text, pointer.path, pointer.name, pointer.path)
    if not pointed.text.strip():
        raise GateError("its text is empty")
    if "{{" in pointed.plain:  # promptfoo fills in what a function returns
        return frozenset(pointed.variables), {}
    sources = {name: match["name"] for name in pointed.variables if (match := _VARIABLE.fullmatch(name))}
    if others := sorted(set(pointed.variables) - sources.keys()):
        raise GateError(f"it uses {', '.join(others)}, which is no variable of a test")
    return frozenset(pointed.variables), sources
