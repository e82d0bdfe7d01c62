"""Nunjucks, the template language of promptfoo, and where Jinja2 reads the same text differently.

`to_jinja` translates the few words that Jinja2 writes in another way. `render` renders with Jinja2 what both languages
have, and raises where Nunjucks has something else, or would write something else for these values.
https://mozilla.github.io/nunjucks/templating.html
"""

import math
import operator
import re
from collections.abc import Callable, ItemsView, Mapping, Sequence
from typing import Any

from jinja2 import Undefined, nodes
from jinja2.exceptions import TemplateSyntaxError
from jinja2.visitor import NodeTransformer

from gate.limits import RENDERING_S
from gate.messages import NO_PARTS
from gate.templates.rendering import call, compile_template, hidden
from gate.templates.sandbox import BadTemplate, sandbox

Token = tuple[str, str]
"""Kind and text, as Jinja's lexer divides a template."""
_TAGS = {"variable_begin": "variable_end", "block_begin": "block_end"}
_PAIRS = re.compile(r"(\s*for\s+\w+\s*,\s*\w+\s+in\s+)(.+?)(\s*)", re.DOTALL)


class NoValue(str):
    """The empty text that stands for a variable without a value."""


def to_jinja(text: str) -> str:
    """The template in Jinja2; unchanged where both languages read it alike.

    Raises:
        BadTemplate: a word that only Jinja2 knows.
    """
    try:
        tokens = [(kind, value) for _, kind, value in sandbox().lexer.tokeniter(text, None)]
    except TemplateSyntaxError:
        return text  # compiling it says what is wrong
    pieces: list[str] = []
    at = 0
    changed = False
    while at < len(tokens):
        kind, value = tokens[at]
        end = at + 1
        if kind in _TAGS:
            end = next((place for place in range(at, len(tokens)) if tokens[place][0] == _TAGS[kind]), -1)
            if end < 0:
                return text  # the tag is not closed, which compiling it says
            tag = tokens[at + 1 : end]
            translation = _translated_block(tag) if kind == "block_begin" else _translated_value(tag)
            changed |= translation != "".join(part for _, part in tag)
            value += translation
        pieces.append(value)
        at = end
    return "".join(pieces) if changed else text


def as_jinja(text: str) -> str:
    """The template in Jinja2, which reads it in the same way.

    Raises:
        BadTemplate: a part means something else in the other language.
    """
    translation = to_jinja(text)
    compile_template(translation, NO_PARTS, _watch)
    return translation


def check_as_jinja(text: str) -> None:
    """Check that Jinja2 reads the words of a template of Nunjucks in the same way.

    Raises:
        BadTemplate: it does not.
    """
    if as_jinja(text) != text:
        raise BadTemplate("a word of Nunjucks has another form in Jinja2")


def _translated_block(tokens: Sequence[Token]) -> str:
    text = re.sub(r"^(\s*)elseif\b", r"\1elif", _translated_words(tokens))
    pairs = _PAIRS.fullmatch(text)
    return f"{pairs[1]}({pairs[2]}).items(){pairs[3]}" if pairs else text


def _translated_value(tokens: Sequence[Token]) -> str:
    names = {value for kind, value in tokens if kind == "name"}
    text = _translated_words(tokens)
    return f'{text.rstrip()} else "" ' if "if" in names and "else" not in names else text


def _translated_words(tokens: Sequence[Token]) -> str:
    pieces: list[str] = []
    before = ""
    for kind, value in tokens:
        if kind == "name" and before != ".":
            if value in ("True", "False", "None"):
                raise BadTemplate(f"{value} is a variable to Nunjucks: write {value.lower()}")
            value = "none" if value == "null" else value
        elif value == "length" and pieces[-1:] == ["."]:
            pieces[-1], value = "|", "count"
        elif value == "=" and before in ("==", "!="):
            value = ""  # ===
        pieces.append(value)
        before = before if kind == "whitespace" else value
    return "".join(pieces)


def render(text: str, variables: Mapping[str, object], seconds: float = RENDERING_S) -> str:
    """The text that Nunjucks and Jinja2 both write.

    Args:
        text: from `to_jinja`.
        variables: `NoValue` for one that is missing or null.

    Raises:
        BadTemplate: as in `Compiled.render`, or Nunjucks has or writes something else.
    """
    helpers = {hidden("alike"): _alike, hidden("compare"): _compare}
    return compile_template(text, NO_PARTS, _watch).render({**variables, **helpers}, seconds)


