"""Names of tools that scorers check and no arm has: a check of a tool that is not there shows nothing."""

from collections.abc import Iterable
from dataclasses import dataclass

from gate.config.documents import quoted
from gate.config.targets import ToolLoop
from gate.record.transcript import Outline
from gate.resolve.tool_names import is_known_tool, named_tools, near_tool
from gate.suite import Suite

MOST_NAMES = 20
"""Names of one suite that are reported."""


@dataclass(frozen=True, slots=True)
class UnknownTools:
    """Sentences about names of tools that neither arm has or called.

    Args:
        misspelt: names that are nearly those of a tool; the verdict is INCONCLUSIVE.
        not_shown: other names; the verdict is HOLD.
    """

    misspelt: tuple[str, ...] = ()
    not_shown: tuple[str, ...] = ()

    def __add__(self, other: "UnknownTools") -> "UnknownTools":
        return UnknownTools((*self.misspelt, *other.misspelt), (*self.not_shown, *other.not_shown))


def unknown_tools(suite: Suite, outlines: Iterable[Outline]) -> UnknownTools:
    """What a suite's cases name, and its conversations do not have.

    Args:
        outlines: of the conversations of all arms.
    """
    named = named_tools(suite.exam.scorers, suite.exam.cases)
    targets = [arm.target for arm in suite.arms.values() if arm.target is not None]
    if not targets or not (named.checked or named.sliced):
        return UnknownTools()
    known = {tool.name for target in targets if isinstance(target, ToolLoop) for tool in target.recorded}
    called: set[str] = set()
    for outline in outlines:
        known.update(outline.offered, outline.tools)
        called.update(outline.missing)
    misspelt, not_shown = list[str](), list[str]()
    whole = all(isinstance(target, ToolLoop) for target in targets)
    otherwise = "" if whole else ", or let the agent list its tools under tool_names"
    for name, case in {**named.sliced, **named.checked}.items():
        if is_known_tool(name, known):
            continue
        said = f"{suite.name}: case {quoted(case.id)} names the tool {quoted(name)}, which neither version has"
        if near := near_tool(name, known):
            misspelt.append(f"{said}: write {quoted(near)}{otherwise}.")
        elif name in named.checked and name not in called:
            not_shown.append(f"{said} or called, so its check shows nothing: remove it{otherwise}.")
    return UnknownTools(tuple(misspelt[:MOST_NAMES]), tuple(not_shown[:MOST_NAMES]))
