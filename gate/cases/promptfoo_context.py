"""Files, values and limits of reading one promptfoo configuration, which can expand to thousands of cases."""

import json
import posixpath
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import resources
from pathlib import PurePosixPath

from gate.cases.case import SlowTemplate
from gate.cases.losses import Losses
from gate.config.documents import Document, one_problem, read_yaml
from gate.config.values import PYTHON_PREFIX, function_complaint
from gate.errors import InputErrors
from gate.files import escapes, is_glob, matches
from gate.limits import CASES_CHARS, PATTERN_CHARS
from gate.templates.rendering import compile_template
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue

ONE_S = 0.2
"""Seconds of processor time for one text."""
ALL_S = 20.0
"""Seconds for all of them."""
ALL_CHARS = 2 * CASES_CHARS
"""Characters of all cases, written as JSON; a case file of that size is refused, too."""
_SHORTER = "fewer values, or shorter ones"


@dataclass(slots=True)
class RemainingLimits:
    """What is left of the limits for one configuration.

    Args:
        seconds: processor time for rendering.
        chars: characters of rendered texts and of cases.
    """

    seconds: float = ALL_S
    chars: int = ALL_CHARS

    @contextmanager
    def filling(self, line: int) -> Iterator[float]:
        """Context manager for rendering one text; yields the seconds left."""
        if self.seconds <= 0:
            said = f"filling in the templates of its tests takes more than {ALL_S:g} s"
            raise SlowTemplate(one_problem("tests", line, said, "write their texts").problems)
        began = time.thread_time()
        try:
            yield ONE_S
        finally:
            self.seconds -= time.thread_time() - began

    def hold(self, chars: int, line: int) -> None:
        """Subtract characters; raises at the limit."""
        self.chars -= chars
        if self.chars < 0:
            raise one_problem("tests", line, f"stand for cases of more than {ALL_CHARS:,} characters", _SHORTER)


