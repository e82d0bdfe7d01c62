"""Prompt files: plain text, a Jinja2 template, a chat file with roles, or a prompt file of another tool."""

from pathlib import PurePosixPath

from gate.config.documents import read_json, read_yaml
from gate.domain.message import NO_PARTS, Message, Parts
from gate.domain.prompt import Prompt
from gate.inputs.chat import read_chat
from gate.inputs.limits import PROMPT_CHARS
from gate.inputs.parts import TEMPLATE_ENDINGS, Library, gather
from gate.inputs.problems import Problems, one_problem
from gate.inputs.prompty import ENDING as PROMPTY
from gate.inputs.prompty import is_prompty, read_prompty
from gate.inputs.promptyml import is_prompt_yml, read_prompt
from gate.inputs.sandbox import BadTemplate
from gate.inputs.templates import compile_template

CHAT_ENDINGS = (".yaml", ".yml", ".json")
_LATER_ENDINGS = (".py",)


def not_yet(path: str) -> str:
    """Why this kind of prompt is not read in this version; empty when it is."""
    ending = next((ending for ending in _LATER_ENDINGS if path.lower().endswith(ending)), "")
    return f"prompt files ending in {ending} are not supported in this version" if ending else ""


def may_pull_in(path: str) -> bool:
    """Can a prompt of this name pull in parts, even where nobody says that it is a template?"""
    return path.lower().endswith((*TEMPLATE_ENDINGS, PROMPTY))


def parse(text: str, path: str, *, template: bool = False, library: Library | None = None) -> Prompt:
    """Read one prompt file.

    The line break that editors put at the end of a file is no part of a text prompt, and Windows line ends count as
    line ends.

    Args:
        text: the file.
        path: decides the kind by its ending, and stands in messages.
        template: contents are Jinja2 whatever the ending says. In a `.prompt.yml` they have placeholders otherwise.
        library: where the parts are read that it pulls in; without one it can pull in none.

    Raises:
        InputErrors: empty, too large, not a chat file, or a template or a part with a mistake.
    """
    if reason := not_yet(path):
        raise one_problem(path, 0, reason, "use .md, .txt, .j2 or a chat file (.yaml, .json)")
    if len(text) > PROMPT_CHARS:
        raise one_problem(path, 0, f"is longer than {PROMPT_CHARS:,} characters", "a prompt must be shorter")
    if not text.strip("\ufeff \t\r\n"):
        raise one_problem(path, 0, "is empty", "write the prompt into it")
    problems = Problems(path)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    ending = PurePosixPath(path).suffix.lower()
    unused: tuple[tuple[str, str], ...] = ()
    chat = ending in CHAT_ENDINGS or is_prompty(path)
    if ending not in CHAT_ENDINGS:
        _check_text(text, problems)
    if is_prompt_yml(path):
        yml = read_prompt(text, problems, template=template)
        turns, template, unused = yml.messages, True, yml.settings
    elif is_prompty(path):
        prompty = read_prompty(text, problems)
        turns, template, unused = prompty.messages, True, prompty.settings
    elif chat:
        turns = read_chat((read_json if ending == ".json" else read_yaml)(text, path))
    else:
        template = template or ending in TEMPLATE_ENDINGS
        turns = ((0, Message("system", text.removesuffix("\n"))),)
    problems.check()
    contents = [(line, message.content) for line, message in turns] if template else []
    parts = gather(contents, library) if library is not None else NO_PARTS
    for line, content in contents:
        _check_template(line, content, parts, problems)
    problems.check()
    messages = tuple(message for _, message in turns)
    return Prompt(messages, template=template, chat=chat, parts=parts, unused=unused)


def _check_text(text: str, problems: Problems) -> None:
    if "\0" in text:
        problems.add(text.count("\n", 0, text.index("\0")) + 1, "is not a text file (it holds NUL characters)")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        problems.add(text.count("\n", 0, error.start) + 1, "holds half of a surrogate pair, which is not text")


def _check_template(line: int, content: str, parts: Parts, problems: Problems) -> None:
    """`line` is where a chat message stands, 0 when the template is the file."""
    try:
        compile_template(content, parts)
    except BadTemplate as error:
        problems.add(line or error.line, error.message, "the prompt is read as a Jinja2 template")
