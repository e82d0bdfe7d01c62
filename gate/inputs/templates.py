"""Jinja2 that a stranger may write: sandboxed, strict, deterministic, and bounded in size and loops.

What could build a huge value out of a small text is refused (macros, captured blocks, format widths) or measured
(loops, `+`, `*`, `~`, assignments), and whatever does work looks at the time that the rendering has left.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, TracebackType
from typing import Any

from jinja2 import Template, TemplateError, TemplateSyntaxError, UndefinedError, meta, nodes
from jinja2.exceptions import SecurityError
from jinja2.visitor import NodeTransformer

from gate.domain.message import NO_PARTS, Parts
from gate.inputs.includes import located, with_parts
from gate.inputs.limits import LOOP_STEPS, RENDERED_CHARS, RENDERING_S
from gate.inputs.rendering_clock import TooLong, check, limited
from gate.inputs.sandbox import BadTemplate, sandbox, short
from gate.inputs.templatevalues import joined, sized

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
    """A template, ready to render.

    Args:
        names: the variables that it mentions, in its parts, too.
        text, parts: what it was made of.
    """

    names: frozenset[str]
    text: str
    parts: Parts
    _template: Template

    def render(self, variables: Mapping[str, object], seconds: float = RENDERING_S) -> str:
        """The text.

        Args:
            variables: by their names.
            seconds: of the processor that it may take.

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
    """Read a template.

    Args:
        text: Jinja2.
        parts: the files that it pulls in.
        mark: changes the tree before it is compiled, to watch a rendering.

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
        raise BadTemplate("invalid Jinja2: too many loops inside each other") from None
    except (RecursionError, ValueError, MemoryError):
        raise BadTemplate("invalid Jinja2: too deeply nested") from None
    return Compiled(names, text, parts, Template.from_code(environment, code, dict(environment.globals)))


def hidden(name: str) -> str:
    """A variable out of every template's reach: Jinja reads a word that begins with a digit as a number and a name."""
    return f"0{name}"


def call(helper: str, *arguments: nodes.Node) -> nodes.Call:
    """A call of a hidden variable, to put into a tree."""
    line = arguments[0].lineno
    return nodes.Call(nodes.Name(hidden(helper), "load", lineno=line), list(arguments), [], None, None, lineno=line)


class _Steps:
    """Lets all loops of one rendering take so many turns together."""

    def __init__(self) -> None:
        self._left = LOOP_STEPS

    def __call__(self, items: Any) -> Iterator[Any]:
        for item in items:
            check()
            self._left -= 1
            if self._left < 0:
                raise SecurityError(f"loops take more than {LOOP_STEPS:,} turns")
            yield item


class _Bounds(NodeTransformer):
    """Puts a measure around each loop, assignment, concatenation and comparison."""

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
    # Every call looks at the time.
    hidden("compared"): lambda value: value,
    hidden("sized"): sized,
    hidden("joined"): lambda *values: joined(values),
}


def _line(traceback: TracebackType | None) -> int:
    """The last line of the template that the traceback passes through."""
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
        return "calls a variable as a function, which only code can give: pass the value itself"
    return short(str(error) or type(error).__name__)
