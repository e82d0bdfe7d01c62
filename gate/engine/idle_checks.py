"""Checks that show nothing: of tools that no arm has, and by judges whose verdict does not depend on the answers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gate.config.documents import quoted
from gate.config.targets import ToolLoop
from gate.record.comparison import BlindJudge
from gate.record.transcript import Outline
from gate.resolve.tool_names import is_known_tool, named_tools, near_tool
from gate.suite import Suite

MOST_NAMES = 20
"""Names of one suite that are reported."""


@dataclass(frozen=True, slots=True)
class IdleChecks:
    """Sentences about checks that show nothing.

    Args:
        undecided: without them nothing is known; the verdict is INCONCLUSIVE.
        not_shown: others count beside them; the verdict is HOLD.
    """

    undecided: tuple[str, ...] = ()
    not_shown: tuple[str, ...] = ()

    def __add__(self, other: "IdleChecks") -> "IdleChecks":
        return IdleChecks((*self.undecided, *other.undecided), (*self.not_shown, *other.not_shown))


def blind_checks(blind: Mapping[str, Sequence[BlindJudge]]) -> IdleChecks:
    """What judges do not show that give all answers one score, or contradict themselves; by suite."""
    told = [(one.alone, f"{suite}: {_blind(one)}") for suite, judges in blind.items() for one in judges]
    return IdleChecks(tuple(said for alone, said in told if alone), tuple(said for alone, said in told if not alone))


def _blind(judge: BlindJudge) -> str:
    if judge.turned is None:
        told = f"gave all {judge.answers} answers the score {judge.value:g}, so it does not tell them apart"
    else:
        share = f"{judge.turned * 100:.1f}".removesuffix(".0")
        told = (
            f"gave another verdict in {share} % of {judge.answers} pairs when the answers changed places, "
            "so it does not judge the answers"
        )
    return f"the judge {judge.scorer} {told}. Improve its criteria or use another model."


def unknown_tools(suite: Suite, outlines: Iterable[Outline]) -> IdleChecks:
    """What a suite's cases name, and its conversations do not have.

    Args:
        outlines: of the conversations of all arms.
    """
    named = named_tools(suite.exam.scorers, suite.exam.cases)
    targets = [arm.target for arm in suite.arms.values() if arm.target is not None]
    if not targets or not (named.checked or named.sliced):
        return IdleChecks()
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
        homes = sorted(one for one in known if one.endswith(f".{name}"))
        said = f"{suite.name}: case {quoted(case.id)} names the tool {quoted(name)}, which neither version has"
        if homes:
            misspelt.append(f"{said} under this name: write {' or '.join(map(quoted, homes[:MOST_NAMES]))}.")
        elif near := near_tool(name, known):
            misspelt.append(f"{said}: write {quoted(near)}{otherwise}.")
        elif name in named.checked and name not in called:
            not_shown.append(f"{said} or called, so its check shows nothing: remove it{otherwise}.")
    return IdleChecks(tuple(misspelt[:MOST_NAMES]), tuple(not_shown[:MOST_NAMES]))
