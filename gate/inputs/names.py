"""Names that end up in reports and slice names: what they may hold."""

from gate.config.policy import OVERALL
from gate.inputs.limits import NAME_CHARS


def name_complaint(name: str) -> str:
    """What is wrong with a suite's name; empty when nothing is."""
    if "/" in name:
        return "must not hold '/', which joins suite and slice"
    return _common(name)


def dimension_complaint(name: str) -> str:
    """What is wrong with a slice dimension's name; empty when nothing is."""
    if name == OVERALL:
        return f"must not be {OVERALL!r}, the slice of all cases"
    if "=" in name or "/" in name:
        return "must not hold '=' or '/', which join the parts of a slice's name"
    return _common(name)


def value_complaint(value: str) -> str:
    """What is wrong with a slice's value, an id or a cluster; empty when nothing is."""
    return _common(value)


def person_complaint(name: str) -> str:
    """What is wrong with the name of a person; empty when nothing is."""
    return _common(name)


def slice_complaint(name: str, dimensions: tuple[str, ...]) -> str:
    """What is wrong with `dimension=value`, given the dimensions that a suite tests; empty when nothing is."""
    dimension, equals, value = name.partition("=")
    if not equals or not value:
        return "must be written dimension=value"
    return "" if dimension in dimensions else f"names the dimension {dimension!r}, which 'slices' does not list"


def _common(name: str) -> str:
    if not name.strip():
        return "must not be blank"
    if name != name.strip():
        return "must not begin or end with a space"
    if len(name) > NAME_CHARS:
        return f"must not be longer than {NAME_CHARS} characters"
    if not name.isprintable():
        return "must not hold control characters"
    return ""
