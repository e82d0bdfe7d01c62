"""The prose of a page: its sentences, without what is read as a list of facts or as code."""

import re

import textstat

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"^ *(```|~~~).*?^ *\1 *$", re.DOTALL | re.MULTILINE)
_INDENTED = re.compile(r"(?:(?<=\n\n)|\A)(?: {4}\S.*\n?)+", re.MULTILINE)
_FORMULA = re.compile(r"\$\$.*?\$\$|(?<![\\\w$])\$(?![\s$])[^$\n]+(?<!\s)\$(?!\w)", re.DOTALL)
_TABLE = re.compile(r"^ *\|.*$", re.MULTILINE)
_HEADING = re.compile(r"^ *#{1,6} .*$", re.MULTILINE)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^)\s]+\)")
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_ADDRESS = re.compile(r"https?://\S+")
_TAG = re.compile(r"</?[a-z][^>]*>")
_ITEM = re.compile(r"^ *(?:[-*+]|\d+\.|>) +", re.MULTILINE)
_MARK = re.compile(r"[*_]{1,3}")
_INNER = re.compile(r"(?<=\w)[.,](?=\w)")


def prose(page: str) -> str:
    """The running text of a page. Each block ends as a sentence does, so that a list is no single long sentence.

    Args:
        page: its Markdown.
    """
    text = page
    for pattern in (_COMMENT, _FENCE, _INDENTED, _TABLE, _HEADING, _IMAGE, _TAG):
        text = pattern.sub("\n", text)
    # A code word is a name: one short word, whatever it is.
    for pattern, word in ((_LINK, r"\1"), (_FORMULA, "x"), (_CODE, "x"), (_ADDRESS, "x")):
        text = pattern.sub(word, text)
    blocks = re.split(r"\n\s*\n", _ITEM.sub("\n\n", text))
    # The point of 2.5 or of run.json ends no sentence.
    lines = [" ".join(_INNER.sub("", _MARK.sub("", block)).split()) for block in blocks]
    return "\n".join(line if line[-1] in ".!?" else f"{line.rstrip(':;,')}." for line in lines if len(line) > 1)


def reading_ease(page: str) -> float:
    """Flesch reading ease of a page's prose, about 0 (hard) to 100 (easy); 100 for a page without prose.

    R. Flesch, A new readability yardstick, Journal of Applied Psychology 32, 1948.

    Args:
        page: its Markdown.
    """
    text = prose(page)
    return float(textstat.flesch_reading_ease(text)) if len(text.split()) > 30 else 100.0
