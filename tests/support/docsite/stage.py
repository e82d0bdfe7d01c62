"""Lay the documentation out for the site generator: `docs/`, and beside it the pages that stand elsewhere.

Links between pages stay links; one to a file that is no page of the site keeps its words alone.
"""

import posixpath
import re
import shutil
import sys
from pathlib import Path

from latex2mathml.converter import convert

ROOT = Path(__file__).parents[3]
BUILD = ROOT / "build" / "docs"
ELSEWHERE = {
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "evals/README.md": "evals/index.md",
    "evals/dispatcher/README.md": "evals/dispatcher.md",
    "evals/property_agent/README.md": "evals/property-agent.md",
    "evals/promptpex/README.md": "evals/promptpex.md",
}
"""Pages outside `docs/`, by their path in the repository, and what they are called in the site."""
_FRONT = {"README.md": "index.md"}
_FENCE = re.compile(r"(^ *(?:```|~~~).*?^ *(?:```|~~~) *$)", re.DOTALL | re.MULTILINE)
_REMARK = re.compile(r"^ *<!-- not run: [^\n]* -->\n+", re.MULTILINE)
_CODE = re.compile(r"((`+)(?!`).*?(?<!`)\2(?!`))", re.DOTALL)
_ROW = re.compile(r"^\|.*$", re.MULTILINE)
_MATH = re.compile(r"(?<![\\\w$])(\${1,2})(?![\s$])((?:[^$\n]|\n(?!\n))+?)(?<!\s)\1(?![\w$])")
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)\)")


def staged(path: str) -> str | None:
    """What a file of the repository is called in the site; None where it is no part of it.

    Args:
        path: from the root of the repository.
    """
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    known = {**ELSEWHERE, **_FRONT}
    return known.get(path) or known.get(f"{path.rstrip('/')}/README.md")


def relinked(text: str, path: str) -> str:
    """A page with its links as they are in the site; code stays as it is, without the remarks why nobody runs it.

    Args:
        text: of the page.
        path: of the page, from the root of the repository.
    """
    parts = _FENCE.split(_REMARK.sub("", text))
    return "".join(part if at % 2 else _LINK.sub(lambda one: _link(one, path), part) for at, part in enumerate(parts))


def with_math(text: str) -> str:
    """A page with its formulas as MathML, which a browser shows without a program from elsewhere.

    Args:
        text: of the page, with formulas between dollar signs.
    """
    parts = _FENCE.split(text)
    return "".join(part if at % 2 else _formulas(part) for at, part in enumerate(parts))


def with_bars(text: str) -> str:
    """A page whose tables show `a|b` in code as it is meant: GitHub wants a backslash there, which a site would show.

    Args:
        text: of the page.
    """
    parts = _FENCE.split(text)
    return "".join(part if at % 2 else _ROW.sub(_bars, part) for at, part in enumerate(parts))


def _bars(row: re.Match[str]) -> str:
    return _CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0])


def _formulas(text: str) -> str:
    # Each piece of code is there twice: whole, and its fence.
    parts = _CODE.split(text)
    return "".join(_MATH.sub(_formula, part) if at % 3 == 0 else part for at, part in enumerate(parts) if at % 3 < 2)


def _formula(found: re.Match[str]) -> str:
    if found[1] == "$$":
        return convert(found[2], display="block")
    # At the beginning of a line it would be a block of its own, did it not stand in a span.
    return f"<span>{convert(found[2])}</span>"


def _link(link: re.Match[str], path: str) -> str:
    mark, words, target = link.groups()
    file, hash_, anchor = target.partition("#")
    if not file or re.match(r"[a-z]+:", target):
        return link[0]
    found = staged(posixpath.normpath(posixpath.join(posixpath.dirname(path), file)))
    if found is None:
        return words
    own = staged(path)
    assert own is not None, path
    return f"{mark}[{words}]({posixpath.relpath(found, posixpath.dirname(own) or '.')}{hash_}{anchor})"


def stage(to: Path) -> None:
    """Write all pages, and what they show.

    Args:
        to: a folder, which is replaced.
    """
    shutil.rmtree(to, ignore_errors=True)
    for source in [*sorted((ROOT / "docs").rglob("*")), *(ROOT / path for path in ELSEWHERE)]:
        path = source.relative_to(ROOT).as_posix()
        name = staged(path)
        if name is None or not source.is_file():
            continue
        target = to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            text = with_bars(with_math(relinked(source.read_text(encoding="utf-8"), path)))
            target.write_text(text, encoding="utf-8")
        else:
            shutil.copyfile(source, target)


if __name__ == "__main__":
    stage(BUILD)
    sys.stdout.write(f"{sum(1 for _ in BUILD.rglob('*.md'))} pages in {BUILD.relative_to(ROOT)}\n")
