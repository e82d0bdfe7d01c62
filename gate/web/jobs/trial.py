"""Suites and models of a configuration, and the trial of one case."""

from dataclasses import dataclass, replace
from pathlib import Path

from gate.app.resolving import prompt_builder, rehearsed
from gate.config.documents import quoted
from gate.config.gatefile import SuiteConfig
from gate.config.models import ModelRef, Params
from gate.config.targets import ToolLoop
from gate.config.values import StoreName
from gate.environment.settings import Settings, keyless_factory, pricer
from gate.errors import GateError
from gate.git.places import root_of, tree_of
from gate.git.repository import Repo
from gate.prompts.files import FileSource
from gate.record.transcript import Cost, Dollars, Usage
from gate.resolve.one_version import Chosen, resolve_one
from gate.resolve.pairing import Sides, StoredCases, pair
from gate.resolve.reading import Reader
from gate.resolve.resolved import Resolved
from gate.suite import Suite

CONFIG_FILE = "gate.yaml"
_TRIED = StoreName("tried", 1)
_THOUSAND = 1_000
_REFS = 500


@dataclass(frozen=True, slots=True)
class SuiteChoice:
    """A suite to choose.

    Args:
        prompt: file or function.
        agent: the target is an agent, which may call its own model.
    """

    name: str
    prompt: str
    cases: str
    model: str
    agent: bool


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model to choose, with the parameters of a suite.

    Args:
        name: `provider:name`.
        prices: per thousand input and thousand output tokens.
    """

    name: str
    prices: tuple[Cost, Cost]

    @property
    def dollars(self) -> tuple[float, float] | None:
        """Dollars per million input and output tokens; None if unknown."""
        first, second = self.prices
        if not (isinstance(first, Dollars) and isinstance(second, Dollars)):
            return None
        return first.amount * _THOUSAND, second.amount * _THOUSAND


@dataclass(frozen=True, slots=True)
class Choices:
    """Suites, in the order of the file, and models to choose from."""

    suites: tuple[SuiteChoice, ...]
    models: tuple[ModelChoice, ...]


@dataclass(frozen=True, slots=True)
class CaseTrial:
    """The trial of one case.

    Args:
        case: JSON, as in a case file.
        model: `provider:name` of one of the suites, with its parameters; empty for the suite's model.
        samples: 1 or more.
    """

    suite: str
    case: str
    model: str = ""
    samples: int = 1


def has_configuration(directory: Path) -> bool:
    """Is there a configuration at the root of this repository?"""
    return (root_of(directory) / CONFIG_FILE).is_file()


def choices(directory: Path, settings: Settings) -> Choices:
    """Suites and models to choose from; runs no code and reads no cases.

    Raises:
        InputErrors, GateError: no configuration, or errors in it.
    """
    price = pricer(keyless_factory(settings))
    found = _suites(tree_of(directory))
    models = {one.model: one.params for one in reversed(found) if one.model is not None}

    def offer(model: ModelRef, params: Params) -> ModelChoice:
        kinds = Usage(input_tokens=_THOUSAND), Usage(output_tokens=_THOUSAND)
        return ModelChoice(str(model), (price(model, params, kinds[0]), price(model, params, kinds[1])))

    return Choices(
        tuple(SuiteChoice(one.name, one.prompt, one.cases, str(one.model), _own_calls(one)) for one in found),
        tuple(offer(model, params) for model, params in reversed(models.items())),
    )


def branches(directory: Path) -> tuple[str, ...]:
    """Branches and tags, the likeliest merge target first; empty without a repository."""
    try:
        repo = Repo.open(directory)
    except GateError:
        return ()
    out = repo.git.ask("for-each-ref", "--format=%(refname:short)", "refs/remotes", "refs/heads", "refs/tags").out
    names = out.decode("utf-8", "replace").splitlines()[:_REFS]
    likely = [name for name in ("origin/main", "origin/master", "main", "master") if name in names]
    return tuple(dict.fromkeys([*likely, *(name for name in names if not name.endswith("/HEAD"))]))


def refuse_foreign_commit(ref: str, directory: Path) -> None:
    """Refuse a commit that may come from an untrusted contributor, because its code would run.

    Raises:
        GateError: there is no such commit, or it is not a branch, a tag or in the history of HEAD.
    """
    repo = Repo.open(directory)
    commit = repo.resolve(ref)
    named = repo.git.ask("for-each-ref", "--points-at", commit, "refs/heads", "refs/remotes", "refs/tags").out
    if not named.strip() and repo.git.ask("merge-base", "--is-ancestor", commit, "HEAD").code != 0:
        message = f"{quoted(ref)} is not a branch, a tag or in the history of the checked-out commit"
        raise GateError(
            message, "its code would run with the server's API keys; enter a branch, a tag or an older commit"
        )


def resolve_trial(wanted: CaseTrial, directory: Path) -> Resolved:
    """Resolve the trial of one case.

    Raises:
        InputErrors, GateError: errors in files or in the case.
    """
    source = tree_of(directory)
    stored_suites = _OneCase(StoredCases("the case", "", f"{wanted.case}\n"))
    chosen = Chosen(suites=(wanted.suite,), samples=wanted.samples, instead=_TRIED.text)
    with prompt_builder() as builder:
        resolved = resolve_one(source, CONFIG_FILE, chosen, builder, stored_suites)
    if wanted.model:
        resolved = replace(
            resolved, suites=tuple(_with_model(suite, wanted.model, source) for suite in resolved.suites)
        )
    return rehearsed(resolved)


@dataclass(frozen=True, slots=True)
class _OneCase:
    """See `gate.resolve.pairing.StoredSuiteReader`; one suite with one case."""

    cases: StoredCases

    def read(self, name: StoreName) -> StoredCases:
        return self.cases


def _suites(source: FileSource) -> list[SuiteConfig]:
    sides = Sides(source, source)
    reader = Reader(sides, CONFIG_FILE, [])
    found, _ = reader.configs()
    reader.raise_problems()
    if found is None:
        raise GateError(f"there is no {CONFIG_FILE} here", "create one with: gate init")
    return [one.current for one in pair(sides, found, found, ()).pairs]


def _own_calls(config: SuiteConfig) -> bool:
    return not (config.target is None or isinstance(config.target, ToolLoop))


def _with_model(suite: Suite, model: str, source: FileSource) -> Suite:
    arm = suite.candidate
    if model == str(arm.model):
        return suite
    if not (arm.target is None or isinstance(arm.target, ToolLoop)):
        raise GateError(f"the agent of suite {suite.name} calls its own models", "choose 'The suite's model'")
    other = next((one for one in _suites(source) if str(one.model) == model), None)
    if other is None or other.model is None:
        raise GateError(f"no suite of {CONFIG_FILE} uses {quoted(model)}", "choose one of the listed models")
    return replace(suite, candidate=replace(arm, model=other.model, params=other.params))
