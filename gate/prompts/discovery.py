"""Recognizes prompts by the path of a file, or by the name of a text inside one."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from gate.config.documents import decode
from gate.config.values import POINTER_ENDINGS, Pointer, pointer_complaint, pointer_of
from gate.errors import GateError, InputErrors, Problem
from gate.files import path_complaint
from gate.prompts import reading
from gate.prompts.pointers import PointedText, pointed_text, pointed_texts
from gate.prompts.reading import is_prompt_yml
from gate.prompts.version import TEMPLATE_ENDINGS, Library, Prompt, is_prompty
from gate.templates.rendering import compile_template

TEXT_ENDINGS = (".md", ".txt", *TEMPLATE_ENDINGS)
CHAT_ENDINGS = reading.CHAT_ENDINGS
SETTINGS_ENDINGS = (".yaml", ".yml", ".json", ".toml")
CODE_ENDINGS = tuple(ending for ending in POINTER_ENDINGS if ending not in (*SETTINGS_ENDINGS, ".txt"))
DOTPROMPT = ".prompt"

_FOLDER = re.compile(r"(?:.*[-_.])?(?:pre)?prompts?", re.IGNORECASE)
"""Folders of prompts."""
_PASSED = frozenset(
    "node_modules bower_components vendor third_party site-packages __pycache__ venv dist build target coverage".split()
)
"""Folders with third-party or generated files."""
_ASIDE = frozenset(
    "doc docs documentation test tests e2e spec specs testdata fixture fixtures mock mocks example examples sample "
    "samples demo demos tutorial tutorials cookbook cookbooks notebook notebooks bench benchmark benchmarks".split()
)
"""Folders and files whose texts are seldom sent to users: they come last."""
_WORD = re.compile(r"[^\W_]+")
_WORDINGS = frozenset("locale locales i18n l10n lang langs translations messages".split())
"""Folders with texts of a user interface."""
_PARTS = frozenset("parts partials includes include shared fragments snippets _shared".split())
"""Folders of texts that prompts include."""
_NO_PROMPT = re.compile(r"(?:readme|changelog|license|licence|contributing|index)\b.*|_.*", re.IGNORECASE)
_NAMED = re.compile(r"(?:.*[-_. ])?(?:system[-_ ]?)?prompt|system", re.IGNORECASE)
"""Name, without ending, of a prompt file outside prompt folders."""
_HANDLEBARS = re.compile(r"\A\ufeff?---[ \t]*\r?\n|\{\{")
"""Front matter, or a placeholder; a file without either is plain text."""
_MARKED = re.compile(r"\{\{-?\s*[^\W\d]\w*")
_BRACE = re.compile(r"(?<!\{)\{([^\W\d]\w{0,39})\}(?!\})|\{\{-?\s*(\.[^\W\d]\w{0,39})\s*-?\}\}")
"""Placeholders of Python, TypeScript or Go: `{name}`, `${name}`, `{{.Name}}`."""

CODE_BYTES = 256 * 1024
SETTINGS_BYTES = 64 * 1024
"""Larger files are not parsed: they are data."""
_LEAST_CHARS = 40
"""A shorter text is a label, not a prompt."""
_LEAST_WORDS = 8
_CJK_CHARS = 20
"""Length of a CJK text (without spaces) that counts like the required number of words."""
_NAME = re.compile(
    r"(?:.*_)?(?:prompt|instructions?|system_message|system_template)s?(?:_.*)?|.*(?:Prompt|Instructions?)s?|system|"
    r"main_system|backstory",
    re.IGNORECASE,
)
_KEY = re.compile(
    r".*(?:prompt|instructions?|template|plan)|.*message|system|user|human|goal|backstory|content|text", re.IGNORECASE
)
"""Keys under which a longer text is a prompt, in a file of prompts."""
_PLACE = re.compile(r"(?:.*[-_.])?prompts?(?:\.\w+)?", re.IGNORECASE)
"""Part of a path that names prompts."""
_WORDS = rb"[PpIiSsTtBb](?:rompt|ROMPT|nstruction|NSTRUCTION|ystem|YSTEM|emplate|EMPLATE|ackstory|ACKSTORY)"
_DEFINED = re.compile(
    _WORDS + rb"""\w{0,60}["']?\s{0,40}(?::[^=\n]{0,60})?[:=]\s{0,40}(?:[\w.]{0,80}\(\s{0,40}){0,4}"""
    rb"""[rRfFbBuU]{0,2}(?:\"{3}|'{3}|`|["'][^"'\n]{25})|"""
    rb"""(?:def|function)\s{1,9}\w{0,60}(?:[Pp]rompt|[Ii]nstruction)"""
)
"""A text of code that is given a name like that of a prompt; a file without one is not parsed. Everything has a bound,
since a file may be made so that each word begins a long search."""
_SET = re.compile(_WORDS + rb"""[\w-]{0,60}["']?\s{0,40}[:=]\s{0,40}(?:[|>\[]|\S.{25})""")
"""The same for settings."""


