"""The prompt cache in a report: what a change did to the cacheable prefix, and what that was measured to cost."""

from collections.abc import Iterator
from itertools import islice

from gate.domain.caching import ArmPrefix, CacheComparison, PrefixEnd
from gate.domain.comparison import AxisComparison, Estimate
from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.report import numbers
from gate.report.parts.whole import Code, Fact, Text
from gate.report.slices import short, suite_label

FINDINGS_SHOWN = 3
"""Suites whose finding stands in the first lines; the facts have them all."""
_WARM = "what it costs was not measured, for whole requests were still in the provider's cache"
SLACK = 0.05
"""Prefixes are estimates: so much more may be read from a cache than they hold."""


def findings(run: RunRecord) -> tuple[Text, ...]:
    """A sentence for each of the first suites whose cacheable prefix shrank while cost or latency rose.

    Or could not rise: a rerun within minutes finds whole requests in the provider's cache, which users' requests will
    not, and a finding must not go away by pushing again.
    """
    out = []
    for suite, cache in islice(_telling(run), FINDINGS_SHOWN):
        label = short(suite_label(run, suite))
        where: Text = (Code(label), ": ") if label else ()
        shown = f"measured {_measured(suite)}" if _shows(suite) else _WARM
        out.append((*where, *_shrank(cache), f"; {shown}"))
    return tuple(out)


def advice(run: RunRecord) -> Iterator[Text]:
    """What to do about a variable that ends the cacheable prefix too early."""
    told = islice(_telling(run), FINDINGS_SHOWN)
    for place in dict.fromkeys(cache.candidate.place for _, cache in told):
        if place is not None and place.variable:
            yield ("Put ", _variable(place), " behind the text that is the same for every case, and compare again.")


def cache_facts(prefix: str, cache: CacheComparison) -> Iterator[Fact]:
    """One line each: prefix, what stands in the way, cached tokens, what is encoded anew.

    Args:
        prefix: of the labels; the suite's name in a run over several.
        cache: of the suite.
    """
    if not cache.baseline.requests or not cache.candidate.requests:
        return
    yield Fact(f"{prefix}cacheable prefix", _prefixes(cache))
    if obstacles := _obstacles(cache):
        yield Fact(f"{prefix}not cached", obstacles)
    if cache.baseline_share is not None and cache.candidate_share is not None:
        yield Fact(f"{prefix}read from the prompt cache", (_shares(cache),))
    if cache.fresh_tokens:
        price = "" if cache.fresh_usd is None else f", about {numbers.dollars(cache.fresh_usd)}"
        tokens = numbers.rough_tokens(cache.fresh_tokens)
        once = f"about {tokens} tokens of the candidate's prefix, once for each deployment{price}"
        yield Fact(f"{prefix}encoded anew", (f"{once}; no part of what each call costs",))


def _telling(run: RunRecord) -> Iterator[tuple[SuiteRecord, CacheComparison]]:
    for suite in run.suites:
        if suite.cache is not None and suite.cache.shrank and (_shows(suite) or _warm(suite.cache)):
            yield suite, suite.cache


def _shows(suite: SuiteRecord) -> bool:
    return _rose(suite.cost) or _rose(suite.latency)


def _warm(cache: CacheComparison) -> bool:
    """The candidate's requests were read from the cache beyond what they share: they had been asked before."""
    return cache.candidate_share is not None and _repeats(cache.candidate, cache.candidate_share)


def _rose(axis: AxisComparison) -> bool:
    return axis.compared and axis.lower is not None and axis.lower > 0


def _shrank(cache: CacheComparison) -> Text:
    before, after = numbers.rough_tokens(cache.baseline.tokens), numbers.rough_tokens(cache.candidate.tokens)
    fall = f": the cacheable prefix falls from about {before} to {after} tokens"
    place = cache.candidate.place
    if place is None:
        return (f"the requests have another start{fall}",)
    if not place.variable:
        return ("the first part that differs between cases now stands at ", *_line(place), fall)
    return (_variable(place), f" {'moved to' if cache.moved else 'now stands at'} ", *_line(place), fall)


