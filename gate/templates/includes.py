"""Resolves `{% include "path" %}`, and puts the included text in its place.

A part becomes a piece of the template's tree before that is compiled, in a scope of its own. So there is one template
to render, whose loops, values and size are limited together, and no loader that could reach a file at run time. Lines
of parts are numbered after those of the template, part by part; `located` finds them.
"""

import posixpath
import re
from collections.abc import Iterator

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from gate.limits import PATH_CHARS
from gate.messages import Part, Parts
from gate.paths import path_complaint
from gate.templates.sandbox import BadTemplate, Environment, Extent, parsed

_BREAK = re.compile(r"\r\n|\r|\n")
"""Jinja's line ends."""


def with_parts(environment: Environment, text: str, parts: Parts) -> nodes.Template:
    """The tree of a template with its parts in it.

    Args:
        parts: every included file, from `gate.prompts.partials.gather`: no part includes itself.

    Raises:
        BadTemplate: with line and file.
    """
    try:
        extent = Extent()
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
    """Line, path and mistake of each include of a template; the path is empty where there is a mistake."""
    for node in tree.find_all(nodes.Include):
        name, reason = _name(node)
        yield node.lineno, name, reason


def resolved(within: str, name: str) -> tuple[str, str]:
    """The path of an include from the root, and why it may not be read; one of the two is empty.

    Args:
        within: path of the including file.
        name: relative to that file's folder, or from the root when it begins with `/`.
    """
    if len(name) > PATH_CHARS:
        return "", f"is longer than {PATH_CHARS:,} characters"
    if not name or name.endswith("/"):
        return "", "names no file"
    path = posixpath.normpath(name[1:] if name.startswith("/") else posixpath.join(posixpath.dirname(within), name))
    reason = path_complaint(path) or ("" if _is_text(path) else "holds half of a surrogate pair")
    return ("", reason) if reason else (path, "")


def _name(node: nodes.Include) -> tuple[str, str]:
    if not (isinstance(node.template, nodes.Const) and isinstance(node.template.value, str)):
        return "", "'include' takes a literal path"
    if node.ignore_missing:
        return "", "'ignore missing' is not supported: a part that is not there is a mistake"
    if not node.with_context:
        return "", "'without context' is not supported: a part sees the variables of the prompt"
    return node.template.value, ""


class _Splice(NodeTransformer):
    """Replaces each include by its part."""

    def __init__(self, environment: Environment, text: str, parts: Parts, extent: Extent) -> None:
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
