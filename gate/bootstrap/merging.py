"""Puts the shards of a run together: checks them, reads their samples back, and judges them as one run; no calls."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from gate.bootstrap.building import building
from gate.bootstrap.keeping import run_folder
from gate.bootstrap.making import caching_of, members
from gate.bootstrap.memory import refuse_tracked
from gate.bootstrap.resolving import rehearsed
from gate.bootstrap.shelves import shelf_of
from gate.calls.stop import Stop
from gate.domain.record import RunRecord
from gate.domain.shard import Evaluation, GitInputs, NamedCommit, ShardRecord
from gate.engine.samples import SampleTable
from gate.engine.shares import Places, dealt
from gate.errors import GateError, InputErrors, Problem
from gate.flows.collect import Collection
from gate.flows.evaluate import conclude
from gate.flows.pairing import Sides
from gate.flows.record_judged import with_asked
from gate.flows.resolve import resolve
from gate.flows.resolved import Resolved
from gate.flows.run_promises import without_promises
from gate.flows.shards import Asked, Found, changed, disagreements, evaluation, unfinished
from gate.git.repo import Repo
from gate.git.sources import RefSource
from gate.providers.factory import Factory
from gate.providers.prices import PriceList
from gate.settings.keys import addresses_of
from gate.settings.services import Settings
from gate.store import gathering
from gate.store.gathering import Gathering
from gate.store.shard_folder import NAME as SHARD
from gate.store.shard_folder import load_shard, shard_folders


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards of one run, by number.

    Args:
        folders: where each is.
        records: what each says of itself.
    """

    folders: dict[int, Path]
    records: dict[int, ShardRecord]

    @property
    def evaluation(self) -> Evaluation:
        """What all of them evaluated."""
        return next(iter(self.records.values())).evaluation


def load_shards(paths: Sequence[Path]) -> Shards:
    """Find shards, and see that they are parts of one run.

    Args:
        paths: folders of shards, or folders that hold such folders.

    Raises:
        InputErrors: they are not, with everything that speaks against it.
        GateError: no such folder, no shard in it, or one that git tracks: a change could have brought it.
    """
    folders = list(dict.fromkeys(folder for path in paths for folder in shard_folders(path)))
    refuse_tracked(*(folder / name for folder in folders for name in (SHARD, gathering.NAME)))
    found: list[Found] = []
    problems: list[Problem] = []
    for folder in folders:
        try:
            found.append(Found(str(folder), load_shard(folder)))
        except GateError as error:
            problems.append(Problem(str(folder), 0, error.message, error.hint))
    problems += disagreements(found) if found else ()
    records = {one.record.number: one.record for one in found}
    if problems:
        whole = unfinished(records, found[0].record.evaluation.of) if len(found) else None
        raise InputErrors([*problems, *([Problem("the run", 0, whole)] if whole else [])])
    return Shards({one.record.number: Path(one.folder) for one in found}, records)


def resolve_commits(inputs: GitInputs, directory: Path = Path()) -> Resolved:
    """Read both sides again, from the commits that the shards read.

    Args:
        inputs: of the shards.
        directory: somewhere inside the repository.

    Raises:
        GateError: a commit is not in this clone.
    """
    repo = Repo.open(directory)
    head = repo.tree() if inputs.head is None else _at(repo, inputs.head)
    with building() as builder:
        sides = Sides(_at(repo, inputs.base), head, builder=builder, shelf=shelf_of(repo.root))
        return rehearsed(resolve(sides, inputs.config, inputs.suites, everything=inputs.everything))


def _at(repo: Repo, commit: NamedCommit) -> RefSource:
    try:
        return RefSource(commit.ref, repo.resolve(commit.sha), repo.git)
    except GateError as error:
        hint = f"merge in a clone that has it: git fetch origin {commit.sha}, or check out with more 'fetch-depth'"
        said = f"the shards compared {commit.ref} at {commit.sha}, and this clone has no such commit"
        raise GateError(said, hint) from error


