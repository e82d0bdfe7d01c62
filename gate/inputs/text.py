"""Bytes to text, with a clear word about what is not text."""

import shlex

from gate.inputs.problems import one_problem

_LFS = (b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/")
_LFS_BYTES = 1024
"""No pointer is longer (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md); Hawser was the name before 1.0."""
_TABLES = (".csv", ".tsv")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_OFFICE = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
"""How files of office programs begin: archives, and those of Excel up to 2003."""


def decode(data: bytes, path: str) -> str:
    """UTF-8 text; a byte order mark is dropped.

    Args:
        data: the file.
        path: for messages.

    Raises:
        InputErrors: Git LFS pointer, UTF-16, office file, binary, or not UTF-8.
    """
    if data.startswith(_LFS) and len(data) <= _LFS_BYTES:
        hint = "the gate reads files from git itself: take this one out of LFS ('git lfs untrack'), and commit it again"
        raise one_problem(path, 1, "is a Git LFS pointer, not the file itself", hint)
    if data.startswith(_UTF16):
        raise one_problem(path, 0, "is UTF-16 text", _remedy(path))
    if data.startswith(_OFFICE):
        raise one_problem(path, 0, "is a file of an office program, or an archive", "save the sheet as CSV in UTF-8")
    if b"\0" in data:
        raise one_problem(path, data.count(b"\n", 0, data.index(b"\0")) + 1, "is not a text file (it holds NUL bytes)")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # `start` counts from behind a byte order mark, which holds no line break.
        line = error.object.count(b"\n", 0, error.start) + 1
        raise one_problem(path, line, "is not UTF-8 text", _remedy(path)) from None


def decode_table(data: bytes, path: str) -> tuple[str, str]:
    """The text of a table as office programs save it: also UTF-16, and the letters of Windows.

    Args:
        data: the file.
        path: for messages.

    Returns:
        The text, and a remark where it may not be what was meant.

    Raises:
        InputErrors: it is no text.
    """
    try:
        if data.startswith(_UTF16):
            return data.decode("utf-16"), ""
        if b"\0" in data:
            return decode(data, path), ""
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "is no UTF-8, and was read as Windows-1252"


def is_utf16(data: bytes) -> bool:
    """Does the file say so, by the mark that it begins with?"""
    return data.startswith(_UTF16)


def _remedy(path: str) -> str:
    """A table is often saved in the letters of an office program; the converter reads those."""
    table = path.lower().endswith(_TABLES)
    words = ["gate", "cases", "convert", path, f"{path.rpartition('.')[0]}.jsonl"]
    return f"save it as UTF-8{f', or convert it: {shlex.join(words)}' if table else ''}"


def text_complaint(text: str) -> str:
    """What keeps a text from being sent or written down; empty when nothing does."""
    if "\0" in text:
        return "holds NUL characters"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "holds half of a surrogate pair"
    return ""
