"""The seal on what the gate's comments keep: whose bot wrote a comment says nothing, since all workflows share one."""

import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import datetime, timedelta

CLOCKS_DIFFER = timedelta(minutes=10)
"""A runner's clock may be so much ahead of GitHub's."""


@dataclass(frozen=True, slots=True)
class Seal:
    """Tells what runs with the same secret wrote on one pull request from what a bot was made to say there.

    Without a secret nothing is sealed and no seal is looked at: a state then counts unless it says that its run
    started after the comment was written.

    Args:
        secret: what only runs of the gate know; empty where this one knows nothing.
        repository: `owner/name`.
        number: of the pull request.
    """

    secret: bytes = field(default=b"", repr=False)
    repository: str = ""
    number: int = 0

    def on(self, marker: str, code: str) -> str:
        """The seal, 32 hexadecimal digits; empty without a secret.

        Args:
            marker: first line of the comment.
            code: what is sealed.
        """
        if not self.secret:
            return ""
        told = "\0".join([self.repository.casefold(), str(self.number), marker, code]).encode()
        return hashlib.blake2b(told, key=self.secret[:64], digest_size=16, person=b"gate comments").hexdigest()

    def fits(self, marker: str, code: str, found: str) -> bool:
        """Is it the seal of this code? Without a secret every one is."""
        return hmac.compare_digest(self.on(marker, code), found) if self.secret else True

    def believes(self, started: datetime, written: datetime | None) -> bool:
        """Can a run that started then have written a comment?

        Args:
            started: by the comment's own words.
            written: when it was written last, by GitHub's clock; None where nobody says.
        """
        return bool(self.secret) or written is None or started <= written + CLOCKS_DIFFER


NO_SEAL = Seal()
"""That of a run without a secret."""
