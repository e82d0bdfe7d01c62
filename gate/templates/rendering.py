"""Templates: those of prompts (parsing, inclusion of files, rendering), and those that come with the gate."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import islice, takewhile
from types import CodeType, TracebackType
from typing import Any

from jinja2 import Environment as PlainEnvironment
from jinja2 import (
    PackageLoader,
    StrictUndefined,
    Template,
    TemplateError,
    TemplateSyntaxError,
    UndefinedError,
    meta,
    nodes,
)
from jinja2.exceptions import SecurityError
from jinja2.visitor import NodeTransformer

from gate.files import path_complaint
from gate.limits import LOOP_STEPS, NAME_CHARS, PATH_CHARS, RENDERED_CHARS, RENDERING_S, WATCHED_PARTS, WATCHED_TAGS
from gate.messages import NO_PARTS, Part, Parts
from gate.templates.sandbox import (
    BadTemplate,
    Environment,
    TemplateSize,
    TooLong,
    check,
    joined,
    limited,
    parsed,
    sandbox,
    short,
    sized,
    text_of,
)

_BREAK = re.compile(r"\r\n|\r|\n")
"""Jinja's line ends."""


def with_parts(environment: Environment, text: str, parts: Parts) -> nodes.Template:
    """The tree of a template with its parts in it.

    Args:
        parts: every included file, from `gate.prompts.version.gather`: no part includes itself.

    Raises:
        BadTemplate: with line and file.
    """
    try:
        extent = TemplateSize()
        tree = parsed(environment, text, extent)
        return _Splice(environment, text, parts, extent).inside(parts.path, tree)
    except BadTemplate as error:
        file, line = located(text, parts, error.line)
        raise BadTemplate(error.message, line, file=file) from None


def located(text: str, parts: Parts, line: int) -> tuple[str, int]:
    """The file, and the line in it, of a line of the whole tree; the file is empty for the template itself.

    Args:
        line: from a node of `with_parts`.
    """
    lines = _lines(text)
    if line <= lines:
        return "", line
    for part in parts.files:
        line, lines = line - lines, _lines(part.text)
        if line <= lines:
            return part.path, line
    return "", 0


def names_in(tree: nodes.Template) -> Iterator[tuple[int, str, str]]:
    """Line, path and error of each include of a template; the path is empty if there is an error."""
    for node in tree.find_all(nodes.Include):
        name, reason = _name(node)
        yield node.lineno, name, reason


def resolved(within: str, name: str) -> tuple[str, str]:
    """The path of an include from the root, and why it may not be read; one of the two is empty.

    Args:
        name: relative to that file's folder, or from the root when it begins with `/`.
    """
    if len(name) > PATH_CHARS:
        return "", f"is longer than {PATH_CHARS:,} characters"
    if not name or name.endswith("/"):
        return "", "is not the name of a file"
    path = posixpath.normpath(name[1:] if name.startswith("/") else posixpath.join(posixpath.dirname(within), name))
    reason = path_complaint(path) or ("" if _is_text(path) else "contains half of a surrogate pair")
    return ("", reason) if reason else (path, "")


def _name(node: nodes.Include) -> tuple[str, str]:
    if not (isinstance(node.template, nodes.Const) and isinstance(node.template.value, str)):
        return "", "'include' takes a literal path"
    if node.ignore_missing:
        return "", "'ignore missing' is not supported: a missing file is an error"
    if not node.with_context:
        return "", "'without context' is not supported: an included file sees the variables of the prompt"
    return node.template.value, ""


