"""Proposes where a prompt went that a change removes; only the change's own gate.yaml decides."""

import re
from collections import Counter
from pathlib import PurePosixPath

from gate.config.documents import decode
from gate.config.values import Pointer, file_part, is_python, pointer_of
from gate.errors import GateError
from gate.limits import PROMPT_CHARS
from gate.prompts.files import FileSource, absent_part, file_of
from gate.prompts.pointers import pointed_text, pointed_texts

_WORD = re.compile(r"\w+")
MOST_COMPARED = 100
"""New files of the change that are read; each is a request if they are on GitHub."""
ALIKE = 0.5
"""Share of words that two texts have in common, from which on one is proposed."""


def likely_successor(base: FileSource, head: FileSource, prompt: str) -> str:
    """The new file of the change that has most words in common with a removed prompt; empty where none has half."""
    part = absent_part(head, prompt)
    words = _words(base, part)
    if not words:
        return ""
    before = base.listing()
    new = [path for path in head.listing() if path not in before]
    name = PurePosixPath(file_of(base, part) or part)
    new.sort(key=lambda path: (PurePosixPath(path).name != name.name, PurePosixPath(path).suffix != name.suffix, path))
    shares = [(_share(words, _words(head, path)), path) for path in new[:MOST_COMPARED]]
    share, path = max(shares, default=(0.0, ""))
    return path if share >= ALIKE else ""


def renamed_text(source: FileSource, path: str, other: FileSource, prompt: str) -> str:
    """The text of a file that has at least half of its words in common with a text of another commit.

    Args:
        prompt: the text at `other`; texts that its file has there as well are not it. The result names the text as
            `path::NAME`; empty where there is none.
    """
    pointer = pointer_of(prompt)
    if pointer is None:
        return ""
    words = _words(other, prompt)
    try:
        there = {text.name for text in pointed_texts(decode(other.read(pointer.path) or b"", prompt), pointer.path)}
        texts = pointed_texts(decode(source.read(path) or b"", path), path)
    except GateError:
        return ""
    new = {text.name: Counter(_WORD.findall(text.plain)) for text in texts if text.name not in there}
    share, name = max(((_share(words, other), name) for name, other in new.items()), default=(0.0, ""))
    return str(Pointer(path, name)) if share >= ALIKE else ""


def _words(source: FileSource, prompt: str) -> Counter[str]:
    """The words of a file, or of a text inside one; none where it cannot be read."""
    pointer = pointer_of(prompt)
    path = (file_of(source, prompt) or "") if is_python(prompt) else file_part(prompt)
    try:
        text = decode(source.read(path) or b"", path) if path else ""
        text = text if pointer is None else pointed_text(text, path, pointer.name, path).plain
    except GateError:
        return Counter()
    return Counter(_WORD.findall(text[: 4 * PROMPT_CHARS]))


def _share(old: Counter[str], new: Counter[str]) -> float:
    """Twice the words in common by the words of both, in [0, 1]."""
    return 2 * (old & new).total() / ((old.total() + new.total()) or 1)
