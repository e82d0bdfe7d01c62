"""The tools that cases and scorers name: each has to be one that an arm has, or its check would show nothing."""

import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gate.cases.case import Case, place_of
from gate.config.documents import quoted
from gate.config.scorer import ScorerSpec
from gate.config.targets import ToolLoop
from gate.errors import InputErrors, Problem
from gate.messages import model_name
from gate.scoring.panel import fill_options
from gate.suite import Arm

_LISTS = ("all", "any", "in_order", "exact", "forbidden")
_DIMENSIONS = ("tool", "tools")
"""Dimensions of slices whose values are names of tools."""
_NEAR = 0.75
"""Share of letters that two words have in common, in order, for one to be a spelling of the other."""


@dataclass(frozen=True, slots=True)
class NamedTools:
    """Names of tools, each with the first case that uses it.

    Args:
        checked: by scorers.
        sliced: as values of the dimensions `tool` and `tools`, which check nothing.
    """

    checked: Mapping[str, Case]
    sliced: Mapping[str, Case]


def named_tools(scorers: Sequence[ScorerSpec], cases: Sequence[Case]) -> NamedTools:
    """The names of tools in the scorers of a suite and of its cases and rounds, and in slices."""
    checked: dict[str, Case] = {}
    sliced: dict[str, Case] = {}
    for case in cases:
        lasting = (*(scorers if case.scorers is None else case.scorers), *case.extra_scorers)
        for spec in (*lasting, *(spec for one in case.rounds for spec in one.scorers)):
            for name in _names(spec, case) if spec.kind == "tools" else ():
                checked.setdefault(name, case)
        for name in (case.slices[dimension] for dimension in _DIMENSIONS if dimension in case.slices):
            sliced.setdefault(name, case)
    return NamedTools(checked, sliced)


def _names(spec: ScorerSpec, case: Case) -> Iterator[str]:
    try:
        options = fill_options(spec.options, case)
    except InputErrors:
        return  # rendering the scorers for all cases reports it
    for key in _LISTS:
        listed = options.get(key)
        yield from (str(name) for name in (listed if isinstance(listed, list) else []))
    arguments = options.get("arguments")
    yield from arguments if isinstance(arguments, dict) else ()


def is_known_tool(name: str, known: Collection[str]) -> bool:
    """Is it the name of a tool, as its source has it or as a model gets it?"""
    return name in known or model_name(name) in known


def near_tool(name: str, known: Collection[str]) -> str:
    """The known name that was probably meant: in other letters, or with a typing error; empty without one."""
    alike = {_letters(one): one for one in known}
    if found := alike.get(_letters(name)):
        return found
    return next((one for one in known if _is_typing_error(_words(name), _words(one))), "")


def _is_typing_error(written: Sequence[str], meant: Sequence[str]) -> bool:
    """The same words but for letters: `set_price` is no spelling of `get_price`."""
    pairs = list(zip(written, meant, strict=False))
    alike = all(one == other or difflib.SequenceMatcher(None, one, other).ratio() >= _NEAR for one, other in pairs)
    return len(written) == len(meant) and alike


def _words(name: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"[A-Z]?[^\W_A-Z]+|[A-Z]+(?![a-z])", name)]


def _letters(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def misspelt_tools(scorers: Sequence[ScorerSpec], cases: Sequence[Case], arms: Sequence[Arm]) -> Iterator[Problem]:
    """An error for each name that no recorded tool has, and one nearly has. A server lists its tools in a run only."""
    loops = [arm.target for arm in arms if isinstance(arm.target, ToolLoop)]
    if not loops or len(loops) < len(arms) or any(loop.servers for loop in loops):
        return
    known = {tool.name for loop in loops for tool in loop.recorded}
    named = named_tools(scorers, [case for case in cases if not case.obsolete])
    for name, case in {**named.sliced, **named.checked}.items():
        if not is_known_tool(name, known) and (near := near_tool(name, known)):
            file, line = place_of(case.where)
            message = f"case {quoted(case.id)} names the tool {quoted(name)}, which is not among the recorded tools"
            yield Problem(file, line, message, f"did you mean {quoted(near)}?")


def idle_names(loop: ToolLoop) -> Iterator[tuple[str, str]]:
    """Errors with hints in `only` and `inject` of a target whose tools are all recorded."""
    if loop.servers or not loop.recorded:
        return
    tools = {tool.name for tool in loop.recorded}
    taken = {name for tool in loop.recorded for name in _parameters(tool.parameters)}
    named = [("only", name, tools, "which is not among the recorded tools") for name in loop.only]
    named += [("inject", name, taken, "which no recorded tool has as an argument") for name in loop.inject]
    for key, name, known, why in named:
        if name not in known:
            near = near_tool(name, known)
            hint = f"did you mean {quoted(near)}?" if near else f"known: {', '.join(sorted(known)) or 'none'}"
            yield f"{key} of its target names {quoted(name)}, {why}", hint


def _parameters(schema: Mapping[str, object]) -> Collection[str]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else ()
