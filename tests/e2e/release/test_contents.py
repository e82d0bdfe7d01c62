"""The contents of the wheel and of the source distribution, and the wheel in an environment of its own."""

import subprocess
import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path

from tests.e2e.release.test_extras import hidden
from tests.support import wheels
from tests.support.wheels import ROOT, Built

PROJECT = wheels.project()
CASE = '{"id": "c1", "input": "Where is my order?", "expected": "tracking"}\n'


def content(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel by path, without its list of files."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith(".dist-info/RECORD")]
        return {name: archive.read(name) for name in names}


def packaged() -> set[str]:
    """The files of the package that git does not ignore."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "gate"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return {name for name in listed if (ROOT / name).is_file()}


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(built: Built) -> None:
    """This includes templates, styles, scripts, demo data and `py.typed`."""
    names = content(built.wheel).keys()
    info = f"prompt_gate-{PROJECT['version']}.dist-info/"
    assert {name for name in names if not name.startswith(info)} == packaged()
    endings = {Path(name).suffix for name in names}
    assert {".j2", ".css", ".js", ".yaml", ".jsonl", ".typed", ".mako"} <= endings
    assert f"{info}licenses/LICENSE" in names


def test_the_source_distribution_has_only_package_and_project_files(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    beside = {".gitignore", "CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "SECURITY.md", "pyproject.toml"}
    assert names == packaged() | beside


def test_building_again_gives_the_same_bytes(built: Built, tmp_path: Path) -> None:
    # The wheel comes from the clone here, and from the source distribution there.
    again = wheels.build_both(tmp_path)
    assert again.wheel.read_bytes() == built.wheel.read_bytes()
    assert again.sdist.read_bytes() == built.sdist.read_bytes()


def test_its_description_is_that_of_the_project(built: Built) -> None:
    (text,) = (body for name, body in content(built.wheel).items() if name.endswith("/METADATA"))
    told = HeaderParser().parsestr(text.decode("utf-8"))
    assert (told["Name"], told["Version"]) == ("prompt-gate", PROJECT["version"])
    assert told["License-Expression"] == PROJECT["license"]
    assert told["Requires-Python"] == PROJECT["requires-python"]
    assert set(told.get_all("Provides-Extra", [])) == PROJECT["optional-dependencies"].keys()
    assert "Typing :: Typed" in told.get_all("Classifier", [])


def test_no_path_of_the_clone_is_included(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = [*content(built.wheel), *(name.partition("/")[2] for name in archive.getnames())]
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/", ".gate/", ".env"))]


def test_without_an_extra_two_files_are_compared(built: Built, tmp_path: Path) -> None:
    plain = tmp_path / "env"
    installed = wheels.install(built.wheel, plain, hidden(""))
    assert str(plain) in installed.python("import gate; print(gate.__file__)", cwd=tmp_path).out
    (tmp_path / "old.md").write_text("Help. quality=1.0")
    (tmp_path / "new.md").write_text("Help well. quality=1.0")
    (tmp_path / "cases.jsonl").write_text(CASE)
    files = ("old.md", "new.md", "--cases", "cases.jsonl")
    outcome = installed.gate("diff", *files, "--model", "fake:oracle", "--json", cwd=tmp_path)
    assert outcome.record.tool_version == wheels.project()["version"], outcome.err
