"""An expression of Python about an answer, such as `'x' in output and len(output) < 200`, as scorers; it is not run."""

import ast
import warnings
from collections.abc import Callable

from gate.domain.jsonvalue import JsonValue
from gate.inputs.promptfoo.code import Answer, NotRead, Said, all_of, checked, json_is, one_of, turned

_FOLDS: dict[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
}
_LOOSE = "NaN and Infinity are no JSON"
_DEEP = 20
"""Expressions inside expressions."""


def read(code: JsonValue) -> list[Said]:
    """The scorers that mean the same.

    Args:
        code: the value of an assertion of the type `python`.

    Raises:
        NotRead: there are none.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that mean nothing
            tree = ast.parse(checked(code), mode="eval")
        return _said(tree.body, 0)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NotRead from None


def _said(node: ast.expr, depth: int) -> list[Said]:
    if depth > _DEEP:
        raise NotRead
    if isinstance(node, ast.BoolOp):
        parts = [_said(one, depth + 1) for one in node.values]
        return all_of(parts) if isinstance(node.op, ast.And) else one_of(parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return turned(_said(node.operand, depth + 1))
    if isinstance(node, ast.Call):
        return [_called(node)]
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(node.left, node.ops[0], node.comparators[0])
    raise NotRead


def _called(node: ast.Call) -> Said:
    """`output.startswith('x')`"""
    if not isinstance(node.func, ast.Attribute) or len(node.args) != 1 or node.keywords:
        raise NotRead
    answer, text = _answer(node.func.value), _text(node.args[0])
    if node.func.attr == "startswith":
        return answer.begins(text)
    if node.func.attr == "endswith":
        return answer.ends(text)
    raise NotRead


def _compared(left: ast.expr, how: ast.cmpop, right: ast.expr) -> list[Said]:
    if isinstance(how, (ast.In, ast.NotIn)):
        said = [_answer(right).holds(_text(left))]
        return turned(said) if isinstance(how, ast.NotIn) else said
    if isinstance(left, ast.Subscript):
        return [_inside(left, how, right)]
    if isinstance(left, ast.Call) and isinstance(left.func, ast.Name):
        if left.func.id != "len" or len(left.args) != 1 or left.keywords:
            raise NotRead
        answer, count = _answer(left.args[0]), _constant(right)
        if isinstance(count, bool) or not isinstance(count, int):
            raise NotRead
        if isinstance(how, ast.NotEq):
            return turned([answer.length("==", count)])
        if type(how) not in _COMPARISONS:
            raise NotRead
        return [answer.length(_COMPARISONS[type(how)], count)]
    if not isinstance(how, (ast.Eq, ast.NotEq)):
        raise NotRead
    same = [_answer(left).equals(_text(right))]
    return same if isinstance(how, ast.Eq) else turned(same)


def _inside(node: ast.expr, how: ast.cmpop, right: ast.expr) -> Said:
    """`json.loads(output)["a"][0] == "x"`"""
    path: list[str | int] = []
    while isinstance(node, ast.Subscript):
        step = _constant(node.slice)
        if isinstance(step, bool) or not isinstance(step, (str, int)):
            raise NotRead
        path.insert(0, step)
        node = node.value
    if ast.dump(node) != _LOADS:
        raise NotRead
    value = _constant(right)
    if isinstance(how, ast.Is):
        if value is not None and not isinstance(value, bool):
            raise NotRead
    elif not isinstance(how, ast.Eq) or value in (0, 1):
        # To `==` true is 1; `is` tells them apart.
        raise NotRead
    return json_is(path, value, _LOOSE)


_LOADS = ast.dump(ast.parse("json.loads(output)", mode="eval").body)


def _answer(node: ast.expr) -> Answer:
    """`output.strip().lower()`"""
    if isinstance(node, ast.Name) and node.id == "output":
        return Answer()
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)) or node.args or node.keywords:
        raise NotRead
    inner, name = _answer(node.func.value), node.func.attr
    if name == "strip":
        return Answer(trimmed=True, fold=inner.fold)
    if name not in _FOLDS:
        raise NotRead
    return Answer(inner.trimmed, _FOLDS[name])


def _text(node: ast.expr) -> str:
    value = _constant(node)
    if not isinstance(value, str):
        raise NotRead
    return value


def _constant(node: ast.expr) -> JsonValue:
    """A value that is written down."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return -value
    if not isinstance(node, ast.Constant) or not isinstance(node.value, (str, int, float, bool, type(None))):
        raise NotRead
    if isinstance(node.value, str) and any("\ud800" <= sign <= "\udfff" for sign in node.value):
        raise NotRead  # half of a pair, which is no text
    return node.value
