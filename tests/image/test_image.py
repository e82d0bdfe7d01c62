"""The contents of the action's image."""

import json
import tomllib
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from tests.image.builder import REPOSITORY, Image
from tests.image.test_lock import LOCKS, locked_in_image

pytestmark = pytest.mark.image

PYTHON = "/opt/gate/bin/python"
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
LARGEST_MB, LARGEST_COMPRESSED_MB = 220, 83
"""Every job downloads and unpacks it. The goal for the second is 80; Debian's updates have some room."""


def in_python(image: Image, script: str) -> str:
    done = image.run((PYTHON, "-c", script))
    assert done.code == 0, done.err
    return done.out.strip()


def test_the_entry_point_runs_the_action_without_a_shell(image: Image) -> None:
    assert image.command == ("/opt/gate/bin/gate", "action")


def test_the_version_is_that_of_the_project(image: Image) -> None:
    assert image.run(("gate", "--version")).out == f"gate, version {PROJECT['version']}\n"


def test_the_image_has_labels(image: Image) -> None:
    labels = {name.removeprefix("org.opencontainers.image."): text for name, text in image.labels.items()}
    assert labels["title"] == "Prompt Gate"
    assert labels["licenses"] == PROJECT["license"]
    assert labels["version"] == PROJECT["version"]
    assert labels["description"]
    assert labels["base.name"] in (REPOSITORY / "Dockerfile").read_text().partition(" AS ")[0]


def test_only_locked_packages_are_installed_and_the_bill_of_materials_lists_them(image: Image) -> None:
    script = """
import importlib.metadata as m, json, subprocess, sys
debian = subprocess.check_output(["sed", "-n", "s/^Package: //p", "/var/lib/dpkg/status"], text=True)
print(json.dumps([json.load(open(sys.argv[1])), [[d.name, d.version] for d in m.distributions()], debian.split()]))
"""
    done = image.run((PYTHON, "-c", script, image.labels["sbom"]))
    assert done.code == 0, done.err
    bill, python, debian = json.loads(done.out)
    assert bill["metadata"]["component"]["purl"] == f"pkg:pypi/prompt-gate@{PROJECT['version']}"
    told = [bill["metadata"]["component"], *bill["components"]]
    of_python = {(part["name"], part["version"]) for part in told if part["purl"].startswith("pkg:pypi/")}
    assert of_python == {(canonicalize_name(name), version) for name, version in python}
    assert {name for name, _ in of_python} == {"prompt-gate", *locked_in_image(LOCKS["action"])}
    assert {part["name"] for part in told if part["purl"].startswith("pkg:deb/")} == set(debian) >= {"git", "libc6"}
    assert not {"apt", "dpkg", "perl-base"} & set(debian)


def test_its_sizes_are_reported_and_bounded(
    image: Image, full: Image, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compressed = image.compressed(tmp_path)
    with capsys.disabled():
        print(f"\nthe action's image: {image.size:g} MB, {compressed:.1f} MB compressed; -full: {full.size:g} MB")
    assert image.size <= LARGEST_MB
    assert compressed <= LARGEST_COMPRESSED_MB


def test_every_module_loads_and_is_compiled(image: Image) -> None:
    """And so do the libraries; or a module lacks a package that only the full image has."""
    script = """
import importlib, pathlib, pkgutil, sys, gate
import anthropic, cryptography, github, mcp.client.sse, nacl, numpy.linalg, openai, rapidfuzz, regex, ssl, sqlalchemy
names = [m.name for m in pkgutil.walk_packages(gate.__path__, "gate.") if ".migrations" not in m.name]
missing = set()
for name in names:
    if not name.endswith("__main__"):
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            missing.add(error.name.split(".")[0])
files = [(m.__file__, m.__cached__) for m in list(sys.modules.values()) if getattr(m, "__cached__", None)]
print(len(names), *missing, *[file for file, compiled in files if not pathlib.Path(compiled).exists()])
"""
    count, *lacking = in_python(image, script).split()
    assert int(count) > 300
    assert set(lacking) <= {
        "alembic",
        "authlib",
        "fastapi",
        "itsdangerous",
        "opentelemetry",
        "prometheus_client",
        "pytest",
    }


def test_what_it_lacks_is_named_with_the_image_that_has_it(image: Image) -> None:
    done = image.run(("gate", "serve"))
    assert done.code == 2
    assert "use the image with the tag -full, which has the extra web" in done.err


def test_no_build_tools_are_in_the_image(image: Image) -> None:
    script = """
import json, pathlib, shutil
tools = ["cc", "gcc", "g++", "make", "ld", "strip", "pip", "pip3", "hatchling", "uv", "apt-get", "perl"]
folders = ["/root/.cache", "/build", "/staged", "/var/lib/apt/lists", "/var/cache"]
files = [str(p) for f in folders for p in pathlib.Path(f).rglob("*") if p.is_file() and p.name != "lock"]
print(json.dumps([[t for t in tools if shutil.which(t)], files]))
"""
    assert json.loads(in_python(image, script)) == [[], []]
