"""The folder of the run's files in a workspace that a pull request filled, and that another user owns."""

import os
from pathlib import Path

from gate.errors import GateError


def output_folder(workspace: Path, folder: str) -> Path:
    """The folder; it need not be there yet.

    Args:
        workspace: the checkout.
        folder: relative to it.

    Raises:
        GateError: a link stands on the way; the change may have brought it, and it may lead anywhere.
    """
    way = workspace
    for part in Path(folder).parts:
        way /= part
        if way.is_symlink():
            raise GateError(f"{folder} lies behind a symbolic link", "remove the link, or name another folder")
    return way


def hand_over(out: Path, workspace: Path) -> None:
    """Give the files to the workspace's owner: a container runs as root, and the runner must be able to clean up.

    Args:
        out: the folder, without links on the way.
        workspace: the checkout.
    """
    if os.geteuid() != 0 or not out.is_dir():
        return
    owner = workspace.stat()
    made = out.relative_to(workspace).parents
    folders = [out, *(workspace / folder for folder in made if folder != Path())]
    for path in (*folders, *out.iterdir(), *out.parent.glob(".gitignore")):
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
