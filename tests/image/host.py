"""The host's settings for apt and pip as files that a build mounts, so that the image does not contain them."""

import ast
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.image.buildah import call

LIMIT_S = 60
HOST = Path("/run/host")
"""Where the host's files are mounted during a build."""
APT_SETTING = re.compile(r'^(Acquire::(?:http|https|Check-|Retries|Force)[\w:.-]* )"(.*)";$')
PIP_SETTING = re.compile(r"^(?::env:|global|install)\.([\w-]+)=(.*)$")
PIP_KEYS = ("cert", "client-cert", "default-timeout", "index-url", "proxy", "retries", "timeout", "trusted-host")
"""Settings for an index. Folders of the host are left out: the lock file's hashes decide what is installed."""


def volumes(folder: Path) -> list[str]:
    """Arguments for `buildah bud` that pass on the host's settings.

    They are mounted, because `--env` would stay in the image. Empty mount points do stay.

    Args:
        folder: receives the files to mount.
    """
    folder.mkdir(parents=True, exist_ok=True)
    apt = [f'{name}"{_inside(value)}";' for name, value in _apt()]
    pip = ["[global]", *(f"{name} = {_inside(value)}" for name, value in _pip().items())]
    mounts = [
        (_written(folder / "apt.conf", apt), Path("/etc/apt/apt.conf.d/99host")),
        (_written(folder / "pip.conf", pip), Path("/etc/pip.conf")),
    ]
    values = [value for _, value in _apt()] + list(_pip().values())
    mounts += [(Path(value), Path(_inside(value))) for value in sorted(set(values)) if _is_file(value)]
    return [f"--volume={source}:{target}:ro" for source, target in mounts]


def _apt() -> list[tuple[str, str]]:
    lines = call(["apt-config", "dump"], LIMIT_S).out.splitlines()
    return [(found[1], found[2]) for line in lines if (found := APT_SETTING.match(line))]


def _pip() -> dict[str, str]:
    """The settings by name. As in pip, those of the environment take precedence."""
    settings: dict[str, str] = {}
    for line in call([sys.executable, "-m", "pip", "config", "list"], LIMIT_S).out.splitlines():
        found = PIP_SETTING.match(line)
        if found and found[1] in PIP_KEYS:
            settings.setdefault(found[1], str(ast.literal_eval(found[2])))
    return settings


def _is_file(value: str) -> bool:
    return value.startswith("/") and Path(value).is_file()


def _inside(value: str) -> str:
    return f"{HOST}{value}" if _is_file(value) else value


def _written(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path
