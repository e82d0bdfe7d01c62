"""Reads YAML, JSON and JSON Lines as plain data that keeps line numbers, for messages."""

import difflib
import json
import math
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from gate.errors import InputErrors, Problem
from gate.limits import LINE_CHARS, YAML_NODES
from gate.values import DEPTH, JsonValue, too_deep

_QUOTED_CHARS = 60


class Problems:
    """The errors of one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: set[Problem] = set()

    @property
    def found(self) -> tuple[Problem, ...]:
        """Sorted by line."""
        return tuple(sorted(self._found))

    def add(self, line: int, message: str, hint: str = "") -> None:
        """Add an error; `line` is 1-based, 0 for the whole file."""
        self._found.add(_problem(self.file, line, message, hint))

    def check(self) -> None:
        """Raise `InputErrors` if there are errors."""
        if self._found:
            raise InputErrors(self.found)


def one_problem(file: str, line: int, message: str, hint: str = "") -> InputErrors:
    """`InputErrors` with one problem, for an error after which nothing more can be read."""
    return InputErrors([_problem(file, line, message, hint)])


def _problem(file: str, line: int, message: str, hint: str) -> Problem:
    return Problem(printable(file), line, printable(message), printable(hint))


def printable(text: str) -> str:
    """The text on one line for a terminal: control, direction and surrogate characters are escaped."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def quoted(text: str) -> str:
    """User text for a message: shortened, with control characters escaped."""
    return repr(text if len(text) <= _QUOTED_CHARS else text[:_QUOTED_CHARS] + "…")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint with the closest known word, or with all of them if none is close."""
    words = list(known)
    close = difflib.get_close_matches(word[:100].lower(), words, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else "known: " + ", ".join(words)


_DEEP = f"nested more than {DEPTH} levels deep"


class BadJson(Exception):
    """Text that is not JSON, or JSON that the gate does not accept."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message, self.line = message, line


def parse_json(text: str) -> JsonValue:
    """One JSON value (RFC 8259)."""
    try:
        value: JsonValue = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise BadJson(f"invalid JSON at column {error.colno}: {error.msg}", error.lineno) from None
    except RecursionError:
        raise BadJson(_DEEP) from None
    _check(value, text)
    return value


def _check(value: JsonValue, text: str) -> None:
    """Check what the parser accepts: depth, and lone surrogates (from the text or from an escape)."""
    # This comes first, because the encoder supports less depth than the parser.
    if text.count("[") + text.count("{") > DEPTH and too_deep(value):
        raise BadJson(_DEEP)
    try:
        text.encode()
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadJson("half of a surrogate pair (\\ud800 to \\udfff) is not text") from None


def _constant(word: str) -> JsonValue:
    raise BadJson(f"{word} is not a JSON number")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadJson(f"{quoted(text)} is too large a number")
    return number


def _integer(text: str) -> int:
    if len(text) > 300:
        raise BadJson(f"{quoted(text)} is too large a number")
    return int(text)


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) < len(pairs):
        count = Counter(key for key, _ in pairs)
        raise BadJson(f"the key {quoted(count.most_common(1)[0][0])} is set twice")
    return found


_DECODER = json.JSONDecoder(parse_constant=_constant, parse_float=_float, parse_int=_integer, object_pairs_hook=_object)


