"""`.gate`: the gate's own folder in a repository, which holds model outputs and is not for git."""

from pathlib import Path

from gate.errors import GateError

NAME = ".gate"

CACHE = Path(NAME) / "cache"
"""Where answers are kept from run to run."""


def make_folder(path: Path) -> None:
    """Make a folder, and keep it out of git if it is `.gate` or lies in it.

    Args:
        path: the folder.

    Raises:
        GateError: it cannot be made, or a link stands on the way, which a repository may have brought.
    """
    home = path if path.name == NAME else path.parent
    own = home.name == NAME
    if own and (path.is_symlink() or home.is_symlink()):
        raise GateError(f"{path} lies behind a symbolic link", "remove the link, or name a folder with --out")
    try:
        path.mkdir(parents=True, exist_ok=True)
        ignored = home / ".gitignore"
        if own and not ignored.is_file():
            # Runs hold model outputs; they are not for the repository unless somebody decides so.
            ignored.unlink(missing_ok=True)
            with ignored.open("x", encoding="utf-8") as file:
                file.write("*\n")
    except OSError as error:
        raise GateError(f"cannot write to {path}: {error.strerror}", "name another folder with --out") from None