class _Splice(NodeTransformer):
    """Replaces each include by its part."""

    def __init__(self, environment: Environment, text: str, parts: Parts, extent: TemplateSize) -> None:
        self._environment = environment
        self._within = parts.path
        self._parts: dict[str, tuple[int, Part]] = {}
        self._extent = extent
        before = _lines(text)
        for part in parts.files:
            self._parts[part.path] = before, part
            before += _lines(part.text)

    def inside(self, path: str, tree: nodes.Template) -> nodes.Template:
        """The tree of one file, with the parts that it includes."""
        outer, self._within = self._within, path
        self.generic_visit(tree)
        self._within = outer
        return tree

    def visit_Include(self, node: nodes.Include) -> nodes.Node:
        name, reason = _name(node)
        path = "" if reason else resolved(self._within, name)[0]
        if path not in self._parts:
            raise BadTemplate(reason or "'include' is not supported in templates of this kind", node.lineno)
        before, part = self._parts[path]
        if not part.template:
            return nodes.Output([nodes.TemplateData(part.text, lineno=before + 1)], lineno=before + 1)
        try:
            tree = parsed(self._environment, part.text, self._extent)
        except BadTemplate as error:
            raise BadTemplate(error.message, before + error.line) from None
        for inner in tree.find_all(nodes.Node):
            if inner.lineno:  # some, as the sides of a comparison, have none
                inner.lineno += before
        return nodes.Scope(self.inside(path, tree).body, lineno=before + 1)


def _is_text(path: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in path)


def _lines(text: str) -> int:
    return len(_BREAK.findall(text)) + 1


