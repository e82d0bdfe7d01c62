"""Completion of `--option=value`, which click knows apart from `--option value` in no shell."""

from typing import Any

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)


class _Joined(ShellComplete):
    """Completes the value, and gives the shell back the whole word that it replaces."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[Any]]:
        # bash makes three words of it, and replaces the last one alone.
        apart = [word for at, word in enumerate(args) if not (word == "=" and at and args[at - 1].startswith("--"))]
        name, sign, _ = incomplete.partition("=")
        found = super().get_completions(apart, incomplete)
        if not (sign and name.startswith("--")):
            return found
        return [
            CompletionItem(f"{name}={item.value}", item.type, item.help) if item.type == "plain" else item
            for item in found
        ]


class _Bash(_Joined, BashComplete):
    pass


class _Zsh(_Joined, ZshComplete):
    pass


class _Fish(_Joined, FishComplete):
    pass


def register() -> None:
    """Let click answer with these."""
    for one in (_Bash, _Zsh, _Fish):
        add_completion_class(one)
