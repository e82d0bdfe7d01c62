"""Validators of the tools that an agent called."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from gate.config.formats import format_checker
from gate.config.json_schema import MatchingWork, TooSlow, bounded
from gate.messages import ToolCall
from gate.record.transcript import ARGUMENT_CHARS, ToolUse, Unscored
from gate.scoring.interface import (
    Finding,
    OptionCheck,
    Options,
    Subject,
    Validator,
    listed_texts,
    number_of,
    shown_value,
    texts_of,
)
from gate.scoring.validators.json_answers import same_json
from gate.values import JsonValue, as_mapping, counted

NOT_TOLD = 'the agent does not report its tool calls; each answer needs "tools", which is [] if it called none'


class _TooLong(Exception):
    """A call was cut before it could be checked."""


def tools(options: Options, subject: Subject) -> Finding:
    """All of the options hold; what is missing, unexpected or failed is named.

    `all`: each was called. `any`: one of them was. `in_order`: called in this order, others between them allowed.
    `exact`: these calls and no others, in any order, each as often as listed. `forbidden`: none was called.
    `arguments`: by tool, `subset` of the arguments of one of its calls, or a `schema` that those of each call satisfy.
    `min_calls`, `max_calls`, `max_errors`: counts. A failed call counts. A call of a tool that does not exist
    does not count as a required call, but counts as an unwanted one.
    """
    if subject.transcript is None:
        return Unscored("there was no conversation with tool calls to check"), "tools"
    if not subject.transcript.tools_told:
        return Unscored(NOT_TOLD), "tools"
    uses = subject.transcript.tools
    try:
        # A tool that two options require is listed as missing once.
        wrong = list(dict.fromkeys(complaint for complaint in _complaints(options, uses) if complaint))
    except (TooSlow, _TooLong) as unknown:
        return Unscored(str(unknown)), "arguments"
    called = f"called {_counted([f'{use.name} (not there)' if use.missing else use.name for use in uses])}"
    return (0.0, f"{'; '.join(wrong)} ({called})") if wrong else (1.0, called)


def _complaints(options: Options, tried: Sequence[ToolUse]) -> Iterator[str]:
    uses = [use for use in tried if not use.missing]
    names = [use.name for use in uses]
    yield _missing([name for name in texts_of(options, "all") if name not in names])
    if (some := texts_of(options, "any")) and not set(some) & set(names):
        yield f"none of {listed_texts(some)} was called"
    yield _order(texts_of(options, "in_order"), names)
    if "exact" in options:
        wanted = Counter(texts_of(options, "exact"))
        yield _missing(list((wanted - Counter(names)).elements()))
        if more := list((Counter(use.name for use in tried) - wanted).elements()):
            yield f"unexpected: {listed_texts(more)}"
    if banned := sorted(set(texts_of(options, "forbidden")) & {use.name for use in tried}):
        yield f"forbidden: {listed_texts(banned)}"
    for tool, wanted_arguments in as_mapping(options.get("arguments")).items():
        yield _arguments(tool, as_mapping(wanted_arguments), [use for use in uses if use.name == tool])
    yield from _counts(options, tried)


def _missing(names: list[str]) -> str:
    return f"missing: {listed_texts(names)}" if names else ""


def _order(wanted: Sequence[str], names: Sequence[str]) -> str:
    rest = iter(names)
    for name in wanted:
        if name not in rest:
            return f"not in order: {listed_texts([name])} {'came too early' if name in names else 'is missing'}"
    return ""


def _counts(options: Options, uses: Sequence[ToolUse]) -> Iterator[str]:
    least, most, errors = (number_of(options, key) for key in ("min_calls", "max_calls", "max_errors"))
    failed = [use for use in uses if use.failed]
    made = sum(not use.missing for use in uses)
    if least is not None and made < least:
        yield f"{counted(made, 'call')}, fewer than {least:g}"
    if most is not None and len(uses) > most:
        yield f"{counted(len(uses), 'call')}, more than {most:g}"
    if errors is not None and len(failed) > errors:
        what = counted(len(failed), "failed call")
        yield f"{what}, more than {errors:g}: {failed[0].name}: {failed[0].result[:120]}"


def _arguments(tool: str, wanted: dict[str, JsonValue], uses: Sequence[ToolUse]) -> str:
    """The errors in the arguments of one tool's calls; none without calls."""
    given = [ToolCall("", use.name, use.arguments).parsed for use in uses]
    if not given:
        return f"missing: {listed_texts([tool])}"
    long = any(len(use.arguments) > ARGUMENT_CHARS for use in uses)
    if "subset" in wanted and not any(one is not None and holds_all(dict(one), wanted["subset"]) for one in given):
        if long:
            raise _TooLong(f"arguments of {tool} are too long, and were cut, so they cannot be checked")
        return f"no call of {tool} has {shown_value(wanted['subset'])}; the last one has {uses[-1].arguments[:120]}"
    if "schema" in wanted:
        check = bounded(as_mapping(wanted["schema"]), MatchingWork(), format_checker())
        for one in given:
            if one is None and long:
                raise _TooLong(f"arguments of {tool} are too long, and were cut, so they cannot be checked")
            if one is None:
                return f"arguments of {tool} are not a JSON object"
            error = next(check.iter_errors(dict(one)), None)
            if error is not None:
                return f"arguments of {tool}: {error.message[:150]}"
    return ""


def holds_all(value: JsonValue, wanted: JsonValue) -> bool:
    """Does a value contain all that is wanted? Objects may have more keys, and lists are compared item by item."""
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(
            key in value and holds_all(value[key], one) for key, one in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(value, list) and len(value) == len(wanted) and all(map(holds_all, value, wanted))
    return same_json(value, wanted)


def _counted(names: Sequence[str]) -> str:
    counts = Counter(names)
    return ", ".join(f"{name} x{times}" if times > 1 else name for name, times in counts.items())[:200] or "no tool"


VALIDATORS: Mapping[str, Validator] = {"tools": tools}
CHECKS: Mapping[str, OptionCheck] = {}
