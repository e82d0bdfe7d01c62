"""Calls and dollars of a run, reused answers, the prompt cache, replies that were cut off."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from math import fsum

from gate import numbers
from gate.record.comparison import ArmAxis, ArmPrefix, AxisComparison, CacheComparison, Estimate, PrefixEnd
from gate.record.findings.finding import Code, Text
from gate.record.parts import ArmRecord, ArmReuseRecord, ReuseRecord, SpendingRecord, SpentRecord
from gate.record.run import RunRecord, SuiteRecord
from gate.record.transcript import STEP_LIMIT, UNPRICED
from gate.report.sheet import Fact, Section, SheetRow, SheetTable, figure_columns, text_columns
from gate.report.slices import LONGEST_SENTENCE, AnySuite, all_suites, short_line, suite_label
from gate.values import counted


def per_answer(suites: Sequence[AnySuite]) -> str:
    """What dollars and seconds are means over: `per call`, `per conversation`."""
    units = dict.fromkeys("call" if suite.conversations is None else "conversation" for suite in suites)
    return f"per {' or '.join(units) or 'call'}"


def usage_section(run: RunRecord) -> Section | None:
    """Calls, tokens of each kind, money and time, with a row for each arm; None where no suite was evaluated."""
    rows = tuple(_usage_rows(run))
    if not rows:
        return None
    kinds = ("input tokens", "cache read", "cache write", "output")
    head = (*text_columns("arm"), *figure_columns(*kinds, per_answer(all_suites(run)), "p50", "p95"))
    return Section(
        title=("Calls, cost and time",),
        brief=(*spending_text(run), new_answers(run)),
        tables=(SheetTable("", (), (), items=tuple(call_facts(run))), SheetTable("", head, rows)),
        missing=("calls, cost and time", ""),
    )


def _usage_rows(run: RunRecord) -> Iterator[SheetRow]:
    """Two for each compared suite, and one for each other."""
    for suite in run.suites:
        label = short_line(suite_label(run, suite))
        yield _usage_row("baseline", label, suite.cost.baseline, suite.latency.baseline)
        yield _usage_row("candidate", label, suite.cost.candidate, suite.latency.candidate)
    for new in run.new:
        arm = "prompt" if run.kind == "check" else "new prompt"
        yield _usage_row(arm, short_line(suite_label(run, new)), new.cost, new.latency)


def _usage_row(arm: str, suite: str, cost: ArmAxis, latency: ArmAxis) -> SheetRow:
    spent = cost.usage
    kinds = (
        (spent.input_tokens, spent.cache_read_tokens, spent.cache_write_tokens, spent.output_tokens)
        if spent
        else (None, None, None, None)
    )
    counts = (numbers.NOTHING if kind is None else numbers.tokens(kind) for kind in kinds)
    times = (numbers.duration(latency.p50), numbers.duration(latency.p95))
    name = f"{suite}: {arm}" if suite else arm
    return SheetRow((name, *counts, numbers.dollars(cost.mean), *times), suite=suite)


def call_facts(run: RunRecord) -> Iterator[Fact]:
    """Calls; for agents also how they are shared out."""
    calls = run.calls
    told = f"{calls.made:,} made, {calls.cached:,} from the cache, {calls.retried:,} retried, {calls.failed:,} failed"
    yield Fact("Calls", (told,))
    known = [suite.spending for suite in all_suites(run)]
    talked = any(suite.conversations is not None for suite in all_suites(run))
    if talked and len(callers := _callers(known)) > 1:
        yield Fact("Of these", ("; ".join(callers),))


def spending_text(run: RunRecord) -> Text:
    """What the run spent, and what cached answers saved: `1,080 calls, $0.087, 42.3 s`"""
    if not run.calls.made and not run.calls.cached:
        return ()
    calls, time = counted(run.calls.made, "call"), numbers.duration(run.duration_s)
    if run.spent_usd is not None:
        told = f"{calls}, {numbers.dollars(run.spent_usd)}, {time}"
    elif why := _unknown_cost(run):
        told = f"{calls}, {time}; cost unknown: {why}"
    else:
        told = f"{calls}, {time}"
    known, saved = _known(run)
    if not known:
        return (told,)
    worth = f" and about {numbers.dollars(saved)}" if saved else ""
    return (f"{told}; {counted(known, 'cached answer')} saved {counted(known, 'call')}{worth}",)


def new_answers(run: RunRecord) -> str:
    """`; all answers are new`, so another run may decide otherwise; empty where answers were reused."""
    return "; all answers are new" if run.calls.made and not run.calls.cached else ""


def _known(run: RunRecord) -> tuple[int, float]:
    """Reused answers, and their cost at the mean price of the others."""
    count, usd = 0, 0.0
    for suite in run.suites:
        if suite.reuse is None:
            continue
        arms = ((suite.reuse.baseline, suite.cost.baseline.mean), (suite.reuse.candidate, suite.cost.candidate.mean))
        for arm, price in arms:
            if arm is not None:
                count += arm.reused
                usd += arm.reused * (price or 0.0)
    return count, usd


def _callers(parts: Sequence[SpendingRecord]) -> list[str]:
    told = (
        ("agents", [part.answers for part in parts]),
        ("follow-ups and simulated users", [part.aside for part in parts]),
        ("judges", [part.judges for part in parts]),
    )
    return [f"{who} {_together(spent)}" for who, spent in told if any(one.calls for one in spent)]


def _together(parts: Sequence[SpentRecord]) -> str:
    """Calls, and dollars where all calls have a price."""
    called = [part for part in parts if part.calls]
    prices = [part.usd for part in called if part.usd is not None]
    dollars = f", {numbers.dollars(fsum(prices))}" if called and len(prices) == len(called) else ""
    return f"{counted(sum(part.calls for part in called), 'call')}{dollars}"


def _unknown_cost(run: RunRecord) -> str:
    """Why the cost is unknown; empty where nothing has a price, or nothing was called."""
    if untold := _untold(run):
        return untold
    priced = [suite.cost.applicable for suite in run.suites] + [suite.priced for suite in run.new]
    has_price = any(priced) if run.evaluated else run.priced
    return UNPRICED if has_price and run.calls.made else ""


def _untold(run: RunRecord) -> str:
    """Why the cost of suites is unknown, each reason once; may be empty."""
    notes = dict.fromkeys(suite.cost_note for suite in all_suites(run) if suite.calls.made and suite.spent_usd is None)
    return "; ".join(short_line(note, LONGEST_SENTENCE) for note in notes if note)


SUITES_SHOWN = 3
"""Suites whose drift is in the first lines; the facts have them all."""

_Named = tuple[str, ReuseRecord]


def reuse_footnote(run: RunRecord) -> tuple[str, ...]:
    """One sentence for the whole run; empty where no answer was cached."""
    told = _sentence([reuse for _, reuse in _known_answers(run) if _reused(reuse) or reuse.opinions], run)
    return (f"Answers reused: {told}.",) if told else ()


def reuse_drifts(run: RunRecord) -> tuple[Text, ...]:
    """A sentence for each of the first suites whose cached answers are no longer valid."""
    found = [(name, why) for name, reuse in _known_answers(run) if (why := _drift(reuse))]
    told = tuple(((Code(name), ": ") if name else ()) + (f"{why}.",) for name, why in found[:SUITES_SHOWN])
    more = len(found) - SUITES_SHOWN
    return (*told, *(((f"and {more:,} more suites whose cached answers are no longer valid",),) if more > 0 else ()))


def reuse_facts(run: RunRecord) -> Iterator[Fact]:
    """One line for each suite, in a run over several; for one suite the footnote is enough."""
    for name, reuse in _known_answers(run):
        told = _sentence([reuse], run)
        if name and told:
            yield Fact("answers reused", (told,), name)
        if why := _drift(reuse):
            yield Fact("drift", (why,), name)


def _known_answers(run: RunRecord) -> list[_Named]:
    """Each suite with cached answers, under its name where needed."""
    return [(short_line(suite_label(run, s)), s.reuse) for s in all_suites(run) if s.reuse is not None]


def _sentence(known: Sequence[ReuseRecord], run: RunRecord) -> str:
    """`270 of the baseline's 300 (the oldest 2 days old); 30 pairs were called together …`, or empty."""
    arms = {
        "baseline": [reuse.baseline for reuse in known if reuse.baseline is not None],
        "candidate": [reuse.candidate for reuse in known],
    }
    told = " and ".join(part for name, found in arms.items() if (part := _counted(name, found)))
    parts = [f"{told}{_age(known, run)}"] if told else []
    if told and not any(one.reused for one in arms["candidate"]):
        parts.append("the candidate's are all new")
    if told and arms["baseline"]:
        parts.append(_beside(known))
    if opinions := sum(reuse.opinions for reuse in known):
        parts.append(f"{'also ' if told else ''}{counted(opinions, 'judge reply', 'judge replies')}")
    return "; ".join(parts)


def _counted(arm: str, found: Sequence[ArmReuseRecord]) -> str:
    reused = sum(one.reused for one in found)
    total = reused + sum(one.fresh for one in found)
    return f"{reused:,} of the {arm}'s {total:,}" if reused else ""


def _age(known: Sequence[ReuseRecord], run: RunRecord) -> str:
    """Relative to the run, so that a report is the same whenever it is rendered."""
    times = [at for reuse in known if (at := _time(reuse.oldest)) is not None]
    created = _time(run.created)
    if not times or created is None:
        return ""
    return f" (the oldest {numbers.age(max(0.0, (created - min(times)).total_seconds()))} old)"


def _time(text: str | None) -> datetime | None:
    """A time with its zone; a record may come from anywhere."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