_MISTAKES = (
    TemplateError,
    ArithmeticError,
    AssertionError,  # what Jinja's own filters raise for some arguments
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
_FILE = "<template>"


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled template."""

    names: frozenset[str]
    text: str
    parts: Parts
    _template: Template

    def render(self, variables: Mapping[str, object], seconds: float = RENDERING_S) -> str:
        """Render the template.

        Args:
            seconds: of processor time.

        Raises:
            BadTemplate: an undefined variable, a forbidden operation, too large a result, or too much work.
        """
        pieces: list[str] = []
        left = RENDERED_CHARS
        try:
            with limited(seconds):
                for piece in self._template.generate({**variables, **_HELPERS, hidden("steps"): _Steps()}):
                    left -= len(piece)
                    if left < 0:
                        raise BadTemplate(f"renders to more than {RENDERED_CHARS:,} characters")
                    pieces.append(piece)
            text = "".join(pieces)
            text.encode()
        except UnicodeEncodeError:
            raise BadTemplate("renders half of a surrogate pair (\\ud800 to \\udfff), which is not text") from None
        except _MISTAKES as error:
            undefined = isinstance(error, UndefinedError)
            file, line = located(self.text, self.parts, _line(error.__traceback__))
            slow = isinstance(error, TooLong)
            raise BadTemplate(_sentence(error), line, undefined=undefined, file=file, slow=slow) from None
        return text


# Compiling is pure, so remembering it is not state; a run renders few templates very often.
@lru_cache(maxsize=256)
def compile_template(
    text: str, parts: Parts = NO_PARTS, mark: Callable[[nodes.Template], object] | None = None
) -> Compiled:
    """Compile a template.

    Args:
        mark: changes the tree before compilation, to watch a rendering.

    Raises:
        BadTemplate: with the line, and the file where that is a part.
    """
    environment = sandbox()
    try:
        tree = with_parts(environment, text, parts)
        names = frozenset(meta.find_undeclared_variables(tree))
        if mark is not None:
            mark(tree)
        bounded = _Bounds().visit(tree)
        bounded.set_environment(environment)
        with limited():  # Jinja works out what rests on nothing but constants
            code: CodeType = environment.compile(bounded, filename=_FILE)
    except TemplateSyntaxError as error:
        file, line = located(text, parts, error.lineno)
        raise BadTemplate(f"invalid Jinja2: {short(error.message or 'syntax error')}", line, file=file) from None
    except SyntaxError:
        raise BadTemplate("invalid Jinja2: too many nested loops") from None
    except (RecursionError, ValueError, MemoryError):
        raise BadTemplate("invalid Jinja2: too deeply nested") from None
    return Compiled(names, text, parts, Template.from_code(environment, code, dict(environment.globals)))


def hidden(name: str) -> str:
    """A variable that no template can use: Jinja reads a word that begins with a digit as a number and a name."""
    return f"0{name}"


def call(helper: str, *arguments: nodes.Node) -> nodes.Call:
    """A call of a hidden variable, for a tree."""
    line = arguments[0].lineno
    return nodes.Call(nodes.Name(hidden(helper), "load", lineno=line), list(arguments), [], None, None, lineno=line)


class _Steps:
    """Limits the turns of all loops of one rendering together."""

    def __init__(self) -> None:
        self._left = LOOP_STEPS

    def __call__(self, items: Any) -> Iterator[Any]:
        for item in items:
            check()
            self._left -= 1
            if self._left < 0:
                raise SecurityError(f"loops have more than {LOOP_STEPS:,} iterations")
            yield item


class _Bounds(NodeTransformer):
    """Adds a limit to each loop, assignment, concatenation and comparison."""

    def visit_For(self, node: nodes.For) -> nodes.For:
        self.generic_visit(node)
        node.iter = call("steps", node.iter)
        return node

    def visit_Assign(self, node: nodes.Assign) -> nodes.Assign:
        self.generic_visit(node)
        node.node = call("sized", node.node)
        return node

    def visit_With(self, node: nodes.With) -> nodes.With:
        self.generic_visit(node)
        node.values = [call("sized", value) for value in node.values]
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Call:
        self.generic_visit(node)
        return call("compared", node)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Call:
        self.generic_visit(node)
        return call("joined", *node.nodes)


_HELPERS: Mapping[str, Callable[..., Any]] = {
    # Every call checks the time.
    hidden("compared"): lambda value: value,
    hidden("sized"): sized,
    hidden("joined"): lambda *values: joined(values),
}


def _line(traceback: TracebackType | None) -> int:
    """The last line of the template in the traceback."""
    line = 0
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == _FILE:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def _sentence(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "refers to itself without end"
    if isinstance(error, TypeError) and str(error).endswith(" object is not callable"):
        return "calls a variable as a function, but a case can only give values: use the value itself"
    return short(str(error) or type(error).__name__)


@dataclass(frozen=True, slots=True)
class Origin:
    """A part of a template that may differ from case to case.

    Args:
        line: 1-based, in the template.
        variable: the first one in it, such as `date` or `slices.tier`; empty where there is none, or its name is too
            long.
        file: the part of the prompt with that line; empty for the template itself.
    """

    line: int
    variable: str
    file: str = ""


def first_difference(
    text: str, one: Mapping[str, object], other: Mapping[str, object], parts: Parts = NO_PARTS
) -> Origin | None:
    """The first part that renders differently for two cases.

    None when no part does, or none that is watched: watching costs several times a rendering, so a template of many
    tags is not watched at all, and a long rendering only up to its first `WATCHED_PARTS`.

    Raises:
        BadTemplate: rendering failed before that part.
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
    """The first part of a rendering that may differ between cases, and its place in characters; None without one.

    Raises:
        BadTemplate: rendering failed before that part.
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
    """Outputs and statements of a template in their order, those of its parts in their places."""
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
    """Ends a rendering early."""


def _seen(text: str, variables: Mapping[str, object], most: int, parts: Parts) -> list[tuple[Origin, str]]:
    """Each part that was rendered, in order, `most` at most, and its text.

    Memory is bounded: what a part writes counts towards the limit of a rendering, the rest is short.
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
    """Records every part whose value a case may change: output, tests and loops."""

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


def packaged_templates(
    package: str, *, autoescape: bool = True, finalize: Callable[[object], object] | None = None
) -> PlainEnvironment:
    """Loads and compiles the templates in a package's folder `templates`.

    Args:
        autoescape: for HTML and SVG.
        finalize: is applied to every value that a template prints.
    """
    return PlainEnvironment(
        loader=PackageLoader(package, "templates"),
        autoescape=autoescape,  # noqa: S701 (chosen by the caller)
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


@cache
def plain_template(package: str, name: str) -> Template:
    """A template of a package that makes no HTML, such as a message to a model."""
    return packaged_templates(package, autoescape=False).get_template(name)
