"""Checks of one version: of all suites, of one case, and in the background for pytest."""

import asyncio
import shlex
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path

from gate.app.environment.settings import Settings
from gate.app.forecast import keyless_factory, pricer
from gate.app.repository import root_of, tree_of
from gate.app.repository_code import prompt_builder
from gate.app.run_order import RunOrder
from gate.app.runs import Running, carry_out
from gate.app.sources import DiskSource, folder_of, rehearsed
from gate.app.store import store_case_reader
from gate.config.documents import quoted
from gate.config.gatefile import SuiteConfig
from gate.config.models import ModelRef, Params
from gate.config.naming import StoreName
from gate.config.targets import ToolLoop
from gate.engine.check_run import Examiner, Shown, check
from gate.engine.run import Progress
from gate.errors import CannotEvaluate, GateError
from gate.git.repository import Repo
from gate.prompts.files import FileSource
from gate.record.parts import CaseResult
from gate.record.run import RunRecord
from gate.record.sample import Sample
from gate.record.usage import Cost, Dollars, Usage
from gate.resolve.one_version import Chosen, resolve_one, resolve_one_file
from gate.resolve.pairing import Sides, StoredCases, pair
from gate.resolve.reading import Reader
from gate.resolve.resolved import Resolved
from gate.resolve.two_files import FileRun
from gate.suite import Suite


def resolve_check(config: str, ref: str | None, chosen: Chosen, directory: Path = Path()) -> Resolved:
    """Read one version of the prompts.

    Args:
        config: path of `gate.yaml` from the root of the repository, or from `directory` where there is none.
        ref: a commit; None for the working tree.

    Raises:
        InputErrors, GateError: mistakes in the files, or unknown names.
    """
    tree = tree_of(directory)
    source = tree if ref is None else Repo.open(directory).at(ref)
    if ref is None:
        _check_place(tree.root, config, directory)
    with prompt_builder() as builder:
        return rehearsed(resolve_one(source, config, chosen, builder, store_case_reader(tree.root)))


def resolve_check_files(prompt: str, cases: str, run: FileRun, chosen: Chosen) -> Resolved:
    """Read a prompt and its cases by the paths that the user gave."""
    return rehearsed(resolve_one_file(DiskSource(), (prompt, cases), run, chosen, folder_of))


def _check_place(root: Path, config: str, directory: Path) -> None:
    """Raises GateError where the configuration lies here but is looked for at the root."""
    here = (directory / config).resolve()
    if here.is_file() and not (root / config).is_file() and here.is_relative_to(root.resolve()):
        named = here.relative_to(root.resolve()).as_posix()
        hint = f"paths are from the root of the repository, {root}: --config {shlex.quote(named)}"
        raise GateError(f"there is no {config} at the root of the repository", hint)


def run_check(plan: RunOrder, settings: Settings) -> RunRecord:
    """Carry a check out; see `gate.app.runs.carry_out`."""
    # Every case is asked, whatever the others showed.
    plan = replace(plan, resolved=plan.resolved.stopping_early(False))
    return carry_out(plan, settings, lambda run: check(run.resolved, run.tools, run.seed, run.stop))


CONFIG_FILE = "gate.yaml"
_TRIED = StoreName("tried", 1)
_THOUSAND = 1_000
_REFS = 500


@dataclass(frozen=True, slots=True)
class SuiteChoice:
    """A suite that can be asked.

    Args:
        prompt: file or function.
        agent: an agent answers, which may call a model of its own.
    """

    name: str
    prompt: str
    cases: str
    model: str
    agent: bool


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that can be asked, as one of the suites asks it.

    Args:
        name: `provider:name`.
        prices: of a thousand tokens in, and of a thousand out.
    """

    name: str
    prices: tuple[Cost, Cost]

    @property
    def dollars(self) -> tuple[float, float] | None:
        """Dollars for a million tokens in, and for a million out; None where either is not known."""
        first, second = self.prices
        if not (isinstance(first, Dollars) and isinstance(second, Dollars)):
            return None
        return first.amount * _THOUSAND, second.amount * _THOUSAND


@dataclass(frozen=True, slots=True)
class Choices:
    """What a configuration offers.

    Args:
        suites: in the order of the file, one for each prompt.
    """

    suites: tuple[SuiteChoice, ...]
    models: tuple[ModelChoice, ...]


@dataclass(frozen=True, slots=True)
class CaseTrial:
    """One case to be asked.

    Args:
        case: JSON, as in a case file.
        model: `provider:name` of one of the suites, with that suite's parameters; empty for the suite's own.
        samples: 1 or more.
    """

    suite: str
    case: str
    model: str = ""
    samples: int = 1


def has_configuration(directory: Path) -> bool:
    """Is there a configuration in this folder, or at the root of its repository?"""
    return (root_of(directory) / CONFIG_FILE).is_file()


def choices(directory: Path, settings: Settings) -> Choices:
    """What can be asked; runs no code and reads no cases.

    Raises:
        InputErrors, GateError: no configuration, or mistakes in it.
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
    """Branches and tags that git knows, the likeliest merge target first; none where there is no repository."""
    try:
        repo = Repo.open(directory)
    except GateError:
        return ()
    out = repo.git.ask("for-each-ref", "--format=%(refname:short)", "refs/remotes", "refs/heads", "refs/tags").out
    names = out.decode("utf-8", "replace").splitlines()[:_REFS]
    likely = [name for name in ("origin/main", "origin/master", "main", "master") if name in names]
    return tuple(dict.fromkeys([*likely, *(name for name in names if not name.endswith("/HEAD"))]))