def _beside(known: Sequence[ReuseRecord]) -> str:
    pairs = sum(reuse.pairs for reuse in known)
    if not pairs:
        return "no pair was called at the same time"
    looked = [reuse.drift for reuse in known if reuse.drift is not None]
    calm = "; no drift found" if looked and all(drift.reason is None for drift in looked) else ""
    verb = "pair was" if pairs == 1 else "pairs were"
    return f"{pairs:,} {verb} called at the same time to compare cost and latency{calm}"


def _drift(reuse: ReuseRecord) -> str:
    """Why cached answers are no longer valid, and what was done about it; empty where they are valid."""
    if reuse.drift is None or reuse.drift.reason is None:
        return ""
    reason = short_line(reuse.drift.reason, LONGEST_SENTENCE)
    what = "some cached answers were" if _reused(reuse) else "the cached answers were"
    return f"{what[0].upper()}{what[1:]} not used, because {reason}; the model was called again"


def _reused(reuse: ReuseRecord) -> int:
    return (0 if reuse.baseline is None else reuse.baseline.reused) + reuse.candidate.reused


FINDINGS_SHOWN = 3
"""Suites whose finding is in the first lines; the facts have them all."""
_WARM = "its cost was not measured because the provider still had whole requests in its cache"
CACHE_SLACK = 0.05
"""Prefix lengths are estimates: so much more than them may be read from a cache."""


