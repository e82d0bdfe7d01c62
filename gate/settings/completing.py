"""Whether a shell asks what may be typed next, from the environment that its script sets."""

import os
from collections.abc import Mapping

VARIABLE = "_GATE_COMPLETE"
"""As click reads it where the program is called `gate`."""


def is_asked(environ: Mapping[str, str] | None = None) -> bool:
    """Does a shell ask?

    Args:
        environ: the variables; the process's own when None.
    """
    return bool((os.environ if environ is None else environ).get(VARIABLE))