FILE = "file://"
CODE = (
    *(".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".py", ".rb", ".go", ".php", ".pl"),
    *(".sh", ".bash", ".exe", ".bat", ".cmd", ".ps1"),
)
"""Files that promptfoo runs or imports."""
_FUNCTION = re.compile(r"(?P<path>[^:]+\.py)(?::(?P<name>[A-Za-z_]\w*))?")
_BINARY = (".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".mp3", ".wav", ".mp4", ".xlsx", ".xls")


def no_file(path: str) -> str | None:
    """`other` of a source without further files."""
    return None


@dataclass(frozen=True, slots=True)
class Context:
    """Context while the tests of one file are read.

    Args:
        folder: base of `file://`, from the root; empty for the root itself.
        other: reads a file by its path from the root; None if it does not exist.
        root: the whole configuration, for `$ref`.
        paths: all files, for `file://prompts/*.txt`; empty if unknown.
        limits: shared by all files of the configuration.
    """

    losses: Losses
    folder: str = ""
    other: Callable[[str], str | None] = no_file
    root: Document | None = None
    paths: Collection[str] = ()
    limits: RemainingLimits = field(default_factory=RemainingLimits)

    def listed(self, named: str, line: int, what: str) -> list[str]:
        """The files of a pattern, each as `file://…`; another name is returned unchanged."""
        path = self.path(named)
        if not self.paths or not is_glob(path) or path in self.paths:
            return [named]
        found = [FILE + posixpath.relpath(one, self.folder or ".") for one in sorted(self.paths) if matches(one, path)]
        if not found:
            self.losses.add(
                line, f"{what} is taken from {named}, which no file matches", "name files that git does not ignore"
            )
        return found

    def path(self, named: str) -> str:
        """A path from the root of the repository; empty if it is outside."""
        named = named.removeprefix(FILE)
        if named.startswith("/"):
            return ""
        parts: list[str] = []
        for part in [*PurePosixPath(self.folder).parts, *PurePosixPath(named).parts]:
            if part == ".." and parts:
                parts.pop()
            elif part != ".":
                parts.append(part)
        path = "/".join(parts)
        return "" if escapes(path) else path

    def function(self, named: str, default: str = "") -> tuple[str, str]:
        """Convert `file://checks.py:polite` to `module:function`; returns it, and why it is invalid.

        Args:
            default: the function if only the file is named.
        """
        found = _FUNCTION.fullmatch(named.removeprefix(FILE))
        name = (found["name"] or default) if found else ""
        path = self.path(found["path"]) if found else ""
        if not path or not name:
            return "", "it names no function of a file inside the repository"
        function = f"{path.removesuffix('.py').replace('/', '.')}:{name}"
        if function_complaint(PYTHON_PREFIX + function):
            return "", f"{path} cannot be named as a module: its folders and file need names like words_and_digits"
        text = self.other(path)
        if text is None:
            return "", f"{path} is not a text file of the repository"
        made = re.search(rf"^(?P<waits>async[ \t]+)?def[ \t]+{re.escape(name)}\b", text, re.MULTILINE)
        if made is None and not re.search(rf"\b{re.escape(name)}\b", text):
            return "", f"there is no {name} in {path}"
        if made is not None and made["waits"]:
            return "", f"{name} in {path} is an async function, and nothing awaits it here"
        return function, ""

    def text(self, named: str, line: int, what: str) -> str | None:
        """The content of a file named as `file://…`; None and a loss if it is not available."""
        path = self.path(named)
        if is_code(path) or path.lower().endswith(_BINARY):
            kind = "code, and is not run" if not path.lower().endswith(_BINARY) else "no text"
            self.losses.add(line, f"{what} is taken from {named}, which is {kind}", "write its result down")
            return None
        text = self.other(path) if path and "*" not in path else None
        if text is None:
            where = "is not a text file of the repository" if self.paths else "cannot be read here"
            remedy = "list its files, [file://a.txt, file://b.txt]" if "*" in path else "write down what it holds"
            self.losses.add(line, f"{what} is taken from {named}, which {where}", remedy)
            return None
        return text.removeprefix("\ufeff")

    def resolved(self, node: Document) -> Document:
        """Follow `$ref: '#/a/b'`; an empty mapping and a loss if it does not exist."""
        for _ in range(5):
            reference = values(node).get("$ref")
            if reference is None:
                return node
            found = self._pointed(reference)
            if found is None:
                self.losses.add(node.line, f"the reference {reference} does not exist", "write it out")
                return value_at({}, node.line)
            node = replace(found, line=node.line)
        self.losses.add(node.line, "references lead to references without end", "write them out")
        return value_at({}, node.line)

    def _pointed(self, reference: JsonValue) -> Document | None:
        found = self.root
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return None
        for key in reference[2:].split("/"):
            found = found.get(key) if found is not None else None
        return found


def is_code(named: str) -> bool:
    """Does it name a file of code, or a function in one?"""
    return named.lower().endswith(CODE) or any(f"{ending}:" in named.lower() for ending in CODE)


def values(node: Document | None) -> dict[str, JsonValue]:
    """The entries of a mapping; empty for anything else."""
    return dict(node.data) if node is not None and isinstance(node.data, dict) else {}


def items(node: Document | None) -> list[Document]:
    """The items of a list; anything else becomes a list of itself."""
    return [] if node is None else node.parts() if isinstance(node.data, list) else [node]


def parsed(text: str, file: str) -> Document | None:
    """The content of a YAML or JSON file; None if it is empty or invalid."""
    try:
        found = read_yaml(text, file)
    except InputErrors:
        return None
    return found if found.data is not None else None


def names_in(value: object) -> frozenset[str]:
    """The variables used in the texts inside a value."""
    if isinstance(value, str) and "{{" in value:
        try:
            return compile_template(value).names
        except BadTemplate:
            return frozenset()
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return frozenset().union(*map(names_in, inner))


def value_at(value: JsonValue, line: int) -> Document:
    """A document for a value at one line."""
    return Document("", value, line=line)


def criteria(name: str, value: str = "") -> str:
    """The text of a named criterion for a judge, with a value filled in."""
    return _criteria()[name].replace("<value>", value)


@lru_cache
def _criteria() -> dict[str, str]:
    text = resources.files("gate.cases").joinpath("promptfoo_criteria.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)
    return found


_FIELD = re.compile(r'[\s,]*(?:"((?:\\["\\]|""|[^"])*)"\s*(?=,|\Z)|([^",\s][^,]*))')
_MORE = re.compile(r"[^\s,]")
_ESCAPED = re.compile(r'\\(["\\])|""')


def listed(text: str) -> list[str] | None:
    """The texts of a list such as `red, "green, blue"`; None if a quotation mark is not closed."""
    found: list[str] = []
    at = 0
    while _MORE.search(text, at):
        match = _FIELD.match(text, at)
        if match is None:
            return None
        quoted = match[1]
        found.append(match[2].strip() if quoted is None else _ESCAPED.sub(lambda one: one[1] or '"', quoted))
        at = match.end()
    return found


# In JavaScript `^` and `$` are the ends of the whole text, and `\d` and `\w` match only ASCII.
_TOKEN = re.compile(r"\{\{.*?\}\}|\[(?:\\[\s\S]|[^\]\\])*\]|\\k<\w+>|\\[\s\S]|\(\?<(?![=!])|[$^]", re.DOTALL)
_IN_CLASS = re.compile(r"\\[\s\S]|\[")
_CLASSES = {r"\d": "0-9", r"\w": "A-Za-z0-9_"}
_OTHERS = {r"\D": "[^0-9]", r"\W": "[^A-Za-z0-9_]"}
_WHOLE = {"^": r"\A", "$": r"\Z", "(?<": "(?P<", "[]": "(?!)", "[^]": r"[\s\S]"}

_BACK = re.compile(r"\\[\s\S]|\(\?P<|\(\?P=(\w+)\)")
_BACK_TO = {r"\A": "^", r"\Z": "$", "(?P<": "(?<"}
_PYTHONS = re.compile(
    r"\{\{.*?\}\}|\[(?:\\[\s\S]|[^\]\\])*\]|\\[\s\S]|\(\?(?![:=!<])[a-zA-Z>]*|[*+?}]\+|\{,\d+\}", re.DOTALL
)
"""Syntax of Python that JavaScript lacks or reads differently, and what hides it."""
_JS_ESCAPED = re.compile(r"\\(?:[^a-zA-Z]|[bBdDsSwWnrtfvuxk])")


def pythons(pattern: str) -> str:
    """The part of a pattern that JavaScript does not support or reads differently; empty if there is none.

    Args:
        pattern: such as `(?i)paris`, `\\p{L}`, `a{,2}`.
    """
    for found in _PYTHONS.finditer(pattern[: PATTERN_CHARS + 1]):
        token = found[0]
        if token.startswith("{{"):
            continue
        escapes = [token] if token[0] == "\\" else re.findall(r"\\[\s\S]", token) if token[0] == "[" else []
        odd = next((one for one in escapes if not _JS_ESCAPED.fullmatch(one)), "")
        if odd or token[0] not in "[\\":
            return odd or token
    return ""


def javascript(pattern: str) -> str | None:
    """Convert a Python pattern to JavaScript; None if it cannot be expressed."""
    if len(pattern) > PATTERN_CHARS:
        return None
    found = _BACK.sub(lambda one: rf"\k<{one[1]}>" if one[1] else _BACK_TO.get(one[0], one[0]), pattern)
    return None if pythons(found) else found


def translated(pattern: str) -> str:
    """Convert a JavaScript pattern to Python; `{{ … }}` is a field of the case and stays."""
    # A longer one is rejected later, and could take long to convert.
    return pattern if len(pattern) > PATTERN_CHARS else _TOKEN.sub(lambda found: _token(found[0]), pattern)


def _token(token: str) -> str:
    if token in _WHOLE:
        return _WHOLE[token]
    if token.startswith("["):
        return "[" + _IN_CLASS.sub(lambda one: r"\[" if one[0] == "[" else _CLASSES.get(one[0], one[0]), token[1:])
    if token.startswith(r"\k<"):
        return f"(?P={token[3:-1]})"
    if token in _CLASSES:
        return f"[{_CLASSES[token]}]"
    return _OTHERS.get(token, token)
