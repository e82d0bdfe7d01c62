"""What every worker does with a request, wherever the worker is."""

import asyncio

from gate.providers.elsewhere.wire import Item, pack_completion, pack_error, unpack_request
from gate.providers.factory import Factory
from gate.providers.prices import PriceList


class Unpriced(PriceList):
    """Prices are the main process's business: a worker does not load them."""

    def prepare(self) -> None:
        """Load nothing."""


async def answer(factory: Factory, packed: Item) -> Item:
    """Ask once.

    Args:
        factory: makes and keeps the providers.
        packed: of `pack_request`.

    Returns:
        The outcome, packed, whatever happened; only a cancelled request ends in an exception.
    """
    try:
        request = unpack_request(packed)
        return pack_completion(await factory.provider(request.model, request.params).complete(request))
    except asyncio.CancelledError:
        raise
    except Exception as error:
        return pack_error(error)


def no_files(path: str) -> str:
    """In place of a reader: recorded answers are never asked for elsewhere."""
    raise FileNotFoundError(path)
