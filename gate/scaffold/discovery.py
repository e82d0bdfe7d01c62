"""Finds prompts in a repository: prompt files, patterns of similar files, and constants in code."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from gate.config.documents import decode, quoted, read_yaml
from gate.errors import GateError, InputErrors, Problem
from gate.files import matches, path_complaint
from gate.limits import NAME_CHARS
from gate.prompts import reading
from gate.prompts.prompty import is_prompty
from gate.prompts.reading import is_prompt_yml
from gate.prompts.version import TEMPLATE_ENDINGS, Library, Prompt
from gate.templates.rendering import compile_template
from gate.values import JsonValue

_KEY = re.compile(
    r".*(?:prompt|instructions?|template|plan)|.*message|system|user|human|goal|backstory|content|text", re.IGNORECASE
)
"""Keys under which a longer text is a prompt."""
_LEAST_WORDS = 4
_CJK_CHARS = 12
"""Length of a CJK text (without spaces) that counts like the required number of words."""
_DEEP = 4
_SHOWN = 2


def why_no_chat(text: str, path: str, mistake: str) -> str:
    """Why a file among prompts is not one; empty where it is something else altogether, such as settings."""
    try:
        value = read_yaml(text, path).data  # JSON is YAML
    except InputErrors:
        return "" if path.lower().endswith(".json") else mistake
    if isinstance(value, dict) and "messages" in value or isinstance(value, list) and _roles(value):
        return mistake
    keys = [quoted(key) for key in _keys(value, "")]
    if not keys:
        return ""
    shown = ", ".join(keys[:_SHOWN]) + (f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else "")
    return f"holds texts under keys of its own ({shown}) instead of messages"


def _roles(items: list[JsonValue]) -> bool:
    return any(isinstance(one, dict) and "role" in one for one in items)


def _keys(value: JsonValue, where: str) -> Iterator[str]:
    if not isinstance(value, dict) or where.count(".") >= _DEEP:
        return
    for key, inner in value.items():
        place = f"{where}.{key}" if where else key
        if isinstance(inner, str) and _KEY.fullmatch(key) and _long(inner):
            yield place
        yield from _keys(inner, place)


def _long(text: str) -> bool:
    return len(text.split()) >= _LEAST_WORDS or not text.isascii() and len(text) >= _CJK_CHARS


TEXT_ENDINGS = (".md", ".txt", *TEMPLATE_ENDINGS)
CHAT_ENDINGS = reading.CHAT_ENDINGS

_FOLDERS = frozenset({"prompts", "prompt"})
_PASSED = frozenset(
    "node_modules bower_components vendor third_party site-packages __pycache__ venv dist build target coverage".split()
)
"""Folders with files of others, or generated files."""
_EXAMPLES = frozenset("doc docs test tests __tests__ spec specs testdata fixtures __fixtures__".split())
"""Folders whose texts are seldom sent to a model: a prompt there must be named by the user."""
_PARTS = frozenset("parts partials includes include shared fragments snippets _shared".split())
"""Folders of texts that prompts include."""
_NO_PROMPT = re.compile(r"(?:readme|changelog|license|licence|contributing|index)\b.*|_.*", re.IGNORECASE)
_NAMED = re.compile(r"(?:.*[-_. ])?(?:system[-_ ]?)?prompt", re.IGNORECASE)
"""Name, without its ending, of a prompt outside of folders of prompts."""
MOVE = (
    "Move such a prompt into a file of its own, NAME.md or NAME.j2, that your code reads; or a Python function that "
    "returns it can be a prompt, too: prompt: python:package.module:function in gate.yaml."
)
"""What to do with a prompt that is in no file of its own."""
DOTPROMPT = ".prompt"
_HANDLEBARS = re.compile(r"\A\ufeff?---[ \t]*\r?\n|\{\{")
"""Front matter, or a placeholder; a file without either is plain text."""
_MARKED = re.compile(r"\{\{-?\s*[^\W\d]\w*")
_BRACE = re.compile(r"(?<!\{)\{([^\W\d]\w{0,39})\}(?!\})|\{\{-?\s*(\.[^\W\d]\w{0,39})\s*-?\}\}")
"""Placeholders of Python, TypeScript or Go: `{name}`, `${name}`, `{{.Name}}`."""


@dataclass(frozen=True, slots=True)
class FoundPrompt:
    """A prompt that can be read.

    Args:
        names: of its variables, `input` among them.
        template: the suite has to say that it is Jinja2.
        braces: names in braces that are not Jinja2, and stay as they are.
    """

    path: str
    prompt: Prompt
    names: frozenset[str] = frozenset()
    template: bool = False
    braces: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All of its text."""
        return "\n\n".join(message.content for message in self.prompt.messages)

    @property
    def variables(self) -> tuple[str, ...]:
        """What the `vars` of a case must hold, sorted."""
        threads = self.prompt.threads.values()
        own = {name for name, value in self.prompt.defaults.items() if value != "" or name in threads}
        return tuple(sorted(self.names - own - {"input", "id", "slices", "expected"}))


