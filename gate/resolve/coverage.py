"""What a comparison of two refs looked at, and changed texts that look like prompts and that no suite tests."""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from gate.config.values import file_part, is_store, prompt_parts
from gate.errors import GateError
from gate.files import matches
from gate.prompts.discovery import (
    FoundPrompt,
    aside_folder,
    is_likely_file,
    is_passed_over,
    may_hold_texts,
    prompts_inside,
    read_prompt_file,
)
from gate.prompts.files import FileSource, file_of
from gate.record.findings.notes import PromptUntested
from gate.record.run import CoverageRecord
from gate.resolve.exam import SuiteWithEdits
from gate.resolve.pairing import Pair, Sides

MOST_READ = 200
"""Changed files that are looked into; each is a request or two if they are on GitHub."""


def coverage_of(
    sides: Sides, config: str, pairs: Collection[Pair], read: Iterable[SuiteWithEdits], touched: Collection[str]
) -> tuple[CoverageRecord, list[PromptUntested]]:
    """What was looked at, and a note on texts that look like prompts, changed, and are tested by no suite.

    Args:
        pairs: all suites, with those that were not read because only their cases are elsewhere.
        touched: names of the suites that are evaluated, or whose exam the change edits.
    """
    prompts = {prompt for one in pairs for prompt in (one.current.prompt, one.exam.prompt)}
    files = {config} | {one.current.cases for one in pairs if not is_store(one.current.cases)}
    files |= {path for one in read for path in one.suite.candidate.version.prompt.files}
    for prompt in prompts:
        files |= {file_of(sides.head, prompt) or prompt, *map(file_part, prompt_parts(prompt))}
    compared = sum(one.current.name in touched for one in pairs)
    coverage = CoverageRecord(
        suites=len(pairs),
        compared=compared,
        same=len(pairs) - compared,
        files=len(files),
    )
    pointers = {part for prompt in prompts for part in prompt_parts(prompt)}
    untested = list(_untested(sides, files, pointers, {one.exam.pattern for one in pairs if one.exam.pattern}))
    return coverage, [PromptUntested(paths=untested)] if untested else []


def _untested(
    sides: Sides, files: Collection[str], pointers: Collection[str], patterns: Collection[str]
) -> Iterator[str]:
    """Changed files, and changed texts inside files, that look like prompts, or that a pattern misses by a little."""
    before, after = sides.base.listing(), sides.head.listing()
    missed = {path for path in after if path.isprintable() and any(_is_missed(path, one) for one in patterns)}
    likely = (path for path in sorted(after) if path in missed or _may_be_prompt(path))
    changed = (path for path in likely if before.get(path) != after[path] and _is_changed(sides, path, after[path]))
    for path in islice(changed, MOST_READ):
        if path in missed:
            yield path
        elif path not in files and is_likely_file(path):
            if _is_prompt(sides.head, path):
                yield path
        elif may_hold_texts(path):
            old, new = (dict(_texts(source, path)) for source in (sides.base, sides.head))
            yield from (name for name, text in new.items() if old.get(name) != text and name not in pointers)


def _is_missed(path: str, pattern: str) -> bool:
    """Does a pattern miss a file by upper and lower case only, or a prompt by the dot before its folder's name?"""
    ending = re.split(r"[*?\]]", pattern)[-1].casefold()
    # Matching is slow for a repository of many files.
    if not path.casefold().endswith(ending) or matches(path, pattern):
        return False
    without_dots = "/".join(part.removeprefix(".") for part in path.split("/"))
    return matches(path.casefold(), pattern.casefold()) or (is_likely_file(path) and matches(without_dots, pattern))


def _may_be_prompt(path: str) -> bool:
    if is_passed_over(path) or aside_folder(path) or not (is_likely_file(path) or may_hold_texts(path)):
        return False
    return path.isprintable()


def _is_changed(sides: Sides, path: str, known: str) -> bool:
    """In a working tree, whose files have no fingerprint, only reading shows it."""
    return bool(known) or _bytes(sides.head, path) != _bytes(sides.base, path)


def _is_prompt(source: FileSource, path: str) -> bool:
    return isinstance(read_prompt_file(path, source.read), FoundPrompt)


def _bytes(source: FileSource, path: str) -> bytes:
    try:
        return source.read(path) or b""
    except GateError:
        return b""


def _texts(source: FileSource, path: str) -> Iterator[tuple[str, str]]:
    yield from ((prompt.path, prompt.text) for prompt in prompts_inside(path, _bytes(source, path)))