_LOOP = frozenset("index index0 revindex revindex0 first last length".split())
_FILTERS = frozenset("capitalize count d default dump first join last length lower replace safe trim upper".split())
_TESTS = frozenset("defined undefined none string number mapping".split())
_ALIKE = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.Assign, nodes.Name, nodes.Const, nodes.List,
    nodes.Dict, nodes.Pair, nodes.CondExpr, nodes.And, nodes.Or, nodes.Not, nodes.Neg, nodes.Add, nodes.Sub, nodes.Mul,
)  # fmt: skip
"""What means the same in both languages; what a method of `_Watch` visits means the same in part."""
_CHECKED: Mapping[type[nodes.Node], Mapping[str, str]] = {
    **dict.fromkeys((nodes.If, nodes.CondExpr), {"test": "as a condition"}),
    **dict.fromkeys((nodes.And, nodes.Or), {"left": "as a condition"}),
    **dict.fromkeys((nodes.Sub, nodes.Mul), {"left": "in a calculation", "right": "in a calculation"}),
    nodes.Add: {"left": "with +", "right": "with +"},
    nodes.Not: {"node": "as a condition"},
    nodes.Neg: {"node": "in a calculation"},
}
"""Parts of a node whose values are checked, and how they are used."""


def _watch(tree: nodes.Template) -> None:
    _Watch().visit(tree)


class _Watch(NodeTransformer):
    """Refuses what Nunjucks reads differently, and has each value checked that it may use in another way."""

    def generic_visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> nodes.Node:
        if not isinstance(node, _ALIKE):
            raise _other(f"a tag or expression of Jinja2 ({type(node).__name__.lower()})", node)
        super().generic_visit(node)
        for part, kind in _CHECKED.get(type(node), {}).items():
            setattr(node, part, _check(kind, getattr(node, part)))
        return node

    def visit_Output(self, node: nodes.Output) -> nodes.Node:
        self.generic_visit(node)
        node.nodes = [part if isinstance(part, nodes.TemplateData) else _check("as text", part) for part in node.nodes]
        return node

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.Node:
        if node.expr2 is None:
            raise _other("if without else", node)
        return self.generic_visit(node)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        node.nodes = [_check("with ~", self.visit(part)) for part in node.nodes]
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:
        if node.test or node.recursive:
            raise _other("a condition or recursion of a loop", node)
        if any(node.find_all(nodes.Assign)):
            raise _other("set inside of a loop", node)
        pairs = _items_of(node.iter) if isinstance(node.target, nodes.Tuple) else None
        if pairs is not None:
            pairs.node = self.visit(pairs.node)
        else:
            node.target, node.iter = self.visit(node.target), self.visit(node.iter)
        node.iter = _check("in a loop" if pairs is None else "in a loop with two names", node.iter)
        node.body = [self.visit(part) for part in node.body]
        node.else_ = [self.visit(part) for part in node.else_]
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:
        if len(node.ops) > 1:
            raise _other("a chain of comparisons", node)
        (operand,) = node.ops
        return call("compare", self.visit(node.expr), self.visit(operand.expr), nodes.Const(operand.op))

    def visit_Getattr(self, node: nodes.Getattr) -> nodes.Node:
        if isinstance(node.node, nodes.Name) and node.node.name == "loop" and node.attr not in _LOOP:
            raise _other(f"loop.{node.attr}", node)
        node.node = self.visit(node.node)
        return _check("as a method", node)

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:
        key = node.arg.value if isinstance(node.arg, nodes.Const) else None
        if not isinstance(key, str) and not (type(key) is int and key >= 0):
            raise _other("[ ] with anything else than a word or number", node)
        owner = self.visit(node.node)
        node.node = owner if isinstance(key, str) else _check("with [ ]", owner)
        return _check("as a method", node)

    def visit_Call(self, node: nodes.Call) -> nodes.Node:
        if not (isinstance(node.node, nodes.Name) and node.node.name == "range") or node.kwargs:
            raise _other("a call of a function or method", node)
        node.args = [_check("in a calculation", self.visit(argument)) for argument in node.args]
        return node

    def visit_Filter(self, node: nodes.Filter) -> nodes.Node:
        more = node.kwargs or node.dyn_args or node.dyn_kwargs
        if node.name not in _FILTERS or node.node is None or more or not _has_same_arguments(node):
            raise _other(f"the filter {node.name}", node)
        name = "default, true" if node.name in ("d", "default") and node.args[1:] else node.name
        node.node = _check(f"with {name}", self.visit(node.node))
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def visit_Test(self, node: nodes.Test) -> nodes.Node:
        if node.name not in _TESTS:
            raise _other(f"the test {node.name}", node)
        node.node = _check("in a test", self.visit(node.node))
        return node


def _items_of(iterated: nodes.Node) -> nodes.Getattr | None:
    """The part `x.items` of `x.items()`."""
    method = iterated.node if isinstance(iterated, nodes.Call) else None
    return method if isinstance(method, nodes.Getattr) and method.attr == "items" else None