def _measured(suite: SuiteRecord) -> str:
    parts = []
    if suite.cost.compared and suite.cost.change is not None:
        parts.append(f"cost {numbers.change(suite.cost.change)}")
    latency = suite.latency
    if _rose(latency) and latency.change is not None:
        parts.append(f"latency {numbers.change(latency.change)}")
    slowest = latency.p95_change
    if slowest is not None and (_rose(latency) or (slowest.lower is not None and slowest.lower > 0)):
        parts.append(f"p95 {numbers.duration_change(slowest.value)}")
    return ", ".join(parts)


def _prefixes(cache: CacheComparison) -> Text:
    if _arm(cache.baseline) == _arm(cache.candidate):
        return (*_arm(cache.baseline), ", in both arms")
    return ("baseline ", *_arm(cache.baseline), "; candidate ", *_arm(cache.candidate))


def _arm(arm: ArmPrefix) -> Text:
    size = f"about {numbers.rough_tokens(arm.tokens)} of {numbers.rough_tokens(arm.request_tokens)} tokens"
    rate = "" if arm.measured else " (at four characters a token)"
    alone = ", as the prompt tells, for one case cannot" if arm.requests == 1 else ""
    if arm.place is None:
        return (f"{size}{rate}: every request is the same{alone}",)
    if not arm.place.variable:
        return (f"{size}{rate}, up to ", *_line(arm.place), alone)
    return (f"{size}{rate}, up to ", _variable(arm.place), " at ", *_line(arm.place), alone)


def _obstacles(cache: CacheComparison) -> Text:
    if cache.baseline.obstacle == cache.candidate.obstacle and cache.baseline.minimum == cache.candidate.minimum:
        return _obstacle(cache.candidate)
    out: list[str | Code] = []
    for name, arm in (("baseline", cache.baseline), ("candidate", cache.candidate)):
        if why := _obstacle(arm):
            out += ["; " if out else "", f"{name}: ", *why]
    return tuple(out)


def _obstacle(arm: ArmPrefix) -> Text:
    if arm.obstacle == "not asked for":
        return ("the provider has to be asked, with ", Code("prompt_cache: true"))
    if arm.obstacle == "too short":
        return (f"the model caches prefixes of {arm.minimum or 0:,} tokens and more",)
    if arm.obstacle == "differs before the mark":
        return ("the system message, behind which the cache mark stands, differs between cases",)
    return ()


def _shares(cache: CacheComparison) -> str:
    def told(found: Estimate) -> str:
        if found.lower is None or found.upper is None or found.upper - found.lower < 1e-9:
            return numbers.percent(found.value)
        return f"{numbers.percent(found.value)} [{numbers.percent(found.lower)}, {numbers.percent(found.upper)}]"

    if cache.baseline_share is None or cache.candidate_share is None:
        return ""
    both = (
        f"{told(cache.baseline_share)} of the baseline's input tokens, {told(cache.candidate_share)} of the candidate's"
    )
    change = cache.share_change
    if change is not None and abs(change.value) >= 1e-9:
        span = numbers.points_interval(change.lower, change.upper)
        both = f"{both}: {numbers.points(change.value)} {span} percentage points"
    if any(
        _repeats(*arm) for arm in ((cache.baseline, cache.baseline_share), (cache.candidate, cache.candidate_share))
    ):
        return f"{both}. More than the prefix holds: samples of one case read each other, which users' requests do not"
    return both


def _repeats(arm: ArmPrefix, found: Estimate) -> bool:
    """Was clearly more read from the cache than the prefix that different cases share?"""
    return arm.requests > 1 and found.value > arm.tokens / max(1, arm.request_tokens) + SLACK


def _line(place: PrefixEnd) -> Text:
    if place.file:
        return (f"line {place.line} of ", Code(short(place.file)))
    return (f"line {place.line}" if place.message == 1 else f"line {place.line} of message {place.message}",)


def _variable(place: PrefixEnd) -> Code:
    return Code(f"{{{{ {short(place.variable)} }}}}")
