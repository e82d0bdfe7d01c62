"""Builds the two images from the Dockerfile."""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.image import base, host
from tests.image.buildah import Buildah, Done

REPOSITORY = Path(__file__).parents[2]
STORAGE = Path(os.environ.get("IMAGE_CACHE", REPOSITORY / ".venv/image"))
TARGETS = ("action", "full")
"""The stages of the Dockerfile that are published."""
TOOLS = ("buildah", "mmdebstrap")
REMEDY = "apt-get install --yes --no-install-recommends buildah debian-archive-keyring gpg mmdebstrap"
RUN_LIMIT_S = 300
UNITS = {"MB": 1.0, "GB": 1000.0}


@dataclass(frozen=True, slots=True)
class Image:
    """A built image.

    Args:
        buildah: whose storage it is in.
        name: its tag.
        command: entry point and default arguments.
        labels: its labels.
        size: of its layers, uncompressed, in MB.
    """

    buildah: Buildah
    name: str
    command: tuple[str, ...]
    labels: Mapping[str, str]
    size: float

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

    def compressed(self, folder: Path) -> float:
        """The size of its layers in a registry, in MB.

        Args:
            folder: where it is written as a registry would store it.
        """
        self.buildah.run("push", "--quiet", self.name, f"oci:{folder}")
        index = json.loads((folder / "index.json").read_text())
        manifest = _blob(folder, index["manifests"][0]["digest"])
        return float(sum(layer["size"] for layer in json.loads(manifest.read_text())["layers"])) / 1e6


def _blob(folder: Path, digest: str) -> Path:
    return folder / "blobs" / digest.replace(":", "/")


def problem() -> str:
    """What is missing to build images, and how to fix it; empty if nothing is."""
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        return f"The image test needs {' and '.join(missing)}: {REMEDY}"
    return "" if os.geteuid() == 0 else "The image test needs root: buildah and mmdebstrap change into other roots"


def build() -> dict[str, Image]:
    """Build the images, unless the storage has those of the same files; unchanged layers are reused.

    Raises:
        RuntimeError: a step failed.
    """
    buildah = Buildah(STORAGE)
    base.provide(buildah, REPOSITORY / "Dockerfile")
    # A builder takes longer to check its layers than most tests run.
    built, wanted = STORAGE / "built", _source()
    if not (built.is_file() and built.read_text() == wanted and all(_exists(buildah, target) for target in TARGETS)):
        mounts = host.volumes(STORAGE / "host")
        for target in TARGETS:
            options = (
                "--isolation=chroot",
                "--pull-never",
                "--layers",
                f"--target={target}",
                f"--tag={image_name(target)}",
            )
            buildah.run("bud", *options, *mounts, str(REPOSITORY))
        built.write_text(wanted)
    return {target: image_of(buildah, target) for target in TARGETS}


def image_name(target: str) -> str:
    return f"localhost/prompt-gate:{target}"


def _exists(buildah: Buildah, target: str) -> bool:
    return buildah.ask("inspect", "--type", "image", image_name(target)).code == 0


def image_of(buildah: Buildah, target: str) -> Image:
    """The image of a stage of the Dockerfile, which has been built."""
    name = image_name(target)
    config = json.loads(buildah.run("inspect", "--type", "image", name))["OCIv1"]["config"]
    number, unit = json.loads(buildah.run("images", "--json", name))[0]["size"].split()
    command = (*config.get("Entrypoint", ()), *config.get("Cmd", ()))
    return Image(buildah, name, command, config.get("Labels", {}), float(number) * UNITS[unit])


def _source() -> str:
    """A digest of the Dockerfile and of the files that `.dockerignore` includes."""
    let_in = [line[1:] for line in (REPOSITORY / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    named = [REPOSITORY / name for name in ("Dockerfile", ".dockerignore", *let_in)]
    inside = [path for place in named for path in (place, *place.rglob("*")) if path.is_file()]
    digest = hashlib.sha256()
    for path in sorted(path for path in inside if "__pycache__" not in path.parts):
        digest.update(
            f"{path.relative_to(REPOSITORY)} {path.stat().st_mode:o} {path.stat().st_size}\n".encode()
            + path.read_bytes()
        )
    return digest.hexdigest()
