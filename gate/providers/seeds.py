"""The seed of one request: its own for every case, prompt and sample."""

import hashlib

from gate.providers.base import Request

_BITS = 31


def seed_of(request: Request) -> int:
    """A number below 2^31, made of the user's seed, the sample index and the messages.

    A seed that is the same for every case makes all cases share one draw of a sampling model: they would not be
    independent, which is what the statistics rest on.
    """
    parts = [str(request.params.seed or 0), str(request.index)]
    parts += [part for message in request.messages for part in message.told]
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(data).digest()[:4], "big") >> (32 - _BITS)