@dataclass(frozen=True, slots=True)
class FoundPrompt:
    """A prompt that can be read.

    Args:
        path: as `gate.yaml` names it: a file, or a text inside one.
        text: all of its text.
        names: of its variables, `input` among them.
        template: the suite must set `template: jinja2`.
        braces: names in braces that are not Jinja2 and stay unchanged.
        parts: files that it includes.
    """

    path: str
    text: str
    names: frozenset[str] = frozenset()
    template: bool = False
    braces: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def variables(self) -> tuple[str, ...]:
        """The required `vars` of a case, sorted."""
        return tuple(sorted(self.names - {"input", "id", "slices", "expected"}))

    @property
    def asks_input(self) -> bool:
        """Does a case need an `input`?"""
        return "input" in self.names or not self.variables


@dataclass(frozen=True, slots=True)
class PassedFile:
    """A file that looks like a prompt but is skipped."""

    path: str
    reason: str


def is_passed_over(path: str) -> bool:
    """Is the file in a hidden folder, or one of others' or generated files?"""
    folders = path.split("/")[:-1]
    return any(folder in _PASSED or folder.startswith(".") for folder in folders)


def aside_folder(path: str) -> str:
    """The folder of tests, examples or documentation that a file lies in, or its own name; empty for neither."""
    return next((part for part in path.split("/") if not _ASIDE.isdisjoint(_WORD.findall(part.lower()))), "")


def is_likely_file(path: str) -> bool:
    """May the file as a whole be a prompt?"""
    place = PurePosixPath(path)
    lower = path.lower()
    if is_prompt_yml(path) or is_prompty(path):
        return True
    if lower.endswith(DOTPROMPT) and not place.name.startswith("_"):
        return True
    if _NO_PROMPT.fullmatch(place.name) or any(part.lower() in _PARTS for part in place.parts[:-1]):
        return False
    text = lower.endswith(TEXT_ENDINGS) or "." not in place.name
    if any(map(_FOLDER.fullmatch, place.parts[:-1])):
        return text or lower.endswith(CHAT_ENDINGS)
    return text and _NAMED.fullmatch(_stem(place.name)) is not None


def may_hold_texts(path: str) -> bool:
    """May the file hold prompts among other things?"""
    lower = path.lower()
    if lower.endswith(CODE_ENDINGS):
        return True
    return lower.endswith(SETTINGS_ENDINGS) and not any(part.lower() in _WORDINGS for part in path.split("/")[:-1])


def read_prompt_file(path: str, read: Callable[[str], bytes | None]) -> FoundPrompt | PassedFile | None:
    """Read a file that may be a prompt.

    Args:
        path: from the root.
        read: the bytes of a file, None where there is none.

    Returns:
        None for YAML or JSON that holds no messages.
    """
    if reason := path_complaint(path):
        return PassedFile(path, f"its path {reason}")
    text = ""
    try:
        data = read(path)
        if data is None:
            return PassedFile(path, "there is no such file")
        text = decode(data, path)
        if path.lower().endswith(DOTPROMPT) and _HANDLEBARS.search(text):
            return PassedFile(path, "is a Handlebars template, which the gate cannot read")
        template = path.lower().endswith((".md", ".txt")) and _MARKED.search(text) is not None
        library = Library(path, read)
        return _found(path, reading.parse(text, path, template=template, library=library), template)
    except InputErrors as error:
        # YAML and JSON that are no chat may hold prompts under keys of their own.
        chat = path.lower().endswith(CHAT_ENDINGS) and not is_prompt_yml(path)
        return None if chat and text and not _says_messages(text) else PassedFile(path, problem_text(error.problems[0]))
    except GateError as error:
        return PassedFile(path, error.message)


