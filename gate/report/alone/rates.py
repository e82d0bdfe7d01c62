"""What the pass rates of new prompts say in words: first line, steps, method, tokens."""

from collections.abc import Iterator, Sequence

from gate.config.policy import OVERALL
from gate.domain.passrate import PassRate, PassState
from gate.domain.record import RunRecord
from gate.domain.record_new import NewSuiteRecord
from gate.domain.verdict import Verdict
from gate.report import numbers
from gate.report.parts.whole import Code, Fact, Text, UsageRow
from gate.report.slices import NAMES_SHOWN, short


def missed(run: RunRecord) -> Text:
    """The slice of a new prompt that falls shortest of what is wanted; empty where none misses it."""
    found = _worst(run, PassState.MISSED)
    return () if found is None else _told(*found)


def doubtful(run: RunRecord) -> Text:
    """What keeps a new prompt from passing; empty where nothing does."""
    for suite in run.new:
        for rate in (suite.overall, *suite.slices):
            if rate.doubtful:
                return (*_told(suite, rate), "; that is not enough to be sure")
        if suite.overall.state is PassState.TOO_FEW:
            return ("too few cases to judge the new prompt ", _name(suite))
        if not asked(suite):
            more = len(_unasked(run))
            if more > 1:
                return (f"{more:,} new prompts have nothing to be compared with, and nobody said what is good enough",)
            return (*_told(suite, suite.overall), "; nobody said what is good enough")
    return ()


def met(run: RunRecord) -> Text:
    """That the new prompts are good enough, with the pass rate of the one that has the least to spare."""
    found = _worst(run, PassState.MET)
    return () if found is None else _told(*found)


def asked(suite: NewSuiteRecord) -> bool:
    """Whether its policy asks for a pass rate at all."""
    return any(rate.wanted is not None for rate in (suite.overall, *suite.slices))


def advised(run: RunRecord, reason: str) -> bool:
    """Does a step say this reason: that nobody said what is good enough?"""
    held = run.verdict is Verdict.HOLD
    return held and any(reason.startswith(f"{suite.name}: nobody said what is good enough") for suite in _unasked(run))


def steps_block(run: RunRecord) -> Iterator[Text]:
    """What to do about a new prompt that missed its rate."""
    found = _worst(run, PassState.MISSED)
    if found is not None:
        suite, rate = found
        yield (
            "Read the failing cases of the new prompt ",
            _name(suite),
            ", first those of ",
            Code(short(rate.slice)),
            ".",
        )


def steps_hold(run: RunRecord) -> Iterator[Text]:
    """What to do about new prompts that are not shown to be good enough."""
    if unasked := _unasked(run):
        where = "the policy of the suite " if len(unasked) == 1 else "the policies of the suites "
        yield (
            "Say what is good enough: set ",
            Code("min_pass_rate"),
            f" in {where}",
            *_suites(unasked),
            ", for example 0.9.",
        )
    for suite in run.new:
        if any(rate.doubtful for rate in (suite.overall, *suite.slices)):
            yield (
                "Read the failing cases of ",
                _name(suite),
                "; then mend the prompt, add cases to be sure of it, or merge knowing that it is not shown to be good.",
            )
    if any(suite.overall.state is PassState.TOO_FEW for suite in run.new):
        yield ("Add cases for the new prompt: 30 are the floor, 100 are comfortable.",)


def method(run: RunRecord) -> Iterator[Fact]:
    """How pass rates were judged."""
    if not run.new:
        return
    judged = run.method.rates_judged
    levels = " or ".join(numbers.percent(level) for level in sorted({suite.level for suite in run.new}))
    shared = f"; {numbers.counted(judged, 'slice')} judged together, each bound at {levels}" if judged else ""
    exact = "; a miss must also show in the exact binomial test" if judged else ""
    yield Fact("New prompts", (f"pass rate with its Wilson interval{shared}{exact}",), brief=True)
    if judged:
        rate = numbers.percent(run.method.alpha)
        promise = f"if the new prompts keep every wanted rate, the chance that one is blocked is at most {rate}"
        yield Fact("False blocks of new prompts", (promise,), brief=True)


def usage(run: RunRecord) -> Iterator[UsageRow]:
    """Tokens, money and time of the one arm of each."""
    for suite in run.new:
        spent = suite.cost.usage
        kinds = (
            ()
            if spent is None
            else (spent.input_tokens, spent.cache_read_tokens, spent.cache_write_tokens, spent.output_tokens)
        )
        read, cached, written, said = (numbers.tokens(kind) for kind in kinds or (0, 0, 0, 0))
        cost, latency = numbers.dollars(suite.cost.mean), suite.latency
        p50, p95 = numbers.duration(latency.p50), numbers.duration(latency.p95)
        new = "" if run.kind == "check" else ": new"
        yield UsageRow(f"{short(suite.name)}{new}", (read, cached, written, said), cost, p50, p95)


def _worst(run: RunRecord, state: PassState) -> tuple[NewSuiteRecord, PassRate] | None:
    """Of the slices that can block and show `state`, the one with the least to spare; `overall` among equals."""
    found = [
        (suite, rate)
        for suite in run.new
        for rate in (suite.overall, *suite.slices)
        if rate.state is state and rate.blocking
    ]
    return min(found, key=lambda one: (one[1].upper or 0.0) - (one[1].wanted or 0.0), default=None)


def interval(rate: PassRate) -> str:
    """`62.5 % [48 %, 74.1 %]`, or a dash."""
    if rate.rate is None or rate.lower is None or rate.upper is None:
        return numbers.NOTHING
    return f"{numbers.share(rate.rate)} [{numbers.share(rate.lower)}, {numbers.share(rate.upper)}]"


def spare(rate: PassRate) -> float:
    """How far the rate lies above the wanted one; negative where it falls short."""
    return (rate.rate or 0.0) - (rate.wanted or 0.0)


def _unasked(run: RunRecord) -> list[NewSuiteRecord]:
    """Those whose policy asks for no pass rate."""
    return [suite for suite in run.new if not asked(suite)]


def _suites(suites: Sequence[NewSuiteRecord]) -> Iterator[str | Code]:
    """`a, b, c and 2 more`."""
    for place, suite in enumerate(suites[:NAMES_SHOWN]):
        yield ", " if place else ""
        yield Code(short(suite.name))
    rest = len(suites) - NAMES_SHOWN
    yield f" and {rest:,} more" if rest > 0 else ""


def _name(suite: NewSuiteRecord) -> Code:
    return Code(short(suite.candidate.path))


def _told(suite: NewSuiteRecord, rate: PassRate) -> Text:
    where: Text = () if rate.slice == OVERALL else (" in ", Code(short(rate.slice)))
    wanted = "" if rate.wanted is None else f", where at least {numbers.share(rate.wanted)} are wanted"
    return ("new prompt ", _name(suite), f": {interval(rate)} of its answers", *where, f" passed{wanted}")
