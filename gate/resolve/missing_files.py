"""Entries of gate.yaml that no file matches, and why that is likely so."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from posixpath import dirname
from unicodedata import normalize

from gate.config.documents import quoted
from gate.config.gatefile import Config, SuiteConfig
from gate.config.values import is_python
from gate.errors import Problem
from gate.files import matches
from gate.prompts.files import LINK, FileSource, file_of
from gate.resolve.pairing import Sides


def unmatched_entries(sides: Sides, config_path: str, head: Config, base: Config | None) -> list[Problem]:
    """A problem for each entry for which neither side has a file: it would never test anything.

    An entry of the base that the change corrects is not one.
    """
    names = {entry.name for entry in head.suites}
    # A single file that is missing is reported where its prompt is read.
    of_head = [entry for entry in head.suites if entry.is_pattern]
    of_base = [entry for entry in base.suites if entry.name not in names] if base is not None else []
    return [
        _problem(sides, config_path, source, entry)
        for source, entries in ((sides.head, of_head), (sides.base, of_base))
        for entry in entries
        if _is_unmatched(sides, entry)
    ]


def _is_unmatched(sides: Sides, entry: SuiteConfig) -> bool:
    if entry.is_pattern:
        return not any(source.glob(entry.prompt) for source in (sides.base, sides.head))
    return not any(file_of(source, entry.prompt) for source in (sides.base, sides.head))


def _problem(sides: Sides, config_path: str, source: FileSource, entry: SuiteConfig) -> Problem:
    where = config_path if source.sha is None else f"{source.label}:{config_path}"
    labels = " nor at ".join(dict.fromkeys((sides.base.label, sides.head.label)))
    neither = f"neither at {labels}" if " nor " in labels else f"at {labels}"
    kind = "no file matches" if entry.is_pattern else "there is no"
    message = f"suite {entry.name}: {kind} {quoted(entry.prompt)}, {neither}, so nothing is tested"
    hint = path_hint((sides.head, sides.base), entry.prompt, config_path)
    return Problem(
        where, entry.line, message, hint or "correct the path, or remove the suite; files that git ignores do not count"
    )


def path_hint(sources: Iterable[FileSource], path: str, config_path: str = "") -> str:
    """What is likely wrong with a path or pattern that matches nothing; empty where nothing is known."""
    if is_python(path):
        return ""
    if reason := _unsupported(path):
        return reason
    sources = tuple(sources)
    names = sorted({name for source in sources for name in source.listing()})
    if similar := _similar(path, names, dirname(config_path)):
        return similar
    for place, kind in (link for source in sources for link in source.links(path).items()):
        what = "symbolic link" if kind.startswith(LINK) else "submodule"
        return f"{place} is a {what}, which the gate does not follow: name the files themselves"
    near = get_close_matches(path, names, n=1, cutoff=0.7)
    return f"did you mean {near[0]}?" if near else ""


def _unsupported(path: str) -> str:
    if "{" in path and "," in path:
        return "braces are not expanded: write one suite for each alternative"
    if path.startswith("!"):
        return "a pattern cannot exclude files: name those that it stands for"
    return "remove the blank at its beginning or end" if path != path.strip() else ""


def _similar(path: str, names: Sequence[str], config_folder: str) -> str:
    """A path or pattern like this one that has files."""
    if config_folder and any(matches(name, f"{config_folder}/{path}") for name in names):
        return f"paths are not relative to the configuration file: write {config_folder}/{path}"
    parts = path.split("/")
    for shorter in ("/".join(parts[start:]) for start in range(1, len(parts)) if parts[start] != "**"):
        if not shorter.startswith("*") and any(matches(name, shorter) for name in names):
            return f"did you mean {shorter}?"
    for name in names:
        if matches(normalize("NFC", name), normalize("NFC", path)):
            return f"its accents are other Unicode characters than those of the file: there is {ascii(name)}"
        if matches(name.casefold(), path.casefold()):
            return f"upper and lower case count: there is {name}"
        if matches("/".join(part.lstrip(".") for part in name.split("/")), path):
            return f"names that start with a dot must be written out: there is {name}"
    return ""
