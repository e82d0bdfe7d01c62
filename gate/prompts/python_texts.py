"""Texts of a Python file, read from its syntax tree: nothing of it runs."""

import ast
import builtins
import string
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from inspect import cleandoc

from gate.limits import TEXT_DEPTH
from gate.prompts.expressions import (
    HIDDEN,
    Definitions,
    Endless,
    Work,
    dedented,
    touched,
)
from gate.prompts.placeholders import Pieces, mapped
from gate.prompts.python_names import DEFAULT, PythonExpression, dotted, longest

_STRIPS: dict[str, Callable[..., str]] = {"strip": str.strip, "lstrip": str.lstrip, "rstrip": str.rstrip}


_LAYOUTS: dict[str, Callable[[Pieces], Pieces]] = {"dedent": dedented, "cleandoc": lambda text: mapped(text, cleandoc)}


_MOST_BITS = 64


def python_work(content: str, definitions: Definitions[PythonExpression]) -> Work[PythonExpression]:
    """What reads the texts of these definitions."""
    told = partial(_told, content.split("\n"))
    return Work(definitions, _text, _line, told, _code, _names, _is_foreign, _is_text)


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


def _code(expression: PythonExpression) -> str:
    try:
        return ast.unparse(expression.node)
    except RecursionError:
        raise Endless(_line(expression), "it consists of too many parts") from None


def _names(expression: PythonExpression, definitions: Definitions[PythonExpression]) -> Iterator[str]:
    waiting = [expression.node]
    while waiting:
        node = waiting.pop()
        if name := dotted(node) or _own_attribute(node, expression):
            for one in _places(name, expression, definitions):
                yield from (each for each in (one, touched(one)) if each in definitions)
        else:
            fields = (value for name, value in ast.iter_fields(node) if name not in _TYPES)
            parts = (part for value in fields for part in (value if isinstance(value, list) else [value]))
            waiting += [part for part in parts if isinstance(part, ast.AST)]


_TYPES = ("annotation", "returns", "type_params")


def _own_attribute(node: ast.AST, expression: PythonExpression) -> str:
    """`super().a` and `type(self).a` as `self.a`."""
    match node:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super" | "type"))) if expression.own:
            return f"{expression.own}.{node.attr}"
    return ""


def _places(name: str, expression: PythonExpression, definitions: Definitions[PythonExpression]) -> Iterator[str]:
    """The name of the file that a dotted name begins with."""
    root, _, rest = name.partition(".")
    if root == expression.own and not rest:
        # The whole object may be anything in its class.
        yield from (one for one in [_owner(expression)] if one in definitions)
        return
    if root == expression.own:
        yield from _inherited(_owner(expression), rest.removeprefix("__class__."), definitions)
        return
    if root in expression.parameters:
        name, scopes = f"{root}{DEFAULT}", expression.scopes
    else:
        scopes = *expression.scopes, ""
    for scope in scopes:
        if one := longest(scope, name, definitions):
            yield one
            return
    if "*" in definitions and root not in expression.parameters and not hasattr(builtins, root):
        yield "*"


def _inherited(owner: str, name: str, definitions: Definitions[PythonExpression]) -> Iterator[str]:
    """What gives an object's attribute its value: its class, or the ones that this inherits from."""
    waiting, seen = [owner], set[str]()
    while waiting and len(seen) < TEXT_DEPTH:
        one = waiting.pop()
        place = next(iter(definitions.get(one, [])), None)
        if one in seen or place is None:
            continue
        seen.add(one)
        found = [each for scope in (f"{one}.{HIDDEN}.", f"{one}.") if (each := longest(scope, name, definitions))]
        node = place.value.node
        if found:
            yield found[0]
        elif not isinstance(node, ast.ClassDef):
            yield one
        elif name.split(".")[0] not in _declared_names(node):
            waiting += filter(None, map(dotted, node.bases))


def _declared_names(owner: ast.ClassDef) -> set[str]:
    """Attributes without a value, which whoever makes an object gives."""
    return {dotted(one.target) for one in owner.body if isinstance(one, ast.AnnAssign)}


def _owner(expression: PythonExpression) -> str:
    """The class of a method."""
    own = next((one for one in expression.scopes if one.endswith(f"{HIDDEN}.")), "")
    return own.removesuffix(f".{HIDDEN}.").rpartition(".")[0]


_PLATFORM = frozenset(
    "__future__ abc collections copy dataclasses datetime decimal enum functools getpass hashlib html inspect "
    "itertools json locale logging math operator os pathlib platform pprint random re secrets socket string sys "
    "textwrap time typing unicodedata uuid zoneinfo".split()
)
"""Modules that come with the language; others may be files of the repository."""


_READERS = frozenset(
    "open read_text read_bytes read readlines read_binary get_data import_module __import__ run_path run_module".split()
)
"""Functions whose results come from files."""


def _is_foreign(place: PythonExpression) -> bool:
    """May a value come from another file of the repository?"""
    match place.node:
        case ast.Import():
            modules = [one.name for one in place.node.names]
        case ast.ImportFrom():
            modules = ["." * place.node.level + (place.node.module or "")]
        case _:
            calls = (node.func for node in ast.walk(place.node) if isinstance(node, ast.Call))
            return any(
                one.attr in _READERS if isinstance(one, ast.Attribute) else dotted(one) in _READERS for one in calls
            )
    return not all(one.split(".")[0] in _PLATFORM for one in modules)


def _text(expression: PythonExpression, work: Work[PythonExpression]) -> Pieces:
    if not expression.readable:
        raise work.computed(expression)
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
        case ast.Call(args=[inner], keywords=[]) if layout := _LAYOUTS.get(dotted(node.func).rpartition(".")[2]):
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
        shown = f"!{node.conversion}" + ("" if node.format_spec is None else f":{ast.dump(node.format_spec)}")
        return (work.variable(expression.at(node.value), name, shown),)
    return work.value(expression.at(node.value), name)


def _unparsed(node: ast.expr, work: Work[PythonExpression], expression: PythonExpression) -> str:
    try:
        return ast.unparse(node)
    except RecursionError:
        raise work.computed(expression) from None


def _named(expression: PythonExpression, work: Work[PythonExpression]) -> Pieces:
    """The text of a name, or a variable where it is a parameter or a part of one."""
    name = dotted(expression.node)
    if not name:
        raise work.computed(expression)
    for scope in (*expression.scopes, ""):
        if scope + name in work.definitions:
            return work.constant(scope + name, expression)
        if scope and scope.endswith(f"{HIDDEN}.") and name.split(".")[0] in expression.parameters:
            return (work.variable(expression, name),)
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
