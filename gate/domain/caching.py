"""What a prompt cache can keep of the requests of each arm, and what it was measured to keep."""

from dataclasses import dataclass
from typing import Literal

from gate.domain.comparison import Estimate
from gate.domain.ranges import Amount, Count, RecordPart, Tokens

Obstacle = Literal["", "not asked for", "too short", "differs before the mark"]
"""Why nothing of an arm's prefix is cached; empty where nothing is known to stand in the way."""


@dataclass(frozen=True, slots=True)
class CacheTerms:
    """On what terms the provider of an arm caches prompts.

    Args:
        minimum: tokens of the shortest prefix that is cached; None where that is not known.
        asked: the provider caches of itself, or is asked to.
        marked: only whole system messages are cached, behind which the request carries a mark.
        write_usd: dollars to take one token into the cache; None where that is not known.
    """

    minimum: int | None = None
    asked: bool = True
    marked: bool = False
    write_usd: float | None = None


class PrefixEnd(RecordPart):
    """Where the first part stands that differs between cases.

    Args:
        message: of the request, from 1.
        line: of that message as the prompt's file writes it, or as it is sent where the file does not have it; from 1.
        variable: of the template, `date` or `slices.tier`; empty where no single one is to blame.
        file: the part of the prompt that the line is in; empty where it is the prompt's own.
    """

    message: Count
    line: Count
    variable: str = ""
    file: str = ""


class ArmPrefix(RecordPart):
    """What all requests of one arm share from their start. Tokens are characters at the arm's rate, and so rough.

    Args:
        requests: how many were compared; of one request only its prompt can tell what others would share.
        tokens: of the cacheable prefix.
        request_tokens: of a whole request, on average.
        measured: the rate is that of the arm's own replies; otherwise four characters are taken for a token.
        place: what ends the prefix; None where all requests are the same throughout.
        minimum: see `CacheTerms`.
        obstacle: why nothing of it is cached.
    """

    requests: Count
    tokens: Tokens
    request_tokens: Tokens
    measured: bool
    place: PrefixEnd | None
    minimum: Tokens | None
    obstacle: Obstacle


class CacheComparison(RecordPart):
    """The prompt cache of one suite, baseline against candidate.

    Args:
        baseline, candidate: the prefixes of the arms.
        shrank: the candidate's prefix is shorter by text that is still sent with every call, though no longer shared.
        moved: the baseline's prompt has the variable, too, which ends the candidate's prefix.
        fresh_tokens: of the candidate's prefix that the baseline's does not begin with: taken into the cache once for
            each deployment, whatever a warm cache shows.
        fresh_usd: what that costs; None where the price is not known.
        baseline_share, candidate_share: part of the input tokens that was read from a cache; None where no reply told.
        share_change: their difference, over the cases that both arms answered.
    """

    baseline: ArmPrefix
    candidate: ArmPrefix
    shrank: bool
    moved: bool
    fresh_tokens: Tokens
    fresh_usd: Amount | None
    baseline_share: Estimate | None = None
    candidate_share: Estimate | None = None
    share_change: Estimate | None = None
