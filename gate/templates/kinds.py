"""The kinds of values that a template's variables hold, read from its syntax tree."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from jinja2 import nodes
from jinja2.visitor import NodeVisitor

from gate.messages import NO_PARTS, Parts
from gate.templates.rendering import with_parts
from gate.templates.sandbox import sandbox

Use: TypeAlias = Literal["text", "number", "integer", "flag", "list", "mapping", "object", "printed", "tested"]
"""What a place in a template shows of a value. `printed` and `tested` fit several kinds: any value can be printed, and
any can be tested for being there. `mapping` has keys that only the data knows, `object` those that the template names.
"""

_NUMBERS = ("abs", "round", "int", "float")
_TEXTS = ("capitalize", "indent", "lower", "replace", "title", "trim", "truncate", "upper", "wordcount")
_LISTS = ("first", "join", "last", "max", "min", "reject", "select", "sort", "unique")
_ATTRIBUTES = ("map", "rejectattr", "selectattr", "sort", "unique", "max", "min", "join")
"""Filters of lists that may name a field of the items."""
_MAPPINGS = ("dictsort", "items")
_SAME_ITEMS = ("list", "reject", "rejectattr", "reverse", "select", "selectattr", "sort", "unique")
_ONE_ITEM = ("first", "last", "max", "min")
FILTER_USES: Mapping[str, Use] = {
    **dict.fromkeys(_NUMBERS, "number"),
    **dict.fromkeys(_TEXTS, "text"),
    **dict.fromkeys((*_LISTS, *_ATTRIBUTES), "list"),
    **dict.fromkeys(_MAPPINGS, "mapping"),
    "string": "printed",
}
"""What a filter shows of its value."""
SILENT_FILTERS = frozenset({"count", "d", "default", "dump", "length", "list", "reverse", "safe", "tojson"})
"""Filters that take values of several kinds."""
TEST_USES: Mapping[str, Use] = {
    **dict.fromkeys(("boolean", "false", "true"), "flag"),
    **dict.fromkeys(("divisibleby", "even", "integer", "odd"), "integer"),
    **dict.fromkeys(("float", "number"), "number"),
    **dict.fromkeys(("iterable", "sequence"), "list"),
    **dict.fromkeys(("lower", "string", "upper"), "text"),
    "mapping": "mapping",
}
_TEXT_METHODS = frozenset(
    {"endswith", "lower", "replace", "split", "splitlines", "startswith", "strip", "title", "upper"}
)
_MAPPING_METHODS = frozenset({"items", "keys", "values"})
_ORDERS = frozenset({"gt", "gteq", "lt", "lteq"})
_ORDER_TESTS = frozenset({">", ">=", "<", "<=", "ge", "greaterthan", "gt", "le", "lessthan", "lt"})
_EQUAL_TESTS = frozenset({"==", "!=", "eq", "equalto", "ne"})


@dataclass(eq=False, slots=True)
class _Value:
    """What is known of one value: of a variable, of a field of one, or of the items of a list."""

    uses: set[Use] = field(default_factory=set)
    fields: "dict[str, _Value]" = field(default_factory=dict)
    inner: "_Value | None" = None

    def used(self, use: Use) -> "_Value":
        self.uses.add(use)
        return self

    def part(self, name: str) -> "_Value":
        """A field that the template names."""
        self.uses.add("object")
        return self.fields.setdefault(name, _Value())

    def item(self) -> "_Value":
        """The items of a list, or the values of a mapping."""
        if self.inner is None:
            self.inner = _Value()
        return self.inner


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of a value.

    Args:
        name: as in JSON, and `mapping`: an object whose keys the template does not name.
        sure: false where the template does not tell, so that text is assumed.
        fields: of an object.
        item: of a list or mapping.
    """

    name: Literal["text", "number", "integer", "flag", "list", "mapping", "object"] = "text"
    sure: bool = True
    fields: "Mapping[str, Kind]" = field(default_factory=dict)
    item: "Kind | None" = None

    @property
    def unsure(self) -> Iterator[str]:
        """Paths to the parts whose kind the template does not tell: `.name`, `[]`, or empty for the value itself."""
        if not self.sure:
            yield ""
        yield from (f".{name}{path}" for name, kind in self.fields.items() for path in kind.unsure)
        yield from (f"[]{path}" for path in (self.item.unsure if self.item else ()))


def variable_kinds(texts: Iterable[str], names: Iterable[str], parts: Parts = NO_PARTS) -> dict[str, Kind]:
    """The kind of each of these variables.

    Args:
        texts: templates that have the variables in common.

    Raises:
        BadTemplate: one cannot be read.
    """
    values = {name: _Value() for name in names}
    for text in texts:
        _Reader(dict(values)).visit(with_parts(sandbox(), text, parts))
    return {name: _kind(value) for name, value in values.items()}