@dataclass(frozen=True, slots=True)
class PassedFile:
    """A file that looks like a prompt and is left out."""

    path: str
    reason: str
    remedy: str = ""


def likely_prompts(paths: Iterable[str]) -> list[str]:
    """Paths that look like prompts, sorted; `paths` are without what git ignores."""
    return sorted(path for path in paths if _likely(path))


def is_passed_over(path: str) -> bool:
    """Is the file in a hidden folder, or one of others' or generated files?"""
    folders = PurePosixPath(path).parts[:-1]
    return any(folder in _PASSED or folder.startswith(".") for folder in folders)


def read_prompt_file(path: str, read: Callable[[str], bytes | None]) -> FoundPrompt | PassedFile | None:
    """Read a file that may be a prompt.

    Args:
        path: from the root.
        read: the bytes of a file, None where there is none.

    Returns:
        None for YAML or JSON that holds neither messages nor texts named like prompts.
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
            return PassedFile(path, "is a template in Handlebars, which the gate does not read", MOVE)
        template = path.lower().endswith((".md", ".txt")) and _MARKED.search(text) is not None
        library = Library(path, read)
        return _found(path, reading.parse(text, path, template=template, library=library), template)
    except InputErrors as error:
        if not _is_chat(path) or is_prompt_yml(path):
            return PassedFile(path, problem_text(error.problems[0]))
        reason = why_no_chat(text, path, problem_text(error.problems[0]))
        return PassedFile(path, reason, MOVE) if reason else None
    except GateError as error:
        return PassedFile(path, error.message)


def problem_text(problem: Problem) -> str:
    """A mistake, without the file's name."""
    return f"line {problem.line}: {problem.message}" if problem.line else problem.message


def example_folder(path: str) -> str:
    """The folder of tests or documentation that a file lies in; empty where it lies in none."""
    return next((part for part in PurePosixPath(path).parts[:-1] if part.lower() in _EXAMPLES), "")


def without_parts(found: Sequence[FoundPrompt]) -> list[FoundPrompt]:
    """The prompts that no other one includes."""
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
    if is_passed_over(path):
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


_GLOB = re.compile(r"([*?[])")


def literal_pattern(path: str) -> str:
    """The path as a pattern for `gate.yaml` that matches it alone."""
    return _GLOB.sub(r"[\1]", path)


def similar_prompts(found: Iterable[FoundPrompt]) -> list[list[FoundPrompt]]:
    """Groups of prompts with the same ending, in or below one folder of prompts."""
    groups: dict[tuple[str, str, bool], list[FoundPrompt]] = {}
    for one in found:
        place = PurePosixPath(one.path)
        parts = place.parts[:-1]
        depth = next((at for at, part in enumerate(parts) if part.lower() in ("prompts", "prompt")), None)
        top = "/".join(parts[: depth + 1]) if depth is not None else str(place.parent)
        groups.setdefault((top, _ending(place.name), one.template), []).append(one)
    return list(groups.values())


def pattern_of(paths: Sequence[str], every: Iterable[str]) -> str | None:
    """A pattern that matches these paths and no others; None where there is none."""
    wanted = set(paths)
    folders = {PurePosixPath(path).parent for path in paths}
    top = PurePosixPath(*_common([folder.parts for folder in folders]))
    ending = _ending(PurePosixPath(paths[0]).name)
    start = "" if str(top) == "." else f"{literal_pattern(str(top))}/"
    for middle in ("*", "**/*"):
        pattern = f"{start}{middle}{ending}"
        if {path for path in every if matches(path, pattern)} == wanted:
            return pattern
    return None


