"""Prompts that are alike, and one pattern that fits all of them and nothing else."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from gate.flows.scaffold.finding import FoundPrompt
from gate.inputs.paths import matches

_GLOB = re.compile(r"([*?[])")


def literal(path: str) -> str:
    """The path as `gate.yaml` names it: one with the signs of a pattern as a pattern that fits it alone."""
    return _GLOB.sub(r"[\1]", path)


def alike(found: Iterable[FoundPrompt]) -> list[list[FoundPrompt]]:
    """Those of one ending in one folder of prompts, or below it."""
    groups: dict[tuple[str, str, bool], list[FoundPrompt]] = {}
    for one in found:
        place = PurePosixPath(one.path)
        parts = place.parts[:-1]
        depth = next((at for at, part in enumerate(parts) if part.lower() in ("prompts", "prompt")), None)
        top = "/".join(parts[: depth + 1]) if depth is not None else str(place.parent)
        groups.setdefault((top, _ending(place.name), one.template), []).append(one)
    return list(groups.values())


def pattern_of(paths: Sequence[str], every: Iterable[str]) -> str | None:
    """A pattern that fits these paths and no others; None where there is none."""
    wanted = set(paths)
    folders = {PurePosixPath(path).parent for path in paths}
    top = PurePosixPath(*_common([folder.parts for folder in folders]))
    ending = _ending(PurePosixPath(paths[0]).name)
    start = "" if str(top) == "." else f"{literal(str(top))}/"
    for middle in ("*", "**/*"):
        pattern = f"{start}{middle}{ending}"
        if {path for path in every if matches(path, pattern)} == wanted:
            return pattern
    return None


def _ending(name: str) -> str:
    """`.prompt.yml` of `a.prompt.yml`, `.j2` of `a.md.j2`."""
    lower = name.lower()
    return next((end for end in (".prompt.yml", ".prompt.yaml") if lower.endswith(end)), PurePosixPath(name).suffix)


def _common(parts: Sequence[tuple[str, ...]]) -> list[str]:
    common: list[str] = []
    for level in zip(*parts, strict=False):
        if len(set(level)) > 1:
            break
        common.append(level[0])
    return common