def _kind(value: _Value) -> Kind:
    uses = value.uses - {"printed", "tested"}
    if uses == {"number", "integer"}:
        uses = {"integer"}
    if uses == {"mapping", "object"}:
        uses = {"object"}
    if uses == {"object"}:
        return Kind("object", True, {name: _kind(part) for name, part in value.fields.items()})
    if len(uses) == 1 and (name := next(iter(uses))) in ("list", "mapping"):
        return Kind("list" if name == "list" else "mapping", item=_kind(value.inner or _Value({"printed"})))
    for name in ("number", "integer", "flag"):
        if uses == {name}:
            return Kind(name)
    if not uses and "tested" in value.uses and "printed" not in value.uses:
        return Kind("flag")
    return Kind("text", sure=uses == {"text"} or (not uses and "printed" in value.uses))


class _Reader(NodeVisitor):
    """Reads statements and expressions, and notes what they show of the values that they use.

    The visit of an expression gives its value; None for one that the template makes itself.
    """

    def __init__(self, scope: dict[str, _Value]) -> None:
        self._scope = scope

    def generic_visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> None:
        for part in node.iter_child_nodes():
            self.visit(part)

    def _value(self, node: nodes.Node) -> _Value | None:
        value: _Value | None = self.visit(node)
        return value

    def visit_Output(self, node: nodes.Output) -> None:
        for part in node.nodes:
            self._use(part, "printed")

    def visit_If(self, node: nodes.If) -> None:
        self._use(node.test, "tested")
        for part in (*node.body, *node.elif_, *node.else_):
            self.visit(part)

    def visit_For(self, node: nodes.For) -> None:
        inner = _Reader(dict(self._scope))
        inner._bind(node.target, self._items(node.iter), pairs=_is_pairs(node.iter))
        if node.test is not None:
            inner._use(node.test, "tested")
        for part in node.body:
            inner.visit(part)
        for part in node.else_:
            self.visit(part)

    def visit_Assign(self, node: nodes.Assign) -> None:
        self._bind(node.target, self._value(node.node))

    def visit_With(self, node: nodes.With) -> None:
        inner = _Reader(dict(self._scope))
        for target, value in zip(node.targets, node.values, strict=True):
            inner._bind(target, self._value(value))
        for part in node.body:
            inner.visit(part)

    def _bind(self, target: nodes.Node, value: _Value | None, *, pairs: bool = False) -> None:
        """Give a value the name that a loop or an assignment gives it."""
        if isinstance(target, nodes.Name):
            self._scope[target.name] = value or _Value()
        elif isinstance(target, nodes.Tuple):
            *first, last = target.items
            for item in first:
                self._bind(item, None if pairs or value is None else value.used("list").item())
            self._bind(last, value if pairs or value is None else value.used("list").item())

    def _use(self, node: nodes.Node, use: Use) -> None:
        """Note a use of an expression; what is printed or tested may be one of its parts."""
        match node:
            case nodes.Not():
                self._use(node.node, "tested")
            case nodes.And() | nodes.Or():
                self._use(node.left, "tested" if use == "tested" or isinstance(node, nodes.And) else use)
                self._use(node.right, use)
            case nodes.CondExpr():
                self._use(node.test, "tested")
                for branch in filter(None, (node.expr1, node.expr2)):
                    self._use(branch, use)
            case _:
                value = self._value(node)
                if value is not None:
                    value.used(use)

    def _items(self, node: nodes.Node) -> _Value | None:
        """The items of what a loop goes through."""
        value = self._value(node)
        if value is None:
            return None
        if _is_pairs(node) or (isinstance(node, nodes.Call) and "mapping" in value.uses):
            return value.item()
        return value.used("list").item()

    def visit_Name(self, node: nodes.Name) -> _Value | None:
        return self._scope.get(node.name)

    def visit_Getattr(self, node: nodes.Getattr) -> _Value | None:
        value = self._value(node.node)
        return None if value is None else value.part(node.attr)

    def visit_CondExpr(self, node: nodes.CondExpr) -> _Value | None:
        self._use(node.test, "tested")
        branches = [self._value(branch) for branch in (node.expr1, node.expr2) if branch is not None]
        return next(filter(None, branches), None)

    def visit_Or(self, node: nodes.Or) -> _Value | None:
        left, right = self._value(node.left), self._value(node.right)
        _hinted(left, node.right)
        return left or right

    def visit_And(self, node: nodes.And) -> None:
        self._use(node, "tested")

    def visit_Not(self, node: nodes.Not) -> None:
        self._use(node, "tested")

    def visit_Concat(self, node: nodes.Concat) -> None:
        for part in node.nodes:
            self._use(part, "printed")

    def visit_Neg(self, node: nodes.Neg) -> None:
        self._use(node.node, "number")

    def visit_Pos(self, node: nodes.Pos) -> None:
        self._use(node.node, "number")

    def visit_Getitem(self, node: nodes.Getitem) -> _Value | None:
        value, key = self._value(node.node), node.arg
        if not isinstance(key, nodes.Const):
            self.visit(key)
            # A slice is of a list or a text; the key of a variable is of a list or a mapping.
            return value if isinstance(key, nodes.Slice) else None
        if value is None:
            return None
        return value.part(key.value) if isinstance(key.value, str) else value.used("list").item()

    def visit_Filter(self, node: nodes.Filter) -> _Value | None:
        value = None if node.node is None else self._value(node.node)
        for argument in node.args:
            self.visit(argument)
        if value is None:
            return None
        use = FILTER_USES.get(node.name)
        if use is not None:
            value.used(use)
        if node.name in ("d", "default"):
            _hinted(value, node.args[0] if node.args else None)
        if use == "list":
            self._look_at_items(node, value.item())
        if node.name in _ONE_ITEM:
            return value.item()
        return value if node.name in (*_SAME_ITEMS, *_MAPPINGS, "d", "default") else None

    def _look_at_items(self, node: nodes.Filter, item: _Value) -> None:
        """Note what a filter of a list shows of its items: the field that it names, and what it does with it."""
        named = {str(pair.key): pair.value for pair in node.kwargs}.get("attribute")
        if named is None and node.name in ("selectattr", "rejectattr") and node.args:
            named = node.args[0]
        if isinstance(named, nodes.Const) and isinstance(named.value, str):
            for name in named.value.split("."):
                item = item.part(name)
        elif node.name != "join":
            return
        if node.name in ("map", "join"):
            item.used("printed")
        elif node.name in ("selectattr", "rejectattr"):
            test = node.args[1] if len(node.args) > 1 else None
            if test is None:
                item.used("tested")
            elif isinstance(test, nodes.Const):
                _test(item, str(test.value), node.args[2:])

    def visit_Call(self, node: nodes.Call) -> _Value | None:
        for argument in node.args:
            self.visit(argument)
        if isinstance(node.node, nodes.Name) and node.node.name == "range":
            for argument in node.args:
                self._use(argument, "integer")
        if not isinstance(node.node, nodes.Getattr):
            return None
        value, method = self._value(node.node.node), node.node.attr
        if value is None:
            return None
        if method in _TEXT_METHODS:
            value.used("text")
        elif method in _MAPPING_METHODS:
            return value.used("mapping") if method != "keys" else None
        elif method == "get" and node.args:
            key = node.args[0]
            if isinstance(key, nodes.Const) and isinstance(key.value, str):
                return value.part(key.value)
            return value.used("mapping").item()
        return None

    def visit_Test(self, node: nodes.Test) -> None:
        value = self._value(node.node)
        for argument in node.args:
            self.visit(argument)
        if value is not None:
            _test(value, node.name, node.args)

    def visit_Compare(self, node: nodes.Compare) -> None:
        sides = [node.expr, *(operand.expr for operand in node.ops)]
        values = [self._value(side) for side in sides]
        for at, operand in enumerate(node.ops):
            left, right = values[at], values[at + 1]
            if operand.op in _ORDERS:
                for value, other in ((left, sides[at + 1]), (right, sides[at])):
                    if value is not None and not _is_text(other):
                        value.used("number")
                    _hinted(value, other)
            elif operand.op in ("eq", "ne"):
                _hinted(left, sides[at + 1])
                _hinted(right, sides[at])
            else:  # in, or not in
                choices = sides[at + 1]
                for item in choices.items if isinstance(choices, (nodes.List, nodes.Tuple)) else ():
                    _hinted(left, item)

    def _calculate(self, node: nodes.BinExpr) -> None:
        left, right = self._value(node.left), self._value(node.right)
        for value, other in ((left, node.right), (right, node.left)):
            if value is None:
                continue
            if isinstance(node, nodes.Mul) and isinstance(other, (nodes.List, nodes.Const)) and not _is_number(other):
                value.used("integer")
            elif isinstance(node, nodes.Add) and isinstance(other, (nodes.List, nodes.Const)):
                _hinted(value, other)
            else:
                value.used("number")

    visit_Add = visit_Sub = visit_Mul = visit_Div = visit_FloorDiv = visit_Mod = visit_Pow = _calculate


def _test(value: _Value, name: str, arguments: Iterable[nodes.Node]) -> None:
    if name in TEST_USES:
        value.used(TEST_USES[name])
    other = next(iter(arguments), None)
    if name in _ORDER_TESTS and not _is_text(other):
        value.used("number")
    elif name in _ORDER_TESTS or name in _EQUAL_TESTS:
        _hinted(value, other)


def _hinted(value: _Value | None, other: nodes.Node | None) -> None:
    """Note that a value is used like a constant."""
    if value is None:
        return
    match other:
        case nodes.Const(value=bool()):
            value.used("flag")
        case nodes.Const(value=int() | float()):
            value.used("number")
        case nodes.Const(value=str()) if other.value:
            value.used("text")
        case nodes.List():
            value.used("list")
        case nodes.Dict():
            value.used("mapping")


def _is_text(node: nodes.Node | None) -> bool:
    return isinstance(node, nodes.Const) and isinstance(node.value, str)


def _is_number(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Const) and isinstance(node.value, (int, float))


def _is_pairs(node: nodes.Node) -> bool:
    """Does a loop go through the keys and values of a mapping?"""
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
        return node.node.attr == "items"
    return isinstance(node, nodes.Filter) and node.name in _MAPPINGS
