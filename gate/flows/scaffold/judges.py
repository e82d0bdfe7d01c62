"""Judges that another tool's file brings: who they are, and what becomes of those that nobody here could ask."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.flows.scaffold.drafting import Draft
from gate.flows.scaffold.models import KEYS, Models
from gate.inputs.models import parse_model

_SCORERS = ("scorers", "extra_scorers")
"""Keys of a case that brings its own."""


@dataclass(frozen=True, slots=True)
class _Judge:
    """A judge among scorers.

    Args:
        scorer: all of it.
        options: of the judge.
    """

    scorer: dict[str, JsonValue]
    options: dict[str, JsonValue]

    @property
    def models(self) -> tuple[str, ...]:
        """Those that it names; empty where the answering one judges."""
        given = self.options.get("models", self.options.get("model"))
        return tuple(str(one) for one in (given if isinstance(given, list) else [given]) if one is not None)


def with_judges(draft: Draft, judge: str) -> Draft:
    """The suite of another tool with a model for each judge that names none: the answering one would judge itself."""

    def named(one: JsonValue) -> JsonValue:
        found = _judge(one)
        return one if found is None or found.models else {**found.scorer, "judge": {"model": judge, **found.options}}

    return _changed(draft, named)


def without_judges(draft: Draft, models: Models) -> Draft:
    """The suite without the judges that cannot judge where the packaged model answers.

    It is too small to judge itself, and a judge of a service without a key says nothing at all. Where nothing else is
    left, the suite gets the usual scorers.
    """
    left = _changed(draft, lambda one: None if _unasked(_judge(one), models) else one)
    entries = left.entries or ()
    bare = not left.scorers and not any(key in entry for entry in entries for key in _SCORERS)
    return replace(left, brought=left.brought and not bare)


def unasked(draft: Draft, models: Models) -> int:
    """How many judges `without_judges` takes away."""
    return sum(_unasked(found, models) for found in _judges(draft))


def self_judged(draft: Draft) -> bool:
    """Has the suite of another tool a judge that names no model, so that the answering one judges?"""
    return any(not found.models for found in _judges(draft))


def judge_models(draft: Draft) -> tuple[str, ...]:
    """Models that judges of the suite and of its cases name, each once."""
    return tuple(dict.fromkeys(name for found in _judges(draft) for name in found.models))


def _unasked(found: _Judge | None, models: Models) -> bool:
    if found is None:
        return False
    providers = {parse_model(name).provider for name in found.models}
    return not providers or any(one in KEYS and one not in models.served for one in providers)


def _judges(draft: Draft) -> Iterator[_Judge]:
    entries = draft.entries or ()
    own = [value for entry in entries for key in _SCORERS if isinstance(value := entry.get(key), list)]
    for scorers in (draft.scorers, *own):
        yield from (found for one in scorers if (found := _judge(one)) is not None)


def _judge(scorer: JsonValue) -> _Judge | None:
    options = scorer.get("judge") if isinstance(scorer, dict) else None
    if not isinstance(scorer, dict) or not isinstance(options, (str, dict)):
        return None
    return _Judge(scorer, {"criteria": options} if isinstance(options, str) else dict(options))


def _changed(draft: Draft, change: Callable[[JsonValue], JsonValue]) -> Draft:
    """The suite with every scorer changed; None takes it away, and a case without scorers has those of the suite."""

    def every(scorers: list[JsonValue]) -> list[JsonValue]:
        return [new for one in scorers if (new := change(one)) is not None]

    def entry(old: Entry) -> Entry:
        own = {key: every(value) for key in _SCORERS if isinstance(value := old.get(key), list)}
        return {key: own.get(key, value) for key, value in old.items() if key not in own or own[key]}

    entries = None if draft.entries is None else tuple(map(entry, draft.entries))
    return replace(draft, scorers=tuple(every([*draft.scorers])), entries=entries)
