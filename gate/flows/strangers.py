"""What a change from outside may not choose: who is asked with what lies on this machine, or at another address."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from gate.config.gatefile import Config
from gate.config.scorerspec import ScorerSpec
from gate.domain.suite import Suite
from gate.domain.target import Conversing

SERVICES = ("openai", "anthropic", "azure", "bedrock", "vertex")
"""Providers that are asked at their own address, with a key."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who answers or judges, and where.

    Args:
        what: for a reader.
        provider, model: `local` and the path of a file, say.
        address: None for the provider's own.
    """

    what: str
    provider: str
    model: str
    address: str | None


def refused(suites: Iterable[Suite], base: Config | None) -> list[str]:
    """What a change from outside asks for and does not get, as sentences.

    It may name any model of a service. Other servers, files of this machine and made-up answers are the merge target's
    choice: a server would be sent the exam, and what it answers, or a file does, decides.

    Args:
        suites: to be evaluated.
        base: the merge target's configuration; None where it has none.
    """
    known = set(_of_base(base)) if base is not None else set()
    places = {(one.provider, one.model, one.address) for one in known}
    addresses = {(one.provider, one.address) for one in known}
    found = dict.fromkeys(one for suite in suites for one in _of_suite(suite))
    return [
        f"{one.what} is {_told(one)}, which the merge target does not use"
        for one in found
        if not _may(one, places, addresses, base.providers if base else ())
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


def elsewhere(suites: Iterable[Suite], base: Config | None) -> list[str]:
    """A sentence for each change that is answered by a server that the merge target does not name.

    Args:
        suites: to be evaluated.
        base: the merge target's configuration; a first adoption has none, and names what it likes.
    """
    if base is None:
        return []
    known = {one.address for one in _of_base(base)}
    return [
        f"{suite.name} is answered by {address} in this change, which the merge target does not use: whoever runs that "
        "server decides what it answers."
        for suite in suites
        if (address := suite.candidate.params.base_url) is not None and address not in known
    ]


def _may(
    one: Asked,
    places: set[tuple[str, str, str | None]],
    addresses: set[tuple[str, str | None]],
    servers: Collection[str],
) -> bool:
    if one.provider not in SERVICES and one.provider not in servers:
        return (one.provider, one.model, one.address) in places
    return one.address is None or (one.provider, one.address) in addresses


def _told(one: Asked) -> str:
    return f"{one.provider}:{one.model}" + (f" at {one.address}" if one.address else "")


def _of_suite(suite: Suite) -> Iterator[Asked]:
    arm = suite.candidate
    yield Asked(f"the model of suite {suite.name}", arm.model.provider, arm.model.name, arm.params.base_url)
    if suite.own_exam or suite.trial:
        yield from _judges(suite.exam.all_scorers(), f"a judge of suite {suite.name}")
        yield from _talkers(suite.exam.conversing, f"who talks with the agent of suite {suite.name}")


def _of_base(base: Config) -> Iterator[Asked]:
    for suite in base.suites:
        if suite.model is not None:
            yield Asked("", suite.model.provider, suite.model.name, suite.params.base_url)
        yield from _judges(suite.scorers, "")
        yield from _talkers(suite.conversing, "")


def _talkers(conversing: Conversing, what: str) -> Iterator[Asked]:
    """The models that answer an agent's questions, or play its user."""
    for model, params in conversing.models:
        yield Asked(what, model.provider, model.name, params.base_url)


def _judges(specs: Iterable[ScorerSpec], what: str) -> Iterator[Asked]:
    for spec in specs:
        for model in spec.models:
            provider, _, name = model.partition(":")
            yield Asked(what, provider, name, spec.address)
