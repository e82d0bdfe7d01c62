"""What a change does to the provider's prompt cache: the common prefix, measured hits, and the cost."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gate.cases.case import Case, render, variables_of, writers
from gate.engine.arrays import SampleGrid, clusters, side_by_side
from gate.engine.compare import estimate
from gate.engine.samples import ARMS, Floats, Ints, SampleTable
from gate.errors import InputErrors
from gate.messages import CHARS_PER_TOKEN, IMAGE_TOKENS, Message
from gate.prompts.version import Prompt
from gate.record.comparison import ArmPrefix, CacheComparison, CacheTerms, Estimate, Obstacle, PrefixEnd
from gate.record.transcript import ArmName
from gate.stats.intervals import Parts, share, share_change
from gate.suite import Arm, Suite
from gate.templates.rendering import Origin, compile_template, first_difference, first_part
from gate.templates.sandbox import BadTemplate


@dataclass(slots=True)
class SharedStart:
    """The start that the requests given so far share, roles included; only the first request is stored.

    Args:
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
        place: what ends it; None where all requests are the same.
    """

    messages: tuple[Message, ...]
    first: tuple[Message, ...]
    place: PrefixEnd | None
    lengths: dict[int, int]

    @property
    def chars(self) -> int:
        return characters(self.messages)


def characters(messages: Sequence[Message]) -> int:
    """Characters of all contents, an image counted as a text of as many tokens."""
    return sum(len(message.content) + 4 * IMAGE_TOKENS * len(message.images) for message in messages)


def prefix_of(prompt: Prompt, cases: Sequence[Case]) -> Prefix:
    """What the requests of all cases share from their start, and what ends it.

    With one case nothing can be compared; then the prompt itself shows what comes before anything of the case.
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
            # No request came of it; the run has reported why.
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
        return first_difference(text, variables_of(one, prompt), variables_of(other, prompt), prompt.parts)
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
        return first_part(text, variables_of(case, prompt), prompt.parts)
    except BadTemplate:
        return 0, Origin(1, "")


LEAST_LOSS = 16
LEAST_SHARE = 0.05
"""A prefix that lost fewer tokens, or a smaller part of itself, is not reported."""


@dataclass(frozen=True, slots=True)
class _Tokens:
    """What the replies of one arm report of their input, by case.

    Args:
        read: float[N], tokens that were read from a cache.
        total: float[N], all tokens.
        replies: int[N], how many replies report them.
    """

    read: Floats
    total: Floats
    replies: Ints


def cache_comparisons(
    suites: Sequence[Suite],
    table: SampleTable,
    terms: Callable[[Arm], CacheTerms],
    alpha: float,
) -> dict[str, CacheComparison]:
    """What the change does to the prompt cache, by the name of each suite that has two arms.

    A suite where this cannot be found out is left out: the calls are paid for, and the verdict does not rest on it.
    """
    out = {}
    for suite in (suite for suite in suites if suite.baseline is not None):
        try:
            found = {name: terms(suite.arm(name)) for name in ArmName}
            out[suite.name] = compare_caching(SampleGrid(suite, table), found, alpha)
        except Exception:  # noqa: BLE001, S112
            # It renders untrusted templates once more, in its own way, so no list of errors is complete.
            # What ends a program (KeyboardInterrupt, SystemExit, a cancelled task) is no Exception and passes.
            continue
    return out


def compare_caching(grid: SampleGrid, terms: Mapping[ArmName, CacheTerms], alpha: float) -> CacheComparison:
    """Compare what a prompt cache can keep, and did keep, of the arms' requests."""
    suite, tokens = grid.suite, _tokens(grid)
    prompts = {name: arm.version.prompt for name, arm in suite.arms.items()}
    found = {name: prefix_of(prompt, suite.exam.cases) for name, prompt in prompts.items()}
    arms = {arm: _arm(found[arm], tokens[arm], terms[arm]) for arm in ArmName}
    before, after = arms[ArmName.BASELINE], arms[ArmName.CANDIDATE]
    fresh = _fresh(suite, found, after)
    price = terms[ArmName.CANDIDATE].write_usd
    shares = _shares(suite, tokens, alpha)
    return CacheComparison(
        baseline=before,
        candidate=after,
        shrank=_shrank(before, after),
        moved=after.place is not None and _mentions(prompts[ArmName.BASELINE], after.place.variable),
        fresh_tokens=fresh,
        fresh_usd=None if price is None else fresh * price,
        baseline_share=shares[0],
        candidate_share=shares[1],
        share_change=shares[2],
    )