def _ending(name: str) -> str:
    """`.prompt.yml` of `a.prompt.yml`, `.j2` of `a.md.j2`."""
    lower = name.lower()
    return next((end for end in (".prompt.yml", ".prompt.yaml") if lower.endswith(end)), PurePosixPath(name).suffix)


def _common(parts: Sequence[tuple[str, ...]]) -> list[str]:
    common: list[str] = []
    for level in zip(*parts, strict=False):
        if len(set(level)) > 1:
            break
        common.append(level[0])
    return common


LEAST_CHARS = 40
"""A shorter text is a label rather than a prompt."""
CODE_ENDINGS = (".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx")
MOST_CHARS = 256 * 1024
"""Largest file that is parsed: Python 3.11 takes six seconds for an f-string of that length."""

_NAME = re.compile(
    r"(?:.*_)?(?:prompt|instructions?|system_message|system_template)s?(?:_.*)?|.*(?:Prompt|Instructions?)s?|system",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(?:.*[-_.])?prompts?(?:\.\w+)?", re.IGNORECASE)
"""Part of a path that names prompts."""
_TOLD = re.compile("prompt|instruction|system", re.IGNORECASE)
"""A file without any of these words has no such names, and need not be parsed."""
_SCRIPT = re.compile(
    r"""(?m)(?:^[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+([A-Za-z_$][\w$]*)[ \t]*(?::[ \t]*string[ \t]*)?=\s*|"""
    r"""(?<![\w$.?])([A-Za-z_$][\w$]*)[ \t]*:\s*)"""
    r"""(?:`([^`\\]*(?:\\.[^`\\]*)*)`|"([^"\\\n]*(?:\\.[^"\\\n]*)*)"|'([^'\\\n]*(?:\\.[^'\\\n]*)*)')"""
)
"""A constant, or a property of an object, with a text."""


@dataclass(frozen=True, slots=True)
class PromptConstant:
    """A text in code with a name like that of a prompt."""

    where: str
    name: str
    chars: int


def prompt_constants(text: str, path: str) -> Iterator[PromptConstant]:
    """The prompt constants of one file, which is parsed but not run."""
    if len(text) > MOST_CHARS or not _TOLD.search(path + text):
        return
    # In `prompts.py` and below `prompts/` every text is one, whatever its name.
    named = any(_PLACE.fullmatch(part) for part in path.split("/"))
    for name, line, value in _python(text) if path.endswith(".py") else _script(text):
        if len(value) >= LEAST_CHARS and " " in value and len(name) <= NAME_CHARS and (named or _NAME.fullmatch(name)):
            yield PromptConstant(f"{path}:{line}", name, len(value))


def _python(text: str) -> Iterator[tuple[str, int, str]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    named = (pair for node in ast.walk(tree) for pair in _pairs(node))
    for name, value in sorted(named, key=lambda pair: pair[1].lineno):
        if (said := _said(value)) is not None:
            yield name, value.lineno, said


def _pairs(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Names with values: `NAME = value`, `{"name": value}`, `f(name=value)`, `("system", value)`."""
    if isinstance(node, ast.Assign):
        yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
        yield node.target.id, node.value
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, value
    elif isinstance(node, ast.keyword) and node.arg is not None:
        yield node.arg, node.value
    elif isinstance(node, ast.Tuple) and len(node.elts) == 2 and _said(node.elts[0]) == "system":
        yield "system", node.elts[1]


def _said(value: ast.expr) -> str | None:
    """The text, that of an f-string without its braces; or the argument of `dedent` or `PromptTemplate`."""
    if isinstance(value, ast.JoinedStr):
        return "".join(str(one.value) for one in value.values if isinstance(one, ast.Constant))
    if isinstance(value, ast.Call) and len(value.args) == 1:
        return _said(value.args[0])
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _script(text: str) -> Iterator[tuple[str, int, str]]:
    line, counted = 1, 0
    for found in _SCRIPT.finditer(text):
        name = 1 if found[1] is not None else 2
        # From the one before it: from the start, half a million names would be counted for half an hour.
        line += text.count("\n", counted, found.start(name))
        counted = found.start(name)
        yield found[name], line, next(group for group in found.groups()[2:] if group is not None)
