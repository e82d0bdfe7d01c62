"""Builds the package as a release does, and installs it into an environment of its own.

built = build(tmp_path / "dist")
installed = install(built.wheel, tmp_path / "env", hidden=())
installed.gate("--version", cwd=tmp_path)
"""

import os
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.command import Outcome

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")
INSTALL_LIMIT_S = 600
HIDING = """
import sys

hidden = {hidden!r}

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {{name!r}} in this extra", name=name)

sys.meta_path.insert(0, Hidden())
"""


@dataclass(frozen=True, slots=True)
class Built:
    """What a release uploads."""

    wheel: Path
    sdist: Path


@dataclass(frozen=True, slots=True)
class Installed:
    """A virtual environment with the package in it.

    Args:
        folder: of the environment.
    """

    folder: Path

    def gate(self, *arguments: str, cwd: Path, timeout_s: float = 120) -> Outcome:
        """Run the installed `gate`, with nothing of this clone on its path."""
        return self._run("gate", *arguments, cwd=cwd, timeout_s=timeout_s)

    def python(self, script: str, cwd: Path) -> Outcome:
        """Run a script in the environment; the folder it runs in is not on its path."""
        return self._run("python", "-P", "-c", script, cwd=cwd, timeout_s=120)

    def _run(self, program: str, *arguments: str, cwd: Path, timeout_s: float) -> Outcome:
        env = {"PATH": os.defpath, "HOME": str(cwd), "GIT_CONFIG_GLOBAL": os.devnull}
        command = [str(self.folder / "bin" / program), *arguments]
        done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout_s, check=False)
        return Outcome(done.returncode, done.stdout, done.stderr)


def project() -> dict[str, Any]:
    """What `pyproject.toml` says about the project."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def build(folder: Path) -> Built:
    """Build the source distribution, and the wheel from it, as `python -m build` does.

    Args:
        folder: where both go; it is made.

    Raises:
        RuntimeError: it cannot be built.
    """
    # The build backend is already installed; an isolated environment would download it again.
    _do(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Built(wheel, sdist)


def build_both(folder: Path) -> Built:
    """Build both from the clone itself, in one process, which is quicker."""
    code = f"from hatchling import build; build.build_sdist({str(folder)!r}); build.build_wheel({str(folder)!r})"
    _do(sys.executable, "-c", code)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Built(wheel, sdist)


def install(wheel: Path, folder: Path, hidden: Iterable[str]) -> Installed:
    """Install a wheel into an environment of its own, whose other packages are those of this one.

    Args:
        wheel: the file.
        folder: of the environment; it is made.
        hidden: modules of the other packages that are not to be found.

    Raises:
        RuntimeError: neither uv nor pip can install it.
    """
    _do(sys.executable, "-m", "venv", "--without-pip", str(folder))
    python, wanted = str(folder / "bin/python"), ("--quiet", "--no-deps", str(wheel))
    try:
        _do(str(UV), "pip", "install", "--python", python, *wanted)
    except (OSError, RuntimeError):
        # As in the Makefile: for machines that have only pip.
        _do(sys.executable, "-m", "pip", "--python", python, "install", *wanted)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "hiding.py").write_text(hiding(hidden))
    (packages / "beside.pth").write_text(f"{sysconfig.get_path('purelib')}\nimport hiding\n")
    return Installed(folder)


def hiding(modules: Iterable[str]) -> str:
    """A program after which these modules, the set `hidden`, are not found."""
    return HIDING.format(hidden=set(modules))


def _do(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=INSTALL_LIMIT_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
