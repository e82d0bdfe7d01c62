"""Prompts as promptfoo reads them: Nunjucks, and a conversation where the text is a list of messages."""

import json
import re
from dataclasses import dataclass
from functools import partial

from gate.config.documents import Problems, one_problem, quoted, read_yaml
from gate.config.values import Pointer
from gate.errors import InputErrors
from gate.limits import PROMPT_CHARS
from gate.messages import ROLES, Message
from gate.prompts.pointers import pointed_text, pointed_texts
from gate.prompts.version import PlaceholderRules, Prompt
from gate.templates.nunjucks import as_jinja
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue, as_mapping

_AS_WRITTEN = PlaceholderRules(template=False)
_LIST_OF_MESSAGES = re.compile(r"\s*(\[|-\s|messages:|\{\s*\"messages\")")
_DUMPED = re.compile(r"([:,\[]\s*)\{\{\s*(\w+)\s*\|\s*dump\s*\}\}")
"""A value of JSON that Nunjucks writes with its quotes."""
_TURNS = re.compile(r"\s*\{\{-?\s*(\w+)\s*\|\s*dump\s*-?\}\}\s*")
"""A text that is the list of messages of a variable."""
_FILE_NAME = re.compile(r"\s*file://\S+\s*")


@dataclass(frozen=True, slots=True)
class PromptText:
    """The text of a prompt, and its line in the file; 0 where it is the whole file."""

    text: str
    line: int = 0


def prompt_text(content: str, path: str, pointer: Pointer | None, where: str) -> PromptText:
    """The text of a file, or inside it.

    Args:
        path: its ending decides the kind of file.
        where: the name of the file in messages.

    Raises:
        InputErrors: there is no such text, or the file has several.
    """
    if pointer is not None:
        pointed = pointed_text(content, path, pointer.name, where, _AS_WRITTEN)
        return PromptText(pointed.text, pointed.line)
    if not path.lower().endswith(".txt"):
        return PromptText(content.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n"))
    texts = pointed_texts(content, path)
    if len(texts) > 1:
        raise one_problem(where, 0, "has several prompts, between lines of ---", f"name one of them: {path}::0")
    return PromptText(texts[0].plain if texts else "")


def parse_promptfoo(prompt: PromptText, where: str) -> Prompt:
    """Read a prompt of promptfoo.

    Args:
        where: the name of its file in messages.

    Raises:
        InputErrors: it is empty, too large, or has a template that the gate would read differently.
    """
    if len(prompt.text) > PROMPT_CHARS:
        raise one_problem(where, prompt.line, f"is longer than {PROMPT_CHARS:,} characters", "shorten the prompt")
    if not prompt.text.strip():
        raise one_problem(where, prompt.line, "is empty", "write the prompt into it")
    problems = Problems(where)
    turns = messages_in(prompt.text)
    whole = _TURNS.fullmatch(prompt.text)
    messages = [Message("system", prompt.text)] if turns is None else turns
    translated = [message.with_texts(partial(_translated, prompt.line, problems)) for message in messages]
    problems.check()
    threads = {0: whole[1]} if whole else {}
    return Prompt(tuple(translated), template=True, chat=turns is not None or whole is not None, threads=threads)


def _translated(line: int, problems: Problems, content: str) -> str:
    """The content in Jinja2; unchanged and an error if that is not possible."""
    if _FILE_NAME.fullmatch(content):
        message = f"{quoted(content.strip())} is the name of a file, and the model would get only this name"
        problems.add(line, message, "use the file as the prompt, or write its text here")
    try:
        return as_jinja(content)
    except BadTemplate as error:
        problems.add(line or error.line, error.message, "the prompt is read as a template of Nunjucks")
        return content


def messages_in(text: str) -> list[Message] | None:
    """The messages of a text that is a list of them in JSON or YAML; else None."""
    if not _LIST_OF_MESSAGES.match(text):
        return None
    value: JsonValue
    try:
        value = json.loads(_DUMPED.sub(r'\1"{{ \2 }}"', text))
    except (ValueError, RecursionError):
        try:
            value = read_yaml(text, "prompt").data
        except InputErrors:
            return None
    turns = value if isinstance(value, list) else as_mapping(value).get("messages")
    messages: list[Message] = []
    for turn in map(as_mapping, turns if isinstance(turns, list) else ()):
        role, content = ROLES.get(str(turn.get("role"))), turn.get("content")
        if role is None or not isinstance(content, str) or not content.strip():
            return None
        messages.append(Message(role, content))
    return messages or None
