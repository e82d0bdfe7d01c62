"""Templates that come with the gate: messages to models, reports, files."""

from collections.abc import Callable
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template


def packaged_templates(
    package: str, *, autoescape: bool = True, finalize: Callable[[object], object] | None = None
) -> Environment:
    """Loads and compiles the templates in a package's folder `templates`.

    Args:
        autoescape: for HTML and SVG.
        finalize: is applied to every value that a template prints.
    """
    return Environment(
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
