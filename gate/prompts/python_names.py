"""The names of a Python file and every place that gives one a value, from its syntax tree: nothing of it runs."""

import ast
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gate.limits import TEXT_DEPTH
from gate.prompts.expressions import (
    HIDDEN,
    PLACES,
    Definition,
    Definitions,
    Unreadable,
    meant_by,
    no_definitions,
    touched,
)

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


_HARMLESS = frozenset("staticmethod classmethod property cache lru_cache cached_property override".split())
"""Decorators that leave the text of a function as it is."""


@dataclass(frozen=True, slots=True)
class PythonExpression:
    """A node with the names that it sees.

    Args:
        scopes: starts of the names that count before those of the module, the innermost first.
        parameters: of the function around it.
        own: the parameter that is the object, or the class, of a method; empty outside of methods.
        readable: False for a place that gives a name a value which only running the code would tell.
    """

    node: ast.AST
    scopes: tuple[str, ...] = ()
    parameters: frozenset[str] = frozenset()
    own: str = ""
    readable: bool = True

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
    _note_globals(found, module)
    return found


def longest(scope: str, name: str, definitions: Definitions[PythonExpression]) -> str:
    """The longest beginning of a dotted name that has a definition; empty for none."""
    parts = name.split(".")
    ways = (scope + ".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((one for one in ways if one in definitions), "")


DEFAULT = "="
"""After the name of a parameter: its default."""


def _define(found: Definitions[PythonExpression], body: list[ast.stmt], prefix: str, scopes: tuple[str, ...]) -> None:
    """Note the names that statements define; `prefix` is that of their class."""
    for one in _statements(body):
        match one:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                _define_function(found, one, prefix)
            case ast.ClassDef():
                lines = one.lineno, one.end_lineno or one.lineno
                found[prefix + one.name].append(Definition(*lines, PythonExpression(one)))
                inner = f"{prefix}{one.name}."
                if inner.count(".") < TEXT_DEPTH:
                    _define(found, one.body, inner, (inner,))
                _note_own(found, one, prefix)
            case _:
                _define_assigned(found, PythonExpression(one, scopes), one, prefix)
    for name, node, whole in _bindings(body):
        _note(found, prefix + name, node, PythonExpression(whole, scopes))


def _note(
    found: Definitions[PythonExpression], name: str, node: ast.AST, whole: PythonExpression | None = None
) -> None:
    """Note another place that gives a name a value, which only running the code would tell."""
    line, known = int(getattr(node, "lineno", 0)), found[name]
    most = PLACES if HIDDEN in name else 1
    if len(known) <= most and not any(one.line <= line <= one.last for one in known):
        place = PythonExpression(node, readable=False)
        found[name].append(Definition(line, int(getattr(node, "end_lineno", line)), place, whole))


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


_MUTATING = frozenset(
    "append clear extend insert pop popitem remove reverse setdefault sort update __ior__ __setitem__".split()
)


def _bindings(body: Iterable[ast.AST]) -> Iterator[tuple[str, ast.AST, ast.AST]]:
    """Every name that statements give a value, in whatever way, or change in place; not those of inner scopes.

    Each with its node and the statement around it.
    """
    for node, whole in _own_nodes(body):
        for name in _bound_names(node):
            yield name, node, whole


def _own_nodes(body: Iterable[ast.AST]) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Nodes below statements, each with the statement around it, without those of inner scopes."""
    waiting = [(one, one) for one in body]
    while waiting:
        node, whole = waiting.pop()
        if isinstance(node, ast.stmt):
            whole = node
        yield node, whole
        if isinstance(node, _COMPREHENSIONS):
            waiting += [(one.target, whole) for one in ast.walk(node) if isinstance(one, ast.NamedExpr)]
        elif not isinstance(node, _SCOPES) and not (isinstance(node, ast.AnnAssign) and node.value is None):
            waiting += [(inner, whole) for inner in ast.iter_child_nodes(node)]


def _bound_names(node: ast.AST) -> Iterable[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [one.asname or one.name.split(".")[0] for one in node.names]
    name = _bound_name(node)
    return [name] if name else []


def _bound_name(node: ast.AST) -> str:
    """The name that a node gives a value, or changes; empty for none."""
    match node:
        case ast.Name(ctx=ast.Store() | ast.Del()):
            return node.id
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            # A key that is not a constant may be any key.
            return dotted(node) or dotted(node.value)
        case ast.Call(func=ast.Attribute() as method) if method.attr in _MUTATING:
            return dotted(method.value)
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[owner, *_]):
            return dotted(owner)
        case ast.MatchMapping():
            return node.rest or ""
        case ast.MatchAs() | ast.MatchStar() | ast.ExceptHandler():
            return node.name or ""
    return ""


def _note_globals(found: Definitions[PythonExpression], module: ast.Module) -> None:
    """Note what functions and classes do to names of the module, and what may do something to any of them."""
    every = list(ast.walk(module))
    handed = _handed_over(every)
    of_module = _other_names(module.body)
    inside: set[ast.AST] = set()
    _note_touched(found, module.body, frozenset(), of_module)
    for scope in (node for node in every if isinstance(node, _Function | ast.ClassDef)):
        inner = list(ast.walk(scope))
        declared = {name for node in inner if isinstance(node, ast.Global) for name in node.names}
        bound = list(_bindings(scope.body))
        local = {name for name, node, _ in bound if isinstance(node, ast.Name | ast.Import | ast.ImportFrom)} - declared
        others = _other_names(scope.body)
        if not isinstance(scope, ast.ClassDef):
            local |= _parameters(scope)
            inside.update(inner)
            others |= handed.get(scope.name, {})
        for name, node, whole in bound:
            root = name.split(".")[0]
            if root in declared or (root in found and root not in local):
                _note(found, name, node, PythonExpression(whole))
        others = {**{name: objects for name, objects in of_module.items() if name not in local}, **others}
        _note_touched(found, scope.body, frozenset(local), others)
    stars = [node for node in every if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"]
    for star in sorted(stars, key=lambda node: -node.lineno)[:1]:
        for name in [name for name, places in found.items() if places and places[0].line < star.lineno]:
            _note(found, name, star)
    for node in [node for node in every if _changes_any_name(node, outside=node not in inside)][:1]:
        for name in list(found):
            _note(found, name, node)


def _note_touched(
    found: Definitions[PythonExpression],
    body: Sequence[ast.stmt],
    local: frozenset[str],
    others: Mapping[str, set[str]],
) -> None:
    """Note what changes an object under another name, and statements that may change one by a call.

    Args:
        local: names that mean something else here.
        others: for a name, the names of the module for the same object.
    """
    for node, whole in _own_nodes(body):
        for name in _bound_names(node) if not isinstance(node, ast.Name) else ():
            for meant in meant_by(name, others):
                if meant.split(".")[0] in found:
                    _note(found, meant, node, PythonExpression(whole))
        for name in _used_by_statement(node):
            if (one := longest("", name, found)) and name.split(".")[0] not in local:
                line = int(getattr(node, "lineno", 0))
                found[touched(one)].append(Definition(line, line, PythonExpression(node)))


def _used_by_statement(node: ast.AST) -> Iterator[str]:
    """The objects that a call uses of which nothing else is done with the result."""
    if not isinstance(node, ast.Expr):
        return
    call = node.value.value if isinstance(node.value, ast.Await) else node.value
    if isinstance(call, ast.Call):
        receiver = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        for value in (*receiver, *call.args, *(word.value for word in call.keywords)):
            if name := dotted(value):
                yield name


def _note_own(found: Definitions[PythonExpression], owner: ast.ClassDef, prefix: str) -> None:
    """Note what the methods of a class do to its attributes."""
    start = f"{prefix}{owner.name}."
    for method in (one for one in owner.body if isinstance(one, _Function)):
        own = _own_parameter(method)
        for node, whole in _own_nodes(method.body):
            bound = [(name, True) for name in _bound_names(node)]
            for name, changes in (*bound, *((name, False) for name in _used_by_statement(node))):
                root, _, attribute = name.partition(".")
                if not own or root != own or not attribute:
                    continue
                hidden = f"{start}{HIDDEN}.{attribute}"
                if hidden not in found:
                    found[hidden] += found.get(f"{start}{attribute}", [])
                inner = PythonExpression(whole, (f"{start}{method.name}.{HIDDEN}.",), _parameters(method), own)
                for each in (hidden, f"{start}{attribute}") if changes else (hidden,):
                    _note(found, each, node, inner)


def _own_parameter(function: _Function) -> str:
    """The parameter that is the object, or the class, of a method."""
    if any(dotted(one) == "staticmethod" for one in function.decorator_list):
        return ""
    return next((one.arg for one in (*function.args.posonlyargs, *function.args.args)), "")


def _other_names(body: Sequence[ast.stmt]) -> dict[str, set[str]]:
    """For names of a scope, the names of the objects that they may be."""
    others: dict[str, set[str]] = defaultdict(set)
    for node, _ in _own_nodes(body):
        match node:
            case ast.Assign():
                pairs = [(target, node.value) for target in node.targets]
            case ast.NamedExpr(target=target, value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                pairs = [(target, value)]
            case ast.For(target=target, iter=ast.List(elts=values) | ast.Tuple(elts=values)):
                pairs = [(target, one) for one in values]
            case _:
                continue
        for target, value in pairs:
            if (name := dotted(target)) and (one := dotted(value)):
                others[name].add(one)
    return others


def _handed_over(nodes: Iterable[ast.AST]) -> dict[str, dict[str, set[str]]]:
    """For functions of the file and their parameters, the names of the objects that calls give them."""
    nodes = list(nodes)
    functions = {node.name: node.args for node in nodes if isinstance(node, _Function)}
    handed: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for node in nodes:
        if isinstance(node, ast.Call) and (given := functions.get(dotted(node.func))) is not None:
            names = [one.arg for one in (*given.posonlyargs, *given.args)]
            words = [(word.arg, word.value) for word in node.keywords if word.arg in names]
            for parameter, value in (*zip(names, node.args, strict=False), *words):
                if name := dotted(value):
                    handed[dotted(node.func)][str(parameter)].add(name)
    return handed


def _changes_any_name(node: ast.AST, *, outside: bool) -> bool:
    """May it give any name of the module a value? `vars()` and `locals()` do outside of functions."""
    if isinstance(node, ast.Subscript):
        return dotted(node.value) == "sys.modules"
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    name = node.func.id
    return name in ("exec", "globals") or (outside and not node.args and name in ("vars", "locals"))


def _parameters(function: _Function) -> frozenset[str]:
    every = function.args
    arguments = [*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg]
    return frozenset(one.arg for one in arguments if one is not None)


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
    name = dotted(target)
    if name:
        _define_value(found, prefix + name, definition)
    elif isinstance(target, ast.Tuple | ast.List):
        for one in target.elts:
            if name := dotted(one):
                found[prefix + name].append(definition)


def _define_value(found: Definitions[PythonExpression], name: str, definition: Definition[PythonExpression]) -> None:
    """Note a name, and the entries of a dict under it."""
    found[name].append(definition)
    node = definition.value.node
    if not isinstance(node, ast.Dict) or name.count(".") >= TEXT_DEPTH:
        return
    for at, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            last = value.end_lineno or value.lineno
            inner = Definition(key.lineno, last, definition.value.at(value))
            _define_value(found, f"{name}.{key.value}", inner)
            rest = zip(node.keys[at:], node.values[at:], strict=True)
            if later := [other for unknown, other in rest if not isinstance(unknown, ast.Constant)]:
                # What is spread after it, or has a computed key, may have the same key.
                place = PythonExpression(later[0], readable=False)
                found[f"{name}.{key.value}"].append(Definition(later[0].lineno, later[0].end_lineno or 0, place))


def _define_function(found: Definitions[PythonExpression], function: _Function, prefix: str) -> None:
    """Note the text that a function returns, and its local constants under names that no pointer can have."""
    name = f"{prefix}{function.name}"
    own = f"{name}.{HIDDEN}."
    # The body of a method does not see the names of its class.
    outer = PythonExpression(function, (own,), _parameters(function), _own_parameter(function) if prefix else "")
    lines = function.lineno, function.end_lineno or function.lineno
    found[name].append(Definition(*lines, outer.at(_returned(function)), outer.at(function)))
    for one in function.body:
        target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
        target = one.target if isinstance(one, ast.AnnAssign) else target
        value = one.value if isinstance(one, ast.Assign | ast.AnnAssign) else None
        if isinstance(target, ast.Name) and value is not None:
            found[own + target.id].append(Definition(one.lineno, one.end_lineno or one.lineno, outer.at(value)))
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    of_last = zip(reversed(positional), reversed(given.defaults), strict=False)
    for parameter, default in (*of_last, *zip(given.kwonlyargs, given.kw_defaults, strict=True)):
        if default is not None:
            found[f"{own}{parameter.arg}{DEFAULT}"].append(Definition(*lines, outer.at(default)))
    for local, node, whole in _bindings(function.body):
        _note(found, own + local, node, outer.at(whole))


def _returned(function: _Function) -> ast.AST:
    """The value that a function returns, or the statement or decorator because of which it is unknown."""
    for decorator in function.decorator_list:
        if not _is_harmless(decorator):
            return decorator
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    for one in body:
        if isinstance(one, ast.Return) and one.value is not None:
            return one.value
        if not isinstance(one, ast.Assign | ast.AnnAssign):
            return one
    return function


def _is_harmless(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return dotted(called).rpartition(".")[2] in _HARMLESS


def dotted(node: ast.AST | None) -> str:
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
