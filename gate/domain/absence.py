"""Absence has a type: what could not be measured is neither NaN, nor zero, nor a missing row."""

from dataclasses import dataclass
from typing import ClassVar

from pydantic import ConfigDict

from gate.domain.ranges import WRITTEN, Tries
from gate.domain.transcript import Transcript
from gate.domain.usage import Effort


@dataclass(frozen=True, slots=True)
class Failed:
    """A call that gave no answer after every retry.

    Args:
        reason: one line, free of keys and control characters.
        attempts: how many requests were sent.
        effort: of a conversation that broke off: what it took until then; None where one call was all there was.
        transcript: of such a conversation, what was said until then, with the message that got no answer, if it was one
            that broke it off, as its last turn; None where nothing was said.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    reason: str
    attempts: Tries = 1
    effort: Effort | None = None
    transcript: Transcript | None = None


@dataclass(frozen=True, slots=True)
class Unscored:
    """An answer that no score could be given to.

    Args:
        reason: one line.
    """

    __pydantic_config__: ClassVar[ConfigDict] = WRITTEN
    reason: str
