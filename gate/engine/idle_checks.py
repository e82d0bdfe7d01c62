"""Checks that show nothing: of tools that no arm has, and by judges whose verdict does not depend on the answers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gate.config.targets import ToolLoop
from gate.record.comparison import BlindJudge
from gate.record.findings.quality import JudgeBlind, ToolUnknown, severity_of
from gate.record.transcript import Outline
from gate.resolve.tool_names import is_known_tool, named_tools, near_tool
from gate.suite import Suite

MOST_NAMES = 20
"""Names of one suite that are reported."""


def blind_findings(blind: Mapping[str, Sequence[BlindJudge]]) -> Iterator[JudgeBlind]:
    """The judges, by suite, that give all answers one score, or contradict themselves; first those that are alone."""
    judges = [(suite, judge) for suite, found in blind.items() for judge in found]
    for suite, judge in sorted(judges, key=lambda row: not row[1].alone):
        yield JudgeBlind(
            severity=severity_of(judge.alone),
            suite=suite,
            scorer=judge.scorer,
            answers=judge.answers,
            value=judge.value,
            turned=judge.turned,
        )


def unknown_tools(suite: Suite, outlines: Iterable[Outline]) -> list[ToolUnknown]:
    """The tools that a suite's cases name, and its conversations do not have; first those that are misspelt.

    Args:
        outlines: of the conversations of all arms.
    """
    named = named_tools(suite.exam.scorers, suite.exam.cases)
    targets = [arm.target for arm in suite.arms.values() if arm.target is not None]
    if not targets or not (named.checked or named.sliced):
        return []
    known = {tool.name for target in targets if isinstance(target, ToolLoop) for tool in target.recorded}
    called: set[str] = set()
    for outline in outlines:
        known.update(outline.offered, outline.tools)
        called.update(outline.missing)
    listed = all(isinstance(target, ToolLoop) for target in targets)
    misspelt, unseen = list[ToolUnknown](), list[ToolUnknown]()
    for name, case in {**named.sliced, **named.checked}.items():
        if is_known_tool(name, known):
            continue
        suggestions = sorted(tool for tool in known if tool.endswith(f".{name}"))
        if not suggestions and (near := near_tool(name, known)):
            suggestions = [near]
        if not suggestions and (name not in named.checked or name in called):
            continue
        finding = ToolUnknown(
            severity=severity_of(bool(suggestions)),
            suite=suite.name,
            case=case.id,
            tool=name,
            suggestions=suggestions,
            listed=listed,
        )
        (misspelt if suggestions else unseen).append(finding)
    return [*misspelt[:MOST_NAMES], *unseen[:MOST_NAMES]]
