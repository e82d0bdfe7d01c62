"""Creates the provider for a model's name, once for each model."""

import difflib
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from gate.calls import endpoints
from gate.calls.budget import PriceList
from gate.calls.endpoints import Api, Endpoints, Keys, caching_terms
from gate.calls.interface import Completion, Executor, Misconfigured, Provider, Request
from gate.config.models import SERVICES, ModelRef, Params
from gate.errors import GateError
from gate.record.comparison import CacheTerms
from gate.record.transcript import Cost, Dollars, Usage

_Identity: TypeAlias = tuple[str, str, str | None]

_MOST_THREADS = 4


class _RemoteProvider:
    """A model that an executor calls; questions that need no call are answered here."""

    max_in_flight: int | None = None
    priced = True

    def __init__(self, executor: Executor, check: Callable[[Params], None], lane: str) -> None:
        self._executor = executor
        self.check = check
        self.lane = lane

    async def complete(self, request: Request) -> Completion:
        return await self._executor.complete(request)

    async def close(self) -> None:
        """Does nothing: the executor belongs to the factory."""


class Factory:
    """Owns every provider of a run, and the executor that sends the requests of services, if there is one.

    `read_text` reads a file of recorded answers, by the path after `replay:`.
    """

    def __init__(
        self,
        keys: Keys,
        cache_dir: Path,
        connections: int,
        read_text: Callable[[str], str],
        prices: PriceList | None = None,
        executor: Executor | None = None,
    ) -> None:
        self._endpoints = Endpoints(keys, connections, executor is not None)
        self._cache_dir = cache_dir
        self._read_text = read_text
        self._prices = prices or PriceList()
        self._executor = executor
        self._made: dict[_Identity, Provider] = {}

    def provider(self, model: ModelRef, params: Params) -> Provider:
        """The provider of a model, made at the first call; nothing is sent."""
        key = self._identity(model, params)
        if key not in self._made:
            self._made[key] = self._make(model, params)
        return self._made[key]

    def price(self, model: ModelRef, params: Params, model_id: str, usage: Usage, *, batch: bool = False) -> Cost:
        """Price one reply; see `PriceList.price`."""
        return self._prices.price(model, model_id, usage, self._address(model), batch=batch)

    def address(self, model: ModelRef) -> str:
        """The address of a model; for a model file, a text that changes with the file."""
        if model.provider in ("local", "replay") and (path := Path(model.name)).is_file():
            found = path.stat()
            return f"{path.resolve()} {found.st_size} {found.st_mtime_ns}"
        return self._address(model)

    def caching(self, model: ModelRef, params: Params) -> CacheTerms:
        """On what terms the requests of an arm are cached; see `gate.calls.endpoints`."""
        written = self.price(model, params, model.name, Usage(cache_write_tokens=1))
        write_usd = written.amount if isinstance(written, Dollars) else None
        return replace(
            caching_terms(model, params, self._endpoints.interface(model.provider)),
            write_usd=write_usd,
        )

    def interface(self, model: ModelRef) -> Api | None:
        """The API of a model; None if it is not a service."""
        return self._endpoints.interface(model.provider)

    @property
    def remote(self) -> bool:
        """Are requests sent by an executor?"""
        return self._executor is not None

    def takes(self, model: ModelRef, params: Params) -> bool:
        """Does the interface of a model take these parameters? Known without a key, and without making a provider."""
        interface = self._endpoints.interface(model.provider)
        return endpoints.refused_parameters(model, params, interface, self._address(model)) is None

    def takes_images(self, model: ModelRef) -> bool:
        """Can messages to a model have images? Whether the model itself can see them is known to its service alone."""
        return self._endpoints.interface(model.provider) is not None or model.provider == "replay"

    def takes_empty(self, model: ModelRef) -> bool:
        """Can the message of a user be empty?"""
        return self._endpoints.interface(model.provider) != "anthropic"

    def cold(self, model: ModelRef, params: Params) -> Params:
        """Parameters of a judge: temperature 0, if the API takes one and no other is set."""
        cold = params.choosing(temperature=0.0)
        return cold if params.temperature is None and self.takes(model, cold) else params

    async def close(self) -> None:
        """Close every provider that was made, and the executor."""
        made, self._made = list(self._made.values()), {}
        for provider in made:
            await provider.close()
        if self._executor is not None:
            await self._executor.close()

    def _identity(self, model: ModelRef, params: Params) -> _Identity:
        template = params.chat_template if model.provider == "local" else None
        return model.provider, model.name, template

    def _make(self, model: ModelRef, params: Params) -> Provider:
        makers: dict[str, Callable[[ModelRef, Params], Provider]] = {
            **dict.fromkeys((*SERVICES, *self._endpoints.keys.servers), self._service),
            "local": self._local,
            "replay": self._replay,
            "fake": self._fake,
        }
        if model.provider not in makers:
            close = difflib.get_close_matches(model.provider, makers, n=1)
            hint = f"did you mean {close[0]}:{model.name}?" if close else f"known: {', '.join(makers)}"
            raise Misconfigured(f"there is no provider {model.provider!r} (in {model})", hint)
        if not model.name:
            raise Misconfigured(f"{model} has no model name", "write provider:name")
        return makers[model.provider](model, params)

    def _address(self, model: ModelRef) -> str:
        return self._endpoints.address(model.provider)

    def _service(self, model: ModelRef, params: Params) -> Provider:
        endpoint = self._endpoints.endpoint(model)
        interface = self._endpoints.interface(model.provider)
        self._prices.prepare()
        if self._executor is not None:
            check = partial(endpoints.check_parameters, model, interface=interface, address=self._address(model))
            return _RemoteProvider(self._executor, check, endpoint.lane)
        if interface == "openai":
            from gate.calls.providers.openai import OpenAIProvider

            return OpenAIProvider(endpoint, model.name)
        if interface == "openai-responses":
            from gate.calls.providers.responses import ResponsesProvider

            return ResponsesProvider(endpoint, model.name)
        from gate.calls.providers.anthropic import AnthropicProvider

        return AnthropicProvider(endpoint, model.name)

    def _local(self, model: ModelRef, params: Params) -> Provider:
        from gate.calls.providers.local import LocalProvider

        template, path = params.chat_template, Path(model.name)
        if model.name == endpoints.PACKAGED_MODEL:
            from gate.calls.providers.packaged_model import assemble_model, packaged_parts

            path = assemble_model(packaged_parts(), self._cache_dir)
            # It is a base model: it knows no roles.
            template = template or "passthrough"
        # One core is left for the rest of the gate; see LocalProvider on what a thread too many costs.
        threads = max(1, min(_MOST_THREADS, (os.cpu_count() or 1) - 1))
        return LocalProvider(path, template, threads)

    def _replay(self, model: ModelRef, params: Params) -> Provider:
        from gate.calls.providers.replay import parse_answers

        try:
            text = self._read_text(model.name)
        except OSError as error:
            raise GateError(f"cannot read {model.name}: {error.strerror}", "write replay:PATH.jsonl") from None
        return parse_answers(text, model.name)

    def _fake(self, model: ModelRef, params: Params) -> Provider:
        from gate.calls.providers.fake import FakeProvider

        return FakeProvider(model.name)
