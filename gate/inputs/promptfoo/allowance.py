"""What one reading may take: a short file can stand for thousands of slow variables, or of long cases."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gate.inputs.limits import CASES_CHARS
from gate.inputs.problems import one_problem
from gate.inputs.render import SlowTemplate

ONE_S = 0.2
"""Seconds of the processor for one text."""
ALL_S = 20.0
"""Seconds for all of them."""
ALL_CHARS = 2 * CASES_CHARS
"""Characters of all cases, written as JSON; a file of that many is refused, too."""
_SHORTER = "fewer values, or shorter ones"


@dataclass(slots=True)
class Allowance:
    """What is left of it.

    Args:
        seconds: of the processor, for filling in.
        chars: of what is filled in, and of the cases.
    """

    seconds: float = ALL_S
    chars: int = ALL_CHARS

    @contextmanager
    def filling(self, line: int) -> Iterator[float]:
        """Around what fills in one text, or looks whether it can be.

        Args:
            line: where it stands; 0 where nobody knows.

        Returns:
            the seconds that it may take.

        Raises:
            SlowTemplate: there are none left.
        """
        if self.seconds <= 0:
            said = f"filling in the templates of its tests takes more than {ALL_S:g} s"
            raise SlowTemplate(one_problem("tests", line, said, "write their texts").problems)
        began = time.thread_time()
        try:
            yield ONE_S
        finally:
            self.seconds -= time.thread_time() - began

    def hold(self, chars: int, line: int) -> None:
        """Take so many characters off.

        Raises:
            InputErrors: there are not so many left.
        """
        self.chars -= chars
        if self.chars < 0:
            raise one_problem("tests", line, f"stand for cases of more than {ALL_CHARS:,} characters", _SHORTER)
