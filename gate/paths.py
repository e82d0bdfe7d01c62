"""Paths in configuration: relative to the repository, inside it, and matched the same way in every source."""

import re
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from gate.limits import PATH_CHARS

_DRIVE = re.compile(r"[A-Za-z]:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""Characters that HFS+ does not tell names apart by; git refuses them in `.git`, too."""
_GIT = re.compile(r"(?i)(?:\.git|git~1)[. ]*(?::.*)?")
"""git's own folder under all its names: NTFS drops dots and blanks at the end, and knows short names and streams."""


def escapes(path: str) -> str:
    """Why a path may not be read from a repository; empty when it may."""
    if not path or path == ".":
        return "is empty"
    if "\0" in path:
        return "holds a NUL character"
    if path.startswith("/"):
        return "is absolute"
    parts = path.split("/")
    if ".." in parts:
        return "leaves the repository ('..')"
    if any(_GIT.fullmatch(_IGNORED.sub("", part)) for part in parts):
        return "is inside .git"
    return ""


def path_complaint(path: str) -> str:
    """Why a path in configuration is refused; empty when it is fine. Stricter than `escapes`."""
    if len(path) > PATH_CHARS:
        return f"is longer than {PATH_CHARS:,} characters"
    if _DRIVE.match(path):
        return "is absolute"
    if "\\" in path:
        return "holds a backslash (write '/')"
    if _CONTROL.search(path):
        return "holds a control character"
    return escapes(path)


def normal(path: str) -> str:
    """The path as git names it: no `./`, no doubled slashes."""
    return str(PurePosixPath(path))


def is_glob(path: str) -> bool:
    """The path is a pattern that may stand for several files."""
    return any(char in path for char in "*?[")


def literal_folder(pattern: str) -> str:
    """The folder that all that matches a pattern lies in; empty for the root."""
    parts = PurePosixPath(pattern).parts
    fixed = next((place for place, part in enumerate(parts) if is_glob(part)), len(parts) - 1)
    return "/".join(parts[:fixed])


def matches(path: str, pattern: str) -> bool:
    """Does a path match a pattern?

    `*`, `?` and `[…]` stay within one folder, `**` stands for any folders, and names that start with a dot only match
    a pattern that does.
    """
    return _matched(path.split("/"), pattern.split("/"))[-1]


def may_hold(folder: str, pattern: str) -> bool:
    """Could something in a folder match a pattern?"""
    return any(_matched(folder.split("/"), pattern.split("/"))[:-1])


def _matched(names: list[str], patterns: list[str]) -> list[bool]:
    """After each part of the pattern: can the parts so far match all the names?"""
    found = []
    # reached[i]: the patterns so far can match the first i names.
    reached = [True] + [False] * len(names)
    for pattern in patterns:
        following = [False] * (len(names) + 1)
        for index, yes in enumerate(reached):
            if pattern == "**":
                dotted = index > 0 and names[index - 1].startswith(".")
                following[index] = yes or (index > 0 and following[index - 1] and not dotted)
            elif yes and index < len(names):
                following[index + 1] = _segment(names[index], pattern)
        reached = following
        found.append(reached[-1])
    return found


def _segment(name: str, pattern: str) -> bool:
    if name.startswith(".") and not pattern.startswith("."):
        return False
    return fnmatchcase(name, pattern)
