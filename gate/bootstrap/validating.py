"""Opens what `gate validate` looks through: the working tree, with or without a commit, or a ref."""

from collections.abc import Callable
from pathlib import Path

from gate.bootstrap.building import building
from gate.bootstrap.places import place_here
from gate.bootstrap.shelves import shelf_of
from gate.domain.model import ModelRef, Params
from gate.domain.usage import Unpriced, Usage
from gate.errors import GateError
from gate.flows.pairing import Sides
from gate.flows.validate import Known, Looked, validate
from gate.inputs.problems import printable
from gate.inputs.source import FileSource
from gate.providers.factory import Factory
from gate.providers.packaged import NAME
from gate.providers.parameters import refusal
from gate.providers.prices import PriceList
from gate.settings.keys import keys_of
from gate.settings.services import Settings


def validated(config: str, ref: str | None, directory: Path = Path()) -> Looked:
    """Look a configuration through; no key is needed, and nothing is sent.

    Args:
        config: its path from the root of the repository.
        ref: where to read; None for the working tree.
        directory: somewhere inside the repository, or a folder that is in none.

    Raises:
        GateError: there is no configuration, or no such ref.
    """
    place = place_here(directory)
    if ref is not None and place.repo is None:
        raise GateError(
            "--ref has no meaning outside of a git repository", "leave it out: the files here are looked at"
        )
    source: FileSource = place.repo.at(ref) if place.repo is not None and ref is not None else place.tree
    return looked_through(source, config, place.root)


def looked_through(source: FileSource, config: str, root: Path) -> Looked:
    """The same, for any source."""
    with building() as builder:
        sides = Sides(source, source, builder=builder, shelf=shelf_of(root))
        return validate(sides, config, Known(mute, _unpriced(Settings.from_environ())))


def _unpriced(settings: Settings) -> Callable[[ModelRef, Params], bool]:
    """Is the price of a model unknown, at the address that the environment and its parameters give it?"""
    prices = PriceList(by_name=settings.price_by_name)
    factory = Factory(keys_of(settings), settings.cache_dir, 1, lambda path: "", prices)
    return lambda model, params: factory.price(model, params, model.name, Usage(1, 0, 0, 1)) == Unpriced("unknown")


def mute(model: ModelRef, params: Params) -> str:
    """Why a model would not answer: a local one that is not here, or parameters that its interface does not take.

    Args:
        model: of any provider; whether a service has one of this name nobody knows without asking.
        params: that it is asked with. A server that only the environment names may take more than the maker's own.
    """
    if error := refusal(model, params):
        return f"{error.message}; {error.hint}."
    if model.provider != "local" or model.name == NAME or Path(model.name).is_file():
        return ""
    if "/" in model.name or model.name.lower().endswith(".gguf"):
        return f"{model}: there is no file {printable(model.name)} on this machine"
    return f"{model}: there is no packaged model of this name ({NAME} is the only one), and no file"
