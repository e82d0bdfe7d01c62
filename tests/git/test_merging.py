"""A merge that nobody has made: file by file, as git would make it."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.errors import CannotEvaluate, InputErrors
from gate.git.merging import MergedSource
from gate.git.objects import Commits
from gate.git.repository import RefSource, Repo
from tests.git.repository import commit, git, repository

LINES = [f"line {number}\n" for number in range(12)]
NAMES = ["a.md", "dir/b.md", "c.md"]
EDITS = st.dictionaries(
    st.sampled_from(NAMES), st.one_of(st.none(), st.integers(0, len(LINES) - 1)), max_size=len(NAMES)
)


def edited(edits: dict[str, int | None], word: str) -> dict[str, str | None]:
    """Each file with one of its lines replaced; None deletes it."""
    files: dict[str, str | None] = {}
    for name, line in edits.items():
        rows = list(LINES)
        if line is not None:
            rows[line] = f"{word}\n"
        files[name] = None if line is None else "".join(rows)
    return files


def apply(folder: Path, files: dict[str, str | None]) -> str:
    for name in [name for name, text in files.items() if text is None]:
        (folder / name).unlink()
    commit(folder, {name: text for name, text in files.items() if text is not None})
    return git(folder, "rev-parse", "HEAD")


@given(EDITS, EDITS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_file_is_as_git_merges_it_or_is_a_conflict(
    tmp_path_factory: pytest.TempPathFactory, ours: dict[str, int | None], theirs: dict[str, int | None]
) -> None:
    folder = repository(tmp_path_factory.mktemp("merge"))
    commit(folder, dict.fromkeys(NAMES, "".join(LINES)))
    fork = git(folder, "rev-parse", "HEAD")
    base = apply(folder, {**edited(ours, "ours"), "base.md": "new\n"})
    git(folder, "checkout", "--quiet", "--detach", fork)
    head = apply(folder, {**edited(theirs, "theirs"), "head.md": "new\n"})
    repo = Repo.open(folder)
    sides = (RefSource(name, sha, repo.git) for name, sha in (("fork", fork), ("base", base), ("head", head)))
    merged = MergedSource("merge", head, *sides)
    tree = Commits(repo.git).merged(base, head)
    whole = RefSource("git", tree, repo.git) if tree else None
    conflicts = 0
    for name in (*NAMES, "base.md", "head.md"):
        try:
            found = merged.read(name)
            if whole is not None:
                assert found == whole.read(name)
        except CannotEvaluate as error:
            assert name in error.message
            conflicts += 1
    assert (conflicts > 0) is (whole is None)
    if whole is not None:
        assert merged.listing().keys() == whole.listing().keys()
        assert merged.glob("**") == whole.glob("**")
        for name, known in merged.listing().items():
            assert known in ("", whole.fingerprint(name))


TREES = {
    "old": {"dir/a.md": "a\n", "dir/b.md": "b\n"},
    "other": {"dir/a.md": "A\n", "dir/b.md": "b\n"},
    "more": {"dir/a.md": "a\n", "dir/b.md": "b\n", "dir/c.md": "c\n"},
}


@pytest.mark.parametrize(("ours", "theirs"), [("old", "more"), ("other", "old"), ("other", "more"), ("more", "other")])
def test_a_folder_is_there_whichever_side_changed_its_files(tmp_path: Path, ours: str, theirs: str) -> None:
    folder = repository(tmp_path / "repo")
    fork = commit(folder, TREES["old"])
    base = commit(folder, TREES[ours])
    git(folder, "checkout", "--quiet", "--detach", fork)
    merged = merged_source(folder, fork, base, commit(folder, TREES[theirs]))
    changed = {
        path: text for name in (ours, theirs) for path, text in TREES[name].items() if TREES["old"].get(path) != text
    }
    assert merged.fingerprint("dir")
    files = {path: merged.read(path) for path in merged.listing("dir")}
    assert files == {path: text.encode() for path, text in {**TREES["old"], **changed}.items()}
    with pytest.raises(InputErrors, match="dir: is a folder"):
        merged.read("dir")


@pytest.mark.parametrize("side", ["base", "head"])
def test_a_link_on_the_way_is_an_error_whichever_side_has_it(tmp_path: Path, side: str) -> None:
    folder = repository(tmp_path / "repo")
    fork = commit(folder, TREES["old"])
    (folder / "link").symlink_to("dir")
    linked = commit(folder, {})
    merged = merged_source(folder, fork, *((linked, fork) if side == "base" else (fork, linked)))
    with pytest.raises(InputErrors, match="is below the symbolic link 'link'"):
        merged.read("link/a.md")
    assert merged.read("missing/a.md") is None


def merged_source(folder: Path, fork: str, base: str, head: str) -> MergedSource:
    git = Repo.open(folder).git
    return MergedSource("merge", head, *(RefSource("side", sha, git) for sha in (fork, base, head)))
