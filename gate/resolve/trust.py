"""What a change from outside may not choose: services, links and submodules, and what stored cases may use."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import dirname, normpath

from gate.cases.case import Case
from gate.config.documents import Problems, one_problem, quoted
from gate.config.gatefile import Config, SuiteConfig
from gate.config.models import SERVICES
from gate.config.scorer import ScorerSpec
from gate.config.targets import Conversing
from gate.errors import InputErrors, Problem
from gate.paths import is_glob, literal_folder, matches
from gate.prompts.files import LINK, FileSource, folders
from gate.resolve.pairing import Sides
from gate.suite import Suite


@dataclass(frozen=True, slots=True)
class Asked:
    """A model that answers or judges; `what` names it for the reader."""

    what: str
    provider: str
    model: str


def refused(suites: Iterable[Suite], base: Config | None) -> list[str]:
    """What a change from outside asks for and does not get, as sentences.

    It may name any model of a service. Other servers, files of this machine and made-up answers are the merge target's
    choice: a server would be sent the exam, and the answers of a server or a file decide.
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
    """Does a change ask a model, to answer or to judge, that is not in `known` (see `models`)?"""
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


MOST_FOLLOWED = 1_000
"""New links of one pattern whose targets are looked for; each is a request or two to GitHub."""
MOST_STEPS = 10
"""Links to follow one after another; a longer chain counts as one without a target."""

_HINT = "put the files themselves there, or keep them where no pattern looks"


def check_links(sides: Sides, configs: Iterable[Config | None]) -> None:
    """Refuse links and submodules by which the change brings something where a pattern looks for prompts.

    Those that are the same on both sides stay out of the pattern, as before.

    Args:
        configs: whose patterns count: the base's, which the change cannot remove, and the head's.

    Raises:
        InputErrors: one problem for each.
    """
    patterns = dict.fromkeys(suite.prompt for config in configs if config for suite in config.suites)
    found = {path: problem for one in patterns if is_glob(one) for path, problem in _brought(sides, one).items()}
    if found:
        raise InputErrors(list(found.values()))


def _brought(sides: Sides, pattern: str) -> dict[str, Problem]:
    now = sides.head.links(pattern)
    before = sides.base.links(pattern) if now else {}
    new = {path: kind for path, kind in sorted(now.items()) if before.get(path) != kind}
    links = [path for path, kind in new.items() if kind.startswith(LINK)]
    refused = {path: "submodule" for path in new.keys() - set(links) if _in_pattern(path, pattern)}
    files = sides.head.listing() if links else {}
    for path in links[:MOST_FOLLOWED]:
        if _brings(path, _end(sides.head, path), pattern, files):
            refused[path] = "symbolic link"
    refused |= dict.fromkeys(links[MOST_FOLLOWED:], "symbolic link")
    return {path: _problem(path, what, pattern) for path, what in refused.items()}


def _in_pattern(path: str, pattern: str) -> bool:
    """Does it match, or is it in the folder that the pattern names? The contents of a submodule are not visible."""
    folder = literal_folder(pattern)
    return matches(path, pattern) or bool(folder and f"{dirname(path)}/".startswith(f"{folder}/"))


def _brings(path: str, end: str | None, pattern: str, files: Mapping[str, str]) -> bool:
    """Does a pattern match a link whose target nobody examines, or something that lies behind the link?"""
    if matches(path, pattern):
        return end is None or end not in files or not matches(end, pattern)
    if end is None:
        return False
    if end.startswith("../"):
        return True
    folder = "" if end == "." else f"{end}/"
    return any(matches(f"{path}/{file.removeprefix(folder)}", pattern) for file in files if file.startswith(folder))


def _end(source: FileSource, link: str) -> str | None:
    """The target of a link, through other links, also in the folders of its path; None where there is none."""
    path = source.leads_to(link)
    for _ in range(MOST_STEPS):
        if path is None or path == "." or path.startswith("../"):
            return path
        way = ((name, source.leads_to(name)) for name in (*folders(path), path))
        name, further = next(((name, end) for name, end in way if end is not None), (path, None))
        if further is None:
            return path
        path = normpath(f"{further}/{path[len(name) :].lstrip('/')}")
    return None


def _problem(path: str, what: str, pattern: str) -> Problem:
    message = f"is a {what} that the change brings where {quoted(pattern)} looks for prompts, and no exam reaches it"
    return one_problem(path, 0, message, _HINT).problems[0]


@dataclass(frozen=True, slots=True)
class Reach:
    """What a scorer uses beside a case and the answers to it.

    Args:
        key: to compare with what others use.
        told: for the reader, after the scorer's name.
    """

    key: tuple[str, ...]
    told: str = field(compare=False)


def reaches(spec: ScorerSpec) -> Iterator[Reach]:
    """Code, a look-up in a database, or models, without the model that answers.

    The expected result, the criteria and the threshold of a scorer do not count.
    """
    if spec.coded:
        yield Reach(("code", spec.function), f"runs the function {quoted(spec.function)}")
    if spec.lookup:
        yield Reach(("database", spec.lookup), f"looks into the database of {quoted(str(spec.options.get('url')))}")
    for model in spec.models:
        yield Reach(("model", model), f"asks the model {quoted(model)}")


def own_reaches(case: Case) -> Iterator[tuple[ScorerSpec, Reach]]:
    """What a case's own scorers use."""
    own = (*(case.scorers or ()), *case.extra_scorers, *case.round_scorers)
    return ((spec, reach) for spec in own for reach in reaches(spec))


def strange(cases: Sequence[Case], suite: SuiteConfig, label: str) -> tuple[Problem, ...]:
    """Every scorer of stored cases that uses more than its suite does.

    Args:
        suite: as the configuration that counts for the cases names it.
        label: of the suite in the store.
    """
    known, problems = _known(suite), Problems(label)
    for case in cases:
        for spec, reach in own_reaches(case):
            if reach not in known:
                said = f"case {quoted(case.id)}: its scorer {quoted(spec.name)} {reach.told}"
                hint = f"name that in a scorer of suite {suite.name} in gate.yaml, or take it out of the case"
                problems.add(0, f"{said}, which cases of a store may not", hint)
    return problems.found


def _known(suite: SuiteConfig) -> set[Reach]:
    own = Reach(("model", str(suite.model)), "")
    return {own} | {reach for spec in suite.scorers for reach in reaches(spec)}
