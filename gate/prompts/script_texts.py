"""Texts of a JavaScript or TypeScript file, read from its syntax tree: nothing of it runs."""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from gate.prompts.expressions import (
    HIDDEN,
    Definitions,
    Work,
    dedented,
    touched,
)
from gate.prompts.placeholders import Pieces, mapped
from gate.prompts.script_names import (
    DEFAULT,
    ScriptExpression,
    arguments_of,
    below,
    dotted,
    field_of,
    key_of,
    lines_of,
    longest,
    parts_of,
    quoted_texts,
    source_of,
    unwrapped,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_VALUES = frozenset(("number", "true", "false", "null"))


_TRIMS: dict[str, Callable[[str], str]] = {"trim": str.strip, "trimStart": str.lstrip, "trimEnd": str.rstrip}


def script_work(definitions: Definitions[ScriptExpression]) -> Work[ScriptExpression]:
    """What reads the texts of these definitions."""
    told = _source_of
    return Work(definitions, _text, lambda one: lines_of(one.node)[0], told, _code, _names, _is_foreign, _is_text)


def _source_of(expression: ScriptExpression) -> str:
    return source_of(expression.node)


def _code(expression: ScriptExpression) -> str:
    tokens = " ".join(source_of(node) for node in below(expression.node) if not node.child_count)
    return re.sub(r" ,(?= [)\]}])", "", tokens)


def _names(expression: ScriptExpression, definitions: Definitions[ScriptExpression]) -> Iterator[str]:
    waiting = [expression.node]
    while waiting:
        node = waiting.pop()
        if name := _used_name(node):
            for one in _place(name, expression, definitions):
                yield from (each for each in (one, touched(one)) if each in definitions)
        else:
            waiting += node.named_children


def _used_name(node: "Node") -> str:
    if node.type in ("member_expression", "subscript_expression") and field_of(node, "object") in ("this", "super"):
        last = node.child_by_field_name("property") or node.child_by_field_name("index")
        return f"this.{key_of(last)}" if last is not None and last.type in ("property_identifier", "string") else "this"
    if node.type == "this":
        return "this"
    return source_of(node) if node.type == "shorthand_property_identifier" else dotted(node)


def _place(name: str, expression: ScriptExpression, definitions: Definitions[ScriptExpression]) -> Iterator[str]:
    """The name of the file that a dotted name begins with."""
    root, _, rest = name.partition(".")
    if root == "this":
        owner = expression.scope.removesuffix(f".{HIDDEN}.").rpartition(".")[0]
        # The whole object may be anything in its class.
        yield from _inherited(owner, rest, definitions) if rest else (one for one in [owner] if one in definitions)
        return
    given = root in expression.parameters
    for scope in [expression.scope] if given else [expression.scope, ""]:
        if one := longest(scope, f"{root}{DEFAULT}" if given else name, definitions):
            yield one
            return


def _inherited(owner: str, name: str, definitions: Definitions[ScriptExpression]) -> Iterator[str]:
    """What gives an object's attribute its value: its class, or the one that this inherits from."""
    seen = set[str]()
    while owner and owner not in seen and owner in definitions:
        seen.add(owner)
        found = [one for scope in (f"{owner}.{HIDDEN}.", f"{owner}.") if (one := longest(scope, name, definitions))]
        node = definitions[owner][0].value.node
        if found or "class" not in node.type:
            yield next(iter(found), owner)
            return
        heritage = next((one for one in node.named_children if one.type == "class_heritage"), None)
        bases = [] if heritage is None else [dotted(one) for one in below(heritage)]
        owner = next(filter(None, bases), "")


_PLATFORM = frozenset("assert buffer crypto fs fs/promises os path process url util".split())
"""Modules that come with the language; `node:` before a name says the same."""


_READERS = frozenset("readFileSync readFile readTextFile import".split())
"""Functions whose results come from files."""


def _is_foreign(place: ScriptExpression) -> bool:
    """May a value come from another file of the repository?"""
    if place.node.type == "import_statement":
        return not _is_platform(place.node.child_by_field_name("source"))
    for node in (node for node in below(place.node) if node.type == "call_expression"):
        called = field_of(node, "function")
        if called.rpartition(".")[2] in _READERS:
            return True
        if called == "require" and not _is_platform(next(iter(arguments_of(node)), None)):
            return True
    return False


def _is_platform(source: "Node | None") -> bool:
    module = "" if source is None else source_of(source).strip("'\"`")
    return module.startswith("node:") or module in _PLATFORM


def _is_text(expression: ScriptExpression) -> bool:
    return expression.node.type not in _VALUES


def _text(expression: ScriptExpression, work: Work[ScriptExpression]) -> Pieces:
    if not expression.readable:
        raise work.computed(expression)
    node = unwrapped(expression.node)
    match node.type:
        case "string":
            return work.joined(expression, [work.literal(expression, text) for text in quoted_texts(node, expression)])
        case "template_string":
            return _template(expression.at(node), work)
        case kind if kind in _VALUES:
            return (source_of(node),)
        case "binary_expression" if field_of(node, "operator") == "+":
            return work.joined(expression, [work.text(expression.at(one)) for one in _summands(node)])
        case "identifier" | "member_expression" | "subscript_expression" | "shorthand_property_identifier":
            return _named(expression.at(node), work)
        case "call_expression":
            return _call(expression.at(node), work)
    raise work.computed(expression)


def _summands(node: "Node") -> "list[Node]":
    found: list[Node] = []
    while node.type == "binary_expression" and field_of(node, "operator") == "+":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            break
        found.append(right)
        node = left
    return [node, *reversed(found)]


def _template(expression: ScriptExpression, work: Work[ScriptExpression], *, raw: bool = False) -> Pieces:
    texts: list[Pieces] = []
    for part in parts_of(expression, raw=raw):
        if isinstance(part, str):
            texts.append(work.literal(expression, part))
            continue
        inner = next((one for one in part.named_children if one.type != "comment"), part)
        texts.append(work.value(expression.at(inner), source_of(inner)))
    return work.joined(expression, texts)


def _named(expression: ScriptExpression, work: Work[ScriptExpression]) -> Pieces:
    """The text of a name, or a variable where it is a parameter or a part of one."""
    node = expression.node
    name = source_of(node) if node.type == "shorthand_property_identifier" else dotted(node)
    if name and expression.scope + name in work.definitions:
        return work.constant(expression.scope + name, expression)
    if name.split(".")[0] in expression.parameters:
        return (work.variable(expression, name),)
    if not name:
        raise work.computed(expression)
    return work.constant(name, expression)


def _call(expression: ScriptExpression, work: Work[ScriptExpression]) -> Pieces:
    """`.trim()`, `[…].join("…")`, `dedent` and `String.raw`."""
    node = expression.node
    called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if called is None or arguments is None:
        raise work.computed(expression)
    name, given = source_of(called), arguments_of(node)
    if arguments.type == "template_string":
        if name not in ("dedent", "String.raw"):
            raise work.computed(expression)
        text = _template(expression.at(arguments), work, raw=name == "String.raw")
        return text if name == "String.raw" else mapped(dedented(text), str.strip)
    if name == "dedent" and len(given) == 1:
        return mapped(dedented(work.text(expression.at(given[0]))), str.strip)
    method, inner = field_of(called, "property"), called.child_by_field_name("object")
    if inner is not None and method in _TRIMS and not given:
        return mapped(work.text(expression.at(inner)), _TRIMS[method])
    if inner is not None and inner.type == "array" and method == "join" and len(given) == 1:
        parts = [work.text(expression.at(one)) for one in inner.named_children if one.type != "comment"]
        return work.joined(expression, parts, work.text(expression.at(given[0])))
    raise work.computed(expression)
