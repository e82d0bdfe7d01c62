"""Prompts as files have them: text, Jinja2 templates, chat files, `.prompt.yml`, `.prompty`, texts inside of code."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    WithJsonSchema,
    model_validator,
)

from gate.config.documents import Document, Problems, decode, one_problem, quoted, read_json, read_yaml
from gate.config.models import ModelRef, foreign_model
from gate.config.validation import FileModel, describe_attributes, validate, value_errors
from gate.config.values import Pointer, not_blank, pointer_of
from gate.limits import PROMPT_CHARS
from gate.messages import NO_PARTS, ROLES, ContentPart, Message, Parts, Role
from gate.prompts.files import FileSource
from gate.prompts.images import PARTS_SCHEMA, ImageFiles, content_of
from gate.prompts.version import (
    AS_SHOWN,
    PROMPTY,
    RESERVED,
    TEMPLATE_ENDINGS,
    ForeignPrompt,
    Library,
    PlaceholderRules,
    Prompt,
    gather,
    is_prompty,
    literal,
    own_settings,
)
from gate.templates.rendering import compile_template
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue

_TEXT: TypeAdapter[str] = TypeAdapter(
    Annotated[str, Field(max_length=PROMPT_CHARS), AfterValidator(not_blank)], config={"strict": True}
)


def read_content(value: Any) -> str | tuple[ContentPart, ...]:
    """The content of a message: a text, or the texts and images of a list of parts. Raises ValidationError."""
    return content_of(value) if isinstance(value, list) else _TEXT.validate_python(value)


Content: TypeAlias = Annotated[
    str | tuple[ContentPart, ...],
    PlainValidator(read_content),
    WithJsonSchema({"anyOf": [{"type": "string", "maxLength": PROMPT_CHARS}, dict(PARTS_SCHEMA)]}),
]
"""The content of a message in a file."""


def message_of(role: Role, content: str | tuple[ContentPart, ...]) -> Message:
    """A message with the content of a file."""
    return Message(role, content) if isinstance(content, str) else Message.of_parts(role, content)


class Turn(FileModel):
    """One turn of a conversation."""

    model_config = ConfigDict(json_schema_extra=describe_attributes)
    meant: ClassVar[Mapping[str, str]] = {"text": "content"}

    role: Literal["system", "developer", "user", "assistant"]
    """Who speaks."""
    content: Content
    """The text of the message; of a user's message also a list of parts: {type: text, text: …} and {type: image_url,
    image_url: {url: …}}, whose url is a data URL or the path of a file."""

    @model_validator(mode="after")
    def _images_of_users(self) -> "Turn":
        if not isinstance(self.content, str) and self.role != "user":
            raise value_errors((("content",), "has an image, and only messages of the user can have one", ""))
        return self

    @property
    def message(self) -> Message:
        """The message to send."""
        return message_of(ROLES[self.role], self.content)


class _ChatFile(FileModel):
    """A request as it is sent to a model may be one: its settings are not used."""

    messages: Annotated[list[Turn], Field(examples=["[{role: system, content: …}]"])]


CHAT_SETTINGS = (
    *("model", "temperature", "top_p", "max_tokens", "max_completion_tokens", "max_output_tokens", "stop", "seed"),
    *("tools", "tool_choice", "response_format", "reasoning_effort", "frequency_penalty", "presence_penalty"),
)
"""The parts of a request other than its messages."""
_HARMLESS = ("name", "description", "version", "metadata", "stream", "n", "user")
_TURNS = TypeAdapter(list[Turn], config={"defer_build": True})


def read_chat(document: Document) -> tuple[tuple[int, Message], ...]:
    """The messages of a chat file, each with its line. Raises InputErrors: all errors."""
    if isinstance(document.data, dict):
        own = {key: value for key, value in document.data.items() if key not in (*CHAT_SETTINGS, *_HARMLESS)}
        turns = validate(_ChatFile, replace(document, data=own)).messages
    elif isinstance(document.data, list):
        turns = validate(_TURNS, document)
    else:
        hint = "begin with '- role: system', or rename a text prompt to .md or .txt"
        raise one_problem(document.file, 1, "is not a chat file: it must contain a list of {role, content}", hint)
    place = ("messages",) if isinstance(document.data, dict) else ()
    if not turns:
        said = "messages must be a list of {role, content}, not an empty list"
        raise one_problem(document.file, document.line_of(*place), said)
    return tuple((document.line_of(*place, at), turn.message) for at, turn in enumerate(turns))


_NAMES = ("id", "azure_deployment", "model", "name")
"""Keys of a `.prompty` that may hold the name of a model."""
_OWNERS = {"openai": "openai", "anthropic": "anthropic", "azure": "azure", "azure_openai": "azure", "foundry": "azure"}


def own_model(settings: Iterable[tuple[str, str]]) -> ModelRef | None:
    """The model named by the `own_settings` of a file; None where there is none, or an unknown one."""
    told = json.loads(dict(settings).get("model", "null"))
    name = told if isinstance(told, str) else _named(told)
    return foreign_model(name) if name else None


def _named(told: JsonValue) -> str:
    """The name within `{id: …}` or `{configuration: {type: openai, name: …}}`."""
    if not isinstance(told, dict):
        return ""
    inner = told.get("configuration", told.get("connection", told))
    found = {**told, **inner} if isinstance(inner, dict) else told
    name = next((value for key in _NAMES if isinstance(value := found.get(key), str)), "")
    owner = _OWNERS.get(str(found.get("type", found.get("provider"))))
    return f"{owner}:{name}" if name and owner and ":" not in name else name


ENDINGS = (".prompt.yml", ".prompt.yaml", "_prompt.yml", "_prompt.yaml")
TEST_DATA = "testData"
_NOT_SENT = (*_HARMLESS, "messages", TEST_DATA, "evaluators")
"""All other keys are settings that the other tool may send with the messages."""

_PLACEHOLDER = re.compile(r"\{\{[ \t]*([^\W\d][\w-]*)[ \t]*\}\}")


def _lowered(role: Any) -> Any:
    return role.lower() if isinstance(role, str) else role


class _Turn(Turn):
    """A turn whose role may be in capitals, which the format allows."""

    role: Annotated[Literal["system", "developer", "user", "assistant"], BeforeValidator(_lowered)]


class _File(FileModel):
    model_config = ConfigDict(extra="ignore")

    messages: Annotated[list[_Turn], Field(min_length=1, examples=["[{role: system, content: …}]"])]


def is_prompt_yml(path: str) -> bool:
    """Is this a prompt file of GitHub Models, by its name?"""
    return path.lower().endswith(ENDINGS)


def read_prompt(text: str, problems: Problems, *, template: bool = False) -> ForeignPrompt:
    """The prompt; unknown keys are ignored, because the file belongs to another tool.

    Args:
        problems: gets every error.
        template: the contents are Jinja2 and stay unchanged.

    Raises:
        InputErrors: it is not a YAML mapping, or its messages have errors.
    """
    document = read_yaml(text, problems.file)
    if not isinstance(document.data, dict):
        hint = "begin with 'messages:', or give the file another name"
        raise one_problem(problems.file, 1, "is not a prompt file of GitHub Models: it must contain a mapping", hint)
    messages = [turn.message for turn in validate(_File, document).messages]
    lines = [document.line_of("messages", at) for at in range(len(messages))]
    if not template:
        messages = [
            message.with_texts(partial(_as_template, line=line, problems=problems))
            for line, message in zip(lines, messages, strict=True)
        ]
    settings = [str(key) for key in document.data if key not in _NOT_SENT]
    return ForeignPrompt(tuple(zip(lines, messages, strict=True)), own_settings(document.data, settings))


def placeholders(content: str) -> Sequence[str]:
    """The placeholders of a message of such a file, in their order."""
    return list(dict.fromkeys(found[1] for found in _PLACEHOLDER.finditer(content)))


def _as_template(content: str, line: int, problems: Problems) -> str:
    """The content as a template that renders to itself, with its placeholders filled."""
    pieces: list[str] = []
    at = 0
    for found in _PLACEHOLDER.finditer(content):
        name = found[1]
        if not name.isidentifier() or name in RESERVED or name.startswith("__"):
            hint = "use letters, digits and single underscores, but not words such as 'true' or 'for'"
            problems.add(line, f"the placeholder {quoted(found[0])} has an invalid name", hint)
        pieces += [literal(content[at : found.start()]), f"{{{{ {name} }}}}"]
        at = found.end()
    return "".join([*pieces, literal(content[at:])])


CHAT_ENDINGS = (".yaml", ".yml", ".json")
_LATER_ENDINGS = (".py",)


def not_yet(path: str) -> str:
    """Why this kind of prompt is not read in this version; empty when it is."""
    ending = next((ending for ending in _LATER_ENDINGS if path.lower().endswith(ending)), "")
    return f"prompt files ending in {ending} are not supported in this version" if ending else ""


def may_pull_in(path: str) -> bool:
    """Can a prompt of this name include parts, even without the option that makes it a template?"""
    return path.lower().endswith((*TEMPLATE_ENDINGS, PROMPTY))


def parse(text: str, path: str, *, template: bool = False, library: Library | None = None) -> Prompt:
    """Read one prompt file.

    The last line break of a text prompt is dropped, and Windows line ends count as line ends.

    Args:
        path: its ending decides the kind.
        template: contents are Jinja2 for any ending; a `.prompt.yml` has placeholders otherwise.
        library: reads included files; includes are refused without one.

    Raises:
        InputErrors: empty, too large, not a chat file, or an error in a template or included file.
    """
    if reason := not_yet(path):
        raise one_problem(path, 0, reason, "use .md, .txt, .j2 or a chat file (.yaml, .json)")
    if len(text) > PROMPT_CHARS:
        raise one_problem(path, 0, f"is longer than {PROMPT_CHARS:,} characters", "shorten the prompt")
    if not text.strip("\ufeff \t\r\n"):
        raise one_problem(path, 0, "is empty", "write the prompt into it")
    problems = Problems(path)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    ending = PurePosixPath(path).suffix.lower()
    chat = ending in CHAT_ENDINGS or is_prompty(path)
    if ending not in CHAT_ENDINGS:
        _check_text(text, problems)
    read, template = _read(text, path, problems, template, library)
    problems.check()
    contents = [(line, text) for line, message in read.messages for text in message.texts] if template else []
    parts = gather(contents, library) if library is not None else NO_PARTS
    for line, content in contents:
        _check_template(line, content, parts, problems)
    problems.check()
    for line, message in read.messages:
        _check_reference(line, message.content, problems)
    problems.check()
    if read.files and library is not None:
        parts = Parts(library.path, (*parts.files, *read.files))
    messages = [message for _, message in read.messages]
    if library is not None:
        messages = ImageFiles(library).messages(read.messages, problems)
    problems.check()
    return Prompt(
        tuple(messages),
        template=template,
        chat=chat,
        parts=parts,
        unused=read.settings,
        defaults=read.defaults,
        threads=read.threads,
    )


def _read(
    text: str, path: str, problems: Problems, template: bool, library: Library | None
) -> tuple[ForeignPrompt, bool]:
    """The messages of a file, and whether they are templates."""
    ending = PurePosixPath(path).suffix.lower()
    if is_prompt_yml(path):
        return read_prompt(text, problems, template=template), True
    if is_prompty(path):
        from gate.prompts.prompty import read_prompty  # few runs have such a prompt

        return read_prompty(text, problems, library), True
    if ending in CHAT_ENDINGS:
        document = (read_json if ending == ".json" else read_yaml)(text, path)
        settings = own_settings(document.data, CHAT_SETTINGS) if isinstance(document.data, dict) else ()
        return ForeignPrompt(read_chat(document), settings), template
    turns = ((0, Message("system", text.removesuffix("\n"))),)
    return ForeignPrompt(turns, ()), template or ending in TEMPLATE_ENDINGS


def _check_text(text: str, problems: Problems) -> None:
    if "\0" in text:
        problems.add(text.count("\n", 0, text.index("\0")) + 1, "is not a text file (it contains NUL characters)")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        problems.add(text.count("\n", 0, error.start) + 1, "contains half of a surrogate pair, which is not valid text")


_REFERENCE = re.compile(r"\s*file://\S+\s*")


def _check_reference(line: int, content: str, problems: Problems) -> None:
    """Refuse a text that only names a file: a model would get the name, and nobody would notice the file's edits."""
    if _REFERENCE.fullmatch(content):
        message = f"{quoted(content.strip())} is the name of a file, and the model would get only this name"
        problems.add(line, message, "use the file as the prompt, or write its text here")