_LFS = (b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/")
_LFS_BYTES = 1024
"""No pointer is longer (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md); Hawser was the name before 1.0."""
_TABLES = (".csv", ".tsv")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_OFFICE = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
"""How files of office programs begin: archives, and those of Excel up to 2003."""


def decode(data: bytes, path: str) -> str:
    """UTF-8 text; a byte order mark is dropped."""
    if data.startswith(_LFS) and len(data) <= _LFS_BYTES:
        hint = "the gate reads files from git: remove this one from LFS (git lfs untrack), and commit it again"
        raise one_problem(path, 1, "is a Git LFS pointer, not the file itself", hint)
    if data.startswith(_UTF16):
        raise one_problem(path, 0, "is UTF-16 text", _remedy(path))
    if data.startswith(_OFFICE):
        raise one_problem(path, 0, "is an office file or an archive", "save the sheet as CSV in UTF-8")
    if b"\0" in data:
        raise one_problem(
            path, data.count(b"\n", 0, data.index(b"\0")) + 1, "is not a text file (it contains NUL bytes)"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # `start` does not count the byte order mark, which contains no line break.
        line = error.object.count(b"\n", 0, error.start) + 1
        raise one_problem(path, line, "is not UTF-8 text", _remedy(path)) from None


def decode_table(data: bytes, path: str) -> tuple[str, str]:
    """The text of a table and its encoding; accepts also UTF-16 and Windows-1252, as office programs save it."""
    try:
        if data.startswith(_UTF16):
            return data.decode("utf-16"), ""
        if b"\0" in data:
            return decode(data, path), ""
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "is not UTF-8; it was read as Windows-1252"


def is_utf16(data: bytes) -> bool:
    """Does the file begin with the byte order mark of UTF-16?"""
    return data.startswith(_UTF16)


def _remedy(path: str) -> str:
    """Office programs often save tables in other encodings, which the converter reads."""
    table = path.lower().endswith(_TABLES)
    words = ["gate", "cases", "convert", path, f"{path.rpartition('.')[0]}.jsonl"]
    return f"save it as UTF-8{f', or convert it: {shlex.join(words)}' if table else ''}"


def text_complaint(text: str) -> str:
    """Why a text cannot be sent or stored; empty if it can."""
    if "\0" in text:
        return "contains NUL characters"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "contains half of a surrogate pair"
    return ""


Loc: TypeAlias = "tuple[str | int, ...]"
"""The way to a value: keys of mappings and positions in lists."""

_TAG = "tag:yaml.org,2002:"


@dataclass(frozen=True, slots=True)
class Document:
    """Data of a file, or of one line of a JSON Lines file.

    Args:
        line: 1-based line where it begins (in a mapping, that of its key); 0 in a JSON file.
        path: location of `data` inside the file; empty for the whole file.
        node: the composed node of ruamel.yaml; None if the file is not YAML.
    """

    file: str
    data: JsonValue
    line: int = 0
    path: Loc = ()
    node: Node | None = field(default=None, repr=False, compare=False)

    def part(self, *loc: str | int) -> "Document":
        """The value at `loc` as a separate document; its messages still name the place in the file."""
        data: Any = self.data
        for step in loc:
            data = data[step]
        node = self.node and _node_at(self.node, loc)[0]
        return replace(self, data=data, line=self.line_of(*loc), path=(*self.path, *loc), node=node)

    def parts(self) -> "list[Document]":
        """The items of a list; empty if the data is not a list."""
        return [self.part(index) for index in range(len(self.data))] if isinstance(self.data, list) else []

    def entries(self) -> "dict[str, Document]":
        """The values of a mapping; empty if the data is not a mapping."""
        if not isinstance(self.data, dict):
            return {}
        keys = self.node.value if isinstance(self.node, MappingNode) else []
        nodes = {str(key.value): (inner, _line(key)) for key, inner in keys if isinstance(key, ScalarNode)}
        return {
            key: replace(self, data=value, line=line, path=(*self.path, key), node=node)
            for key, value in self.data.items()
            for node, line in (nodes.get(key, (None, self.line)),)
        }

    def get(self, key: str) -> "Document | None":
        """The value of a key; None without the key, or if the data is not a mapping."""
        return self.part(key) if isinstance(self.data, dict) and key in self.data else None

    def line_of(self, *loc: str | int) -> int:
        """1-based line of a value (in a mapping, of its key), or of the nearest enclosing value; 0 in a JSON file."""
        return _node_at(self.node, loc, self.line)[1] if self.node is not None else self.line

    def problem(self, loc: Loc, message: str, hint: str = "") -> Problem:
        """An error in the value at `loc`; `message` is printed as it is."""
        return Problem(printable(self.file), self.line_of(*loc), printable(message), printable(hint))

    def name_of(self, loc: Loc) -> str:
        """The name of the value at `loc` in messages, such as `suites[0].samples`; empty for the whole document."""
        return dotted((*self.path, *loc))


def read_yaml(text: str, file: str) -> Document:
    """One YAML 1.2 document with scalars of the core schema: `no` and `2026-01-01` are text. Data None if empty.

    Errors: tags, duplicate keys, keys that are not scalars, more than `YAML_NODES` values (an alias counts each time
    that it is used), more than `DEPTH` levels. The merge key `<<` works.
    """
    yaml = YAML(typ="safe", pure=True)
    yaml.Composer = partial(_LimitedComposer, file)  # pyrefly: ignore[bad-assignment]
    yaml.composer.warn_double_anchors = False
    try:
        root = yaml.compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = " ".join(str(error.problem or error.context or "cannot be read").split())
        hint = _syntax_hint(message)
        raise one_problem(file, mark.line + 1 if mark else 0, f"invalid YAML: {message[:200]}", hint) from None
    except RecursionError:
        raise one_problem(file, 0, _DEEP) from None
    except (YAMLError, ValueError, OverflowError, NotImplementedError) as error:
        raise one_problem(file, 0, f"invalid YAML: {quoted(' '.join(str(error).split()))}") from None
    reader = _PlainData(file)
    data = None if root is None else reader.value(root, 1)
    if reader.problems:
        raise InputErrors(reader.problems)
    return Document(file, data, line=0 if root is None else _line(root), node=root)


def read_json(text: str, file: str) -> Document:
    """One JSON value; NaN, Infinity and duplicate keys are errors."""
    try:
        return Document(file, parse_json(text))
    except BadJson as bad:
        raise one_problem(file, bad.line, bad.message) from None


_JSONL_HINT = "each line is one JSON value, with keys and texts in double quotes"


def read_jsonl(text: str, file: str, noted: list[Problem] | None = None) -> list[Document]:
    """One document per line; blank lines are skipped.

    Args:
        noted: collects the lines that are not JSON, so that the caller can report them with other errors.
    """
    found: list[Document] = []
    problems: list[Problem] = [] if noted is None else noted
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            if len(line) > LINE_CHARS:
                raise BadJson(f"the line is longer than {LINE_CHARS:,} characters")
            found.append(Document(file, parse_json(line), line=number))
        except BadJson as bad:
            hint = _JSONL_HINT if bad.message.startswith("invalid JSON") else ""
            problems.append(Problem(printable(file), number, printable(bad.message), hint))
    if problems and noted is None:
        raise InputErrors(problems)
    return found


def dotted(loc: Loc) -> str:
    """A location as messages write it: `suites[0].scorers[1].judge`."""
    out = ""
    for step in loc:
        if isinstance(step, int):
            out += f"[{step}]"
        elif step.isprintable() and step and not set(step) & set(".[]= '\""):
            out += f".{step}" if out else step
        else:
            out += f"[{quoted(step)}]"
    return out


def described(value: object) -> str:
    """The words of a message for a value of the wrong type."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case str():
            return quoted(value)
        case int() | float():
            return quoted(repr(value)).strip("'") if abs(value) < 1e300 else "a huge number"
        case list() | tuple():
            return "a list" if value else "an empty list"
        case _:
            return "a mapping"


class _LimitedComposer(Composer):
    """Stops at the first value above the limit: composing takes 50 microseconds per value."""

    def __init__(self, file: str, **parts: Any) -> None:
        super().__init__(**parts)
        self.file, self.seen, self.depth = file, 0, 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.seen += 1
        if self.seen > 2 * YAML_NODES:  # keys count, too
            raise _too_many(self.file, self.parser.peek_event().start_mark.line + 1)
        if self.depth == DEPTH:
            raise one_problem(self.file, self.parser.peek_event().start_mark.line + 1, _DEEP)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _too_many(file: str, line: int) -> InputErrors:
    return one_problem(file, line, f"more than {YAML_NODES:,} values", "split the file, or use fewer aliases")


class _PlainData:
    """Converts composed nodes to plain data; collects errors and continues where possible."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._count = 0

    def value(self, node: Node, depth: int) -> JsonValue:
        self._count += 1
        if self._count > YAML_NODES:
            raise _too_many(self.file, _line(node))
        if depth > DEPTH:
            raise one_problem(self.file, _line(node), _DEEP)
        if isinstance(node, SequenceNode) and node.tag == _TAG + "seq":
            return [self.value(item, depth + 1) for item in node.value]
        if isinstance(node, MappingNode) and node.tag == _TAG + "map":
            return self._mapping(node, depth)
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        self._add_error(node, f"the YAML tag {quoted(str(node.tag))} is not supported", "write plain values")
        return None

    def _mapping(self, node: MappingNode, depth: int) -> dict[str, JsonValue]:
        found: dict[str, JsonValue] = {}
        lines: dict[str, int] = {}
        merged: dict[str, JsonValue] = {}
        for key, inner in node.value:
            if key.tag == _TAG + "merge":
                merged = {**self._merged(inner, depth), **merged}
                continue
            if not isinstance(key, ScalarNode):
                self._add_error(key, "a key must be plain text")
                continue
            name = str(key.value)
            if name in lines:
                self._add_error(
                    key, f"the key {quoted(name)} is already set on line {lines[name]}", "remove one of the two"
                )
            self._check_text(key)
            lines[name] = _line(key)
            found[name] = self.value(inner, depth + 1)
        return {**merged, **found}

    def _merged(self, node: Node, depth: int) -> dict[str, JsonValue]:
        """The entries that the merge key adds; the first of several mappings wins."""
        value = self.value(node, depth + 1)
        found: dict[str, JsonValue] = {}
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                found = {**one, **found}
            else:
                self._add_error(node, "the merge key '<<' needs a mapping")
        return found

    def _scalar(self, node: ScalarNode) -> JsonValue:
        kind, text = str(node.tag).removeprefix(_TAG), str(node.value)
        self._check_text(node)
        # A quoted scalar is a str already; only YAML 1.1 has tags for a date, `=` and `<<`.
        if kind in ("str", "timestamp", "value", "merge"):
            return text
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() == "true"
        if kind in ("int", "float"):
            return self._number(node, text)
        self._add_error(node, f"the YAML tag {quoted(str(node.tag))} is not supported", "write plain values")
        return None

    def _number(self, node: ScalarNode, text: str) -> JsonValue:
        if len(text) > 300:
            self._add_error(node, f"{quoted(text)} is too large a number")
            return None
        if "_" in text or text.lstrip("+-").startswith("0b"):
            return text  # numbers of YAML 1.1, not of the core schema
        try:
            if text.startswith(("0o", "0x")):
                return int(text, 0)
            if text.lstrip("+-").isdigit():
                return int(text)
            number = float(text)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return number
        reason = "too large a number" if math.isinf(number) and "inf" not in text.lower() else "not a usable number"
        self._add_error(node, f"{quoted(text)} is {reason}")
        return None

    def _check_text(self, node: ScalarNode) -> None:
        try:
            str(node.value).encode()
        except UnicodeEncodeError:
            self._add_error(node, "half of a surrogate pair (\\ud800 to \\udfff) is not text")

    def _add_error(self, node: Node, message: str, hint: str = "") -> None:
        self.problems.append(Problem(printable(self.file), _line(node), printable(message), printable(hint)))


def _node_at(root: Node, loc: Loc, line: int = 0) -> tuple[Node | None, int]:
    """The node at `loc` and its line; if there is none, None and the line of the nearest enclosing node."""
    node = root
    for step in loc:
        found = next(_children(node, step), None)
        if found is None:
            return None, line
        node, line = found
    return node, line


def _children(node: Node, step: str | int) -> Iterator[tuple[Node, int]]:
    if isinstance(node, SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
        yield node.value[step], _line(node.value[step])
    if isinstance(node, MappingNode):
        for key, inner in node.value:
            if isinstance(key, ScalarNode) and key.value == str(step):
                yield inner, _line(key)


def _line(node: Node) -> int:
    return node.start_mark.line + 1 if node.start_mark is not None else 0


def _syntax_hint(message: str) -> str:
    if "'\\t'" in message:
        return "indent with spaces, not tabs"
    if "mapping values are not allowed" in message:
        return "put text with ': ' in quotes"
    if "expected a single document" in message or "another document" in message:
        return "use one YAML document per file"
    return ""
