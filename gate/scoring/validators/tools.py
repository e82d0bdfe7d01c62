"""Holds the tools that an agent called against those that it should, and should not, have called."""

from collections import Counter
from collections.abc import Iterator, Sequence

from gate.domain.absence import Unscored
from gate.domain.jsonvalue import JsonValue
from gate.domain.tools import ToolCall
from gate.domain.transcript import ARGUMENT_CHARS, ToolUse
from gate.domain.words import counted
from gate.inputs.boundedschema import Work, bounded
from gate.inputs.patterns import TooSlow
from gate.scoring.subject import Subject
from gate.scoring.validators.json_path import same
from gate.scoring.validators.port import Finding, Options, listed, number_of, shown, texts_of

NOT_TOLD = 'the agent does not say which tools it calls; each answer needs "tools", which is [] where it called none'


class _TooLong(Exception):
    """What was called was cut before it could be looked at."""


def tools(options: Options, subject: Subject) -> Finding:
    """All that the options ask for; what is missing, what was not expected and what failed is named.

    `all`: each was called. `any`: one of them was. `in_order`: called in this order, others between them allowed.
    `exact`: these calls and no others, in any order, each as often as it stands there. `forbidden`: none was called.
    `arguments`: by tool, `subset` of the arguments of one of its calls, or a `schema` that those of each call satisfy.
    `min_calls`, `max_calls`, `max_errors`: counts. A call that failed is one. A call of a tool that is not there
    is none where calls are asked for, and one where they are not wanted.
    """
    if subject.transcript is None:
        return Unscored("there was no conversation in which tools could be called"), "tools"
    if not subject.transcript.tools_told:
        return Unscored(NOT_TOLD), "tools"
    uses = subject.transcript.tools
    try:
        # A tool that two options ask for is missing once.
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
        yield f"none of {listed(some)} was called"
    yield _order(texts_of(options, "in_order"), names)
    if "exact" in options:
        wanted = Counter(texts_of(options, "exact"))
        yield _missing(list((wanted - Counter(names)).elements()))
        if more := list((Counter(use.name for use in tried) - wanted).elements()):
            yield f"unexpected: {listed(more)}"
    if banned := sorted(set(texts_of(options, "forbidden")) & {use.name for use in tried}):
        yield f"forbidden: {listed(banned)}"
    for tool, wanted_arguments in _mapping(options.get("arguments")).items():
        yield _arguments(tool, _mapping(wanted_arguments), [use for use in uses if use.name == tool])
    yield from _counts(options, tried)


def _missing(names: list[str]) -> str:
    return f"missing: {listed(names)}" if names else ""


def _order(wanted: Sequence[str], names: Sequence[str]) -> str:
    rest = iter(names)
    for name in wanted:
        if name not in rest:
            return f"not in order: {listed([name])} {'came too early' if name in names else 'is missing'}"
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
    """What is wrong with the arguments of the calls of one tool; one that was not called has none."""
    given = [ToolCall("", use.name, use.arguments).parsed for use in uses]
    if not given:
        return f"missing: {listed([tool])}"
    long = any(len(use.arguments) > ARGUMENT_CHARS for use in uses)
    if "subset" in wanted and not any(one is not None and holds(dict(one), wanted["subset"]) for one in given):
        if long:
            raise _TooLong(f"arguments of {tool} are too long to be kept, so nobody knows them whole")
        return f"no call of {tool} has {shown(wanted['subset'])}; the last one has {uses[-1].arguments[:120]}"
    if "schema" in wanted:
        check = bounded(_mapping(wanted["schema"]), Work())
        for one in given:
            if one is None and long:
                raise _TooLong(f"arguments of {tool} are too long to be kept, so nobody knows them whole")
            if one is None:
                return f"arguments of {tool} are no JSON object"
            error = next(check.iter_errors(dict(one)), None)
            if error is not None:
                return f"arguments of {tool}: {error.message[:150]}"
    return ""


def holds(value: JsonValue, wanted: JsonValue) -> bool:
    """Has a value all that is wanted of it? Objects may have more keys, and lists are compared item by item."""
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(key in value and holds(value[key], one) for key, one in wanted.items())
    if isinstance(wanted, list):
        return isinstance(value, list) and len(value) == len(wanted) and all(map(holds, value, wanted))
    return same(value, wanted)


def _counted(names: Sequence[str]) -> str:
    counts = Counter(names)
    return ", ".join(f"{name} x{times}" if times > 1 else name for name, times in counts.items())[:200] or "no tool"


def _mapping(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}
