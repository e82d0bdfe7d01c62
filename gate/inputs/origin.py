"""Which variable of a template made two renderings differ, found by watching what each part of it gives."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import Any

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from gate.domain.message import NO_PARTS, Parts
from gate.inputs.includes import located, with_parts
from gate.inputs.limits import NAME_CHARS, WATCHED_PARTS, WATCHED_TAGS
from gate.inputs.sandbox import sandbox
from gate.inputs.templates import call, compile_template, hidden
from gate.inputs.templatevalues import text_of


@dataclass(frozen=True, slots=True)
class Origin:
    """A part of a template that may differ from case to case.

    Args:
        line: 1-based, in the template.
        variable: the first one that the part mentions, `date` or `slices.tier`; may be empty, and is where its name
            is too long to be told.
        file: the part of the prompt that the line is in; empty for the template itself.
    """

    line: int
    variable: str
    file: str = ""


def first_difference(
    text: str, one: Mapping[str, object], other: Mapping[str, object], parts: Parts = NO_PARTS
) -> Origin | None:
    """The first part that gives something else for the one case than for the other.

    None when no part does, or none that is watched: that costs several times what rendering does, so a template of many
    tags is not watched at all, and a long rendering to its first `WATCHED_PARTS`.

    Args:
        text: a template.
        one, other: the variables of two cases.
        parts: what the template pulls in.

    Raises:
        BadTemplate: it cannot be rendered so far for one of them.
    """
    if not _few_tags(text, parts):
        return None
    left, right = _seen(text, one, WATCHED_PARTS, parts), _seen(text, other, WATCHED_PARTS, parts)
    for (part, value), (other_part, other_value) in zip(left, right, strict=False):
        if (part, value) != (other_part, other_value):
            found = part if part == other_part else min(part, other_part, key=lambda found: found.line)
            return _located(found, text, parts)
    # Where both were cut off, both are of the same length, and nothing is known of the rest.
    rest = left[len(right) :] or right[len(left) :]
    return _located(rest[0][0], text, parts) if rest else None


def first_part(text: str, variables: Mapping[str, object], parts: Parts = NO_PARTS) -> tuple[int, Origin] | None:
    """How many characters a rendering has before the first part that may differ, and that part; None without one.

    Args:
        text: a template.
        variables: those of a case.
        parts: what the template pulls in.

    Raises:
        BadTemplate: it cannot be rendered so far.
    """
    watched = _seen(text, variables, 1, parts) if _few_tags(text, parts) else None
    pieces = list(_pieces(with_parts(sandbox(), text, parts)))
    fixed = list(takewhile(lambda piece: isinstance(piece, nodes.TemplateData), pieces))
    seen = _next_line(pieces[len(fixed) :]) if watched is None else [part for part, _ in watched]
    if not seen:
        return None
    shared = sum(len(piece.data) for piece in fixed if isinstance(piece, nodes.TemplateData))
    return shared, _located(seen[0], text, parts)


def _pieces(body: nodes.Template | nodes.Scope) -> Iterator[nodes.Node]:
    """What a template writes and does, one after the other, that of its parts in their places."""
    for node in body.body:
        if isinstance(node, nodes.Scope):
            yield from _pieces(node)
        else:
            yield from node.nodes if isinstance(node, nodes.Output) else (node,)


def _located(origin: Origin, text: str, parts: Parts) -> Origin:
    file, line = located(text, parts, origin.line)
    return replace(origin, line=line, file=file)


def _few_tags(text: str, parts: Parts) -> bool:
    if not parts.files:
        return text.count("{{") + text.count("{%") <= WATCHED_TAGS
    inner = with_parts(sandbox(), text, parts).find_all((nodes.Expr, nodes.Stmt))
    tags = (node for node in inner if not isinstance(node, (nodes.TemplateData, nodes.Output)))
    return next(islice(tags, WATCHED_TAGS, None), None) is None


def _next_line(pieces: Sequence[nodes.Node]) -> list[Origin]:
    return [Origin(piece.lineno, "") for piece in pieces[:1]]


class _Enough(Exception):
    """Ends a rendering of which enough was seen."""


def _seen(text: str, variables: Mapping[str, object], most: int, parts: Parts) -> list[tuple[Origin, str]]:
    """Each part in the order in which it was rendered, at most so many, and what it gave.

    All that is kept is bounded: what a part writes counts towards what a rendering may hold, the rest is short.
    """
    found: list[tuple[Origin, str]] = []

    def seen(line: int, variable: str, kind: str, value: Any) -> Any:
        found.append((Origin(line, variable), _shown(kind, value)))
        if len(found) == most:
            raise _Enough
        return value

    with suppress(_Enough):
        compile_template(text, parts, _watch).render({**variables, hidden("seen"): seen})
    return found


def _shown(kind: str, value: Any) -> str:
    if kind == "test":
        return str(bool(value))
    if kind == "loop":
        return str(len(value)) if isinstance(value, (list, tuple, dict, str, range)) else ""
    return text_of(value)


def _watch(tree: nodes.Template) -> None:
    _Watch().visit(tree)


class _Watch(NodeTransformer):
    """Lets every part whose value a case may change be seen: what is written, tested and looped over."""

    def visit_Output(self, node: nodes.Output) -> nodes.Output:
        fixed = (nodes.TemplateData, nodes.Const)
        node.nodes = [part if isinstance(part, fixed) else _seen_call("text", part) for part in node.nodes]
        return node

    def visit_If(self, node: nodes.If) -> nodes.If:
        self.generic_visit(node)
        if not isinstance(node.test, nodes.Const):
            node.test = _seen_call("test", node.test)
        return node

    def visit_For(self, node: nodes.For) -> nodes.For:
        self.generic_visit(node)
        node.iter = _seen_call("loop", node.iter)
        return node


def _seen_call(kind: str, part: nodes.Node) -> nodes.Call:
    line, variable = part.lineno, _variable(part)
    shown = variable if len(variable) <= NAME_CHARS else ""
    told = [nodes.Const(value, lineno=line) for value in (line, shown, kind)]
    return call("seen", *told, part)


def _variable(part: nodes.Node) -> str:
    """`slices.tier` of `{{ slices['tier'] | upper }}`."""
    names: list[str] = []
    chain = [part]
    while not isinstance(chain[-1], nodes.Name):
        inner = next(iter(chain[-1].iter_child_nodes()), None)
        if inner is None:
            first = next(part.find_all(nodes.Name), None)
            return first.name if first is not None else ""
        chain.append(inner)
    for node in reversed(chain):
        if isinstance(node, nodes.Name):
            names.append(node.name)
        elif isinstance(node, nodes.Getattr):
            names.append(node.attr)
        elif isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str):
            names.append(node.arg.value)
        else:
            break
    return ".".join(names)