def cache_findings(run: RunRecord) -> tuple[Text, ...]:
    """A sentence for each of the first suites whose cacheable prefix shrank while cost or latency rose.

    Also where neither could rise: a rerun within minutes finds whole requests in the provider's cache, which users'
    requests will not, and a finding must not go away by pushing again.
    """
    out = []
    for suite, cache in islice(_telling(run), FINDINGS_SHOWN):
        label = short_line(suite_label(run, suite))
        where: Text = (Code(label), ": ") if label else ()
        shown = f"measured {_measured(suite)}" if _shows(suite) else _WARM
        out.append((*where, *_shrank(cache), f"; {shown}"))
    return tuple(out)


def cache_advice(run: RunRecord) -> Iterator[Text]:
    """What to do about a variable that ends the cacheable prefix too early."""
    told = islice(_telling(run), FINDINGS_SHOWN)
    for place in dict.fromkeys(cache.candidate.place for _, cache in told):
        if place is not None and place.variable:
            yield ("Move ", _variable(place), " behind the text that is the same for every case, and compare again.")


def cache_facts(suite: str, cache: CacheComparison) -> Iterator[Fact]:
    """Cacheable prefix, what limits it, cached tokens, tokens of the first encoding."""
    if not cache.baseline.requests or not cache.candidate.requests:
        return
    yield Fact("cacheable prefix", _prefixes(cache), suite)
    if obstacles := _obstacles(cache):
        yield Fact("not cached", obstacles, suite)
    if cache.baseline_share is not None and cache.candidate_share is not None:
        yield Fact("read from the prompt cache", (_shares(cache),), suite)
    if cache.fresh_tokens:
        price = "" if cache.fresh_usd is None else f", about {numbers.dollars(cache.fresh_usd)}"
        tokens = numbers.rough_tokens(cache.fresh_tokens)
        once = f"about {tokens} tokens of the candidate's prefix, once for each deployment{price}"
        yield Fact("first encoding", (f"{once}; not included in the cost per call",), suite)


