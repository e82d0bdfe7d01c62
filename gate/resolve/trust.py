"""What a change may not choose: models, agents, links and submodules, and what stored cases may use."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import dirname, normpath

from gate.cases.case import Case
from gate.config.documents import Problems, quoted
from gate.config.gatefile import Config, SuiteConfig
from gate.config.models import SERVICES, ModelRef
from gate.config.scorer import ScorerSpec
from gate.config.targets import SESSION, HttpAgent, Target, ToolLoop, runs_code
from gate.errors import InputErrors, Problem
from gate.files import escapes, literal_folder, matches, path_complaint
from gate.prompts.files import LINK, FileSource, folders
from gate.record.findings.notes import AddressesNew
from gate.resolve.pairing import Pair, Sides
from gate.suite import Suite


def refused_changes(suites: Iterable[Suite], base: Config | None) -> list[str]:
    """The settings of a change from a fork that are refused, as sentences.

    It may use any model of a service. Only the base branch may choose other servers, files of this machine and made-up
    answers: a server would receive the cases, and the answers of a server or a file decide.
    """
    known = models(base) if base is not None else frozenset()
    services = (*SERVICES, *(base.providers if base else ()))
    found = dict.fromkeys(one for suite in suites for one in _asked(suite))
    return [
        f"{what} is {model}, which the base branch does not use"
        for what, model in found
        if model.provider not in services and model not in known
    ]


def models(base: Config) -> frozenset[ModelRef]:
    """Each model that a configuration uses."""
    answering = (suite.model for suite in base.suites if suite.model is not None)
    judging = (model for suite in base.suites for model in asked_by(suite.scorers))
    talking = (model for suite in base.suites for model, _ in suite.conversing.models)
    return frozenset((*answering, *judging, *talking))


def asks_others(suites: Iterable[Suite], known: frozenset[ModelRef]) -> bool:
    """Does a change use a model, to answer or to judge, that is not in `known` (see `models`)?"""
    return any(model not in known for suite in suites for _, model in _asked(suite))


def _asked(suite: Suite) -> Iterator[tuple[str, ModelRef]]:
    """What the change chooses: each model, with its role for the reader."""
    yield f"the model of suite {suite.name}", suite.candidate.model
    if suite.own_exam or suite.trial:
        for model in asked_by(suite.exam.all_scorers()):
            yield f"a judge of suite {suite.name}", model
        for model, _ in suite.exam.conversing.models:
            yield f"the model that plays the user in suite {suite.name}", model


def asked_by(specs: Iterable[ScorerSpec]) -> Iterator[ModelRef]:
    """The models that judge."""
    for spec in specs:
        for model in spec.models:
            provider, _, name = model.partition(":")
            yield ModelRef(provider, name)


MADE_UP = ("replay", "fake")
_FROM_FILES = ("replay", "local")


def model_fault(pair: Pair, base: Config | None) -> str:
    """The error of the candidate's model; empty if there is none.

    `base` is None for a first adoption, which may use any model.
    """
    model = pair.current.model
    if model is None or base is None or model in {suite.model for suite in base.suites}:
        return ""
    if model.provider in MADE_UP:
        return f"suite {pair.current.name}: the change uses {model}, which is not a model service"
    if model.provider == "local" and (reason := path_complaint(model.name)):
        return f"suite {pair.current.name}: the path of the model {model} {reason}"
    return ""


def of_suite(suite: Suite) -> Iterator[ModelRef]:
    """The models that answer and judge."""
    yield from (arm.model for arm in suite.arms.values())
    yield from asked_by(suite.exam.all_scorers())


def unfit(sides: Sides, suite: Suite, base: Config | None) -> str:
    """Why the judges of an exam that the change has edited must not be called; empty if they may.

    A model file may be any file of the machine, so only the base may set one.
    """
    if base is None:
        return ""
    scorers = [spec for suite in base.suites for spec in suite.scorers]
    known = {*(suite.model for suite in base.suites), *asked_by(scorers)}
    for spec in suite.exam.all_scorers():
        for model in asked_by([spec]):
            if model.provider in (*MADE_UP, *_FROM_FILES) and model not in known:
                return f"the change uses the judge {model}, which the base branch does not have"
    paths = replaced(sides, of_suite(suite))
    return f"the change replaces {paths[0]}, which is used as a model or judge" if paths else ""


def replaced(sides: Sides, models: Iterable[ModelRef]) -> list[str]:
    """Model files and recordings that the change adds or replaces, or whose paths contain links.

    They are read from the working tree, so the change's own files would answer for both arms, or judge them.

    Args:
        sides: two commits; a working tree belongs to its owner, so nothing counts as replaced.
    """
    if sides.head.sha is None:
        return []
    named = dict.fromkeys(normpath(model.name) for model in models if model.provider in _FROM_FILES)
    return [path for path in named if not escapes(path) and _differs(sides, path)]


def _differs(sides: Sides, path: str) -> bool:
    parts = path.split("/")
    ways = ["/".join(parts[: count + 1]) for count in range(len(parts))]
    found = [source.fingerprint(way) or "" for source in (sides.base, sides.head) for way in ways]
    linked = any(fingerprint.startswith(f"{LINK}:") for fingerprint in found)
    return linked or sides.head.fingerprint(path) != sides.base.fingerprint(path)


def forbidden(name: str, target: Target | None, base: Config | None) -> str:
    """Why a change from a fork may not have an agent; empty if it may.

    A program would be the change's own code. An address, its limits and the tools that the model is offered must be
    those of a suite of the base branch: the author of the change writes the prompt, and the agent's tools act with the
    tokens of the base branch.
    """
    if target is None:
        return ""
    if runs_code(target):
        return f"suite {name} has an agent that runs programs, and programs do not run for a change from a fork"
    if not _reach(target) or (base is not None and target in _targets(base)):
        return ""
    return f"suite {name} has an agent with addresses or variables, and no suite of the base branch has the same agent"


def new_addresses(name: str, target: Target | None, base: Config | None) -> AddressesNew | None:
    """The addresses and variables that the merge target does not use; None where there is none.

    Args:
        base: the merge target's configuration; None, for a first adoption, allows any.
    """
    if base is None or target is None:
        return None
    known = set().union(*map(_reach, _targets(base)))
    fresh = sorted(_reach(target) - known)
    return AddressesNew(suite=name, addresses=fresh) if fresh else None


def _targets(config: Config) -> Iterable[Target]:
    return (suite.target for suite in config.suites if suite.target is not None)


def _reach(target: Target) -> frozenset[str]:
    """Addresses, and the variables whose values are sent to them."""
    match target:
        case HttpAgent():
            return frozenset({target.url, *target.headers.values()})
        case ToolLoop():
            servers = target.servers.values()
            sent = {variable for server in servers for variable in server.headers.values()}
            put_in = {variable for variable in target.inject.values() if variable != SESSION}
            return frozenset({server.url for server in servers if server.url} | sent | put_in)
        case _:
            return frozenset(target.env)


MOST_FOLLOWED = 1_000
"""New links of one pattern whose targets are looked for; each is a request or two to GitHub."""
MOST_STEPS = 10
"""Links to follow one after another; a longer chain counts as one without a target."""

_HINT = "replace the link with the files, or keep them where no pattern matches"


def check_links(sides: Sides, configs: Iterable[Config | None]) -> None:
    """Refuse links and submodules by which the change adds or edits something where a pattern looks for prompts.

    Those that are the same on both sides, with all that is behind them, stay out of the pattern.

    Args:
        configs: whose patterns count: the base's, which the change cannot remove, and the head's.

    Raises:
        InputErrors: one problem for each.
    """
    suites = [suite for config in configs if config for suite in config.suites]
    patterns = dict.fromkeys(suite.prompt for suite in suites if suite.is_pattern)
    found = {path: problem for one in patterns for path, problem in _brought(sides, one).items()}
    if found:
        raise InputErrors(list(found.values()))


def _brought(sides: Sides, pattern: str) -> dict[str, Problem]:
    now = sides.head.links(pattern)
    before = sides.base.links(pattern) if now else {}
    new = {path: kind for path, kind in sorted(now.items()) if before.get(path) != kind}
    links = [path for path, kind in new.items() if kind.startswith(LINK)]
    refused_changes = {path: "submodule" for path in new.keys() - set(links) if _in_pattern(path, pattern)}
    files = sides.head.listing() if links else {}
    for path in links[:MOST_FOLLOWED]:
        if _brings(path, _end(sides.head, path), pattern, files):
            refused_changes[path] = "symbolic link"
    refused_changes |= dict.fromkeys(links[MOST_FOLLOWED:], "symbolic link")
    problems = {
        path: _problem(path, what, "that the change updates" if path in before else "that the change adds", pattern)
        for path, what in refused_changes.items()
    }
    kept = [path for path, kind in sorted(now.items()) if kind.startswith(LINK) and path not in new]
    edited = (path for path in kept if _is_edited_behind(sides, path, pattern))
    says = "whose target the change edits,"
    return problems | {path: _problem(path, "symbolic link", says, pattern) for path in edited}


def _is_edited_behind(sides: Sides, link: str, pattern: str) -> bool:
    """Does something differ that the pattern would match behind a link only, which both sides have?"""
    ends = [_end(source, link) for source in (sides.base, sides.head)]
    end = ends[1]
    if end != ends[0]:
        return True
    if end is None:
        return False
    if end.startswith("../"):
        return True
    if matches(link, pattern):
        return not matches(end, pattern) and sides.base.read(end) != sides.head.read(end)
    folder = "" if end == "." else f"{end}/"
    before, after = sides.base.listing(folder.rstrip("/")), sides.head.listing(folder.rstrip("/"))
    return any(
        before.get(path) != after.get(path) and sides.base.read(path) != sides.head.read(path)
        for path in sorted({*before, *after})
        if matches(f"{link}/{path.removeprefix(folder)}", pattern) and not matches(path, pattern)
    )


def _in_pattern(path: str, pattern: str) -> bool:
    """Does it match, or is it in the folder that the pattern names? The contents of a submodule are not visible."""
    folder = literal_folder(pattern)
    return matches(path, pattern) or bool(folder and f"{dirname(path)}/".startswith(f"{folder}/"))


def _brings(path: str, end: str | None, pattern: str, files: Mapping[str, str]) -> bool:
    """Does a pattern match a link whose target is not tested, or something below the link?"""
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


def _problem(path: str, what: str, does: str, pattern: str) -> Problem:
    message = f"is a {what} {does} where {quoted(pattern)} looks for prompts; no case would test it"
    return Problem(path, 0, message, _HINT, "change")


@dataclass(frozen=True, slots=True)
class CaseReach:
    """What a scorer uses besides a case and the answers to it."""

    key: tuple[str, ...]
    told: str = field(compare=False)


def scorer_reach(spec: ScorerSpec) -> Iterator[CaseReach]:
    """Code, a look-up in a database, or models, without the model that answers.

    The expected result, the criteria and the threshold of a scorer do not count.
    """
    if spec.coded:
        yield CaseReach(("code", spec.function), f"runs the function {quoted(spec.function)}")
    if spec.lookup:
        yield CaseReach(("database", spec.lookup), f"queries the database of {quoted(str(spec.options.get('url')))}")
    for model in spec.models:
        yield CaseReach(("model", model), f"calls the model {quoted(model)}")


def own_reaches(case: Case) -> Iterator[tuple[ScorerSpec, CaseReach]]:
    """What a case's own scorers use."""
    own = (*(case.scorers or ()), *case.extra_scorers, *case.round_scorers)
    return ((spec, reach) for spec in own for reach in scorer_reach(spec))


def foreign_scorers(cases: Sequence[Case], suite: SuiteConfig, label: str) -> tuple[Problem, ...]:
    """Every scorer of stored cases that uses more than its suite does."""
    known, problems = _known(suite), Problems(label)
    for case in cases:
        for spec, reach in own_reaches(case):
            if reach not in known:
                said = f"case {quoted(case.id)}: its scorer {quoted(spec.name)} {reach.told}"
                hint = f"add it to a scorer of suite {suite.name} in gate.yaml, or remove it from the case"
                problems.add(0, f"{said}, which is not allowed for cases of a store", hint)
    return problems.found


def _known(suite: SuiteConfig) -> set[CaseReach]:
    own = CaseReach(("model", str(suite.model)), "")
    return {own} | {reach for spec in suite.scorers for reach in scorer_reach(spec)}
