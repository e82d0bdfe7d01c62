"""All files have the same version, and a release with another version does not start."""

import re
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from release import changelog, check
from tests.support import wheels

ROOT = Path(__file__).parents[2]
OWN = check.version(ROOT)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The checked files as on the day of a release."""
    for name in ("pyproject.toml", "Dockerfile"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## {OWN} (2026-11-24)\n\n### Added\n\n- All of it.\n")
    return tmp_path


def test_the_package_metadata_has_the_version() -> None:
    assert version("prompt-gate") == OWN


def test_the_package_lists_the_python_versions_of_ci() -> None:
    project = wheels.project()
    named = [one.rpartition(" ")[2] for one in project["classifiers"] if re.search(r":: 3\.\d+$", one)]
    ci = YAML(typ="safe").load(ROOT / ".github/workflows/ci.yml")
    assert ci["jobs"]["test"]["strategy"]["matrix"]["python"] == named
    assert project["requires-python"] == f">={named[0]}"


def test_only_the_changelog_blocks_a_release_of_this_clone() -> None:
    assert [one for one in check.errors(ROOT, f"source/v{OWN}") if not one.startswith("CHANGELOG.md")] == []


def test_a_release_can_start(clone: Path) -> None:
    assert list(check.errors(clone, f"source/v{OWN}")) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "pyproject.toml",
            f'version = "{OWN}"',
            'version = "9.8.7"',
            f"the tag has version {OWN}, pyproject.toml has 9.8.7",
        ),
        ("Dockerfile", f"ARG VERSION={OWN}", "ARG VERSION=0.0.9", f"the Dockerfile has no line ARG VERSION={OWN}"),
        ("CHANGELOG.md", f"## {OWN} (", "## 0.0.9 (", f"CHANGELOG.md has no text below '## {OWN} (year-month-day)'"),
        ("CHANGELOG.md", " (2026-11-24)", "", f"CHANGELOG.md has no date in '## {OWN}'"),
        ("CHANGELOG.md", "# Changelog", "## Unreleased\n\n- More.", "still has text below '## Unreleased'"),
    ],
)
def test_each_inconsistency_is_reported(clone: Path, file: str, old: str, new: str, said: str) -> None:
    path = clone / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert [one for one in check.errors(clone, f"source/v{OWN}") if said in one]


def test_the_changelog_is_parsed() -> None:
    text = "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2027-01-02)\n\n### Added\n\n- B.\n\n## 0.1.0\n\n- A.\n"
    assert changelog.sections(text) == {"Unreleased": "", "0.2.0": "### Added\n\n- B.", "0.1.0": "- A."}
    assert changelog.dated(text) == {"Unreleased": "", "0.2.0": "2027-01-02", "0.1.0": ""}
    with pytest.raises(ValueError, match="has 0.1.0 twice"):
        changelog.sections(text + "## 0.1.0\n")


def test_the_changelog_of_this_clone_is_valid() -> None:
    found = changelog.sections((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert next(iter(found)) in ("Unreleased", OWN)
    assert all(found.values())
