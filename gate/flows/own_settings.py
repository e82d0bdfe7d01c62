"""Prompt files that name a model of their own: the gate's configuration counts, and a report says so."""

from collections.abc import Iterable

from gate.domain.suite import Suite


def settings_notes(suites: Iterable[Suite]) -> list[str]:
    """A sentence for each prompt file with such settings; another where the change edits them.

    Args:
        suites: every suite whose files differ, those without anything to compare among them.
    """
    notes: list[str] = []
    for suite in suites:
        new = dict(suite.candidate.version.prompt.unused)
        old = new if suite.baseline is None else dict(suite.baseline.version.prompt.unused)
        path = suite.candidate.version.path
        if edited := [key for key in {**old, **new} if old.get(key) != new.get(key)]:
            notes.append(
                f"{path} edits {_listed(edited)}, which the gate does not use: only a change of the suite's model and "
                "params is evaluated."
            )
        elif new:
            settings = _listed(list(new))
            notes.append(f"{path} sets {settings}, which the gate does not use: the suite's model and params count.")
    return list(dict.fromkeys(notes))


def _listed(keys: list[str]) -> str:
    return keys[0] if len(keys) == 1 else f"{', '.join(keys[:-1])} and {keys[-1]}"
