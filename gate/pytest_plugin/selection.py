"""Are evals requested? Loaded in every run, so it imports nothing but what pytest has loaded."""

import re
from pathlib import Path

import pytest

_TOKEN = re.compile(r"[()]|[^\s()]+")
_CALL = re.compile(r"([^\s()]+)\([^()]*=[^()]*\)")


def dest(option: str) -> str:
    """The name under which an option's value is stored, distinct from other plugins."""
    return "prompt_gate" + option.removeprefix("-").removeprefix("-gate").replace("-", "_")


def evals_requested(config: pytest.Config) -> bool:
    """Are evals requested as a kind: by `--gate-eval`, or by a marker expression?"""
    return bool(config.getoption(dest("--gate-eval"), False)) or wants_eval(str(config.getoption("markexpr", "") or ""))


def wants_eval(expression: str) -> bool:
    """Is `eval` a term of a `-m` expression that is not negated? `eval and not slow` yes, `not eval` no."""
    negated, negate = [False], False
    for token in _TOKEN.findall(_CALL.sub(r"\1", expression)):
        if token == "not":  # noqa: S105
            negate = not negate
            continue
        if token == "(":  # noqa: S105
            negated.append(negated[-1] ^ negate)
        elif token == ")":  # noqa: S105
            del negated[-1:]
            if not negated:
                return False
        elif token == "eval" and not negated[-1] ^ negate:  # noqa: S105
            return True
        negate = False
    return False


def names_file(config: pytest.Config, path: Path) -> bool:
    """Does an argument name this file, or something in it?"""
    return any(_place(config, arg)[0] == path for arg in config.args)


def leads_to(config: pytest.Config, path: Path) -> bool:
    """Will a file be collected, by its name or its folder? With `--pyargs` any may be."""
    if config.getoption("pyargs", False):
        return True
    return any(place == path or (not within and place in path.parents)
               for place, within in (_place(config, arg) for arg in config.args))  # fmt: skip


def from_here(config: pytest.Config, path: Path) -> str:
    """A file as the user would name it."""
    from os.path import relpath

    return relpath(path, config.invocation_params.dir)


def names_item(config: pytest.Config, item: pytest.Item) -> bool:
    """Does an argument name this test, or the function of which it is a parameter set?"""
    _, _, own = item.nodeid.partition("::")
    for arg in config.args:
        path, within = _place(config, arg)
        if within and path == item.path and (own == within or own.startswith(f"{within}[")):
            return True
    return False


def _place(config: pytest.Config, arg: str) -> tuple[Path, str]:
    """The file of an argument, and the rest of it."""
    file, _, within = arg.partition("::")
    # Joined, not resolved: pytest does not resolve links.
    return Path(_normal(str(config.invocation_params.dir / file))), within


def _normal(path: str) -> str:
    from os.path import abspath

    return abspath(path)