def _check_template(line: int, content: str, parts: Parts, problems: Problems) -> None:
    """Check a template; `line` is that of its chat message, 0 when it is the whole file."""
    try:
        compile_template(content, parts)
    except BadTemplate as error:
        problems.add(line or error.line, error.message, "the prompt is read as a Jinja2 template")


def parse_pointed(text: str, pointer: Pointer, where: str, rules: PlaceholderRules = AS_SHOWN) -> Prompt:
    """Read a prompt inside a file of code or settings, unchanged.

    Args:
        text: of the file.
        where: the name of the file in messages.

    Raises:
        InputErrors: it does not exist, is computed, empty or too large, or is a template with an error.
    """
    from gate.prompts.pointers import pointed_text  # few prompts are in code

    found = pointed_text(text, pointer.path, pointer.name, where, rules)
    name, problems = quoted(pointer.name), Problems(where)
    if len(found.text) > PROMPT_CHARS:
        problems.add(found.line, f"{name} is longer than {PROMPT_CHARS:,} characters", "shorten the prompt")
    if not found.text.strip():
        problems.add(found.line, f"{name} is empty", "write the prompt into it")
    _check_reference(found.line, found.text, problems)
    problems.check()
    if found.template:
        _check_template(found.line, found.text, NO_PARTS, problems)
    problems.check()
    return Prompt((Message("system", found.text),), template=found.template, made=found.made)


