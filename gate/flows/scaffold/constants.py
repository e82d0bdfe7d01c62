"""Prompts that stand in code as constants: they are told, since the gate compares files."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from gate.inputs.limits import NAME_CHARS

LEAST_CHARS = 40
"""A shorter text is a label rather than a prompt."""
CODE_ENDINGS = (".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx")
MOST_CHARS = 2 * 1024 * 1024
"""Of a file that is looked at."""

_NAME = re.compile(
    r"(?:.*_)?(?:prompt|instructions?|system_message)s?(?:_.*)?|.*(?:Prompt|Instructions?)s?", re.IGNORECASE
)
_SCRIPT = re.compile(
    r"""(?m)^[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+([A-Za-z_$][\w$]*)[ \t]*(?::[ \t]*string[ \t]*)?=\s*"""
    r"""(?:`([^`\\]*(?:\\.[^`\\]*)*)`|"([^"\\\n]*(?:\\.[^"\\\n]*)*)"|'([^'\\\n]*(?:\\.[^'\\\n]*)*)')"""
)


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
    if len(text) > MOST_CHARS:
        return
    for name, line, value in _python(text) if path.endswith(".py") else _script(text):
        if len(value) >= LEAST_CHARS and " " in value and len(name) <= NAME_CHARS and _NAME.fullmatch(name):
            yield Constant(f"{path}:{line}", name, len(value))


def _python(text: str) -> Iterator[tuple[str, int, str]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
            continue
        if (said := _said(node.value)) is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                yield target.id, node.lineno, said


def _said(value: ast.expr) -> str | None:
    """The text, that of an f-string with its braces left out."""
    if isinstance(value, ast.JoinedStr):
        return "".join(str(one.value) for one in value.values if isinstance(one, ast.Constant))
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _script(text: str) -> Iterator[tuple[str, int, str]]:
    for found in _SCRIPT.finditer(text):
        line = text.count("\n", 0, found.start(1)) + 1
        yield found[1], line, next(group for group in found.groups()[1:] if group is not None)
