"""Commands that a report asks its reader to paste into a shell."""

import shlex
from collections.abc import Sequence

from gate.report.escape import visible
from gate.report.secrets import masked


def pasted(words: Sequence[str], longest: int) -> str:
    """The command with quotes where a shell needs them; empty where it is too long, or cannot be shown as it is.

    Keys are hidden before the quotes come: what hides them does not know of quotes, and could take one of a pair away.

    Args:
        words: of which some are names that strangers gave.
        longest: characters.
    """
    found = shlex.join(map(masked, words))
    shown = len(found) <= longest and found.isprintable() and "<!--" not in found and visible(found) == found
    return found if shown else ""