def _has_same_arguments(node: nodes.Filter) -> bool:
    given = [argument.value if isinstance(argument, nodes.Const) else None for argument in node.args]
    match node.name:
        case "default" | "d":
            return len(given) == 1 or len(given) == 2 and given[1] is True
        case "join":
            return not given or len(given) == 1 and isinstance(given[0], str)
        case "replace":
            return len(given) == 2 and all(isinstance(one, str) for one in given) and given[0] != ""
        case "dump":
            return not given or len(given) == 1 and type(given[0]) is int and 0 < given[0] <= 10
    return not given


def _other(what: str, node: nodes.Node) -> BadTemplate:
    return BadTemplate(f"{what} means something else in Nunjucks", node.lineno)


def _check(kind: str, value: nodes.Node) -> nodes.Call:
    return call("alike", nodes.Const(kind, lineno=value.lineno), value)


def _alike(kind: str, value: Any) -> Any:
    """The value itself, if Nunjucks uses it in the same way."""
    if not isinstance(value, Undefined) and not _IS_ALIKE[kind](value):
        raise BadTemplate(f"Nunjucks uses {_NAMES.get(type(value), 'this value')} in another way {kind}")
    return value


_NAMES = {
    NoValue: "a variable without a value",
    str: "a text",
    bool: "a truth value",
    list: "a list",
    dict: "a mapping",
}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, NoValue)


def _is_indexed(value: Any) -> bool:
    """A list, or a text whose signs have one number each in JavaScript, as an emoji has not."""
    return isinstance(value, list) or _is_text(value) and all(ord(sign) < 2**16 for sign in value)


def _is_written_alike(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value) and not value.is_integer() and "e" not in repr(value)
    return isinstance(value, (str, bool)) or isinstance(value, int) and abs(value) < 2**53


def _is_dumped_alike(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_dumped_alike, value))
    if isinstance(value, dict):
        # Numbers as keys come first in JavaScript.
        return not any(key.isdecimal() for key in value) and all(map(_is_dumped_alike, value.values()))
    return value is None or not isinstance(value, NoValue) and _is_written_alike(value)


_IS_ALIKE: Mapping[str, Callable[[Any], bool]] = {
    **{f"with {name}": _is_text for name in ("lower", "replace", "safe", "trim", "upper")},
    **dict.fromkeys(("with first", "with last"), lambda value: _is_indexed(value) and bool(value)),
    **dict.fromkeys(("with default", "with d"), lambda value: not isinstance(value, NoValue)),
    "with +": lambda value: _is_number(value) or _is_text(value),
    "with ~": lambda value: not isinstance(value, NoValue) and _is_written_alike(value),
    "with capitalize": lambda value: _is_text(value) and value.isascii(),
    "with count": _is_indexed,
    "with default, true": lambda value: value not in ([], {}),
    "with dump": _is_dumped_alike,
    "in a loop": lambda value: isinstance(value, (list, range, NoValue)),
    "with join": lambda value: isinstance(value, list) and all(map(_is_written_alike, value)),
    "with length": lambda value: _is_indexed(value) or isinstance(value, dict),
    "with [ ]": _is_indexed,
    "as a method": lambda value: not callable(value),
    "in a calculation": _is_number,
    "in a loop with two names": lambda value: (
        isinstance(value, ItemsView) and not any(str(key).isdecimal() for key, _ in value)
    ),
    "in a test": lambda value: not isinstance(value, (NoValue, bool)),
    "as text": _is_written_alike,
    "as a condition": lambda value: not callable(value) and value not in ([], {}),
}
"""Does Nunjucks use a value in the same way, by how it is used?"""


_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "lteq": operator.le,
    "gt": operator.gt,
    "gteq": operator.ge,
    "in": lambda one, other: one in other,
    "notin": lambda one, other: one not in other,
}


def _compare(one: Any, other: Any, name: str) -> Any:
    """The result of a comparison, if Nunjucks has the same."""
    if not isinstance(one, Undefined) and not isinstance(other, Undefined) and not _is_compared_alike(one, other, name):
        raise BadTemplate("Nunjucks compares these values differently")
    return _OPERATORS[name](one, other)


def _is_compared_alike(one: Any, other: Any, name: str) -> bool:
    if isinstance(one, NoValue) or isinstance(other, NoValue):
        return False
    if name in ("in", "notin"):
        inside = (
            isinstance(other, (str, dict)) or isinstance(other, list) and not any(isinstance(x, bool) for x in other)
        )
        return inside and (isinstance(one, str) or isinstance(other, list) and _is_number(one))
    if name in ("eq", "ne") and (one is None or other is None):
        return True
    return _is_number(one) and _is_number(other) or type(one) is type(other) and isinstance(one, (str, bool))
