"""Nunjucks, the template language of promptfoo, and where Jinja2 reads the same text differently.

`to_jinja` translates what Jinja2 writes in another way. `render` renders with Jinja2, and raises where Nunjucks would
write something else for these values. https://mozilla.github.io/nunjucks/templating.html
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
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
_ENDS = {"variable_begin": "variable_end", "block_begin": "block_end"}
_OPERAND = re.compile(r"[\w.]+")
_EXACT = 2**53
"""JavaScript counts in whole numbers up to here."""
_LOOP = frozenset("index index0 revindex revindex0 first last length".split())
_TEXT_FILTERS = frozenset("capitalize lower replace title trim truncate upper wordcount indent".split())
_LIST_FILTERS = frozenset("first last list reverse sort join length count".split())
_NUMBER_FILTERS = frozenset("abs float int round".split())
_FILTERS = _TEXT_FILTERS | _LIST_FILTERS | _NUMBER_FILTERS | {"default", "d", "dump", "string"}
_TESTS = frozenset("defined undefined string number mapping none odd even divisibleby lower upper iterable".split())
_WHOLE_NUMBER = re.compile(r"\s*[+-]?[0-9]{1,15}\s*")
_MISSING = "Nunjucks uses a variable without a value in another way"
_PART_OF_TITLE = re.compile(r"[-\t\n\r({\[<]")


class NoValue(str):
    """The empty text that stands for a variable without a value."""


def to_jinja(text: str) -> str:
    """The template in Jinja2; unchanged where both languages read it alike.

    Raises:
        BadTemplate: a word that only Jinja2 knows.
    """
    tokens: list[Token] = []
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
        if kind in _ENDS:
            end = next(place for place in range(at, len(tokens)) if tokens[place][0] == _ENDS[kind])
            inner = tokens[at + 1 : end]
            translation = _translated_tag(inner, kind == "block_begin")
            changed |= translation != "".join(part for _, part in inner)
            value += translation
        pieces.append(value)
        at = end
    return "".join(pieces) if changed else text


def is_jinja(text: str) -> bool:
    """Does Jinja2 write in the same way what a template of Nunjucks says?"""
    try:
        return to_jinja(text) == text
    except BadTemplate:
        return False


def _translated_tag(tokens: list[Token], is_block: bool) -> str:
    words = [token for token in tokens if token[0] != "whitespace"]
    if is_block and words and words[0][1] == "elseif":
        tokens = [("name", "elif") if token == ("name", "elseif") else token for token in tokens]
    if is_block and len(words) > 4 and words[0][1] == "for" and words[2][1] == ",":
        at = next((at for at, token in enumerate(tokens) if token == ("name", "in")), len(tokens))
        pairs = _translated_words(tokens[at + 1 :]).strip()
        return (
            "".join(part for _, part in tokens[:at]) + f"in (({pairs}).items() if ({pairs}) is mapping else {pairs}) "
        )
    text = _translated_words(tokens)
    if is_block:
        return text
    if re.fullmatch(r"[\w.]+/[\w.]+", "".join(part for _, part in words)):
        left, right = (part for part in (piece.strip() for piece in text.split("/")))
        return f" {left} // {right} if {left} % {right} == 0 else {left} / {right} "
    return text.rstrip() + ' else "" ' if _lacks_else(words) else text


def _translated_words(tokens: Sequence[Token]) -> str:
    """The words of a tag, each with its meaning in Jinja2."""
    pieces: list[str] = []
    before, piped = "", 0  # the sign or word before, and where the pipe before a filter is
    for at, (kind, value) in enumerate(tokens):
        after = next((part for name, part in tokens[at + 1 :] if name != "whitespace"), "")
        if kind == "name" and before != ".":
            if value in ("True", "False", "None"):
                raise BadTemplate(f"{value} is a variable to Nunjucks: write {value.lower()}")
            value = "none" if value == "null" else value
        if kind == "name" and before == "." and value == "length" and after != "(":
            pieces[-1], value = "|", "count"
        if kind == "name" and before == "|" and value == "safe":
            del pieces[piped:]  # nothing is escaped
            value = ""
        if kind == "name" and before == "|" and value == "round" and after != "(":
            value = "round | int"
        if value == "=" and at and tokens[at - 1][1] in ("==", "!="):
            value = ""  # ===
        if value == "|":
            piped = len(pieces)
        pieces.append(value)
        before = before if kind == "whitespace" else value
    return "".join(pieces)


def _lacks_else(words: Sequence[Token]) -> bool:
    """Has an expression a condition, and no other value?"""
    depth, waiting = 0, False
    for kind, value in words:
        depth += (value in "([{") - (value in ")]}") if kind == "operator" else 0
        if kind == "name" and depth == 0 and value in ("if", "else"):
            waiting = value == "if"
    return waiting


def render(text: str, variables: Mapping[str, object], seconds: float = RENDERING_S) -> str:
    """The text that Nunjucks and Jinja2 both write.

    Args:
        text: from `to_jinja`.
        variables: `NoValue` for one that is missing.

    Raises:
        BadTemplate: as in `Compiled.render`, or Nunjucks writes something else.
    """
    return compile_template(text, NO_PARTS, _watch).render({**variables, hidden("alike"): _alike}, seconds)


def _watch(tree: nodes.Template) -> None:
    for loop in tree.find_all(nodes.For):
        _check_assignments(loop, tree)
    _Watch().visit(tree)


def _check_assignments(loop: nodes.For, tree: nodes.Template) -> None:
    """In Nunjucks a loop can change a variable from outside, or keep one for its next turn."""
    inside = [*loop.find_all(nodes.Assign)]
    outside = {name for one in tree.find_all(nodes.Assign) if one not in inside for name in _names(one.target)}
    before: set[str] = set()
    for statement in loop.body:
        if isinstance(statement, nodes.Assign) and not _names(statement.target) & (
            before | outside | _names(statement.node)
        ):
            inside.remove(statement)
        before |= _names(statement)
    if inside:
        raise BadTemplate("set inside a loop lasts longer in Nunjucks", loop.lineno)


def _names(node: nodes.Node) -> set[str]:
    own = {node.name} if isinstance(node, nodes.Name) else set[str]()
    return own | {name.name for name in node.find_all(nodes.Name)}


class _Watch(NodeTransformer):
    """Has every value checked that Nunjucks may use in another way."""

    def visit_Output(self, node: nodes.Output) -> nodes.Output:
        self.generic_visit(node)
        node.nodes = [part if isinstance(part, nodes.TemplateData) else _check("text", part) for part in node.nodes]
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Concat:
        self.generic_visit(node)
        node.nodes = [_check("joined", part) for part in node.nodes]
        return node

    def visit_If(self, node: nodes.If) -> nodes.If:
        self.generic_visit(node)
        node.test = _check("truth", node.test)
        return node

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.CondExpr:
        self.generic_visit(node)
        node.test = _check("truth", node.test)
        return node

    def visit_Not(self, node: nodes.Not) -> nodes.Not:
        self.generic_visit(node)
        node.node = _check("truth", node.node)
        return node

    def visit_And(self, node: nodes.And) -> nodes.And:
        self.generic_visit(node)
        node.left = _check("truth", node.left)
        return node

    def visit_Or(self, node: nodes.Or) -> nodes.Or:
        self.generic_visit(node)
        node.left = _check("truth", node.left)
        return node

    def visit_For(self, node: nodes.For) -> nodes.For:
        self.generic_visit(node)
        node.iter = _check("pairs" if isinstance(node.target, nodes.Tuple) else "items", node.iter)
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Compare:
        self.generic_visit(node)
        if len(node.ops) > 1:
            raise BadTemplate("a chain of comparisons means something else in Nunjucks", node.lineno)
        node.expr = _check("compared", node.expr, node.ops[0].expr, nodes.Const(node.ops[0].op))
        return node

    def visit_Add(self, node: nodes.Add) -> nodes.BinExpr:
        return self._calculation(node, "added")

    def _calculation(self, node: nodes.BinExpr, kind: str = "number") -> nodes.BinExpr:
        self.generic_visit(node)
        node.left, node.right = _check(kind, node.left), _check(kind, node.right)
        return node

    visit_Sub = visit_Mul = visit_Div = visit_FloorDiv = visit_Pow = _calculation

    def visit_Mod(self, node: nodes.Mod) -> nodes.BinExpr:
        return self._calculation(node, "positive")

    def visit_Getattr(self, node: nodes.Getattr) -> nodes.Expr:
        self.generic_visit(node)
        if isinstance(node.node, nodes.Name) and node.node.name == "loop" and node.attr not in _LOOP:
            raise BadTemplate(f"loop.{node.attr} does not exist in Nunjucks", node.lineno)
        node.node = _check("owner", node.node)
        return _check("member", node)

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Expr:
        self.generic_visit(node)
        node.node = _check("sliced" if isinstance(node.arg, nodes.Slice) else "owner", node.node)
        if not isinstance(node.arg, nodes.Slice):
            node.arg = _check("key", node.arg)
        return _check("member", node)

    def visit_Call(self, node: nodes.Call) -> nodes.Call:
        if isinstance(node.node, nodes.Getattr) and node.node.attr == "items":
            node.node.node = self.visit(node.node.node)
        elif not (isinstance(node.node, nodes.Name) and node.node.name == "range"):
            raise BadTemplate("a call of a function or method means something else in Nunjucks", node.lineno)
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def visit_Filter(self, node: nodes.Filter) -> nodes.Filter:
        self.generic_visit(node)
        if node.name not in _FILTERS or node.kwargs or node.dyn_args or node.dyn_kwargs or node.node is None:
            raise BadTemplate(f"the filter {node.name} means something else in Nunjucks", node.lineno)
        node.node = _check("filter", node.node, nodes.Const(node.name), *node.args)
        return node

    def visit_Test(self, node: nodes.Test) -> nodes.Test:
        self.generic_visit(node)
        if node.name not in _TESTS:
            raise BadTemplate(f"the test {node.name} means something else in Nunjucks", node.lineno)
        node.node = _check("tested", node.node, nodes.Const(node.name))
        return node


def _check(kind: str, value: nodes.Node, *others: nodes.Node) -> nodes.Call:
    return call("alike", nodes.Const(kind, lineno=value.lineno), value, *others)


def _alike(kind: str, value: Any, *others: Any) -> Any:
    """The value itself, if Nunjucks uses it in the same way."""
    if reason := _difference(kind, value, others):
        raise BadTemplate(reason)
    return value


def _difference(kind: str, value: Any, others: Sequence[Any]) -> str:
    """What Nunjucks does with a value where Jinja2 does something else; empty where they agree."""
    match kind:
        case "filter":
            return _filtered(value, str(others[0]), others[1:])
        case "compared":
            return _compared(value, others[0], others[1])
        case "tested":
            return _tested(value, str(others[0]))
        case "added" | "number" | "positive":
            return _calculated(value, kind)
        case "items" | "pairs":
            return _looped(value, kind)
        case "text" | "joined":
            return _MISSING if kind == "joined" and isinstance(value, NoValue) else _written(value)
        case "truth" if isinstance(value, (list, tuple, dict)) and not value:
            return "an empty list or mapping is true in Nunjucks"
        case "truth" | "member":
            is_method = callable(value) and not isinstance(value, Undefined)
            return "a method of Jinja2 is no value in Nunjucks" if is_method else ""
    return _located(value, kind)


def _located(value: Any, kind: str) -> str:
    if kind == "owner" and isinstance(value, NoValue):
        return _MISSING
    if kind == "sliced" and not isinstance(value, (list, tuple)):
        return "a part of a text is a list in Nunjucks"
    if kind == "key" and isinstance(value, int) and value < 0:
        return "a list has no negative places in Nunjucks"
    return ""


def _looped(value: Any, kind: str) -> str:
    if kind == "items":
        return "a loop with one name has no turns for a mapping in Nunjucks" if isinstance(value, dict) else ""
    if isinstance(value, list):
        return "" if all(isinstance(item, list) for item in value) else "a loop with several names needs lists"
    numbered = any(str(key).isdecimal() for key, *_ in _list(value))
    return "numbers as keys come first in Nunjucks" if numbered else ""


def _calculated(value: Any, kind: str) -> str:
    if isinstance(value, NoValue):
        return _MISSING
    if value is None or isinstance(value, (list, tuple, dict, bool)) or isinstance(value, str) and kind != "added":
        return "Nunjucks calculates with values of this kind in another way"
    return "the remainder of a negative number has another sign in Nunjucks" if kind == "positive" and value < 0 else ""


def _tested(value: Any, name: str) -> str:
    said = f"the test {name} has another result in Nunjucks"
    if name in ("odd", "even") and not (isinstance(value, int) and value >= 0):
        return said
    return said if isinstance(value, (NoValue, bool)) or name == "iterable" and isinstance(value, dict) else ""


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, (str, Undefined)) else []


def _written(value: Any) -> str:
    """Why a value is written as another text."""
    if isinstance(value, (str, bool, Undefined)):
        return ""
    if isinstance(value, int):
        return "" if abs(value) < _EXACT else "a number of this size is not exact in Nunjucks"
    if isinstance(value, float):
        same = math.isfinite(value) and not value.is_integer() and "e" not in repr(value)
        return "" if same else f"Nunjucks does not write the number {value!r} like this"
    if value is None:
        return "Nunjucks writes nothing for null"
    if isinstance(value, dict):
        return "Nunjucks writes a mapping as [object Object]"
    return 'Nunjucks writes a list with commas: join(",")'


def _compared(one: Any, other: Any, operator: str) -> str:
    if isinstance(one, NoValue) or isinstance(other, NoValue):
        return "a variable without a value is compared"
    if operator in ("in", "notin"):
        return "" if isinstance(other, (str, list, tuple, dict)) else "in needs a text or a list"
    kinds = [
        "number" if isinstance(side, (int, float)) and not isinstance(side, bool) else type(side).__name__
        for side in (one, other)
    ]
    if kinds[0] != kinds[1] and "NoneType" not in kinds or set(kinds) & {"list", "tuple", "dict"}:
        return "Nunjucks compares values of these kinds in another way"
    return ""


def _filtered(value: Any, name: str, options: Sequence[Any]) -> str:
    """Why a filter of that name has another result."""
    said = f"the filter {name} has another result in Nunjucks"
    if name in ("default", "d"):
        # An empty list is no reason for the default there.
        return said if isinstance(value, NoValue) or options[1:] and value in ([], {}) else ""
    if isinstance(value, Undefined):
        return said
    if name == "dump":
        return said if isinstance(value, NoValue) else _dumped(value)
    if name == "string":
        return _written(value)
    if name in _TEXT_FILTERS:
        return said if not isinstance(value, str) or _as_text(value, name, options) else ""
    if name in _NUMBER_FILTERS:
        return said if _as_number(value, name, options) else ""
    if name in ("length", "count"):
        # Only the property, which is a count here, is of no mapping; JavaScript counts an emoji as two.
        kinds = (list, str) if name == "count" else (list, str, dict)
        return "" if isinstance(value, kinds) and all(ord(sign) < 2**16 for sign in str(value)) else said
    if name in ("first", "last", "list", "reverse"):
        return "" if isinstance(value, (list, str)) and value else said
    items = value if isinstance(value, list) else []
    if not isinstance(value, list) or options[1:] or any(map(_written, items)):
        return said
    return said if name == "sort" and len({type(item) for item in items}) > 1 else ""


def _as_text(value: str, name: str, options: Sequence[Any]) -> bool:
    """Has a filter of texts another result?"""
    if name == "title":
        return _PART_OF_TITLE.search(value) is not None
    if name == "truncate":
        return len(value) > (options[0] if options and isinstance(options[0], int) else 255)
    if name == "wordcount":
        return not value.isascii()
    if name == "indent":
        return any(not line for line in value.split("\n")[1:])
    if name == "replace":
        return len(options) != 2 or not all(isinstance(option, str) for option in options) or not options[0]
    return False


def _as_number(value: Any, name: str, options: Sequence[Any]) -> bool:
    """Has a filter of numbers another result?"""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return name not in ("int", "float") or not (isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value))
    if name != "round":
        return False
    if options[1:] or options and not isinstance(options[0], int):
        return True
    factor = 10 ** (options[0] if options else 0)
    return math.floor(value * factor + 0.5) / factor != round(value, options[0] if options else 0)


def _dumped(value: Any) -> str:
    if isinstance(value, (list, tuple, dict)):
        inner = value.values() if isinstance(value, dict) else value
        return next(filter(None, map(_dumped, inner)), "")
    return "" if value is None else _written(value)
