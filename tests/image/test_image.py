"""The contents of the image."""

import json
import tomllib

import pytest
from packaging.utils import canonicalize_name

from tests.image.builder import REPOSITORY, Image

pytestmark = pytest.mark.image

PYTHON = "/opt/gate/bin/python"
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
LARGEST_MB = 650
"""A compiler or a model would exceed this."""


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
    assert labels["base.name"] in (REPOSITORY / "Dockerfile").read_text().partition("AS runtime")[0]


def test_the_bill_of_materials_is_complete_and_where_the_label_says(image: Image) -> None:
    script = """
import importlib.metadata as m, json, subprocess, sys
debian = subprocess.check_output(["dpkg-query", "--show", "--showformat", "${Package} ${Version}\\n"], text=True)
print(json.dumps([json.load(open(sys.argv[1])), [[d.name, d.version] for d in m.distributions()], debian.splitlines()]))
"""
    done = image.run((PYTHON, "-c", script, image.labels["sbom"]))
    assert done.code == 0, done.err
    bill, python, debian = json.loads(done.out)
    assert bill["metadata"]["component"]["purl"] == f"pkg:pypi/prompt-gate@{PROJECT['version']}"
    told = [bill["metadata"]["component"], *bill["components"]]
    of_python = {(part["name"], part["version"]) for part in told if part["purl"].startswith("pkg:pypi/")}
    assert of_python == {(canonicalize_name(name), version) for name, version in python}
    assert {f"{part['name']} {part['version']}" for part in told if part["purl"].startswith("pkg:deb/")} == set(debian)


def test_the_size_is_reported_and_bounded(image: Image, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\nsize of the image: {image.size}")
    number, unit = image.size.split()
    assert unit == "MB"
    assert float(number) < LARGEST_MB


def test_the_libraries_load(image: Image) -> None:
    names = "anthropic, cryptography, github, mcp, nacl, numpy, openai, psycopg, regex, sqlalchemy, xllamacpp"
    in_python(image, f"import {names}")


def test_each_module_is_compiled(image: Image) -> None:
    script = """
import importlib.util, pathlib, gate
modules = [p for p in pathlib.Path(gate.__file__).parents[1].rglob("*.py")]
print(len(modules), *[p for p in modules if not pathlib.Path(importlib.util.cache_from_source(str(p))).exists()])
"""
    count, *missing = in_python(image, script).split()
    assert int(count) > 1000
    assert missing == []


def test_no_build_tools_are_in_the_image(image: Image) -> None:
    script = """
import json, pathlib, shutil
tools = ["cc", "gcc", "g++", "make", "ld", "pip", "pip3", "hatchling", "uv"]
folders = ["/root/.cache", "/build", "/staged", "/var/lib/apt/lists", "/var/cache/apt/archives"]
files = [str(p) for f in folders for p in pathlib.Path(f).rglob("*") if p.is_file() and p.name != "lock"]
print(json.dumps([[t for t in tools if shutil.which(t)], files]))
"""
    assert json.loads(in_python(image, script)) == [[], []]


def test_only_locked_packages_are_installed(image: Image) -> None:
    script = "import importlib.metadata as m; print(*[d.name for d in m.distributions()])"
    names = {name.lower() for name in in_python(image, script).split()}
    assert {"prompt-gate", "pygithub", "xllamacpp"} <= names
    assert not names & {"pip", "pytest", "setuptools", "hatchling"}
    assert not [name for name in names if "gguf" in name]
