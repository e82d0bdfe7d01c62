"""The files of the repository that a module imports or names, found in its text: nothing of it runs."""

import ast
import warnings
from collections.abc import Iterator
from itertools import islice
from posixpath import dirname, normpath

from gate.config.documents import decode, one_problem
from gate.config.values import SOURCES
from gate.limits import PATH_CHARS
from gate.prompts.files import FileSource, folders

MOST_MODULES = 1_000


def module_files(source: FileSource, path: str) -> dict[str, bytes]:
    """The file of a module, the repository's modules that it imports, and the files that any of them names.

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
        tree = _parsed(data, file)
        folder, listing = dirname(file), source.listing()
        names = [name.replace(".", "/") for name in _imported(tree, file) if name]
        candidates = [f"{start}{name}" for name in names for start in (*SOURCES, f"{folder}/" if folder else "")]
        waiting += [one + end for one in dict.fromkeys(candidates) for end in (".py", "/__init__.py")]
        waiting += [f"{one}/__init__.py" for one in folders(file)]
        named = {path for name in _named_files(tree) for path in (name, normpath(f"{folder}/{name}"))} & listing.keys()
        if _finds_files(tree):
            named |= set(islice((path for path in listing if path.startswith(f"{folder}/")), MOST_MODULES))
        files |= {path: source.read(path) or b"" for path in sorted(named)}
    return files


_FINDING = frozenset(
    "glob rglob iglob iterdir listdir scandir walk with_suffix with_name with_stem joinpath "
    "run Popen check_output".split()
)
"""Functions by which code gets at files that its text does not name."""
_OPENING = frozenset(("open", "read_text", "read_bytes"))


def _finds_files(tree: ast.Module) -> bool:
    """Does code look for files, or put their names together? Then all that lies with it counts."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        made = [
            node
            for one in (*call.args, call.func)
            for node in ast.walk(one)
            if isinstance(node, ast.JoinedStr | ast.Add)
        ]
        if name in _FINDING or (name in _OPENING and made):
            return True
    return False


def _parsed(data: bytes, path: str) -> ast.Module:
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(decode(data, path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno or 0 if isinstance(error, SyntaxError) else 0
        raise one_problem(path, line, "is not valid Python") from None


def _named_files(tree: ast.Module) -> set[str]:
    """Texts that may be paths, also those put together by `/` or as arguments of one call."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str() as text):
                parts = [text]
            case ast.BinOp(op=ast.Div()):
                parts = [one.value for one in _divided(node) if isinstance(one, ast.Constant)]
            case ast.Call(args=[_, _, *_]):
                parts = [one.value for one in node.args if isinstance(one, ast.Constant)]
            case _:
                continue
        path = "/".join(one for one in parts if isinstance(one, str))
        if 0 < len(path) <= PATH_CHARS and "\n" not in path and len(found) < MOST_MODULES:
            found.add(normpath(path))
    return found


def _divided(node: ast.expr) -> list[ast.expr]:
    parts: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        parts.append(node.right)
        node = node.left
    return [node, *reversed(parts)]


def _imported(tree: ast.Module, path: str) -> Iterator[str]:
    """The names of modules that a file may import, each with its packages."""
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
