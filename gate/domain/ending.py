"""How a reply ended, where it did not end of itself."""

from typing import Literal, TypeAlias

from gate.domain.sample import Reply

Ending: TypeAlias = Literal["", "refused", "empty", "cut off"]
"""Empty where the model came to its end."""

CUT_OFF = ("length", "max_tokens")
"""What providers call a reply that met the limit on its tokens."""

REFUSED = ("refusal", "content_filter")
"""What providers call a reply that the model refused, or that a filter held back."""


def ending(stop_reason: str, *, blank: bool) -> Ending:
    """How a reply ended; of one to which several words apply the first of `refused`, `empty`, `cut off`.

    Args:
        stop_reason: the provider's word.
        blank: its text is empty, or nothing but white space.
    """
    if stop_reason in REFUSED:
        return "refused"
    if blank:
        return "empty"
    return "cut off" if stop_reason in CUT_OFF else ""


def ending_of(reply: Reply) -> Ending:
    """How it ended.

    Args:
        reply: what a model answered.
    """
    return ending(reply.stop_reason, blank=not reply.text.strip())
