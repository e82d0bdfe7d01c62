"""The ledger of the monthly cap, where a pull request cannot have brought it."""

from pathlib import Path

from gate.bootstrap.memory import refuse_tracked
from gate.store.ledger import NAME, SpendingFile
from gate.store.own_folder import make_folder


def spending_file(folder: Path) -> SpendingFile:
    """The ledger in a cache folder, which is made.

    Args:
        folder: kept from run to run, such as `.gate/cache` of the workspace.

    Raises:
        GateError: git tracks the ledger, or the folder cannot be made or lies behind a link.
    """
    refuse_tracked(folder / NAME)
    make_folder(folder)
    return SpendingFile(folder / NAME)