def refuse_foreign_commit(ref: str, directory: Path) -> None:
    """Refuse a commit unless somebody who may change the repository brought it here: its code would be run.

    Raises:
        GateError: there is no such commit, or it is neither a branch or tag nor in the history of what is checked out.
    """
    repo = Repo.open(directory)
    commit = repo.resolve(ref)
    named = repo.git.ask("for-each-ref", "--points-at", commit, "refs/heads", "refs/remotes", "refs/tags").out
    if not named.strip() and repo.git.ask("merge-base", "--is-ancestor", commit, "HEAD").code != 0:
        message = f"{quoted(ref)} is neither a branch or tag here nor in the history of what is checked out"
        raise GateError(message, "its code could run with the server's keys: name a branch, a tag or an older commit")


def resolve_trial(wanted: CaseTrial, directory: Path) -> Resolved:
    """Resolve the trial of one case.

    Raises:
        InputErrors, GateError: mistakes in the files or in the case.
    """
    source = tree_of(directory)
    shelf = _OneCase(StoredCases("the case", "", f"{wanted.case}\n"))
    chosen = Chosen(suites=(wanted.suite,), samples=wanted.samples, instead=_TRIED.text)
    with prompt_builder() as builder:
        resolved = resolve_one(source, CONFIG_FILE, chosen, builder, shelf)
    if wanted.model:
        resolved = replace(resolved, suites=tuple(_asking(suite, wanted.model, source) for suite in resolved.suites))
    return rehearsed(resolved)


@dataclass(frozen=True, slots=True)
class _OneCase:
    """See `gate.resolve.pairing.CaseShelf`: has one suite with one case."""

    cases: StoredCases

    def read(self, name: StoreName) -> StoredCases:
        return self.cases


def _suites(source: FileSource) -> list[SuiteConfig]:
    sides = Sides(source, source)
    reader = Reader(sides, CONFIG_FILE, [])
    found, _ = reader.configs()
    reader.raise_problems()
    if found is None:
        raise GateError(f"there is no {CONFIG_FILE} here", "write one that names prompts, cases and a model")
    return [one.current for one in pair(sides, found, found, ()).pairs]


def _own_calls(config: SuiteConfig) -> bool:
    return not (config.target is None or isinstance(config.target, ToolLoop))


def _asking(suite: Suite, model: str, source: FileSource) -> Suite:
    arm = suite.candidate
    if model == str(arm.model):
        return suite
    if not (arm.target is None or isinstance(arm.target, ToolLoop)):
        raise GateError(f"the agent of suite {suite.name} calls models of its own", "choose no other model")
    other = next((one for one in _suites(source) if str(one.model) == model), None)
    if other is None or other.model is None:
        raise GateError(f"no suite of {CONFIG_FILE} asks {quoted(model)}", "choose one of the models that are offered")
    return replace(suite, candidate=replace(arm, model=other.model, params=other.params))


PATIENCE_S = 20.0
"""Seconds to wait for the thread to end; it is a daemon, and keeps no process alive."""


@dataclass(frozen=True, slots=True)
class CaseAnswer:
    """The result of one case, with the texts of its samples."""

    suite: str
    case: str
    result: CaseResult
    samples: tuple[Sample, ...]


@dataclass(slots=True)
class _NoProgress:
    def start(self, total: int) -> None:
        return

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        return

    def finish(self) -> None:
        return


