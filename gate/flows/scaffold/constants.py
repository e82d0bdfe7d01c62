"""Prompts that stand in code as texts with a telling name: they are told, since the gate compares files."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from gate.inputs.limits import NAME_CHARS

LEAST_CHARS = 40
"""A shorter text is a label rather than a prompt."""
CODE_ENDINGS = (".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx")
MOST_CHARS = 256 * 1024
"""Of a file that is looked at: Python 3.11 takes six seconds for an f-string of that length."""

_NAME = re.compile(
    r"(?:.*_)?(?:prompt|instructions?|system_message|system_template)s?(?:_.*)?|.*(?:Prompt|Instructions?)s?|system",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(?:.*[-_.])?prompts?(?:\.\w+)?", re.IGNORECASE)
"""Part of a path that says so."""
_TOLD = re.compile("prompt|instruction|system", re.IGNORECASE)
"""A file without any of these words names nothing so, and need not be parsed."""
_SCRIPT = re.compile(
    r"""(?m)(?:^[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+([A-Za-z_$][\w$]*)[ \t]*(?::[ \t]*string[ \t]*)?=\s*|"""
    r"""(?<![\w$.?])([A-Za-z_$][\w$]*)[ \t]*:\s*)"""
    r"""(?:`([^`\\]*(?:\\.[^`\\]*)*)`|"([^"\\\n]*(?:\\.[^"\\\n]*)*)"|'([^'\\\n]*(?:\\.[^'\\\n]*)*)')"""
)
"""A constant, or a property of an object, with a text."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A text in code that is named like a prompt.

    Args:
        where: `src/app.py:12`.
        name: of the variable.
        chars: its length.
    """

    where: str
    name: str
    chars: int


def constants(text: str, path: str) -> Iterator[Constant]:
    """Those of one file; nothing of it is run.

    Args:
        text: of the file; what cannot be read has none.
        path: from the root; its ending tells the language.
    """
    if len(text) > MOST_CHARS or not _TOLD.search(path + text):
        return
    # In `prompts.py` and below `prompts/` every text is one, whatever its name.
    named = any(_PLACE.fullmatch(part) for part in path.split("/"))
    for name, line, value in _python(text) if path.endswith(".py") else _script(text):
        if len(value) >= LEAST_CHARS and " " in value and len(name) <= NAME_CHARS and (named or _NAME.fullmatch(name)):
            yield Constant(f"{path}:{line}", name, len(value))


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
    """What is called how: `NAME = value`, `{"name": value}`, `f(name=value)`, `("system", value)`."""
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
    """The text, that of an f-string with its braces left out; or what is handed to `dedent` or `PromptTemplate`."""
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
