"""Files of the user: nothing is overwritten or half written, and no link is followed."""

import resource
from pathlib import Path

import pytest

from gate.errors import GateError
from gate.files import rewrite, rewrite_all, write_all_new, write_new


def names(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_a_new_file_with_its_folders_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a/b/c.yaml"
    write_new(path, "é\r\n\U0001f600\n")
    assert path.read_bytes() == "é\r\n\U0001f600\n".encode()
    assert names(tmp_path) == ["a", "a/b", "a/b/c.yaml"]
    (tmp_path / "plain").touch()
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.threat("overwrite")
def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    with pytest.raises(GateError, match="a already exists and is not overwritten") as error:
        write_all_new({tmp_path / "b": "x", tmp_path / "a": "y"})
    assert "--out" in error.value.hint
    assert (names(tmp_path), (tmp_path / "a").read_text()) == (["a"], "mine")


def test_files_are_removed_again_if_a_later_one_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(GateError, match="cannot write to .*file/b"):
        write_all_new({tmp_path / "a": "x", tmp_path / "file/b": "y"})
    assert names(tmp_path) == ["file"]


def test_a_link_exists(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(GateError, match="already exists"):
        write_new(tmp_path / "link", "x")
    assert names(tmp_path) == ["link"]


@pytest.mark.threat("overwrite")
def test_a_folder_behind_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "evals").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere/old").write_text("mine")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GateError, match="contains the symbolic link evals"):
        write_new(Path("evals/deep/x"), "x")
    with pytest.raises(GateError, match="contains the symbolic link evals"):
        rewrite(Path("evals/old"), "x")
    assert names(tmp_path / "elsewhere") == ["old"]


def test_a_file_gets_another_text_and_keeps_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o640)
    rewrite(path, "new\r\n")
    assert (path.read_bytes(), path.stat().st_mode & 0o777, names(tmp_path)) == (b"new\r\n", 0o640, ["a"])
    (tmp_path / "link").symlink_to(path)
    for other in ("link", "missing", "."):
        with pytest.raises(GateError, match="is not a regular file"):
            rewrite(tmp_path / other, "x")


def test_a_full_disk_leaves_no_partial_file(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("old a")
    second.write_text("old b")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        with pytest.raises(GateError, match="cannot write to .*b"):
            rewrite_all({first: "new a", second: "b" * 10_000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (first.read_text(), second.read_text(), names(tmp_path)) == ("old a", "old b", ["a", "b"])
