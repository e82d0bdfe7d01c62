"""What is around a test of promptfoo while it is read: who is told what it loses, and who reads the files it names."""

import json
import posixpath
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import resources
from pathlib import PurePosixPath

from gate.config.documents import Document, read_yaml
from gate.domain.jsonvalue import JsonValue
from gate.errors import InputErrors
from gate.inputs.messages import Tell
from gate.inputs.paths import escapes, is_glob, matches
from gate.inputs.promptfoo.allowance import Allowance
from gate.inputs.sandbox import BadTemplate
from gate.inputs.templates import compile_template

FILE = "file://"
CODE = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".py", ".rb", ".go")
_BINARY = (".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".mp3", ".wav", ".mp4", ".xlsx", ".xls")


def no_file(path: str) -> str | None:
    """Of a source that names no files."""
    return None


@dataclass(frozen=True, slots=True)
class Context:
    """Around the tests of one file.

    Args:
        tell: hears of losses.
        folder: what `file://` is relative to, from the root; empty for the root itself.
        other: reads a file by its path from the root; None where there is none.
        root: the whole configuration, for `$ref`.
        paths: of all files, for `file://prompts/*.txt`; empty where nobody knows them.
        allowance: what the reading may take, of all its files.
    """

    tell: Tell
    folder: str = ""
    other: Callable[[str], str | None] = no_file
    root: Document | None = None
    paths: Collection[str] = ()
    allowance: Allowance = field(default_factory=Allowance)

    def listed(self, named: str, line: int, what: str) -> list[str]:
        """The files that a pattern stands for, each named as the pattern is; of any other name that name.

        Args:
            named: `file://prompts/*.txt`.
            line: where.
            what: that names it, for the message.
        """
        path = self.path(named)
        if not self.paths or not is_glob(path) or path in self.paths:
            return [named]
        found = [FILE + posixpath.relpath(one, self.folder or ".") for one in sorted(self.paths) if matches(one, path)]
        if not found:
            self.tell.add(
                line, f"{what} is taken from {named}, which no file matches", "name files that git does not ignore"
            )
        return found

    def path(self, named: str) -> str:
        """A path from the root of the repository; empty where it leads out of it."""
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

    def text(self, named: str, line: int, what: str) -> str | None:
        """What a file holds that is named as `file://…`; None, and a loss, where it cannot be had.

        Args:
            named: as it stands there.
            line: where.
            what: that names it, for the message.
        """
        path = self.path(named)
        if path.lower().endswith((*CODE, *_BINARY)) or any(f"{ending}:" in path for ending in CODE):
            kind = "code, and is not run" if not path.lower().endswith(_BINARY) else "no text"
            self.tell.add(line, f"{what} is taken from {named}, which is {kind}", "write its result down")
            return None
        text = self.other(path) if path and "*" not in path else None
        if text is None:
            where = "is no file of the repository, or no text" if self.paths else "cannot be read here"
            remedy = "list its files, [file://a.txt, file://b.txt]" if "*" in path else "write down what it holds"
            self.tell.add(line, f"{what} is taken from {named}, which {where}", remedy)
            return None
        return text.removeprefix("\ufeff")

    def resolved(self, node: Document) -> Document:
        """A value with `$ref: '#/a/b'` followed; an empty mapping, and a loss, where it leads nowhere."""
        for _ in range(5):
            reference = values(node).get("$ref")
            if reference is None:
                return node
            found = self._pointed(reference)
            if found is None:
                self.tell.add(node.line, f"the reference {reference} leads nowhere", "write it out")
                return value_at({}, node.line)
            node = replace(found, line=node.line)
        self.tell.add(node.line, "references lead to references without end", "write them out")
        return value_at({}, node.line)

    def _pointed(self, reference: JsonValue) -> Document | None:
        found = self.root
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return None
        for key in reference[2:].split("/"):
            found = found.get(key) if found is not None else None
        return found


def values(node: Document | None) -> dict[str, JsonValue]:
    """What a mapping holds; empty for anything else."""
    return dict(node.data) if node is not None and isinstance(node.data, dict) else {}


def items(node: Document | None) -> list[Document]:
    """The items of a list; one that stands alone is a list of itself."""
    return [] if node is None else node.parts() if isinstance(node.data, list) else [node]


def parsed(text: str, file: str) -> Document | None:
    """What a file in YAML or JSON holds; None where that is nothing, or it is none."""
    try:
        found = read_yaml(text, file)
    except InputErrors:
        return None
    return found if found.data is not None else None


def names_in(value: object) -> frozenset[str]:
    """The variables that the texts inside a value mention.

    Args:
        value: of scorers, for instance.
    """
    if isinstance(value, str) and "{{" in value:
        try:
            return compile_template(value).names
        except BadTemplate:
            return frozenset()
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return frozenset().union(*map(names_in, inner))


def value_at(value: JsonValue, line: int) -> Document:
    """A value that stands on one line."""
    return Document("", value, line=line)


def criteria(name: str, value: str = "") -> str:
    """The words for a judge.

    Args:
        name: of the wording.
        value: what it is about.
    """
    return _criteria()[name].replace("<value>", value)


@lru_cache
def _criteria() -> dict[str, str]:
    text = resources.files("gate.inputs.promptfoo").joinpath("criteria.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)
    return found
