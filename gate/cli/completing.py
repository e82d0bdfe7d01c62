"""What a shell is told while somebody types: names that are cheap to find, and never a word about a mistake."""

import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.errors import GateError
from gate.store.bounded import read_bounded

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

CONFIG, LAST = "gate.yaml", ".gate/last"
LARGEST_CONFIG, LARGEST_RUN = 2**20, 32 * 2**20
"""Bytes that are read while somebody waits for a key to answer."""
MOST = 1000
"""Names that are offered."""

_BEGIN = re.compile(r"^suites:\s*(?:#.*)?$", re.MULTILINE)
_TOP = re.compile(r"^[^\s#-]", re.MULTILINE)
_NAME = re.compile(
    r"""^[ \t]*(?:-[ \t]*)?(?:\{[ \t]*)?name:[ \t]*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s#,}"'][^#,}\n]*))""", re.MULTILINE
)

_TYPED = re.compile(r"(?![-=])[\w@%+=:,./-]+")
"""What every shell takes as one word as it is: bash puts it into the line without quotes, where `$(…)` would be run."""

_Find = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


class _Known(click.types.StringParamType):
    """Text, of which a shell is told what is there.

    Args:
        find: what begins with what was typed.
    """

    def __init__(self, find: _Find) -> None:
        self._find = find

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        return self._find(ctx, param, incomplete)


def _suites(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Suites that the configuration names; those that a pattern stands for are not looked for."""
    config = ctx.params.get("config")
    # Commands read it from the root of the repository, wherever in it they are typed.
    path = _root() / (config if isinstance(config, str) else CONFIG)
    text = _read(path, LARGEST_CONFIG).decode("utf-8", "replace")
    begun = _BEGIN.search(text)
    if begun is None:
        return []
    ended = _TOP.search(text, begun.end())
    part = text[begun.end() : ended.start() if ended else None]
    return _items(("".join(one.groups("")).strip() for one in _NAME.finditer(part)), incomplete)


def _cases_of_run(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Cases of the run that was named before, or of the last one."""
    run = ctx.params.get("run")
    path = Path(run) if isinstance(run, str | Path) else _root() / LAST
    data: object = None
    with suppress(ValueError, RecursionError):
        data = json.loads(_read(path / "run.json" if path.is_dir() else path, LARGEST_RUN))
    found = []
    for suite in [*_list(data, "suites"), *_list(data, "new")]:
        found += [case.get("id") for case in _list(suite, "cases") if isinstance(case, dict)]
    return _items((name for name in found if isinstance(name, str)), incomplete)


def _refs(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Branches and tags."""
    from gate.git.command import Git

    with suppress(GateError):
        places = ("refs/heads", "refs/remotes", "refs/tags")
        answer = Git(Path(), timeout_s=2.0).ask(
            "for-each-ref", f"--count={5 * MOST}", "--format=%(refname:short)", *places
        )
        return _items(answer.out.decode("utf-8", "replace").splitlines(), incomplete)
    return []


def _root() -> Path:
    """The folder that has `.git`, found without running git; this one where there is none."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def _items(names: Iterable[str], incomplete: str) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    # Names are those of whoever wrote the files, and a word that is offered is soon sent.
    fit = [name for name in dict.fromkeys(names) if name.startswith(incomplete) and _TYPED.fullmatch(name)]
    return [CompletionItem(name) for name in fit[:MOST]]


def _list(data: object, key: str) -> list[object]:
    found = data.get(key) if isinstance(data, dict) else None
    return found if isinstance(found, list) else []


def _read(path: Path, most: int) -> bytes:
    """The content of a plain file; nothing where there is none, or it is too large."""
    with suppress(OSError):
        # A link may lead to one of the kernel's files, which says that it is empty and never ends.
        if path.is_file():
            return read_bounded(path, most) or b""
    return b""


SUITE, CASE, REF = _Known(_suites), _Known(_cases_of_run), _Known(_refs)