@dataclass(slots=True)
class _Open:
    """The state of the loop while it runs."""

    loop: asyncio.AbstractEventLoop
    running: Running
    examiner: Examiner
    over: asyncio.Event
    tasks: set["asyncio.Task[None]"] = field(default_factory=set)


class BackgroundCheck:
    """Asks for cases while the caller does something else. All methods belong to one thread."""

    def __init__(self, plan: RunOrder, settings: Settings) -> None:
        self.notes: list[str] = []
        self.record: Path | None = None
        self._plan = replace(plan, resolved=plan.resolved.stopping_early(False))
        self._settings = settings
        self._open: _Open | None = None
        self._ready = threading.Event()
        self._error: GateError | None = None
        self._shown: Shown | None = None
        self._keep = False
        self._waiting: set[Future[CaseAnswer]] = set()
        self._thread = threading.Thread(target=self._run, name="prompt-gate", daemon=True)

    @staticmethod
    def silent() -> Progress:
        """Shows no progress: who asks case by case sees how far it is."""
        return _NoProgress()

    def start(self) -> None:
        """Open everything; raises GateError where something cannot work, such as an absent key."""
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            raise self._error

    def ask(self, suite: str, case: str) -> "Future[CaseAnswer]":
        """Ask for one case of the plan by name and id; the future fails with GateError where there is no answer."""
        future: Future[CaseAnswer] = Future()
        self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)
        opened = self._open
        if opened is None or not self._thread.is_alive():
            future.set_exception(self._error or CannotEvaluate("the evaluation is over"))
            return future
        opened.loop.call_soon_threadsafe(self._begin, opened, (suite, case), future)
        return future

    def finish(self, shown: Shown, *, keep: bool) -> None:
        """Stop what is under way, and end.

        Args:
            shown: what the user saw.
            keep: write its record.
        """
        self._shown, self._keep = shown, keep
        opened = self._open
        if opened is not None and self._thread.is_alive():
            opened.loop.call_soon_threadsafe(_end, opened, shown.why)
        if self._thread.ident is not None:
            self._thread.join(PATIENCE_S)
        for future in list(self._waiting):
            future.cancel()

    def _run(self) -> None:
        try:
            carry_out(self._plan, self._settings, self._serve, background=True)
        except GateError as error:
            self._error = error
        except Exception as error:  # a defect of ours ends no thread in silence
            self._error = CannotEvaluate(f"Prompt Gate itself failed ({type(error).__name__}: {error})")
        finally:
            self._ready.set()
            for future in list(self._waiting):
                if not future.done():
                    future.set_exception(self._error or CannotEvaluate("the evaluation is over"))

    async def _serve(self, running: Running) -> None:
        examiner = Examiner(running.resolved, running.tools, running.seed, running.stop)
        opened = _Open(asyncio.get_running_loop(), running, examiner, asyncio.Event())
        self._open = opened
        self._ready.set()
        await opened.over.wait()
        if opened.tasks:
            await asyncio.wait(opened.tasks)
        whole = running.stop.reason is None
        self.notes += running.tools.notes.all(whole=whole)
        if self._shown is not None and examiner.taken:
            gone = examiner.withdraw(self._shown)
            self.notes += [gone.told] if gone.calls else []
            if self._keep and self._shown.cases:
                examiner.finish()
                self.record = self._plan.out / "run.json"

    def _begin(self, opened: _Open, key: tuple[str, str], future: "Future[CaseAnswer]") -> None:
        task = opened.loop.create_task(self._one(opened, key, future))
        opened.tasks.add(task)
        task.add_done_callback(opened.tasks.discard)

    async def _one(self, opened: _Open, key: tuple[str, str], future: "Future[CaseAnswer]") -> None:
        try:
            suite = next(suite for suite in opened.running.resolved.suites if suite.name == key[0])
            case = next(case for case in suite.exam.cases if case.id == key[1])
            found = CaseAnswer(suite.name, case.id, *await opened.examiner.one(suite, case))
        except GateError as error:
            _settle(future, error)
        except asyncio.CancelledError:
            future.cancel()
        except Exception as error:  # the caller waits, whatever it is
            _settle(future, CannotEvaluate(f"Prompt Gate itself failed ({type(error).__name__}: {error})"))
        else:
            if not future.done():
                future.set_result(found)


def _settle(future: "Future[CaseAnswer]", error: GateError) -> None:
    if not future.done():
        future.set_exception(error)


def _end(opened: _Open, why: str) -> None:
    """In the loop: ask nothing more, and stop what is under way."""
    if why:
        opened.running.stop.drain(why)
    for task in opened.tasks:
        task.cancel()
    opened.over.set()
