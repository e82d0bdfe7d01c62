"""Gets the Dockerfile's base image: pulls it, or makes it with mmdebstrap if no registry is reachable."""

import re
import shutil
from pathlib import Path

from tests.image.buildah import Buildah, call, checked

BASE = re.compile(r"^FROM (\S+/debian:([a-z]+)-slim\S*) AS ", re.MULTILINE)
SETTINGS = Path(__file__).parent / "settings"
WITHOUT_DOCUMENTATION = 'cd "$1/usr/share" && rm -r doc/* info/* locale/* man/*'
BOOTSTRAP_LIMIT_S = 900


def provide(buildah: Buildah, dockerfile: Path) -> str:
    """Put the base image into the storage, and return its name.

    Args:
        buildah: whose storage.
        dockerfile: its first `FROM` names the image.

    Raises:
        RuntimeError: the image can be neither pulled nor made.
    """
    found = BASE.search(dockerfile.read_text())
    if not found:
        raise RuntimeError(f"{dockerfile} does not start from a slim image of Debian")
    name, suite = found.groups()
    if buildah.ask("inspect", "--type", "image", name).code != 0 and buildah.ask("pull", "--quiet", name).code != 0:
        _bootstrap(buildah, name, suite)
    return name


def _bootstrap(buildah: Buildah, name: str, suite: str) -> None:
    """Make a slim image from the same packages as Debian's own image."""
    container = buildah.run("from", "scratch")
    try:
        root = buildah.run("mount", container)
        options = (f"--dpkgopt={SETTINGS / 'dpkg'}", f"--customize-hook={WITHOUT_DOCUMENTATION}")
        checked(call(["mmdebstrap", "--variant=minbase", *options, suite, root], BOOTSTRAP_LIMIT_S), "mmdebstrap")
        shutil.copy(SETTINGS / "apt", f"{root}/etc/apt/apt.conf.d/docker-clean")
        buildah.run("config", "--cmd", "bash", container)
        buildah.run("commit", "--quiet", container, name)
    finally:
        buildah.run("rm", container)