def _arm(prefix: Prefix, known: _Tokens, terms: CacheTerms) -> ArmPrefix:
    rate = _tokens_per_char(prefix, known)
    per_char = 1.0 / CHARS_PER_TOKEN if rate is None else rate
    obstacle, chars = _kept(prefix, terms)
    tokens = round(chars * per_char)
    if not obstacle and terms.minimum is not None and tokens < terms.minimum:
        obstacle = "too short"
    mean = sum(prefix.lengths.values()) / max(1, len(prefix.lengths))
    return ArmPrefix(
        requests=len(prefix.lengths),
        tokens=tokens,
        request_tokens=round(mean * per_char),
        measured=rate is not None,
        place=prefix.place,
        minimum=terms.minimum,
        obstacle=obstacle,
    )


def _tokens(grid: SampleGrid) -> dict[ArmName, _Tokens]:
    kept, _ = side_by_side(grid)
    read = np.where(kept, grid["cache_read_tokens"], 0)
    total = np.where(kept, grid["input_tokens"] + grid["cache_read_tokens"] + grid["cache_write_tokens"], 0)
    columns = (read.sum(axis=2).astype(np.float64), total.sum(axis=2).astype(np.float64), (total > 0).sum(axis=2))
    return {arm: _Tokens(*(column[number] for column in columns)) for number, arm in enumerate(ARMS)}


def _tokens_per_char(prefix: Prefix, known: _Tokens) -> float | None:
    positions, lengths = list(prefix.lengths), np.array(list(prefix.lengths.values()), dtype=np.int64)
    chars = float(known.replies[positions] @ lengths) if positions else 0.0
    return float(known.total[positions].sum()) / chars if chars else None


def _kept(prefix: Prefix, terms: CacheTerms) -> tuple[Obstacle, int]:
    """Why nothing is cached, and how many characters could be."""
    system = [message for message in prefix.first if message.role == "system"]
    if not terms.asked or (terms.marked and not system):
        return "not asked for", prefix.chars
    if not terms.marked:
        return "", prefix.chars
    whole = [message for message in prefix.messages if message.role == "system"]
    ends_within = prefix.place is not None and prefix.place.message <= len(prefix.messages)
    cut = ends_within and prefix.messages[-1].role == "system"
    return ("differs before the mark", prefix.chars) if cut or len(whole) < len(system) else ("", characters(system))


def _fresh(suite: Suite, found: Mapping[ArmName, Prefix], after: ArmPrefix) -> int:
    """Tokens of the candidate's prefix that no request of the baseline has put into the cache."""
    if after.obstacle:
        return 0
    before, candidate = found[ArmName.BASELINE], found[ArmName.CANDIDATE]
    known: tuple[Message, ...] = ()
    if suite.arm(ArmName.BASELINE).model == suite.candidate.model:
        start = SharedStart(candidate.messages)
        start.add(before.messages)
        known = start.messages
    fresh = 1.0 - characters(known) / candidate.chars if candidate.chars else 0.0
    return round(after.tokens * fresh)


def _shrank(before: ArmPrefix, after: ArmPrefix) -> bool:
    """Did text leave the prefix that is still sent? A prompt that only became shorter did not."""
    lost = before.tokens - after.tokens
    still_sent = (after.request_tokens - after.tokens) - (before.request_tokens - before.tokens)
    worth_it = lost >= max(LEAST_LOSS, LEAST_SHARE * before.tokens)
    return worth_it and still_sent >= lost / 2 and not before.obstacle


def _mentions(prompt: Prompt, variable: str) -> bool:
    if not variable or not prompt.template:
        return False
    name = variable.partition(".")[0]
    try:
        texts = (text for message in prompt.messages for text in message.texts)
        return any(name in compile_template(text, prompt.parts).names for text in texts)
    except BadTemplate:
        return False


def _shares(
    suite: Suite, tokens: Mapping[ArmName, _Tokens], alpha: float
) -> tuple[Estimate | None, Estimate | None, Estimate | None]:
    """Part of the input that was read from a cache: baseline, candidate, and their difference."""
    arms = [tokens[arm] for arm in ARMS]
    labels = clusters(suite)
    own, where = [], [np.flatnonzero(arm.total) for arm in arms]
    for arm, rows in zip(arms, where, strict=True):
        units = None if labels is None else labels[rows]
        parts = Parts(arm.read[rows], arm.total[rows]) if rows.size else None
        own.append(None if parts is None else estimate(share(parts, alpha=alpha, clusters=units)))
    both = np.intersect1d(where[0], where[1])
    if not both.size:
        return own[0], own[1], None
    before, after = (Parts(arm.read[both], arm.total[both]) for arm in arms)
    change = share_change(before, after, alpha=alpha, clusters=None if labels is None else labels[both])
    return own[0], own[1], estimate(change)
