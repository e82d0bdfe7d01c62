"""Pseudo-random faults: a hash of the seed, the request and its number selects the fault, so runs are repeatable."""

import hashlib
from dataclasses import dataclass

KINDS = ("429", "500", "529", "drop", "truncated", "not-json", "html")
"""All faults that end immediately. Hanging is left out: on a busy machine, its time-out also hits good requests."""


@dataclass(frozen=True, slots=True)
class Chaos:
    """A mix of faults.

    Args:
        share: of all attempts, 0 to 1.
        seed: of the dice.
        kinds: equally likely; see `tests.support.faults.FAULTS`.
    """

    share: float
    seed: int = 0
    kinds: tuple[str, ...] = KINDS

    def fault(self, body: bytes, attempt: int) -> str | None:
        """What the attempt meets, or None."""
        digest = hashlib.sha256(f"{self.seed} {attempt} ".encode() + body).digest()
        if int.from_bytes(digest[:6], "big") / 2**48 >= self.share:
            return None
        return self.kinds[digest[6] % len(self.kinds)]
