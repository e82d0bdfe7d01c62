"""Which files of a repository are likely prompts: by where they lie, how they are called, and what is in them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from gate.domain.prompt import Prompt
from gate.errors import GateError, InputErrors, Problem
from gate.flows.scaffold.catalogues import why_no_chat
from gate.inputs import prompts
from gate.inputs.parts import TEMPLATE_ENDINGS, Library
from gate.inputs.paths import complaint
from gate.inputs.prompty import is_prompty
from gate.inputs.promptyml import is_prompt_yml
from gate.inputs.templates import compile_template
from gate.inputs.text import decode

TEXT_ENDINGS = (".md", ".txt", *TEMPLATE_ENDINGS)
CHAT_ENDINGS = prompts.CHAT_ENDINGS

_FOLDERS = frozenset({"prompts", "prompt"})
_PASSED = frozenset(
    "node_modules bower_components vendor third_party site-packages __pycache__ venv dist build target coverage".split()
)
"""Folders that hold what others wrote, or what is made."""
_EXAMPLES = frozenset("doc docs test tests __tests__ spec specs testdata fixtures __fixtures__".split())
"""Folders whose texts are seldom asked of a model: a prompt there is named by who wants it gated."""
_PARTS = frozenset("parts partials includes include shared fragments snippets _shared".split())
"""Folders of texts that prompts pull in."""
_NO_PROMPT = re.compile(r"(?:readme|changelog|license|licence|contributing|index)\b.*|_.*", re.IGNORECASE)
_NAMED = re.compile(r"(?:.*[-_. ])?(?:system[-_ ]?)?prompt", re.IGNORECASE)
"""The name, without its ending, of a prompt that lies in no folder of prompts."""
MOVE = (
    "Move such a prompt into a file of its own, NAME.md or NAME.j2, that your code reads; or a Python function that "
    "returns it can be a prompt, too: prompt: python:package.module:function in gate.yaml."
)
"""What to do with a prompt that is in no file of its own."""
DOTPROMPT = ".prompt"
_HANDLEBARS = re.compile(r"\A\ufeff?---[ \t]*\r?\n|\{\{")
"""Front matter, or a place to fill in; such a file without either is a text like any other."""
_MARKED = re.compile(r"\{\{-?\s*[^\W\d]\w*")
_BRACE = re.compile(r"(?<!\{)\{([^\W\d]\w{0,39})\}(?!\})|\{\{-?\s*(\.[^\W\d]\w{0,39})\s*-?\}\}")
"""What Python and TypeScript fill in, or Go: `{name}`, `${name}`, `{{.Name}}`."""


@dataclass(frozen=True, slots=True)
class FoundPrompt:
    """A prompt that can be read.

    Args:
        path: from the root.
        prompt: what it is.
        names: variables that it asks of a case, `input` among them.
        template: the suite has to say that it is Jinja2.
        braces: names in braces that are none of Jinja2's, and stay as they are.
    """

    path: str
    prompt: Prompt
    names: frozenset[str] = frozenset()
    template: bool = False
    braces: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All that it says."""
        return "\n\n".join(message.content for message in self.prompt.messages)

    @property
    def variables(self) -> tuple[str, ...]:
        """What the `vars` of a case must hold, sorted."""
        return tuple(sorted(self.names - {"input", "id", "slices", "expected"}))


@dataclass(frozen=True, slots=True)
class Left:
    """A file that looks like a prompt and is left out.

    Args:
        path: from the root.
        reason: why.
        remedy: what can be done, where the reason does not say it.
    """

    path: str
    reason: str
    remedy: str = ""


def likely(paths: Iterable[str]) -> list[str]:
    """Paths that look like prompts, sorted.

    Args:
        paths: of the repository's files; what git ignores is not among them.
    """
    return sorted(path for path in paths if _likely(path))


def passed_by(path: str) -> bool:
    """Does the file lie where others' files or made ones lie, or in a hidden folder?"""
    folders = PurePosixPath(path).parts[:-1]
    return any(folder in _PASSED or folder.startswith(".") for folder in folders)


def looked_at(path: str, read: Callable[[str], bytes | None]) -> FoundPrompt | Left | None:
    """A likely prompt, read.

    Args:
        path: from the root.
        read: the bytes of a file, None where there is none.

    Returns:
        None for a list or mapping in YAML or JSON that holds neither messages nor texts named like prompts: it is
        something else.
    """
    if reason := complaint(path):
        return Left(path, f"its path {reason}")
    text = ""
    try:
        data = read(path)
        if data is None:
            return Left(path, "there is no such file")
        text = decode(data, path)
        if path.lower().endswith(DOTPROMPT) and _HANDLEBARS.search(text):
            return Left(path, "is a template in Handlebars, which the gate does not read", MOVE)
        template = path.lower().endswith((".md", ".txt")) and _MARKED.search(text) is not None
        library = Library(path, read)
        return _found(path, prompts.parse(text, path, template=template, library=library), template)
    except InputErrors as error:
        if not _is_chat(path) or is_prompt_yml(path):
            return Left(path, told(error.problems[0]))
        reason = why_no_chat(text, path, told(error.problems[0]))
        return Left(path, reason, MOVE) if reason else None
    except GateError as error:
        return Left(path, error.message)


def told(problem: Problem) -> str:
    """A mistake of a file that is named already."""
    return f"line {problem.line}: {problem.message}" if problem.line else problem.message


def example(path: str) -> str:
    """The folder of tests or documentation that a file lies in; empty where it lies in none."""
    return next((part for part in PurePosixPath(path).parts[:-1] if part.lower() in _EXAMPLES), "")


def without_parts(found: Sequence[FoundPrompt]) -> list[FoundPrompt]:
    """Those that no other one pulls in."""
    pulled = {part.path for one in found for part in one.prompt.parts.files}
    return [one for one in found if one.path not in pulled]


def _found(path: str, prompt: Prompt, template: bool) -> FoundPrompt:
    names = _names(prompt) if prompt.template else frozenset()
    braces = () if prompt.template else tuple(dict.fromkeys(_braces(prompt)))
    return FoundPrompt(path, prompt, names, template, braces)


def _names(prompt: Prompt) -> frozenset[str]:
    found = (compile_template(one.content, prompt.parts).names for one in prompt.messages)
    return frozenset(name for names in found for name in names)


def _braces(prompt: Prompt) -> Iterator[str]:
    for message in prompt.messages:
        # Go's names keep both braces, which a reader finds in the text.
        yield from (match[1] or f"{{{match[2]}}}" for match in _BRACE.finditer(message.content))


def _likely(path: str) -> bool:
    if passed_by(path):
        return False
    place = PurePosixPath(path)
    lower = path.lower()
    if is_prompt_yml(path) or is_prompty(path):
        return True
    if lower.endswith(DOTPROMPT) and not place.name.startswith("_"):
        return True
    if _NO_PROMPT.fullmatch(place.name) or any(part.lower() in _PARTS for part in place.parts[:-1]):
        return False
    inside = any(part.lower() in _FOLDERS for part in place.parts[:-1])
    if inside:
        return lower.endswith((*TEXT_ENDINGS, *CHAT_ENDINGS))
    return lower.endswith(TEXT_ENDINGS) and _NAMED.fullmatch(_stem(place.name)) is not None


def _stem(name: str) -> str:
    """`system_prompt` of `system_prompt.md.j2`."""
    for ending in (*TEMPLATE_ENDINGS, ".md", ".txt"):
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return name


def _is_chat(path: str) -> bool:
    return path.lower().endswith(CHAT_ENDINGS)
