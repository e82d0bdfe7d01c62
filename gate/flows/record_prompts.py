"""What a prompt says becomes a part of the record, so that a report can show what was changed."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from gate.domain.prompt import Prompt
from gate.domain.record_parts import PromptTextRecord
from gate.report.secrets import masked

_Kind: TypeAlias = Literal["message", "file", "built"]

TEXTS_KEPT = 20
"""Messages and files of one prompt."""
BUILT_KEPT = 3
"""Sessions of a prompt that a function builds: its texts differ where the cases do."""
TEXT_CHARS = 40_000
"""Of one text."""
ALL_CHARS = 100_000
"""Of one prompt."""


def prompt_texts(prompt: Prompt) -> tuple[list[PromptTextRecord], int]:
    """The texts of a prompt with keys masked, as many of them as fit; and how many there are besides.

    Args:
        prompt: of one arm, as its file says it: nothing of a case stands in it, unless a function has built it.
    """
    found, kept, room = list(_texts(prompt)), list[PromptTextRecord](), ALL_CHARS
    for kind, name, text in found[:TEXTS_KEPT]:
        limit = min(TEXT_CHARS, room)
        if not limit:
            break
        whole = masked(text)
        kept.append(PromptTextRecord(kind=kind, name=name, text=whole[:limit], cut=len(whole) > limit))
        room -= min(len(whole), limit)
    built = () if prompt.built is None else prompt.built.texts
    return kept, len(prompt.messages) + len(prompt.parts.files) + len(built) - len(kept)


def _texts(prompt: Prompt) -> Iterator[tuple[_Kind, str, str]]:
    for message in prompt.messages:
        yield "message", message.role, message.content
    for part in prompt.parts.files:
        yield "file", part.path, part.text
    if prompt.built is not None:
        built = sorted(prompt.built.texts.items())
        for number, (_, text) in enumerate(built[:BUILT_KEPT], 1):
            # Why a session has no text stands among the failures.
            if isinstance(text, str):
                yield "built", str(number), text
