"""What a change does to the prompt cache: the prefix of each arm in tokens, what was measured, what it costs once."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gate.domain.caching import ArmPrefix, CacheComparison, CacheTerms, Obstacle
from gate.domain.comparison import Estimate
from gate.domain.prompt import Message, Prompt
from gate.domain.sample import ArmName, Reply, Sample
from gate.domain.suite import Arm, Suite
from gate.engine.axes import estimate
from gate.engine.pairs import Key, clusters
from gate.engine.prefix import Prefix, SharedStart, characters, prefix_of
from gate.engine.sidebyside import side_by_side
from gate.inputs.templates import BadTemplate, compile_template
from gate.stats.share import Parts, share, share_change

CHARS_PER_TOKEN = 4.0
"""Where no reply tells its tokens."""
LEAST_LOSS = 16
LEAST_SHARE = 0.05
"""A prefix that lost fewer tokens, or a smaller part of itself, is not worth a finding."""

Replies = Sequence[Sequence[Reply]]


def cache_comparisons(
    suites: Sequence[Suite],
    table: Mapping[Key, Sequence[Sample]],
    terms: Callable[[Arm], CacheTerms],
    alpha: float,
) -> dict[str, CacheComparison]:
    """What the change does to the prompt cache, by the name of each suite that has two arms.

    A suite of which it cannot be told is left out: the calls are paid for, and the verdict does not rest on it.

    Args:
        suites: of the run.
        table: from `pairs.by_case`.
        terms: on what terms the provider of an arm caches prompts.
        alpha: see `compare_caching`.
    """
    out = {}
    for suite in (suite for suite in suites if suite.baseline is not None):
        try:
            found = {name: terms(suite.arm(name)) for name in ArmName}
            out[suite.name] = compare_caching(suite, table, found, alpha)
        except Exception:  # noqa: BLE001, S112
            # It renders a stranger's templates once more, in a way of its own, so no list of errors is complete.
            # What ends a program (KeyboardInterrupt, SystemExit, a cancelled task) is no Exception and passes.
            continue
    return out


def compare_caching(
    suite: Suite, table: Mapping[Key, Sequence[Sample]], terms: Mapping[ArmName, CacheTerms], alpha: float
) -> CacheComparison:
    """Compare what a prompt cache can keep, and did keep, of the arms' requests.

    Args:
        suite: whose prompts are rendered with its cases.
        table: from `pairs.by_case`.
        terms: of each arm's provider.
        alpha: one-sided level of each end of the intervals.
    """
    replies, _ = side_by_side(suite, table)
    prompts = {name: arm.version.prompt for name, arm in suite.arms.items()}
    found = {name: prefix_of(prompt, suite.exam.cases) for name, prompt in prompts.items()}
    arms = {arm: _arm(found[arm], replies[arm], terms[arm]) for arm in ArmName}
    before, after = arms[ArmName.BASELINE], arms[ArmName.CANDIDATE]
    fresh = _fresh(suite, found, after)
    price = terms[ArmName.CANDIDATE].write_usd
    shares = _shares(suite, replies, alpha)
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


def _arm(prefix: Prefix, replies: Replies, terms: CacheTerms) -> ArmPrefix:
    rate = _tokens_per_char(prefix, replies)
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


def _tokens_per_char(prefix: Prefix, replies: Replies) -> float | None:
    tokens = chars = 0
    for position, length in prefix.lengths.items():
        for reply in replies[position]:
            if reply.usage.total_input:
                tokens += reply.usage.total_input
                chars += length
    return tokens / chars if chars else None


def _kept(prefix: Prefix, terms: CacheTerms) -> tuple[Obstacle, int]:
    """Why nothing is cached, and the characters that could be."""
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
    """Did text leave the prefix that is still sent? A prompt that merely became shorter did not."""
    lost = before.tokens - after.tokens
    still_sent = (after.request_tokens - after.tokens) - (before.request_tokens - before.tokens)
    worth_it = lost >= max(LEAST_LOSS, LEAST_SHARE * before.tokens)
    return worth_it and still_sent >= lost / 2 and not before.obstacle


def _mentions(prompt: Prompt, variable: str) -> bool:
    if not variable or not prompt.template:
        return False
    name = variable.partition(".")[0]
    try:
        return any(name in compile_template(message.content).names for message in prompt.messages)
    except BadTemplate:
        return False


def _shares(
    suite: Suite, replies: Mapping[ArmName, Replies], alpha: float
) -> tuple[Estimate | None, Estimate | None, Estimate | None]:
    """Part of the input that was read from a cache: baseline, candidate, and their difference."""
    arms = [[_tokens(row) for row in replies[arm]] for arm in (ArmName.BASELINE, ArmName.CANDIDATE)]
    labels = clusters(suite)

    def parts(arm: list[tuple[int, int]], positions: list[int]) -> Parts:
        columns = np.array([arm[position] for position in positions], dtype=np.float64)
        return Parts(columns[:, 0], columns[:, 1])

    told = [[position for position, (_, total) in enumerate(arm) if total] for arm in arms]
    own = [
        estimate(share(parts(arm, where), alpha=alpha, clusters=None if labels is None else labels[where]))
        if where
        else None
        for arm, where in zip(arms, told, strict=True)
    ]
    both = sorted(set(told[0]) & set(told[1]))
    if not both:
        return own[0], own[1], None
    units = None if labels is None else labels[both]
    change = share_change(parts(arms[0], both), parts(arms[1], both), alpha=alpha, clusters=units)
    return own[0], own[1], estimate(change)


def _tokens(row: Sequence[Reply]) -> tuple[int, int]:
    """Read from a cache, and all input."""
    return sum(reply.usage.cache_read_tokens for reply in row), sum(reply.usage.total_input for reply in row)
