"""The answers of the benchmark's server, their true quality, and a ledger of all requests.

The words of `gate.calls.providers.fake`: `answer=WORD slice=S` in the user message, `quality=0.9 quality[S]=0.45`
in the system prompt.
"""

import time
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from gate.calls.providers.fake import count_tokens, oracle_answer, true_quality

CACHE_STEP = 128
"""OpenAI counts cached tokens in steps of this size."""
CACHE_MINIMUM = 1024
"""Tokens of the shortest prefix that is cached."""

OPENAI, ANTHROPIC = "/v1/chat/completions", "/v1/messages"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of either interface, in one format.

    Args:
        path, model, system, user: parts of the request.
        seed: the request's seed for this sample, if it has one.
        cached: the system prompt may be read from and written to the prompt cache.
    """

    path: str
    model: str
    system: str
    user: str
    seed: int | None
    cached: bool

    @property
    def prefix(self) -> tuple[str, str, str]:
        """The key of the request in the prompt cache."""
        return self.path, self.model, self.system


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer with its tokens by kind."""

    text: str
    fresh: int
    read: int
    write: int
    output: int


@dataclass(slots=True)
class Ledger:
    """All requests and answers so far.

    Args:
        requests: received requests.
        answered: answers that were sent.
        fresh, read, write, output: tokens by kind.
        quality: by the prompt text that states it and by slice: answers, right answers, and the true quality.
        began, ended: monotonic times of the first request and of the last answer, in seconds.
    """

    requests: int = 0
    answered: int = 0
    fresh: int = 0
    read: int = 0
    write: int = 0
    output: int = 0
    quality: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    began: float = 0.0
    ended: float = 0.0

    def ask(self) -> None:
        """Count one request."""
        self.requests += 1
        self.began = self.began or time.monotonic()

    def note(self, asked: Asked, answer: Answer) -> None:
        """Count one answer."""
        self.answered += 1
        self.ended = time.monotonic()
        self.fresh += answer.fresh
        self.read += answer.read
        self.write += answer.write
        self.output += answer.output
        arm, piece, true = _stated(asked.system, asked.user)
        row = self.quality.setdefault((arm, piece), [0, 0, true])
        row[0] += 1
        row[1] += answer.text != "wrong"

    def told(self) -> dict[str, Any]:
        """As JSON, with one row for each prompt and slice."""
        rows = [
            {"prompt": prompt, "slice": piece, "answers": n, "right": right, "true_quality": true}
            for (prompt, piece), (n, right, true) in self.quality.items()
        ]
        plain = ("requests", "answered", "fresh", "read", "write", "output")
        more = {"quality": rows, "began": self.began, "ended": self.ended}
        return {name: getattr(self, name) for name in plain} | more


class Oracle:
    """Answers requests. A repeated request gets the next sample, whatever the order of requests."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self._answered: dict[bytes, int] = {}
        self._warm: set[tuple[str, str, str]] = set()

    def answer(self, asked: Asked) -> Answer:
        """The answer to one request, not yet counted: `sent` does that."""
        text = oracle_answer(asked.system, asked.user, self._index(asked))
        prefix, output = _tokens(asked.system), count_tokens(text)
        read, write = self._cached(asked, prefix)
        return Answer(text, prefix + count_tokens(asked.user) - read - write, read, write, output)

    def sent(self, asked: Asked, answer: Answer) -> None:
        """Count an answer that was sent. From now on, its prompt can be read from the cache."""
        self.ledger.note(asked, answer)
        if asked.cached and asked.prefix not in self._warm:
            self._warm.update(_starts(asked.path, asked.model, asked.system))
            self._warm.add(asked.prefix)

    def _index(self, asked: Asked) -> int:
        if asked.seed is not None:
            return asked.seed
        key = blake2b(f"{asked.system}\0{asked.user}".encode("utf-8", "replace"), digest_size=12).digest()
        index = self._answered.get(key, 0)
        self._answered[key] = index + 1
        return index

    def _cached(self, asked: Asked, prefix: int) -> tuple[int, int]:
        """Tokens read from and written to the cache: whole marked prompts, or the longest start in OpenAI's steps."""
        if not asked.cached or prefix < CACHE_MINIMUM:
            return 0, 0
        if asked.path == ANTHROPIC:
            return (prefix, 0) if asked.prefix in self._warm else (0, prefix)
        if asked.prefix in self._warm:
            return prefix // CACHE_STEP * CACHE_STEP, 0
        warm = sum(start in self._warm for start in _starts(asked.path, asked.model, asked.system)) * CACHE_STEP
        return (warm, 0) if warm >= CACHE_MINIMUM else (0, 0)


@lru_cache(maxsize=256)
def _tokens(system: str) -> int:
    return count_tokens(system)


@lru_cache(maxsize=256)
def _starts(path: str, model: str, system: str) -> tuple[tuple[str, str, str], ...]:
    """The prefixes of a prompt that the cache stores."""
    ends = range(CACHE_STEP, count_tokens(system) + 1, CACHE_STEP)
    return tuple((path, model, system[: 4 * end]) for end in ends)


def _stated(system: str, user: str) -> tuple[str, str, float]:
    """Prompt, slice, and their true quality."""
    at = user.find("slice=")
    piece = user[at + 6 :].split(None, 1)[0] if at >= 0 else ""
    return _known(system, piece)


@lru_cache(maxsize=4096)
def _known(system: str, piece: str) -> tuple[str, str, float]:
    return system[:200], piece, true_quality(system, f"slice={piece}" if piece else "")
