"""What a change from outside may not choose: who is asked with what lies on this machine, or at another server."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gate.config.gatefile import Config
from gate.config.scorerspec import ScorerSpec
from gate.config.targets import Conversing
from gate.domain.suite import Suite

SERVICES = ("openai", "anthropic", "azure", "bedrock", "vertex")
"""Providers that are asked at their own address, with a key."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who answers or judges.

    Args:
        what: for a reader.
        provider, model: `local` and the path of a file, say.
    """

    what: str
    provider: str
    model: str


def refused(suites: Iterable[Suite], base: Config | None) -> list[str]:
    """What a change from outside asks for and does not get, as sentences.

    It may name any model of a service. Other servers, files of this machine and made-up answers are the merge target's
    choice: a server would be sent the exam, and what it answers, or a file does, decides.

    Args:
        suites: to be evaluated.
        base: the merge target's configuration; None where it has none.
    """
    known = models(base) if base is not None else frozenset()
    services = (*SERVICES, *(base.providers if base else ()))
    found = dict.fromkeys(one for suite in suites for one in _of_suite(suite))
    return [
        f"{one.what} is {one.provider}:{one.model}, which the merge target does not use"
        for one in found
        if one.provider not in services and (one.provider, one.model) not in known
    ]


def models(base: Config) -> frozenset[tuple[str, str]]:
    """Provider and name of each model that a configuration asks."""
    return frozenset((one.provider, one.model) for one in _of_base(base))


def asks_others(suites: Iterable[Suite], known: frozenset[tuple[str, str]]) -> bool:
    """Does a change ask a model, to answer or to judge, that is not among those?

    Args:
        suites: to be evaluated.
        known: see `models`.
    """
    return any((one.provider, one.model) not in known for suite in suites for one in _of_suite(suite))


def _of_suite(suite: Suite) -> Iterator[Asked]:
    arm = suite.candidate
    yield Asked(f"the model of suite {suite.name}", arm.model.provider, arm.model.name)
    if suite.own_exam or suite.trial:
        yield from _judges(suite.exam.all_scorers(), f"a judge of suite {suite.name}")
        yield from _talkers(suite.exam.conversing, f"who talks with the agent of suite {suite.name}")


def _of_base(base: Config) -> Iterator[Asked]:
    for suite in base.suites:
        if suite.model is not None:
            yield Asked("", suite.model.provider, suite.model.name)
        yield from _judges(suite.scorers, "")
        yield from _talkers(suite.conversing, "")


def _talkers(conversing: Conversing, what: str) -> Iterator[Asked]:
    """The models that answer an agent's questions, or play its user."""
    for model, _ in conversing.models:
        yield Asked(what, model.provider, model.name)


def _judges(specs: Iterable[ScorerSpec], what: str) -> Iterator[Asked]:
    for spec in specs:
        for model in spec.models:
            provider, _, name = model.partition(":")
            yield Asked(what, provider, name)
