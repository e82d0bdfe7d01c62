"""Where the templates of strangers are read and run: a sandbox, narrowed to what a prompt needs."""

from dataclasses import dataclass
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment

from gate.inputs.limits import RENDERED_CHARS, TEMPLATE_TAGS, TEMPLATE_TOKENS
from gate.inputs.rendering_clock import check, checked
from gate.inputs.templatevalues import FILTERS, METHODS, TESTS, sized, text_of

_REFUSED = (
    nodes.Macro,
    nodes.CallBlock,
    nodes.FilterBlock,
    nodes.AssignBlock,
    nodes.Import,
    nodes.FromImport,
    nodes.Extends,
    nodes.Block,
    nodes.ScopedEvalContextModifier,
)
_OUTSIDE = frozenset(
    "block_begin block_end comment comment_begin comment_end data raw_begin raw_end variable_begin variable_end "
    "whitespace".split()
)
"""What Jinja's lexer finds beside the words and signs of tags."""
_SHARED = (nodes.Macro, nodes.Import, nodes.FromImport, nodes.Extends, nodes.Block)


class BadTemplate(Exception):
    """A template that cannot be read or rendered.

    Args:
        message: what is wrong.
        line: 1-based line in the template, 0 when it is not known.
        undefined: the message is about a variable that nobody gives.
        file: the part that the line is in; empty for the template itself.
        slow: it was given up.
    """

    def __init__(
        self, message: str, line: int = 0, *, undefined: bool = False, file: str = "", slow: bool = False
    ) -> None:
        super().__init__(message)
        self.slow = slow
        self.message, self.line, self.undefined, self.file = message, line, undefined, file


class Environment(SandboxedEnvironment):
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

    def call(self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        check()
        return super().call(__context, __obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        check()
        if operator == "%" and isinstance(left, str):
            raise SecurityError("formatting text with % is not supported")
        if operator == "**" and not (abs(left) <= 1e6 and abs(right) <= 64):
            raise SecurityError("a power this large is not supported")
        if operator == "*":
            for one, other in ((left, right), (right, left)):
                if isinstance(one, (str, list, tuple)) and len(one) * max(other, 0) > RENDERED_CHARS:
                    raise SecurityError(f"a value of more than {RENDERED_CHARS:,} characters is not supported")
        return sized(super().call_binop(context, operator, left, right))


def sandbox() -> Environment:
    """A fresh one: strict, deterministic, without a loader, so that no template reaches a file."""
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, finalize=checked(text_of))
    environment.filters, environment.tests = dict(FILTERS), dict(TESTS)
    environment.globals = {"range": environment.globals["range"], "dict": dict}
    return environment


@dataclass(slots=True)
class Extent:
    """How much of a template, with its parts, there is to compile.

    Args:
        tags, tokens: so far; tokens are the words and signs inside tags.
    """

    tags: int = 0
    tokens: int = 0

    def add(self, environment: Environment, text: str) -> None:
        """Count a template, or a part once more, before it is parsed.

        Raises:
            BadTemplate: it would take too long to compile, and the line in this text where the measure is full.
            TemplateSyntaxError: it is not even made of tokens.
        """
        self.tags += text.count("{{") + text.count("{%")
        if self.tags > TEMPLATE_TAGS:
            raise BadTemplate(f"a template, with its parts, has at most {TEMPLATE_TAGS:,} tags", 1)
        for line, kind, _ in environment.lexer.tokeniter(text, None):
            self.tokens += kind not in _OUTSIDE
            if self.tokens > TEMPLATE_TOKENS:
                message = f"a template, with its parts, has at most {TEMPLATE_TOKENS:,} words and signs inside its tags"
                raise BadTemplate(message, line)


def parsed(environment: Environment, text: str, extent: Extent | None = None) -> nodes.Template:
    """The tree of a template, in which nothing is left that the sandbox does not run, but for includes.

    Args:
        environment: parses.
        text: the template.
        extent: of what it belongs to; None where it is looked at alone.

    Raises:
        BadTemplate: with the line.
    """
    try:
        (extent or Extent()).add(environment, text)
        tree = environment.parse(text)
        refused = next(tree.find_all(_REFUSED), None)
        if refused is not None:
            more = "; pull shared text in with {% include %}" if isinstance(refused, _SHARED) else ""
            raise BadTemplate(f"{_tag(refused)!r} is not supported in templates{more}", refused.lineno)
        _check_names(tree)
    except TemplateSyntaxError as error:
        raise BadTemplate(f"invalid Jinja2: {short(error.message or 'syntax error')}", error.lineno) from None
    except (RecursionError, ValueError, MemoryError):
        raise BadTemplate("invalid Jinja2: too deeply nested") from None
    return tree


def short(message: str) -> str:
    """A message on one line, of bounded length."""
    return " ".join(message.split())[:300]


def _check_names(tree: nodes.Template) -> None:
    """Two underscores mark what is Python's own; no variable of a case is worth a name that looks like it.

    Raises:
        BadTemplate: a variable with such a name.
    """
    for node in tree.find_all((nodes.Name, nodes.NSRef)):
        name = str(getattr(node, "name", ""))
        if name.startswith("__"):
            raise BadTemplate(short(f"a name must not begin with two underscores, as {name} does"), node.lineno)


def _tag(node: nodes.Node) -> str:
    names: dict[type[nodes.Node], str] = {
        nodes.AssignBlock: "set … endset",
        nodes.CallBlock: "call",
        nodes.FilterBlock: "filter",
        nodes.FromImport: "import",
        nodes.ScopedEvalContextModifier: "autoescape",
    }
    return names.get(type(node), type(node).__name__.lower())