def as_messages(parts: Sequence[tuple[str, Prompt]]) -> Prompt:
    """A system message, and a user message if there are two texts; each with its name for error messages.

    Raises:
        InputErrors: one of them is a chat file.
    """
    template = any(prompt.template for _, prompt in parts)
    messages: list[Message] = []
    for role, (where, prompt) in zip(("system", "user"), parts, strict=False):
        if prompt.chat:
            raise one_problem(
                where, 0, "is a file of messages, but the suite uses it as a single message", "set it as prompt"
            )
        (message,) = prompt.messages
        text = message.content if prompt.template or not template else literal(message.content)
        messages.append(Message(ROLES[role], text))
    made = {one for _, prompt in parts for one in prompt.made}
    return Prompt(tuple(messages), template=template, chat=True, made=tuple(sorted(made)))


def read_named(
    source: FileSource, prompt: str, named: Callable[[str], str], rules: PlaceholderRules, library: Library | None
) -> Prompt | None:
    """One file, or one text inside a file, of a source; None where there is no such file.

    Args:
        named: a path as messages name it.
        library: reads included files; includes are refused without one.

    Raises:
        InputErrors: it cannot be read.
    """
    pointer = pointer_of(prompt)
    path = prompt if pointer is None else pointer.path
    data = source.read(path)
    if data is None:
        return None
    where = named(path)
    text = decode(data, where)
    if rules.nunjucks:
        from gate.prompts.promptfoo import parse_promptfoo, prompt_text  # few prompts are promptfoo's

        return parse_promptfoo(prompt_text(text, path, pointer, where), where)
    if pointer is None:
        return parse(text, where, template=bool(rules.template), library=library)
    return parse_pointed(text, pointer, where, rules)
