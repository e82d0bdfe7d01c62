"""How replies ended: whole, cut off, filtered, refused or empty."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gate.domain.absence import Failed
from gate.domain.sample import ArmName, Reply, Sample

Ending: TypeAlias = Literal["whole", "cut_off", "filtered", "refused", "empty"]

_WORDS: Mapping[str, Ending] = {
    # OpenAI and those who speak its interface; Anthropic.
    "length": "cut_off",
    "max_tokens": "cut_off",
    "model_context_window_exceeded": "cut_off",
    "content_filter": "filtered",
    "refusal": "refused",
}


@dataclass(frozen=True, slots=True)
class Endings:
    """How the replies of one arm ended.

    Args:
        replies: answers that came.
        cut_off: ended by `max_output_tokens`, or by the model's context.
        filtered: ended by the provider's content filter.
        refused: refusals that the provider marks as such.
        empty: whole, and without any text.
    """

    replies: int = 0
    cut_off: int = 0
    filtered: int = 0
    refused: int = 0
    empty: int = 0

    def __add__(self, other: "Endings") -> "Endings":
        return Endings(
            self.replies + other.replies,
            self.cut_off + other.cut_off,
            self.filtered + other.filtered,
            self.refused + other.refused,
            self.empty + other.empty,
        )


def ending(reply: Reply) -> Ending:
    """How a reply ended, by the provider's word for it; an unknown word is a whole reply."""
    known = _WORDS.get(reply.stop_reason.lower())
    if known is not None:
        return known
    return "whole" if reply.text.strip() else "empty"


def counted(reply: Reply) -> Endings:
    """One reply, to be added to others."""
    kind = ending(reply)
    return Endings(1, **({} if kind == "whole" else {kind: 1}))


def by_arm(samples: Iterable[Sample]) -> dict[tuple[str, ArmName], Endings]:
    """Count the endings of each suite's arms; calls that failed gave no reply.

    Args:
        samples: of any suites, in any order.

    Returns:
        By suite and arm, in order of first appearance.
    """
    found: dict[tuple[str, ArmName], Endings] = {}
    for sample in samples:
        if not isinstance(sample.reply, Failed):
            key = (sample.suite, sample.arm)
            found[key] = found.get(key, Endings()) + counted(sample.reply)
    return found


def remarks(arm: ArmName, endings: Endings) -> list[str]:
    """What did not end well, such as "12 of 300 candidate replies were cut off at max_output_tokens"."""
    said = (
        (endings.cut_off, "cut off at max_output_tokens"),
        (endings.filtered, "ended by the provider's content filter"),
        (endings.refused, "refused by the model"),
        (endings.empty, "empty"),
    )
    of = f"of {endings.replies} {arm.value} {'reply' if endings.replies == 1 else 'replies'}"
    return [f"{count} {of} {'was' if count == 1 else 'were'} {what}" for count, what in said if count]
