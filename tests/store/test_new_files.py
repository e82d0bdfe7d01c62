"""Files of the user: nothing is overwritten, nothing half written, and no link is followed."""

import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.errors import GateError
from gate.store.files import rewrite, rewrite_all, write_all_new, write_new


def names(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_a_new_file_with_its_folders_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a/b/c.yaml"
    write_new(path, "é\r\n\U0001f600\n")
    assert path.read_bytes() == "é\r\n\U0001f600\n".encode()
    assert names(tmp_path) == ["a", "a/b", "a/b/c.yaml"]
    (tmp_path / "plain").touch()
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    with pytest.raises(GateError, match="a is there already, and nothing is overwritten") as error:
        write_all_new({tmp_path / "b": "x", tmp_path / "a": "y"})
    assert "--out" in error.value.hint
    assert (names(tmp_path), (tmp_path / "a").read_text()) == (["a"], "mine")


def test_what_was_written_goes_again_where_the_rest_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(GateError, match="cannot write to .*file/b"):
        write_all_new({tmp_path / "a": "x", tmp_path / "file/b": "y"})
    assert names(tmp_path) == ["file"]


def test_a_link_is_something_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(GateError, match="is there already"):
        write_new(tmp_path / "link", "x")
    assert names(tmp_path) == ["link"]


def test_a_folder_behind_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "evals").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere/old").write_text("mine")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GateError, match="behind the symbolic link evals"):
        write_new(Path("evals/deep/x"), "x")
    with pytest.raises(GateError, match="behind the symbolic link evals"):
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
        with pytest.raises(GateError, match="is no plain file"):
            rewrite(tmp_path / other, "x")


def test_files_that_belong_together_are_all_new_or_all_old(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("old a")
    second.write_text("old b")
    first.chmod(0o640)

    class Texts(dict[Path, str]):
        """When all texts are on the disk, somebody takes the second file's place away."""

        def __iter__(self) -> Iterator[Path]:
            for path in super().__iter__():
                if path == second and len(names(tmp_path)) > 2:
                    second.unlink()
                    second.mkdir()
                yield path

    with pytest.raises(GateError, match="cannot write to .*b"):
        rewrite_all(Texts({first: "new a", second: "new b"}))
    assert (first.read_text(), first.stat().st_mode & 0o777) == ("old a", 0o640)
    assert names(tmp_path) == ["a", "b"]

    second.rmdir()
    second.write_text("old b")
    rewrite_all({first: "new a", second: "new b"})
    assert (first.read_text(), second.read_text(), names(tmp_path)) == ("new a", "new b", ["a", "b"])


def test_of_files_that_belong_together_one_is_missing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(GateError, match="b is no plain file"):
        rewrite_all({tmp_path / "a": "new", tmp_path / "b": "new"})
    assert (names(tmp_path), (tmp_path / "a").read_text()) == (["a"], "old")


def test_a_text_that_is_no_unicode_leaves_all_as_it_was(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("old a")
    second.write_text("old b")
    with pytest.raises(GateError, match="b: its new text is no Unicode"):
        rewrite_all({first: "new a", second: "new \ud800"})
    assert (first.read_text(), second.read_text(), names(tmp_path)) == ("old a", "old b", ["a", "b"])


def test_a_disk_that_is_full_keeps_no_half_of_a_file(tmp_path: Path) -> None:
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


_ENDED_BETWEEN = """
import os, signal, sys
from pathlib import Path
from gate.store.files import rewrite_all

first, second = Path(sys.argv[1]), Path(sys.argv[2])
plain = Path.replace

def replace(self, target):
    done = plain(self, target)
    if target == first:
        os.kill(os.getpid(), signal.SIGTERM)
    return done

Path.replace = replace
rewrite_all({first: "new a", second: "new b"})
"""


def test_a_signal_between_two_files_waits_for_the_second(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("old a")
    second.write_text("old b")
    ended = subprocess.run([sys.executable, "-c", _ENDED_BETWEEN, str(first), str(second)], check=False)
    assert ended.returncode == -signal.SIGTERM
    assert (first.read_text(), second.read_text()) == ("new a", "new b")
