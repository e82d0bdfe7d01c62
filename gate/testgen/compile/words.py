"""How a quoted text is looked for: as whole words or anywhere, and whether capitals count."""

import re


def capitals_count(item: str) -> bool:
    """A text that is quoted with a capital is meant so, and a single letter, too.

    Args:
        item: the text.
    """
    return len(item) == 1 or item.lower() != item


def ambiguous(item: str) -> bool:
    """One word with a capital at its start, such as `May` or `Sorry`: a name, or any word that begins a sentence.

    Args:
        item: a word that is forbidden.
    """
    return item.isalpha() and item[0].isupper() and item[1:].islower()


def word(item: str, *, plural: bool = False) -> str:
    """A pattern for a text as whole words, in capitals or not unless they count.

    Args:
        item: the text.
        plural: its plural is one, too.
    """
    text = re.escape(item)
    if plural and item[-1].isalpha():
        text += "(?:e?s)?"
    if not capitals_count(item):
        text = f"(?i:{text})"
    before = r"(?<!\w)" if item[0].isalnum() else ""
    return f"{before}{text}" + (r"(?!\w)" if item[-1].isalnum() else "")


def anywhere(item: str) -> str:
    """A pattern for a text wherever it stands, in capitals or not unless they count.

    Args:
        item: the text.
    """
    return re.escape(item) if capitals_count(item) else f"(?i:{re.escape(item)})"
