"""Writes and edits YAML for people with ruamel.yaml's round trip, which keeps comments and order."""

import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.emitter import Emitter
from ruamel.yaml.error import CommentMark, YAMLError
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, FoldedScalarString, LiteralScalarString
from ruamel.yaml.tag import Tag
from ruamel.yaml.tokens import CommentToken

from gate.config.documents import read_yaml
from gate.errors import GateError, InputErrors
from gate.values import JsonValue

_SHORT = 100
"""Columns of a list or mapping on one line."""
_WIDE = 10**6
"""No line is broken."""
_BARE = re.compile(r"[A-Za-z_][\w./-]*(?: [\w./-]+)*", re.ASCII)
"""A text that no reader takes for anything else; all others stand in quotation marks."""
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"})
"""To readers of YAML 1.1 these are no texts."""


class YamlFile:
    """A YAML file that is being edited.

    Attributes:
        data: mappings and lists of ruamel.yaml, to be changed in place; scalars are texts as in the file.
    """

    def __init__(self, text: str) -> None:
        text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self._yaml = _round_trip()
        self._yaml.explicit_start = text.startswith("---")
        self.data: Any = self._yaml.load(text)

    def text(self) -> str:
        """The text with all changes."""
        stream = io.StringIO()
        self._yaml.dump(self.data, stream)
        return stream.getvalue()


def dumped(value: JsonValue) -> str:
    """A value as YAML: multi-line texts in literal blocks, short lists and mappings on one line."""
    stream = io.StringIO()
    _round_trip().dump(styled(value, whole=True), stream)
    text = stream.getvalue()
    # This is the document end marker: a line of a text would be indented.
    return text[:-4] if text.endswith("\n...\n") else text


def lines_of(value: JsonValue, columns: int = 0) -> list[str]:
    """The lines of a value as YAML.

    Args:
        columns: indentation; empty lines stay empty.
    """
    lines = dumped(value).removesuffix("\n").split("\n")
    return [" " * columns + line if line else line for line in lines]


def flow(value: JsonValue) -> str:
    """A value as YAML on one line."""
    listed = CommentedSeq([styled(value)])
    listed.fa.set_flow_style()
    stream = io.StringIO()
    _round_trip().dump(listed, stream)
    return stream.getvalue().strip()[1:-1]


def rewritten(text: str, file: str, data: JsonValue) -> str:
    """The text of a file with new data; unchanged parts keep their style and comments.

    Args:
        data: the new data; lists must not become shorter.

    Raises:
        GateError: the file has YAML that cannot be edited safely, such as aliases.
    """
    old = read_yaml(text.removeprefix("\ufeff"), file).data
    if same(old, data):
        return text
    unsafe = GateError(f"{file} has YAML that cannot be edited safely", "use plain YAML, without anchors and tags")
    try:
        source = YamlFile(text)
        if isinstance(old, dict) and isinstance(data, dict):
            update(source.data, old, data)
        elif isinstance(old, list) and isinstance(data, list):
            _update_list(source.data, old, data)
        after = source.text()
        safe = same(read_yaml(after, file).data, data)
    except (LookupError, TypeError, ValueError, YAMLError, InputErrors):
        raise unsafe from None
    if not safe:
        raise unsafe
    return after


def styled(value: JsonValue, *, whole: bool = False) -> Any:
    """A value for ruamel.yaml in a readable style.

    Args:
        whole: block style even if it is short.
    """
    if isinstance(value, str):
        return _text(value)
    if not isinstance(value, (dict, list)):
        return json.dumps(value)  # a plain scalar
    flow = not whole and _short(value)
    if isinstance(value, dict):
        mapping = CommentedMap((_text(key, key=True), styled(inner)) for key, inner in value.items())
        mapping.fa.set_flow_style() if flow or not value else mapping.fa.set_block_style()
        return mapping
    items = CommentedSeq(styled(inner, whole=not flow and isinstance(inner, dict) and bool(inner)) for inner in value)
    items.fa.set_flow_style() if flow or not value else items.fa.set_block_style()
    return items


def update(mapping: CommentedMap, old: Mapping[str, JsonValue], new: Mapping[str, JsonValue]) -> None:
    """Change the entries of a mapping in place; unchanged ones keep their style and comments."""
    added = [key for key in new if key not in old]
    comment = _take_comment(mapping, list(old)[-1]) if added and old else ""
    for key in [key for key in old if key not in new]:
        del mapping[key]
    for key, value in new.items():
        known = old.get(key)
        if key in old and same(known, value):
            continue
        if isinstance(known, dict) and isinstance(value, dict) and known and value:
            update(mapping[key], known, value)
        elif isinstance(known, list) and isinstance(value, list) and 0 < len(known) <= len(value):
            _update_list(mapping[key], known, value)
        else:
            mapping[key] = styled(value, whole=_is_list_of_mappings(value))
    if comment:
        _put_comment(mapping, added[-1], comment)


def _update_list(listed: CommentedSeq, old: Sequence[JsonValue], new: Sequence[JsonValue]) -> None:
    for at, (before, value) in enumerate(zip(old, new, strict=False)):
        if isinstance(before, dict) and isinstance(value, dict) and before and value:
            update(listed[at], before, value)
        elif not same(before, value):
            listed[at] = styled(value)
    for value in new[len(old) :]:
        append(listed, value)


