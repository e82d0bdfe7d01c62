"""The repository of `tests.support.example` with one sample of each case, which is enough to see a broken prompt."""

from tests.support import example, privileged
from tests.support.example import BROKEN, GOOD, PROMPT, REWORDED, case, cases

__all__ = ["BROKEN", "CONFIG", "GOOD", "PROMPT", "REWORDED", "SERVICE", "SMALL", "case", "cases"]

CONFIG, SERVICE = (text.replace("samples: 2", "samples: 1") for text in (example.CONFIG, privileged.SERVICE))
SMALL = {**example.SMALL, "gate.yaml": CONFIG}
