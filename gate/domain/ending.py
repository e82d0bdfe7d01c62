"""How a reply ended, where it did not end of itself."""

from typing import Final, Literal, TypeAlias

from gate.domain.sample import Reply

Ending: TypeAlias = Literal["", "refused", "step limit", "empty", "cut off"]
"""Empty where the model came to its end."""

CUT_OFF = ("length", "max_tokens")
"""What providers call a reply that met the limit on its tokens."""

REFUSED = ("refusal", "content_filter")
"""What providers call a reply that the model refused, or that a filter held back."""

STEP_LIMIT: Final = "step limit"
"""What ended an agent that would have called tools for ever."""

BROKE_OFF: Final = "failed"
"""Why the last turn of a conversation has no answer: the agent gave none, and would give none to other words."""


def ending(stop_reason: str, *, blank: bool) -> Ending:
    """How a reply ended; of one to which several words apply the first, in the order of `Ending`.

    Args:
        stop_reason: the provider's word.
        blank: its text is empty, or nothing but white space.
    """
    if stop_reason in REFUSED:
        return "refused"
    if stop_reason == STEP_LIMIT:
        return STEP_LIMIT
    if blank:
        return "empty"
    return "cut off" if stop_reason in CUT_OFF else ""


def ending_of(reply: Reply) -> Ending:
    """How it ended.

    Args:
        reply: what a model answered.
    """
    return ending(reply.stop_reason, blank=not reply.text.strip())
