"""The lock file agrees with the requirements in pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
RUN = ("local", "agents", "bedrock", "otel", "postgres", "vertex", "web")
"""Extras in the image."""
WANTED = [Requirement(text) for text in [*PROJECT["dependencies"], *(text for name in RUN for text in EXTRAS[name])]]
LOCK = (ROOT / "requirements.lock").read_text()
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
IMAGE = {
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "python_full_version": "3.13.5",
    "python_version": "3.13",
    "sys_platform": "linux",
}
"""Debian 13's values of environment markers."""


def entries() -> list[tuple[Requirement, int]]:
    """The locked packages with their number of hashes."""
    logical = [line.split("#")[0].strip() for line in LOCK.replace("\\\n", " ").splitlines()]
    return [(Requirement(HASH.sub("", line).strip()), len(HASH.findall(line))) for line in logical if line]


def locked_in_image() -> dict[str, str]:
    """The version of each package that Debian's Python installs."""
    versions: dict[str, str] = {}
    for requirement, _ in entries():
        if requirement.marker is None or requirement.marker.evaluate(IMAGE):
            name = canonicalize_name(requirement.name)
            assert name not in versions
            versions[name] = str(requirement.specifier).removeprefix("==")
    return versions


@pytest.mark.parametrize("requirement", WANTED, ids=str)
def test_each_direct_dependency_is_locked_within_its_bounds(requirement: Requirement) -> None:
    version = locked_in_image()[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(version, prereleases=True)


def test_each_entry_is_one_version_with_hashes() -> None:
    assert len(entries()) > len(WANTED)
    for requirement, hashes in entries():
        assert re.fullmatch(r"==[\w.!+]+", str(requirement.specifier)), requirement
        assert hashes, requirement


def test_it_has_no_index_and_no_path() -> None:
    assert "/" not in LOCK
    assert set(re.findall(r"(?:^|\s)(-\S+?)(?:=|\s)", LOCK)) == {"--hash"}


def test_only_runtime_packages_are_locked() -> None:
    wanted = {canonicalize_name(requirement.name) for requirement in WANTED}
    others = {canonicalize_name(Requirement(text).name) for text in EXTRAS["demo"] + EXTRAS["dev"]}
    assert not (others - wanted) & locked_in_image().keys()
