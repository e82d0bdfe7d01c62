"""How a reply ended, where it did not end of itself."""

from typing import Literal, TypeAlias

from gate.domain.sample import Reply

Ending: TypeAlias = Literal["", "refused", "empty", "cut off"]
"""Empty where the model came to its end."""

CUT_OFF = ("length", "max_tokens")
"""What providers call a reply that met the limit on its tokens."""

REFUSED = ("refusal", "content_filter")
"""What providers call a reply that the model refused, or that a filter held back."""


def ending_of(reply: Reply) -> Ending:
    """How it ended; of a reply to which several words apply the first of `refused`, `empty`, `cut off`.

    Args:
        reply: what a model answered.
    """
    if reply.stop_reason in REFUSED:
        return "refused"
    if not reply.text.strip():
        return "empty"
    return "cut off" if reply.stop_reason in CUT_OFF else ""
