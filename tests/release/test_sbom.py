"""The bill of materials lists exactly the installed packages."""

from importlib.metadata import distributions
from pathlib import Path

import pytest

from release.sbom import NAME, bill

DEBIAN = """Package: git
Status: install ok installed
Architecture: amd64
Version: 1:2.47.3-0+deb13u1
Description: a version control system
 Package: no field, but a text

Package: libc6
Status: install ok installed
Architecture: amd64
Multi-Arch: same
Version: 2.41-12

Package: perl
Status: deinstall ok config-files
Architecture: amd64
Version: 5.40.1-6
"""


def package(folder: Path, name: str, version: str, *about: str) -> None:
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    lines = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}", *about]
    (info / "METADATA").write_text("\n".join(lines) + "\n\nText.\n")


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    package(tmp_path, NAME, "1.2.3", "License-Expression: Apache-2.0")
    package(tmp_path, "Ruamel.YAML", "0.18", "Classifier: License :: OSI Approved :: MIT License")
    package(tmp_path, "old", "2.0+local", "License: BSD")
    package(tmp_path, "odd", "1", f"License: {'Permission is hereby granted. ' * 9}")
    return tmp_path


def test_each_package_is_listed_with_its_version_and_licence(installed: Path) -> None:
    found = bill(distributions(path=[str(installed)]), DEBIAN)
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.6")
    about = found["metadata"]["component"]
    assert (about["type"], about["purl"]) == ("application", "pkg:pypi/prompt-gate@1.2.3")
    assert about["licenses"] == [{"expression": "Apache-2.0"}]
    assert {part["purl"]: part.get("licenses") for part in found["components"]} == {
        "pkg:deb/debian/git@1%3A2.47.3-0%2Bdeb13u1?arch=amd64": None,
        "pkg:deb/debian/libc6@2.41-12?arch=amd64": None,
        "pkg:pypi/odd@1": None,
        "pkg:pypi/old@2.0%2Blocal": [{"license": {"name": "BSD"}}],
        "pkg:pypi/ruamel-yaml@0.18": [{"license": {"name": "MIT License"}}],
    }
