"""The modules of the repository that a module imports, found in the text: nothing of it runs."""

import ast
import warnings
from collections.abc import Iterator

from gate.config.documents import decode, one_problem
from gate.config.values import SOURCES
from gate.prompts.files import FileSource

MOST_MODULES = 1_000


def module_files(source: FileSource, path: str) -> dict[str, bytes]:
    """The file of a module, and those of the repository's modules that it imports, also through others.

    Raises:
        InputErrors: one of them is not Python.
    """
    files: dict[str, bytes] = {}
    waiting = [path]
    while waiting and len(files) < MOST_MODULES:
        file = waiting.pop()
        if file in files or (data := source.read(file)) is None:
            continue
        files[file] = data
        names = [name for name in _imported(data, file) if name]
        candidates = [f"{folder}{name.replace('.', '/')}" for name in names for folder in SOURCES]
        waiting += [one + end for one in dict.fromkeys(candidates) for end in (".py", "/__init__.py")]
    return files


def _imported(data: bytes, path: str) -> Iterator[str]:
    """The names of modules that a file may import, each with its packages."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(decode(data, path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno or 0 if isinstance(error, SyntaxError) else 0
        raise one_problem(path, line, "is not valid Python") from None
    folder = path.removeprefix("src/").split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = folder[: len(folder) - node.level + 1] if node.level else []
            start = ".".join([*above, *([node.module] if node.module else [])])
            names = [start, *(f"{start}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            parts = name.strip(".").split(".")
            yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))
