"""Entries of a tree, and the rules that every source of files keeps."""

import pytest

from gate.errors import InputErrors
from gate.limits import FILE_BYTES
from gate.prompts.files import Entry, checked, content_fingerprint, matching

BLOB = Entry("100644", "a" * 40, 5, "prompts/x.md")


def test_a_plain_file() -> None:
    for mode in ("100644", "100755", "100664"):
        entry = Entry(mode, "a" * 40, FILE_BYTES, "x.md")
        entry.check("main:x.md")
        assert (entry.plain, entry.folder) == (True, False)


@pytest.mark.parametrize(
    ("mode", "kind", "remedy"),
    [
        ("040000", "is a folder", "name the file itself"),
        ("120000", "is a symbolic link", "put the file itself there, or name the file that the link leads to"),
        ("160000", "is a submodule", "keep the file in this repository, and name it there"),
    ],
)
def test_what_is_no_file(mode: str, kind: str, remedy: str) -> None:
    entry = Entry(mode, "a" * 40, 0, "x")
    assert (entry.plain, entry.folder) == (False, mode == "040000")
    with pytest.raises(InputErrors, match=f"main:x: {kind} .{remedy}"):
        entry.check("main:x")


def test_one_byte_too_many() -> None:
    with pytest.raises(InputErrors, match="main:x: is larger than 64 MiB .split it into several files"):
        Entry("100644", "a" * 40, FILE_BYTES + 1, "x").check("main:x")


def test_a_fingerprint_is_of_content_and_kind() -> None:
    prints = [Entry(mode, oid * 40, 5, "x").fingerprint for mode in ("100644", "100755") for oid in ("a", "b")]
    assert len(set(prints)) == 4
    assert Entry("100644", "a" * 40, 9, "y").fingerprint == prints[0]


def test_a_path_from_the_root() -> None:
    assert BLOB.below("evals").path == "evals/prompts/x.md"
    assert BLOB.below("") == BLOB
    root = Entry.root("c" * 40)
    assert (root.folder, root.path, root.oid) == (True, "", "c" * 40)


@pytest.mark.parametrize(("path", "same"), [("a.md", "a.md"), ("./a//b.md", "a/b.md"), ("a/", "a"), ("a/./b", "a/b")])
def test_a_path_as_git_names_it(path: str, same: str) -> None:
    assert checked(path) == same


def test_a_refusal_does_not_repeat_what_a_terminal_would_obey() -> None:
    with pytest.raises(InputErrors) as caught:
        checked("../\x1b[31m\u202e")
    assert str(caught.value).isprintable()


def test_matching_is_sorted_by_code_point() -> None:
    assert matching({"b.md", "ä.md", "B.md", "a/x.md"}, "*.md") == ["B.md", "b.md", "ä.md"]


def test_a_name_that_is_not_text_is_a_mistake_where_it_matches() -> None:
    assert matching(["a.txt", "\udcff.md"], "*.txt") == ["a.txt"]
    with pytest.raises(InputErrors, match="has a name that is not UTF-8"):
        matching(["\udcff.md"], "*.md")


def test_content_without_an_object_id() -> None:
    assert content_fingerprint(None) is None
    assert content_fingerprint(b"a") == content_fingerprint(b"a") != content_fingerprint(b"")
