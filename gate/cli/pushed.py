"""`gate diff --pushed`: as the hook of a push, what is pushed is compared, and not what happens to be checked out."""

import shlex
from dataclasses import replace
from pathlib import Path

from gate.cli.diff_options import DiffOptions
from gate.errors import GateError
from gate.git.command import Git
from gate.inputs.problems import quoted
from gate.settings.pushing import Push


def compared(options: DiffOptions, push: Push) -> DiffOptions:
    """The options with the commit that is pushed as the head.

    Raises:
        GateError: they say something else, too.
    """
    if options.base is None or options.head is not None:
        raise GateError("--pushed goes with --base alone", "gate diff --base origin/main --pushed")
    return replace(options, head=push.commit)


def first(options: DiffOptions, push: Push) -> str:
    """What is said of a first push, which has nothing to be compared with; empty for any other.

    Only a clone that knows nothing at all of the server is taken for one: a base that is missing beside other branches
    is a mistake, as it is everywhere.
    """
    base, git = options.base or "", Git(Path())
    if not push.remote or not base.startswith(f"{push.remote}/"):
        return ""
    if git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}").code == 0:
        return ""
    known = git.ask("for-each-ref", "--count=1", "--format=%(refname)", f"refs/remotes/{push.remote}/")
    if known.code or known.out.strip():
        return ""
    told = f"SKIPPED: this clone knows no branch of {quoted(push.remote)}, so a first push has nothing to compare with."
    return f"{told} If the server has {base} already: git fetch {shlex.quote(push.remote)}"
