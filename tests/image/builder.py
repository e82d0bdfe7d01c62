"""Builds the action's image from the Dockerfile, and says what is in it."""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.image import base, host
from tests.image.buildah import Buildah, Done

REPOSITORY = Path(__file__).parents[2]
STORAGE = REPOSITORY / ".venv/image"
NAME = "localhost/prompt-gate:test"
TOOLS = ("buildah", "debootstrap")
REMEDY = "apt-get install --yes --no-install-recommends buildah debootstrap debian-archive-keyring gnupg"
RUN_LIMIT_S = 300


@dataclass(frozen=True, slots=True)
class Image:
    """A built image.

    Args:
        buildah: whose storage it is in.
        name: its tag.
        command: entry point and default arguments: what runs when nothing is asked for.
        labels: its labels.
        size: on disk, uncompressed, e.g. "480 MB".
    """

    buildah: Buildah
    name: str
    command: tuple[str, ...]
    labels: Mapping[str, str]
    size: str

    def run(self, command: tuple[str, ...], *options: str) -> Done:
        """Run a command in a fresh container with the host's network.

        Args:
            command: what runs; the entry point is not put before it.
            options: more arguments for `buildah run`.
        """
        container = self.buildah.run("from", "--pull-never", self.name)
        try:
            return self.buildah.ask(
                "run", "--isolation=chroot", *options, container, "--", *command, timeout_s=RUN_LIMIT_S
            )
        finally:
            self.buildah.run("rm", container)


def problem() -> str:
    """What is missing to build images, with the remedy; empty when nothing is."""
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        return f"The image test needs {' and '.join(missing)}: {REMEDY}"
    return "" if os.geteuid() == 0 else "The image test needs root: buildah and debootstrap change into other roots"


def build(storage: Path = STORAGE) -> Image:
    """Build the image; a second build takes from the storage what has not changed.

    Args:
        storage: folder for images and settings.

    Raises:
        RuntimeError: a step failed.
    """
    buildah = Buildah(storage)
    base.provide(buildah, REPOSITORY / "Dockerfile")
    mounts = host.volumes(storage / "host")
    buildah.run("bud", "--isolation=chroot", "--pull-never", "--layers", *mounts, "--tag", NAME, str(REPOSITORY))
    config = json.loads(buildah.run("inspect", "--type", "image", NAME))["OCIv1"]["config"]
    size = json.loads(buildah.run("images", "--json", NAME))[0]["size"]
    command = (*config.get("Entrypoint", ()), *config.get("Cmd", ()))
    return Image(buildah, NAME, command, config.get("Labels", {}), size)