def _says_messages(text: str) -> bool:
    return (
        re.search(
            r"""(?m)^["'{\s]*messages["']?\s*:|^[\[\s-]*\{?\s*["']?role["']?\s*:\s*["']?(?:system|user)\b""", text
        )
        is not None
    )


def problem_text(problem: Problem) -> str:
    """An error, without the name of the file."""
    return f"line {problem.line}: {problem.message}" if problem.line else problem.message


def without_parts(found: Sequence[FoundPrompt]) -> list[FoundPrompt]:
    """The prompts that no other prompt includes."""
    pulled = {part for one in found for part in one.parts}
    return [one for one in found if one.path not in pulled]


def _found(path: str, prompt: Prompt, template: bool) -> FoundPrompt:
    compiled = (compile_template(text, prompt.parts).names for one in prompt.messages for text in one.texts)
    names = frozenset(name for found in compiled for name in found) if prompt.template else frozenset()
    braces = () if prompt.template else tuple(dict.fromkeys(_braces(prompt)))
    text = "\n\n".join(message.content for message in prompt.messages)
    threads = prompt.threads.values()
    names -= {name for name, value in prompt.defaults.items() if value != "" or name in threads}
    return FoundPrompt(path, text, names, template, braces, tuple(part.path for part in prompt.parts.files))


def _braces(prompt: Prompt) -> Iterator[str]:
    for message in prompt.messages:
        # Go's names keep both braces, which a reader finds in the text.
        for text in message.texts:
            yield from (match[1] or f"{{{match[2]}}}" for match in _BRACE.finditer(text))


def _stem(name: str) -> str:
    """`system_prompt` of `system_prompt.md.j2`."""
    for ending in (*TEMPLATE_ENDINGS, ".md", ".txt"):
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return name


def prompts_inside(path: str, data: bytes) -> Iterator[FoundPrompt]:
    """The texts inside a file that are named like prompts. The file is parsed, not run."""
    settings = path.lower().endswith(SETTINGS_ENDINGS)
    # In `prompts.py` and below `prompts/` every text is one, whatever its name.
    named = any(_PLACE.fullmatch(part) for part in path.split("/"))
    defined = _SET if settings else _DEFINED
    if len(data) > (SETTINGS_BYTES if settings else CODE_BYTES) or not (named or defined.search(data)):
        return
    try:
        texts = pointed_texts(decode(data, path), path)
    except InputErrors:
        return
    wanted = _KEY if settings else None
    for one in texts:
        last = next((part for part in reversed(one.name.split(".")) if not part.isdigit()), "")
        fits = _NAME.fullmatch(last) is not None or named and (wanted is None or wanted.fullmatch(last) is not None)
        if fits and _long(one.plain) and not pointer_complaint(Pointer(path, one.name)):
            yield _pointed(path, one)


def read_prompt(path: str, read: Callable[[str], bytes | None]) -> FoundPrompt | None:
    """A prompt as `gate.yaml` names it: a file, or a text inside one; None if it cannot be read."""
    try:
        pointer = pointer_of(path)
        found = read_prompt_file(path, read) if pointer is None else read_pointer(pointer, read)
    except GateError:
        return None
    return found if isinstance(found, FoundPrompt) else None


def read_pointer(pointer: Pointer, read: Callable[[str], bytes | None]) -> FoundPrompt:
    """The text that the user names.

    Raises:
        GateError: there is none of that name, or it is computed.
    """
    data = read(pointer.path)
    if data is None:
        raise GateError("there is no such file", "name a file of the repository")
    text = decode(data, pointer.path)
    return _pointed(pointer.path, pointed_text(text, pointer.path, pointer.name, pointer.path))


def _pointed(path: str, one: PointedText) -> FoundPrompt:
    return FoundPrompt(str(Pointer(path, one.name)), one.text, frozenset(one.variables))


def _long(text: str) -> bool:
    if not text.isascii() and len(text) >= _CJK_CHARS and " " not in text.strip():
        return True
    return len(text) >= _LEAST_CHARS and len(text.split()) >= _LEAST_WORDS
