"""Several texts in one, as promptfoo writes them: between commas, in quotation marks where they hold one."""

import re

_FIELD = re.compile(r'[\s,]*(?:"((?:\\["\\]|""|[^"])*)"\s*(?=,|\Z)|([^",\s][^,]*))')
_MORE = re.compile(r"[^\s,]")
_ESCAPED = re.compile(r'\\(["\\])|""')


def listed(text: str) -> list[str] | None:
    """The texts; None where a quotation mark is not closed.

    Args:
        text: `red, "green, blue"`.
    """
    found: list[str] = []
    at = 0
    while _MORE.search(text, at):
        match = _FIELD.match(text, at)
        if match is None:
            return None
        quoted = match[1]
        found.append(match[2].strip() if quoted is None else _ESCAPED.sub(lambda one: one[1] or '"', quoted))
        at = match.end()
    return found
