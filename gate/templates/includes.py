"""`{% include "path" %}`: which file it names, and its text put in its place.

A part is put into the tree of the template before that is compiled, in a scope of its own. So there is one template to
render, whose loops, values and size are bounded together, and no loader that could be led to a file at run time. Lines
of parts are counted on behind those of the template, part by part, and are told by `located`.
"""

import posixpath
import re
from collections.abc import Iterator

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from gate.limits import PATH_CHARS
from gate.messages import Part, Parts
from gate.paths import complaint
from gate.templates.sandbox import BadTemplate, Environment, Extent, parsed

_BREAK = re.compile(r"\r\n|\r|\n")
"""What Jinja counts as the end of a line."""


def with_parts(environment: Environment, text: str, parts: Parts) -> nodes.Template:
    """The tree of a template with its parts in it.

    Args:
        environment: parses.
        text: the template.
        parts: every file that it pulls in, as `gate.prompts.partials.gather` found them: no part holds itself.

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
    """The file and the line in it of a line of the whole; the file is empty for the template itself.

    Args:
        text: the template.
        parts: what it pulls in.
        line: as a node of `with_parts` has it.
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
    """Line, path and what is wrong with it, for each include of a template; the path is empty where there is none."""
    for node in tree.find_all(nodes.Include):
        name, reason = _name(node)
        yield node.lineno, name, reason


def resolved(within: str, name: str) -> tuple[str, str]:
    """The path that an include names, from the root, and why it may not be read; of the two one is empty.

    Args:
        within: path of the file that includes.
        name: relative to that file's folder, or from the root when it begins with `/`.
    """
    if len(name) > PATH_CHARS:
        return "", f"is longer than {PATH_CHARS:,} characters"
    if not name or name.endswith("/"):
        return "", "names no file"
    path = posixpath.normpath(name[1:] if name.startswith("/") else posixpath.join(posixpath.dirname(within), name))
    reason = complaint(path) or ("" if _is_text(path) else "holds half of a surrogate pair")
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
    """Puts each part in the place of its include."""

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
