"""Jinja2 that a stranger may write: sandboxed, strict, deterministic, and bounded in size and loops.

What could build a huge value out of a small text is refused (macros, captured blocks, format widths) or measured
(loops, `+`, `*`, `~`, assignments). A template can still be slow; it cannot take the machine's memory with it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, TracebackType
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, UndefinedError, meta, nodes
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment
from jinja2.visitor import NodeTransformer

from gate.inputs.limits import LOOP_STEPS, RENDERED_CHARS
from gate.inputs.templatevalues import FILTERS, METHODS, joined, sized, text_of

_REFUSED = (
    nodes.Macro,
    nodes.CallBlock,
    nodes.FilterBlock,
    nodes.AssignBlock,
    nodes.Include,
    nodes.Import,
    nodes.FromImport,
    nodes.Extends,
    nodes.Block,
    nodes.ScopedEvalContextModifier,
)
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


class BadTemplate(Exception):
    """A template that cannot be read or rendered.

    Args:
        message: what is wrong.
        line: 1-based line in the template, 0 when it is not known.
        undefined: the message is about a variable that nobody gives.
    """

    def __init__(self, message: str, line: int = 0, *, undefined: bool = False) -> None:
        super().__init__(message)
        self.message, self.line, self.undefined = message, line, undefined


@dataclass(frozen=True, slots=True)
class Compiled:
    """A template, ready to render.

    Args:
        names: the variables that it mentions.
    """

    names: frozenset[str]
    _template: Template

    def render(self, variables: Mapping[str, object]) -> str:
        """The text.

        Raises:
            BadTemplate: an undefined variable, a forbidden operation, or too large a result.
        """
        pieces: list[str] = []
        left = RENDERED_CHARS
        try:
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
            raise BadTemplate(_sentence(error), _line(error.__traceback__), undefined=undefined) from None
        return text


# Compiling is pure, so remembering it is not state; a run renders few templates very often.
@lru_cache(maxsize=256)
def compile_template(text: str, mark: Callable[[nodes.Template], object] | None = None) -> Compiled:
    """Read a template.

    Args:
        text: Jinja2.
        mark: changes the tree before it is compiled, to watch a rendering.

    Raises:
        BadTemplate: with the line.
    """
    environment = _Environment(undefined=StrictUndefined, keep_trailing_newline=True, finalize=text_of)
    environment.filters = dict(FILTERS)
    environment.globals = {"range": environment.globals["range"], "dict": dict}
    try:
        tree = environment.parse(text)
        refused = next(tree.find_all(_REFUSED), None)
        if refused is not None:
            raise BadTemplate(f"{_tag(refused)!r} is not supported in templates", refused.lineno)
        _check_names(tree)
        names = frozenset(meta.find_undeclared_variables(tree))
        if mark is not None:
            mark(tree)
        bounded = _Bounds().visit(tree)
        bounded.set_environment(environment)
        code: CodeType = environment.compile(bounded, filename=_FILE)
    except TemplateSyntaxError as error:
        raise BadTemplate(f"invalid Jinja2: {_short(error.message or 'syntax error')}", error.lineno) from None
    except SyntaxError:
        raise BadTemplate("invalid Jinja2: too many loops inside each other") from None
    except (RecursionError, ValueError, MemoryError):
        raise BadTemplate("invalid Jinja2: too deeply nested") from None
    return Compiled(names, Template.from_code(environment, code, dict(environment.globals)))


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
            self._left -= 1
            if self._left < 0:
                raise SecurityError(f"loops take more than {LOOP_STEPS:,} turns")
            yield item


class _Environment(SandboxedEnvironment):
    """The sandbox, narrowed to what a prompt needs: an allowlist of methods, and measured operators."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def wrap_str_format(self, value: Any) -> None:
        """`str.format` takes widths like `{:>999999999}`; it is no allowed method."""
        return None

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A key of the user's data wins over a method of the same name (`vars.items`)."""
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        if isinstance(obj, (str, int, float, list, tuple, dict, range)):
            return attr in METHODS
        return super().is_safe_attribute(obj, attr, value)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "%" and isinstance(left, str):
            raise SecurityError("formatting text with % is not supported")
        if operator == "**" and not (abs(left) <= 1e6 and abs(right) <= 64):
            raise SecurityError("a power this large is not supported")
        if operator == "*":
            for one, other in ((left, right), (right, left)):
                if isinstance(one, (str, list, tuple)) and len(one) * max(other, 0) > RENDERED_CHARS:
                    raise SecurityError(f"a value of more than {RENDERED_CHARS:,} characters is not supported")
        return sized(super().call_binop(context, operator, left, right))


class _Bounds(NodeTransformer):
    """Puts a measure around each loop, assignment and concatenation."""

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

    def visit_Concat(self, node: nodes.Concat) -> nodes.Call:
        self.generic_visit(node)
        return call("joined", *node.nodes)


_HELPERS: Mapping[str, Callable[..., Any]] = {
    hidden("sized"): sized,
    hidden("joined"): lambda *values: joined(values),
}


def _check_names(tree: nodes.Template) -> None:
    """Two underscores mark what is Python's own; no variable of a case is worth a name that looks like it.

    Raises:
        BadTemplate: a variable with such a name.
    """
    for node in tree.find_all((nodes.Name, nodes.NSRef)):
        name = str(getattr(node, "name", ""))
        if name.startswith("__"):
            raise BadTemplate(_short(f"a name must not begin with two underscores, as {name} does"), node.lineno)


def _tag(node: nodes.Node) -> str:
    names: dict[type[nodes.Node], str] = {
        nodes.AssignBlock: "set … endset",
        nodes.CallBlock: "call",
        nodes.FilterBlock: "filter",
        nodes.FromImport: "import",
        nodes.ScopedEvalContextModifier: "autoescape",
    }
    return names.get(type(node), type(node).__name__.lower())


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
    return _short(str(error) or type(error).__name__)


def _short(message: str) -> str:
    return " ".join(message.split())[:300]
