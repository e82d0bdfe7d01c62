"""Files that a promptfoo configuration names, references inside it, and the limits of one import."""

import posixpath
import re
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from gate.cases.case import SlowTemplate
from gate.cases.losses import Losses
from gate.config.documents import Document, one_problem, read_yaml
from gate.config.values import PYTHON_PREFIX, function_complaint
from gate.errors import InputErrors
from gate.files import escapes, is_glob, matches
from gate.limits import CASES_CHARS
from gate.values import JsonValue, as_mapping

TEXT_S = 0.2
"""Seconds of processor time to render one text."""
IMPORT_S = 20.0
"""Seconds to render all texts of an import."""
IMPORT_CHARS = 2 * CASES_CHARS
"""Characters of all cases of an import, written as JSON."""
FILES = 1_000
"""Files that one configuration names, each counted as often as it is read."""
FILE_CHARS = 16 * 1024 * 1024
"""Characters of all of them."""
FILE = "file://"
CODE = (
    *(".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".py", ".rb", ".go", ".php", ".pl"),
    *(".sh", ".bash", ".exe", ".bat", ".cmd", ".ps1"),
)
"""Files that promptfoo runs or imports."""
_BINARY = (".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".mp3", ".wav", ".mp4", ".xlsx", ".xls")
_FUNCTION = re.compile(r"(?P<path>[^:]+\.py)(?::(?P<name>[A-Za-z_]\w*))?")
_REFERENCES = 5


@dataclass(slots=True)
class ImportBudget:
    """What is left of the limits of one import, since a short configuration can stand for thousands of cases."""

    seconds: float = IMPORT_S
    chars: int = IMPORT_CHARS
    files: int = FILES
    file_chars: int = FILE_CHARS

    @contextmanager
    def rendering(self, line: int = 0) -> Iterator[float]:
        """Context manager for rendering one text; yields the seconds that it may take."""
        if self.seconds <= 0:
            problem = f"filling in the templates of its tests takes more than {IMPORT_S:g} s"
            raise SlowTemplate(one_problem("tests", line, problem, "write their texts").problems)
        began = time.thread_time()
        try:
            yield TEXT_S
        finally:
            self.seconds -= time.thread_time() - began

    def take_case_chars(self, chars: int, line: int) -> None:
        """Subtract characters of cases; raises at the limit."""
        self.chars -= chars
        if self.chars < 0:
            problem = f"stand for cases of more than {IMPORT_CHARS:,} characters"
            raise one_problem("tests", line, problem, "fewer values, or shorter ones")

    def take_file(self, text: str, file: str) -> None:
        """Subtract a file that was read; raises at the limit."""
        self.files, self.file_chars = self.files - 1, self.file_chars - len(text)
        if self.files < 0 or self.file_chars < 0:
            problem = f"names more than {FILES:,} files, or than {FILE_CHARS:,} characters in them"
            raise one_problem(file, 0, problem, "convert its tests in parts")


def no_file(path: str) -> str | None:
    """The reader of a source without further files."""
    return None


@dataclass(frozen=True, slots=True)
class PromptfooFile:
    """One file of a configuration.

    Args:
        losses: of this file.
        folder: base of `file://`, from the root; empty for the root itself.
        read: another file by its path from the root; None if it does not exist.
        root: the whole document, for `$ref`.
        paths: all files, for `file://prompts/*.txt`; empty if unknown.
        budget: shared by all files of the import.
    """

    losses: Losses
    folder: str = ""
    read: Callable[[str], str | None] = no_file
    root: Document | None = None
    paths: Collection[str] = ()
    budget: ImportBudget = field(default_factory=ImportBudget)

    def at(self, path: str, root: Document | None = None) -> "PromptfooFile":
        """Another file of the configuration; `file://` is relative to the same folder."""
        return replace(self, losses=Losses(path, self.losses.found), root=root or self.root)

    def path_of(self, name: str) -> str:
        """The path of `file://name` from the root of the repository; empty if it is outside."""
        name = name.removeprefix(FILE)
        if name.startswith("/"):
            return ""
        parts: list[str] = []
        for part in [*PurePosixPath(self.folder).parts, *PurePosixPath(name).parts]:
            if part == ".." and parts:
                parts.pop()
            elif part != ".":
                parts.append(part)
        path = "/".join(parts)
        return "" if escapes(path) else path

    def names_matching(self, name: str, line: int, what: str) -> list[str]:
        """The files of a pattern, each as `file://…`; another name is returned unchanged."""
        path = self.path_of(name)
        if not self.paths or not is_glob(path) or path in self.paths:
            return [name]
        matching = [file for file in sorted(self.paths) if matches(file, path)]
        if not matching:
            hint = "name files that git does not ignore"
            self.losses.add(line, f"{what} is taken from {name}, which no file matches", hint)
        return [FILE + posixpath.relpath(file, self.folder or ".") for file in matching]

    def text(self, name: str, line: int, what: str) -> str | None:
        """The content of `file://name`; None and a loss if it is not available."""
        path = self.path_of(name)
        binary = path.lower().endswith(_BINARY)
        if binary or is_code(path):
            kind = "no text" if binary else "code, and is not run"
            self.losses.add(line, f"{what} is taken from {name}, which is {kind}", "write its result down")
            return None
        text = self.read(path) if path and "*" not in path else None
        if text is None:
            where = "is not a text file of the repository" if self.paths else "cannot be read here"
            remedy = "list its files, [file://a.txt, file://b.txt]" if "*" in path else "write down what it holds"
            self.losses.add(line, f"{what} is taken from {name}, which {where}", remedy)
            return None
        self.budget.take_file(text, self.losses.file)
        return text.removeprefix("\ufeff")

    def load(self, name: str, line: int, what: str) -> Document | None:
        """The content of a YAML or JSON file; None if it is not available, empty or invalid."""
        text = self.text(name, line, what)
        return None if text is None else parse_data(text, name)

    def function(self, name: str, default: str) -> tuple[str, str]:
        """`file://checks.py:polite` as `module:function`, and why the gate cannot call it.

        Args:
            default: the function if only the file is named.
        """
        match = _FUNCTION.fullmatch(name.removeprefix(FILE))
        function = (match["name"] or default) if match else ""
        path = self.path_of(match["path"]) if match else ""
        if not path:
            return "", "it names no function of a file inside the repository"
        entry = f"{path.removesuffix('.py').replace('/', '.')}:{function}"
        if function_complaint(PYTHON_PREFIX + entry):
            return "", f"{path} cannot be named as a module: its folders and file need names like words_and_digits"
        text = self.read(path)
        if text is None:
            return "", f"{path} is not a text file of the repository"
        definition = re.search(rf"^(?P<waits>async[ \t]+)?def[ \t]+{re.escape(function)}\b", text, re.MULTILINE)
        if definition is None and not re.search(rf"\b{re.escape(function)}\b", text):
            return "", f"there is no {function} in {path}"
        if definition is not None and definition["waits"]:
            return "", f"{function} in {path} is an async function, and nothing awaits it here"
        return entry, ""

    def follow(self, node: Document) -> Document:
        """What `$ref: '#/a/b'` refers to; an empty mapping and a loss if it does not exist."""
        for _ in range(_REFERENCES):
            reference = as_mapping(node.data).get("$ref")
            if reference is None:
                return node
            target = self.root if isinstance(reference, str) and reference.startswith("#/") else None
            for key in str(reference)[2:].split("/"):
                target = target.get(key) if target is not None else None
            if target is None:
                self.losses.add(node.line, f"the reference {reference} does not exist", "write it out")
                return document_at({}, node.line)
            node = replace(target, line=node.line)
        self.losses.add(node.line, "references lead to references without end", "write them out")
        return document_at({}, node.line)


def is_code(name: str) -> bool:
    """Does it name a file of code, or a function in one?"""
    return name.lower().endswith(CODE) or any(f"{ending}:" in name.lower() for ending in CODE)


def items(node: Document | None) -> list[Document]:
    """The items of a list; anything else becomes a list of itself."""
    return [] if node is None else node.parts() if isinstance(node.data, list) else [node]


def parse_data(text: str, file: str) -> Document | None:
    """The content of a YAML or JSON file; None if it is empty or invalid."""
    try:
        document = read_yaml(text, file)
    except InputErrors:
        return None
    return document if document.data is not None else None


def document_at(value: JsonValue, line: int) -> Document:
    """A document for a value at one line."""
    return Document("", value, line=line)