def _telling(run: RunRecord) -> Iterator[tuple[SuiteRecord, CacheComparison]]:
    for suite in run.suites:
        if suite.cache is not None and suite.cache.shrank and (_shows(suite) or _warm(suite.cache)):
            yield suite, suite.cache


def _shows(suite: SuiteRecord) -> bool:
    return _rose(suite.cost) or _rose(suite.latency)


def _warm(cache: CacheComparison) -> bool:
    """Whether the cache held more of the candidate's requests than they share, because they were sent before."""
    return cache.candidate_share is not None and _repeats(cache.candidate, cache.candidate_share)


def _rose(axis: AxisComparison) -> bool:
    return axis.compared and axis.lower is not None and axis.lower > 0


def _shrank(cache: CacheComparison) -> Text:
    before, after = numbers.rough_tokens(cache.baseline.tokens), numbers.rough_tokens(cache.candidate.tokens)
    fall = f": the cacheable prefix shrinks from about {before} to {after} tokens"
    place = cache.candidate.place
    if place is None:
        return (f"the requests start differently{fall}",)
    if not place.variable:
        return ("the first part that differs between cases is now at ", *_line(place), fall)
    return (_variable(place), f" {'moved to' if cache.moved else 'is now at'} ", *_line(place), fall)


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
    alone = " (from the prompt, because there is only one case)" if arm.requests == 1 else ""
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
        return ("caching is off; set ", Code("prompt_cache: true"))
    if arm.obstacle == "too short":
        return (f"the model only caches prefixes of at least {arm.minimum or 0:,} tokens",)
    if arm.obstacle == "differs before the mark":
        return ("the system message, which is the part to cache, differs between cases",)
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
        span = numbers.points_interval(change.value, change.lower, change.upper)
        both = f"{both}: {span} percentage points"
    if any(
        _repeats(*arm) for arm in ((cache.baseline, cache.baseline_share), (cache.candidate, cache.candidate_share))
    ):
        return (
            f"{both}. This is more than the prefix, because samples of one case share the cache; users' requests do not"
        )
    return both


def _repeats(arm: ArmPrefix, found: Estimate) -> bool:
    """Whether clearly more was read from the cache than the prefix that different cases share."""
    return arm.requests > 1 and found.value > arm.tokens / max(1, arm.request_tokens) + CACHE_SLACK


def _line(place: PrefixEnd) -> Text:
    if place.file:
        return (f"line {place.line} of ", Code(short_line(place.file)))
    return (f"line {place.line}" if place.message == 1 else f"line {place.line} of message {place.message}",)


def _variable(place: PrefixEnd) -> Code:
    return Code(f"{{{{ {short_line(place.variable)} }}}}")


CUT_SHORT = "cut off"
"""The kind of a reply that a limit of tokens ended."""

NOTABLE = 0.01
"""Share of an arm's replies, or difference of the arms' shares, from which on a note is shown."""


COMMON = 0.2
"""Share of an arm's replies without text from which on a note is shown even where the arms do not differ."""


ENDINGS_SHOWN = 3


TOKENS_SETTING = "max_output_tokens"


STEPS_SETTING = "max_steps"


@dataclass(frozen=True, slots=True)
class _Found:
    """One kind of ending in one suite.

    Args:
        suite: empty in a run over one suite.
        kind: `cut off`, `refused`, `empty` or `step limit`.
        counts: of both arms, the baseline's first; None for the baseline of a new prompt.
    """

    suite: str
    kind: str
    arms: tuple[ArmRecord | None, ArmRecord]
    counts: tuple[int, int]

    @property
    def shares(self) -> tuple[float, float]:
        """The share of such replies, by arm."""
        first, second = (
            count / arm.replies if arm is not None and arm.replies else 0.0
            for arm, count in zip(self.arms, self.counts, strict=True)
        )
        return first, second

    @property
    def notable(self) -> bool:
        """Whether they are enough to act on."""
        return max(self.shares) >= NOTABLE

    @property
    def differs(self) -> bool:
        """Whether the arms differ enough; for a prompt without a baseline, whether its share is large enough."""
        return abs(self.shares[1] - self.shares[0]) >= NOTABLE

    @property
    def common(self) -> bool:
        """Whether so many replies are empty that scores say little, even if the arms do not differ."""
        return self.kind == "empty" and max(self.shares) >= COMMON


def ending_findings(run: RunRecord) -> tuple[Text, ...]:
    """A sentence for each kind of ending that is common or differs between the arms; only for the first suites."""
    told = [found for found in _all(run) if found.differs or found.common]
    shown = list(dict.fromkeys(found.suite for found in told))[:ENDINGS_SHOWN]
    return tuple(_finding(found) for found in told if found.suite in shown)


