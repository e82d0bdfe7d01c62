"""The start that all requests of an arm share, which is all that a prompt cache can keep of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gate.domain.caching import PrefixEnd
from gate.domain.case import Case
from gate.domain.message import Message
from gate.domain.prompt import Prompt
from gate.errors import InputErrors
from gate.inputs.origin import Origin, first_difference, first_part
from gate.inputs.render import render, variables_of, writers
from gate.inputs.sandbox import BadTemplate


@dataclass(slots=True)
class SharedStart:
    """What the requests given so far have in common, roles included; holds the first request and no other.

    Args:
        first: the request that the others are compared with.
        depth: whole messages that are shared.
        cut: characters of the next message that are shared.
        longer: another request goes on where the whole of the first is shared.
    """

    first: tuple[Message, ...]
    depth: int = field(init=False)
    cut: int = field(default=0, init=False)
    longer: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.depth = len(self.first)

    def add(self, request: tuple[Message, ...]) -> bool:
        """Compare one more request; True if it ends what is shared earlier than before."""
        for place, mine in enumerate(self.first[: self.depth]):
            if place >= len(request) or request[place] != mine:
                other = request[place] if place < len(request) else None
                self.depth, self.cut = place, _common(mine, other, len(mine.content))
                return True
        if self.depth == len(self.first):
            news = not self.longer and len(request) > self.depth
            self.longer = self.longer or news
            return news
        before = self.cut
        other = request[self.depth] if self.depth < len(request) else None
        self.cut = _common(self.first[self.depth], other, before)
        return self.cut < before

    @property
    def messages(self) -> tuple[Message, ...]:
        """The shared start itself; its last message may be cut."""
        whole = self.first[: self.depth]
        if not self.cut:
            return whole
        last = self.first[self.depth]
        return (*whole, Message(last.role, last.content[: self.cut]))


def _common(one: Message, other: Message | None, limit: int) -> int:
    """Characters that two messages share from their start, at most `limit`."""
    if other is None or one.role != other.role:
        return 0
    a, b = one.content, other.content
    low, high = 0, min(len(a), len(b), limit)
    if a[:high] == b[:high]:
        return high
    while low + 1 < high:
        middle = (low + high) // 2
        # Everything before `low` is known to be equal, so that all comparisons together read the text about once.
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle
    return low


@dataclass(frozen=True, slots=True)
class Prefix:
    """The cacheable prefix of one arm.

    Args:
        messages: the text that all requests begin with; the last message may be cut.
        first: the first request, whole.
        place: what ends it; None where all requests are the same.
        lengths: characters of the request of each case, by its position; cases that cannot be rendered are left out.
    """

    messages: tuple[Message, ...]
    first: tuple[Message, ...]
    place: PrefixEnd | None
    lengths: dict[int, int]

    @property
    def chars(self) -> int:
        return characters(self.messages)


def characters(messages: Sequence[Message]) -> int:
    """Characters of all contents."""
    return sum(len(message.content) for message in messages)


def prefix_of(prompt: Prompt, cases: Sequence[Case]) -> Prefix:
    """What the requests of all cases share from their start, and what ends it.

    One case cannot show what others would share; then the prompt itself tells what stands before anything of the case.

    Args:
        prompt: of the arm.
        cases: of the exam.
    """
    start: SharedStart | None = None
    lengths: dict[int, int] = {}
    shown = ender = None
    for position, case, request in _rendered(prompt, cases):
        lengths[position] = characters(request)
        if start is None:
            start, shown = SharedStart(request), case
        elif start.add(request):
            ender = case
    if start is None or shown is None:
        return Prefix((), (), None, {})
    if len(lengths) == 1:
        return _told_by_prompt(prompt, shown, start, lengths)
    place = None if ender is None else _place(prompt, start, shown, ender)
    return Prefix(start.messages, start.first, place, lengths)


def _rendered(prompt: Prompt, cases: Sequence[Case]) -> Iterator[tuple[int, Case, tuple[Message, ...]]]:
    for position, case in enumerate(cases):
        try:
            yield position, case, render(prompt, case)
        except InputErrors:
            # No request came of it; the run has told its user why.
            continue


def _place(prompt: Prompt, start: SharedStart, shown: Case, ender: Case) -> PrefixEnd:
    message = start.first[start.depth] if start.depth < len(start.first) else None
    line = 1 if message is None else message.content.count("\n", 0, start.cut) + 1
    writer = writers(prompt, shown)[start.depth] if message is not None else None
    if not prompt.template or writer is None:
        return PrefixEnd(message=start.depth + 1, line=line)
    origin = _difference(prompt, writer.content, shown, ender)
    if origin is None:
        return PrefixEnd(message=start.depth + 1, line=line)
    return PrefixEnd(message=start.depth + 1, line=origin.line, variable=origin.variable, file=origin.file)


def _difference(prompt: Prompt, text: str, one: Case, other: Case) -> Origin | None:
    try:
        return first_difference(text, variables_of(one), variables_of(other), prompt.parts)
    except BadTemplate:
        return None


def _told_by_prompt(prompt: Prompt, case: Case, start: SharedStart, lengths: dict[int, int]) -> Prefix:
    for position, writer in enumerate(writers(prompt, case)):
        part = _first_part(prompt, writer.content, case) if writer is not None and prompt.template else None
        if writer is None or part is not None:
            head, origin = part if part is not None else (0, Origin(1, ""))
            cut = (Message(start.first[position].role, start.first[position].content[:head]),) if head else ()
            place = PrefixEnd(message=position + 1, line=origin.line, variable=origin.variable, file=origin.file)
            return Prefix((*start.first[:position], *cut), start.first, place, lengths)
    return Prefix(start.first, start.first, None, lengths)


def _first_part(prompt: Prompt, text: str, case: Case) -> tuple[int, Origin] | None:
    try:
        return first_part(text, variables_of(case), prompt.parts)
    except BadTemplate:
        return 0, Origin(1, "")
