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


def hand_over(workspace: Path, *folders: Path) -> None:
    """Give files to the workspace's owner: a container runs as root, and the runner must be able to clean up.

    Args:
        workspace: the checkout.
        folders: below it; those with a link on the way are left alone.
    """
    if os.geteuid() != 0:
        return
    owner = workspace.stat()
    for folder in folders:
        way = [workspace / part for part in folder.relative_to(workspace).parents if part != Path()]
        if folder.is_dir() and not any(path.is_symlink() for path in (folder, *way)):
            for path in (folder, *way, *folder.rglob("*"), *folder.parent.glob(".gitignore")):
                os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
