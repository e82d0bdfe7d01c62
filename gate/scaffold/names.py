"""Names of suites: the shortest unique part of the path."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from gate.config.values import POINTER_ENDINGS, pointer_of

_ENDINGS = (".j2", ".jinja2", ".jinja", ".md", ".txt", ".prompty", ".prompt", *POINTER_ENDINGS)
_GENERAL = frozenset(
    "prompt prompts system system_prompt system_message system_template main_system user user_prompt main default "
    "index template instruction instructions content text".split()
)
"""Names that are less specific than that of the folder."""
_LEFT_OUT = frozenset({"prompts", "prompt", "src"})
"""Folders with names that do not help."""
_UNSAFE = re.compile(r"[^\w.-]+")
_MOST = 80
"""Characters of a name, which is also the name of a folder."""


def suite_names(paths: Sequence[str]) -> list[str]:
    """A name for the suite of each prompt, unique whatever its case: `chat`, or `billing.chat` and `support.chat`."""
    levels = [list(_levels(path)) for path in paths]
    at = [0] * len(paths)
    while True:
        names = [own[min(place, len(own) - 1)] for own, place in zip(levels, at, strict=True)]
        counts = Counter(name.lower() for name in names)
        shared = [place for place, name in enumerate(names) if counts[name.lower()] > 1]
        longer = [place for place in shared if at[place] < len(levels[place]) - 1]
        if not longer:
            return _numbered(names)
        for place in longer:
            at[place] += 1


def safe_name(text: str) -> str:
    """A name that is valid for a suite, a folder and a shell."""
    return _UNSAFE.sub("-", text).strip("-._")[-_MOST:].strip("-._") or "prompt"


def bare_name(name: str) -> str:
    """A file's name without its kind: `support` of `support.prompt.yml`."""
    for ending in _ENDINGS:
        if name.lower().endswith(ending) and len(name) > len(ending):
            name = name[: -len(ending)]
    return name


def _levels(path: str) -> Iterator[str]:
    """The names that a prompt may have, the shortest first."""
    pointer = pointer_of(path)
    place = PurePosixPath(path if pointer is None else pointer.path)
    inner = [] if pointer is None else pointer.name.split(".")
    parts = [part for part in place.parts[:-1] if part not in _LEFT_OUT] + [bare_name(place.name), *inner]
    parts = [part.lower() if part.isupper() else part for part in parts]
    telling = [place for place, part in enumerate(parts) if part.lower() not in _GENERAL]
    last = telling[-1] if telling else len(parts) - 1
    yield safe_name(parts[last])
    for first in range(last, -1, -1):
        yield safe_name(".".join(parts[first:]))
    yield safe_name(path.replace("/", "."))


def _numbered(names: Sequence[str]) -> list[str]:
    """Paths that differ only in characters that no name may have."""
    found: list[str] = []
    used: set[str] = set()
    for name in names:
        free, number = name, 1
        while free.lower() in used:
            number += 1
            free = f"{name}-{number}"
        used.add(free.lower())
        found.append(free)
    return found