def ending_advice(run: RunRecord) -> Iterator[Text]:
    """What to do about them."""
    kinds = {found.kind for found in _all(run) if found.notable}
    if STEP_LIMIT in kinds:
        ours = all(arm.max_steps is not None for _, (_, arm) in _arms_of_run(run) if arm.step_limited)
        limit: Text = (Code(STEPS_SETTING),) if ours else ("the step limit of the agent",)
        yield (
            "Raise ",
            *limit,
            ", or find out which tools are called repeatedly: conversations ended at this limit.",
        )
    if CUT_SHORT in kinds:
        yield (
            "Set a higher ",
            Code(TOKENS_SETTING),
            ", or limit the answer's length in the prompt: replies were cut off.",
        )
    if "refused" in kinds:
        yield ("Find out what is refused and why: a refusal is scored like any other answer.",)
    if "empty" in kinds:
        yield (
            "Find out why replies are empty, for example reasoning that uses up ",
            Code(TOKENS_SETTING),
            ", or a stop sequence.",
        )


def ending_facts(run: RunRecord) -> Iterator[Fact]:
    """One line for each arm with such replies."""
    for suite, arms in _arms_of_run(run):
        for name, arm in zip(("baseline", "candidate"), arms, strict=True):
            if arm is not None and (told := _told(arm)):
                yield Fact(f"replies of the {name}", told, suite)


def _told(arm: ArmRecord) -> Text:
    out: list[str | Code] = []
    for kind, count in _counts(arm).items():
        if count:
            out += [", " if out else "", f"{count:,} {_word(kind, count)}", *_limit(kind, arm)]
    return (*out, f"; {counted(arm.replies, 'reply', 'replies')} in all") if out else ()


def _finding(found: _Found) -> Text:
    # The sentence begins with the arm that has such replies.
    both = (("candidate", found.arms[1], found.counts[1]), ("baseline", found.arms[0], found.counts[0]))
    (name, arm, count), (other, rest, fewer) = both if found.counts[1] else both[::-1]
    if arm is None:
        return ()
    verb = "was" if count == 1 else "were"
    article = "a " if found.kind == "refused" and count == 1 else ""
    where: Text = (Code(found.suite), ": ") if found.suite else ()
    noun = ("conversation", "") if found.kind == STEP_LIMIT else ("reply", "replies")
    many = f"{count:,} of {counted(arm.replies, *noun)} of the {name}"
    less = f"{fewer:,}" if fewer else "none"
    end = "" if rest is None else f", and {less} of the {other}'s {rest.replies:,}"
    return (*where, f"{many} {verb} {article}{_word(found.kind, count)}", *_limit(found.kind, arm), f"{end}.")


def _word(kind: str, count: int) -> str:
    if kind == STEP_LIMIT:
        return "ended"
    return ("refusal" if count == 1 else "refusals") if kind == "refused" else kind


def _limit(kind: str, arm: ArmRecord) -> Text:
    """Which limit it was."""
    if kind == STEP_LIMIT:
        return (
            (" at the step limit",) if arm.max_steps is None else (" at ", Code(STEPS_SETTING), f" ({arm.max_steps:,})")
        )
    if kind != CUT_SHORT:
        return ()
    value = arm.params.get(TOKENS_SETTING)
    return (
        (" at ", Code(TOKENS_SETTING), f" ({value:,})") if isinstance(value, int) else (" at the service's own limit",)
    )


def _all(run: RunRecord) -> Iterator[_Found]:
    for suite, (before, after) in _arms_of_run(run):
        first = {} if before is None else _counts(before)
        for kind, count in _counts(after).items():
            yield _Found(suite, kind, (before, after), (first.get(kind, 0), count))


def _arms_of_run(run: RunRecord) -> Iterator[tuple[str, tuple[ArmRecord | None, ArmRecord]]]:
    for suite in run.suites:
        yield short_line(suite_label(run, suite)), (suite.baseline, suite.candidate)
    for new in run.new:
        yield short_line(suite_label(run, new)), (None, new.candidate)


def _counts(arm: ArmRecord) -> dict[str, int]:
    return {CUT_SHORT: arm.cut_off, "refused": arm.refused, "empty": arm.empty, STEP_LIMIT: arm.step_limited}
