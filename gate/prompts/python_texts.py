"""Texts of a Python file, read from its syntax tree: nothing of it runs."""

import ast
import string
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import cleandoc
from typing import TypeAlias

from gate.limits import TEXT_DEPTH
from gate.prompts.expressions import Definition, Definitions, Unreadable, Work, dedented, no_definitions
from gate.prompts.placeholders import Pieces, Variable, mapped

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_HARMLESS = frozenset(("staticmethod", "classmethod", "property", "cache", "lru_cache", "cached_property", "override"))
"""Decorators that leave the text of a function as it is."""
_STRIPS: dict[str, Callable[..., str]] = {"strip": str.strip, "lstrip": str.lstrip, "rstrip": str.rstrip}
_LAYOUTS: dict[str, Callable[[Pieces], Pieces]] = {"dedent": dedented, "cleandoc": lambda text: mapped(text, cleandoc)}
_MOST_BITS = 64


@dataclass(frozen=True, slots=True)
class PythonExpression:
    """A node with the names that it sees.

    Args:
        scopes: starts of the names that count before those of the module, the innermost first.
        parameters: of the function around it.
    """

    node: ast.AST
    scopes: tuple[str, ...] = ()
    parameters: frozenset[str] = frozenset()

    def at(self, node: ast.AST) -> "PythonExpression":
        """Another node that sees the same names."""
        return replace(self, node=node)


def python_definitions(content: str) -> Definitions[PythonExpression]:
    """The names of a module. Raises Unreadable: it is no Python."""
    try:
        with warnings.catch_warnings(action="ignore"):
            module = ast.parse(content)
    except SyntaxError as error:
        raise Unreadable(error.lineno or 0, f"is not valid Python: {error.msg}") from None
    except (RecursionError, MemoryError, ValueError):
        raise Unreadable(0, "is not valid Python, or too deeply nested") from None
    found: Definitions[PythonExpression] = no_definitions()
    _define(found, module.body, "", ())
    return found


def python_work(content: str, definitions: Definitions[PythonExpression]) -> Work[PythonExpression]:
    """What reads the texts of these definitions."""
    return Work(definitions, _text, _line, partial(_told, content.split("\n")), _is_text)


def _is_text(expression: PythonExpression) -> bool:
    return not isinstance(expression.node, ast.Constant) or isinstance(expression.node.value, str)


def _line(expression: PythonExpression) -> int:
    return int(getattr(expression.node, "lineno", 0))


def _told(lines: Sequence[str], expression: PythonExpression) -> str:
    """The first line of an expression."""
    node = expression.node
    if not isinstance(node, ast.stmt | ast.expr) or node.lineno > len(lines):
        return ""
    line = lines[node.lineno - 1].encode()
    one = node.end_lineno == node.lineno
    return line[node.col_offset : node.end_col_offset if one else None].decode("utf-8", "replace")


def _define(found: Definitions[PythonExpression], body: list[ast.stmt], prefix: str, scopes: tuple[str, ...]) -> None:
    """Note the names that statements define; `prefix` is that of their class."""
    for one in _statements(body):
        match one:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                _define_function(found, one, prefix)
            case ast.ClassDef():
                inner = f"{prefix}{one.name}."
                if inner.count(".") < TEXT_DEPTH:
                    _define(found, one.body, inner, (inner,))
            case _:
                _define_assigned(found, PythonExpression(one, scopes), one, prefix)