def check_same(shards: Shards, resolved: Resolved) -> None:
    """See that this checkout has what the shards evaluated, down to the last byte.

    Args:
        shards: of one run.
        resolved: what there is to evaluate here, with the shards' number of samples.

    Raises:
        InputErrors: it has something else.
    """
    before = shards.evaluation
    now = evaluation(resolved, Asked(before.inputs, before.samples), before.of)
    hint = "merge in a checkout of what the shards evaluated"
    said = [Problem("this checkout", 0, one, hint) for one in changed(before, now)]
    if said:
        raise InputErrors(said)


def merge(shards: Shards, resolved: Resolved, out: Path, settings: Settings) -> RunRecord:
    """Judge the samples of all shards as one run, and write it.

    Args:
        shards: of one run, some of which may be missing: the run is then INCONCLUSIVE.
        resolved: what they evaluated; at least one suite.
        out: folder of the run; none of the shards'.
        settings: addresses, which decide on the terms of prompt caching.

    Raises:
        InputErrors: samples that do not belong, are doubled, or cannot be read.
        GateError: the folder of the run is one of a shard.
    """
    if out.resolve() in {folder.resolve() for folder in shards.folders.values()}:
        raise GateError(f"{out} is one of the shards", "name another folder with --out")
    whole = shards.evaluation
    gathered = _gathered(shards, resolved)
    stop = Stop(unfinished(shards.records, whole.of))
    with closing(run_folder(out)) as folder:
        folder.made()
        folder.clear()
        found = Collection(SampleTable(folder.words))
        for sample in gathered.samples():
            found.samples.add(sample, folder.sample(sample))
        factory = _factory(settings, resolved)
        run = conclude(resolved, found, caching_of(factory), whole.seed, (*_times(shards.records.values()), stop))
        run = with_asked(run, resolved, lambda spec: members(spec, factory))
        run = without_promises(run, resolved, "a run that is divided into shards does not look at them")
        folder.run(run)
    return run


def _gathered(shards: Shards, resolved: Resolved) -> Gathering:
    places, whole = Places(resolved.suites), shards.evaluation
    files = {number: folder / gathering.NAME for number, folder in shards.folders.items()}
    there = {number: file for number, file in files.items() if file.exists()}
    gathered = Gathering(places, dealt(places, whole.seed, whole.of), there)
    share = Counter(gathered.numbers)
    problems: list[Problem] = []
    for number, record in sorted(shards.records.items()):
        taken, wrong = gathered.look_through(number, torn=record.samples is None) if number in there else (0, [])
        if not wrong and (said := _short(record, taken, share[number])):
            wrong = [Problem(str(files[number]), 0, said, "fetch the shard again")]
        problems += wrong
    if problems:
        raise InputErrors(problems)
    return gathered


def _short(record: ShardRecord, taken: int, share: int) -> str:
    """What speaks against a file without a single bad line, or nothing."""
    if record.samples is not None and taken != record.samples:
        return f"holds {taken} samples, and {record.samples} were written: it is not whole"
    if not record.unfinished and taken != share:
        return (
            f"holds {taken} samples, and the share of shard {record.name} is {share}, though it says that it is whole"
        )
    return ""


def _times(records: Iterable[ShardRecord]) -> tuple[datetime, float]:
    """When the first shard began, and the seconds until the last one ended."""
    times = [(record.created, record.created.timestamp() + record.duration_s) for record in records]
    begun = min(created for created, _ in times)
    return begun, max(0.0, max(ended for _, ended in times) - begun.timestamp())


def _factory(settings: Settings, resolved: Resolved) -> Factory:
    # No key is needed to know an interface and its terms, and none is given.
    keys = addresses_of(settings, resolved.servers)
    return Factory(keys, settings.cache_dir, 1, _no_text, PriceList(by_name=settings.price_by_name))


def _no_text(path: str) -> str:
    raise GateError(f"cannot read {path}", "a merge reads no recorded answers")