def append(listed: CommentedSeq, row: JsonValue) -> None:
    """Add an item at the end of a list, after an empty line if the other items have one."""
    if len(listed) > 1 and not listed.fa.flow_style():
        before, last = (_take_comment(listed, at) for at in (len(listed) - 2, len(listed) - 1))
        _put_comment(listed, len(listed) - 2, before)
        _put_comment(listed, len(listed) - 1, last or ("\n" if before.startswith("\n") else ""))
    listed.append(styled(row, whole=not listed.fa.flow_style()))


def remove(listed: CommentedSeq, at: int) -> None:
    """Remove an item from a list; comments before the next item stay."""
    comment = _take_comment(listed, at)
    if at and comment.strip():
        _take_comment(listed, at - 1)
        _put_comment(listed, at - 1, comment)
    del listed[at]


def _take_comment(holder: Any, key: Any) -> str:
    """Remove and return the lines after an entry: ruamel.yaml attaches comments to the entry before them."""
    holder, key = _last_value(holder, key)
    tokens = holder.ca.items.get(key) or ()
    token = next((one for one in tokens if one is not None and not isinstance(one, list)), None)
    if token is None:
        return ""
    whole = isinstance(holder[key], LiteralScalarString | FoldedScalarString)
    first, _, comment = ("", "", token.value) if whole else token.value.partition("\n")
    token.value = "" if whole else first + "\n"
    if not token.value.strip():
        del holder.ca.items[key]
    return str(comment)


def _put_comment(holder: Any, key: Any, comment: str) -> None:
    """Add lines after an entry that has none."""
    if not comment:
        return
    holder, key = _last_value(holder, key)
    tokens = holder.ca.items.get(key) or ()
    token = next((one for one in tokens if one is not None and not isinstance(one, list)), None)
    if token is not None:
        token.value += comment
        return
    whole = isinstance(holder[key], LiteralScalarString | FoldedScalarString)
    token = CommentToken(comment if whole else "\n" + comment, CommentMark(0), None)
    holder.ca.items[key] = [None, None, token, None] if isinstance(holder, CommentedMap) else [token, None]


def _last_value(holder: Any, key: Any) -> tuple[Any, Any]:
    """The innermost list or mapping with the last value of an entry, and its key there."""
    inner = holder[key]
    if isinstance(inner, CommentedMap | CommentedSeq) and inner and not inner.fa.flow_style():
        return _last_value(inner, list(inner)[-1] if isinstance(inner, CommentedMap) else len(inner) - 1)
    return holder, key


def same(one: Any, other: Any) -> bool:
    """Equal as JSON, where 1, 1.0 and true differ (in Python they are equal)."""
    return json.dumps(one, sort_keys=True, default=str) == json.dumps(other, sort_keys=True, default=str)


class _TextResolver(VersionedResolver):
    """Reads every scalar as text, so that numbers, dates and `~` are written as they were."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        if kind is not ScalarNode or not implicit[0]:
            return super().resolve(kind, value, implicit)
        kinds = {"": "tag:yaml.org,2002:null", "<<": "tag:yaml.org,2002:merge"}
        return Tag(suffix=kinds.get(value, "tag:yaml.org,2002:str"))


class _ListIndenter(Emitter):
    """Indents lists, except one that is the whole file."""

    def increase_indent(self, *args: Any, **kwargs: Any) -> None:
        usual = self.best_sequence_indent
        if len(self.indents.values) == 1:
            self.best_sequence_indent = 2
        super().increase_indent(*args, **kwargs)
        self.best_sequence_indent = usual

    def expect_block_sequence_item(self, first: bool = False) -> None:
        usual = self.best_sequence_indent, self.sequence_dash_offset
        if len(self.indents.values) == 1:
            self.best_sequence_indent, self.sequence_dash_offset = 2, 0
        super().expect_block_sequence_item(first)
        self.best_sequence_indent, self.sequence_dash_offset = usual


def _round_trip() -> YAML:
    yaml = YAML(typ="rt")
    yaml.Resolver = _TextResolver
    yaml.Emitter = _ListIndenter
    yaml.preserve_quotes = True
    yaml.width = _WIDE
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def _text(text: str, *, key: bool = False) -> str:
    if _BARE.fullmatch(text) and text.lower() not in _WORDS:
        return text
    found: str = LiteralScalarString(text) if not key and _literal(text) else DoubleQuotedScalarString(text)
    return found


def _literal(text: str) -> bool:
    """Does the text have several lines that every reader reads back unchanged from a literal block?"""
    lines = text.removesuffix("\n").split("\n")
    if "\n" not in text or not lines[0].strip() or not lines[-1].strip() or lines[0].startswith(" "):
        return False
    return all(line.isprintable() and not line.endswith(" ") for line in lines)


def _is_list_of_mappings(value: JsonValue) -> bool:
    return isinstance(value, list) and any(isinstance(one, dict) for one in value)


def _short(value: JsonValue) -> bool:
    return len(json.dumps(value, ensure_ascii=False)) <= _SHORT and not _several_lines(value)


def _several_lines(value: JsonValue) -> bool:
    if isinstance(value, str):
        return _literal(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(_several_lines, inner))