def _define_assigned(
    found: Definitions[PythonExpression], place: PythonExpression, statement: ast.stmt, prefix: str
) -> None:
    lines = statement.lineno, statement.end_lineno or statement.lineno
    match statement:
        case ast.Assign():
            for target in statement.targets:
                _assign(found, target, prefix, Definition(*lines, place.at(statement.value)))
        case ast.AnnAssign(value=ast.expr() as value):
            _assign(found, statement.target, prefix, Definition(*lines, place.at(value)))
        case ast.AugAssign():
            _assign(found, statement.target, prefix, Definition(*lines, place))
        case ast.Import() | ast.ImportFrom():
            for alias in statement.names:
                name = alias.asname or alias.name.split(".")[0]
                found[prefix + name].append(Definition(*lines, place))


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements in their order, those inside of `if`, `try`, `with` and loops with them."""
    waiting = list(reversed(body))
    while waiting:
        one = waiting.pop()
        yield one
        inner: list[ast.stmt] = []
        if isinstance(one, ast.If | ast.Try | ast.TryStar | ast.With | ast.For | ast.While):
            inner += one.body
        inner += [statement for handler in getattr(one, "handlers", ()) for statement in handler.body]
        if isinstance(one, ast.If | ast.Try | ast.TryStar | ast.For | ast.While):
            inner += one.orelse
        inner += getattr(one, "finalbody", ())
        waiting += reversed(inner)


def _assign(
    found: Definitions[PythonExpression], target: ast.expr, prefix: str, definition: Definition[PythonExpression]
) -> None:
    name = _dotted(target)
    if name:
        _define_value(found, prefix + name, definition)
    elif isinstance(target, ast.Tuple | ast.List):
        for one in target.elts:
            if name := _dotted(one):
                found[prefix + name].append(definition)


def _define_value(found: Definitions[PythonExpression], name: str, definition: Definition[PythonExpression]) -> None:
    """Note a name, and the entries of a dict under it."""
    found[name].append(definition)
    node = definition.value.node
    if not isinstance(node, ast.Dict) or name.count(".") >= TEXT_DEPTH:
        return
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            last = value.end_lineno or value.lineno
            inner = Definition(key.lineno, last, definition.value.at(value))
            _define_value(found, f"{name}.{key.value}", inner)


def _define_function(found: Definitions[PythonExpression], function: _Function, prefix: str) -> None:
    """Note the text that a function returns, and its local constants under names that no pointer can have."""
    name = f"{prefix}{function.name}"
    own = f"{name}.<locals>."
    every = function.args
    arguments = [*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg]
    parameters = frozenset(one.arg for one in arguments if one is not None)
    # The body of a method does not see the names of its class.
    outer = PythonExpression(function, (own,), parameters)
    lines = function.lineno, function.end_lineno or function.lineno
    found[name].append(Definition(*lines, outer.at(_returned(function))))
    for one in function.body:
        target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
        target = one.target if isinstance(one, ast.AnnAssign) else target
        value = one.value if isinstance(one, ast.Assign | ast.AnnAssign) else None
        if isinstance(target, ast.Name) and value is not None:
            found[own + target.id].append(Definition(one.lineno, one.end_lineno or one.lineno, outer.at(value)))


def _returned(function: _Function) -> ast.AST:
    """The value that a function returns, or the statement or decorator because of which it is unknown."""
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if _dotted(called).rpartition(".")[2] not in _HARMLESS:
            return decorator
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    for one in body:
        if isinstance(one, ast.Return) and one.value is not None:
            return one.value
        if not isinstance(one, ast.Assign | ast.AnnAssign):
            return one
    return function


def _dotted(node: ast.AST) -> str:
    """The name of a constant: `PROMPT`, `Class.attr`, `PROMPTS.key` for `PROMPTS["key"]`; empty for anything else."""
    parts: list[str] = []
    while not isinstance(node, ast.Name):
        match node:
            case ast.Attribute():
                parts.append(node.attr)
            case ast.Subscript(slice=ast.Constant(value=str() as key)):
                parts.append(key)
            case _:
                return ""
        node = node.value
    return ".".join((node.id, *reversed(parts)))


def _text(expression: PythonExpression, work: Work[PythonExpression]) -> Pieces:
    node = expression.node
    match node:
        case ast.Constant(value=str() as text):
            return work.literal(expression, text)
        case ast.Constant(value=None | bool() | float()):
            return (str(node.value),)
        case ast.Constant(value=int() as number) if number.bit_length() <= _MOST_BITS:
            return (str(number),)
        case ast.JoinedStr():
            return work.joined(expression, (_part(expression.at(one), work) for one in node.values))
        case ast.BinOp(op=ast.Add()):
            return work.joined(expression, [work.text(expression.at(one)) for one in _summands(node)])
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return _named(expression, work)
        case ast.Call(func=ast.Attribute() as method) if method.attr in ("join", "format", *_STRIPS):
            return _method(expression, node, method, work)
        case ast.Call(args=[inner], keywords=[]) if layout := _LAYOUTS.get(_dotted(node.func).rpartition(".")[2]):
            return layout(work.text(expression.at(inner)))
    raise work.computed(expression)


def _summands(node: ast.expr) -> list[ast.expr]:
    found: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def _part(expression: PythonExpression, work: Work[PythonExpression]) -> Pieces:
    """One part of an f-string."""
    node = expression.node
    if not isinstance(node, ast.FormattedValue):
        return work.text(expression)
    name = _unparsed(node.value, work, expression)
    if node.format_spec is not None or node.conversion != -1:
        return (Variable(name),)
    return work.value(expression.at(node.value), name)


def _unparsed(node: ast.expr, work: Work[PythonExpression], expression: PythonExpression) -> str:
    try:
        return ast.unparse(node)
    except RecursionError:
        raise work.computed(expression) from None


def _named(expression: PythonExpression, work: Work[PythonExpression]) -> Pieces:
    """The text of a name, or a variable where it is a parameter or a part of one."""
    name = _dotted(expression.node)
    if not name:
        raise work.computed(expression)
    for scope in (*expression.scopes, ""):
        if scope + name in work.definitions:
            return work.constant(scope + name, expression)
        if scope and scope.endswith("<locals>.") and name.split(".")[0] in expression.parameters:
            return (Variable(name),)
    raise work.computed(expression)


def _method(
    expression: PythonExpression, call: ast.Call, method: ast.Attribute, work: Work[PythonExpression]
) -> Pieces:
    text = work.text(expression.at(method.value))
    match method.attr, call.args, call.keywords:
        case "join", [ast.List() | ast.Tuple() as parts], []:
            return work.joined(expression, [work.text(expression.at(one)) for one in parts.elts], text)
        case "strip" | "lstrip" | "rstrip", [], []:
            return mapped(text, _STRIPS[method.attr])
        case "strip" | "lstrip" | "rstrip", [ast.Constant(value=str() as chars)], []:
            return mapped(text, lambda whole: _STRIPS[method.attr](whole, chars))
        case "format", _, _ if all(isinstance(piece, str) for piece in text):
            return _formatted(expression, call, "".join(map(str, text)), work)
    raise work.computed(expression)


def _formatted(expression: PythonExpression, call: ast.Call, text: str, work: Work[PythonExpression]) -> Pieces:
    """A text with the arguments of `str.format` in it: constants by their texts, others as variables."""
    given = {one.arg: one.value for one in call.keywords if one.arg is not None}
    texts: list[Pieces] = []
    free = iter(call.args)
    try:
        for fixed, field, spec, conversion in string.Formatter().parse(text):
            texts.append((fixed,))
            if field is None:
                continue
            value = next(free, None) if field == "" else given.get(field)
            value = call.args[int(field)] if field.isdecimal() else value
            if value is None or spec or conversion:
                raise work.computed(expression)
            name = field if field.isidentifier() else _unparsed(value, work, expression)
            texts.append(work.value(expression.at(value), name))
    except (ValueError, IndexError):
        raise work.computed(expression) from None
    return work.joined(expression, texts)
